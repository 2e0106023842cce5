// <prism/nn.hpp> on one device against its definitions in double. Gradients are compared with the definition
// of the gradient, by the sum of dy y: a linear operation L and its gradient G have <dy, L x> = <G dy, x>.
#include "tests/kernels/nn_common.hpp"

#include <prism/blas.hpp>

#include <functional>

namespace {

using namespace nn_test;

using network_types = testing::Types<float, double>;
TYPED_TEST_SUITE(networks, network_types);

struct shape {
  std::size_t n, c, h, w, o, r, s, groups;
  nn::window how;
};
const shape shapes[] = {
    {2, 3, 9, 11, 10, 3, 3, 1, {{1, 1}, {1, 1}, {1, 1}}},
    {1, 8, 7, 40, 16, 1, 1, 1, {}},
    {2, 6, 12, 10, 9, 3, 2, 3, {{2, 3}, {2, 0}, {2, 1}}},
    {1, 4, 8, 37, 4, 3, 3, 4, {{1, 1}, {1, 1}, {1, 1}}},
    {2, 4, 9, 70, 4, 3, 5, 2, {{1, 1}, {3, 2}, {2, 3}}},
    {1, 2, 2, 5, 3, 2, 2, 1, {{1, 1}, {6, 40}, {1, 1}}},
    {1, 2, 5, 6, 8, 5, 5, 1, {{1, 2}, {4, 3}, {1, 2}}},
    {1, 3, 23, 29, 10, 3, 3, 1, {{1, 1}, {1, 1}, {1, 1}}},
    {2, 6, 21, 19, 12, 3, 5, 6, {{1, 1}, {1, 2}, {2, 1}}},
    {1, 5, 40, 3, 5, 3, 1, 5, {{1, 1}, {0, 0}, {1, 1}}},
    {1, 230, 3, 5, 17, 3, 3, 1, {{1, 1}, {1, 1}, {1, 1}}},
    {2, 5, 14, 14, 5, 3, 3, 5, {{1, 1}, {1, 1}, {1, 1}}}, // depthwise: narrow rows
    {1, 3, 33, 70, 3, 5, 5, 3, {{1, 1}, {2, 2}, {1, 1}}}, // several vectors, blocks of rows
    {1, 2, 9, 25, 2, 7, 7, 2, {{1, 1}, {3, 0}, {1, 1}}},
    {3, 2, 3, 4, 2, 3, 3, 2, {{1, 1}, {2, 2}, {1, 1}}},
    {1, 2, 70, 300, 2, 3, 3, 2, {{1, 1}, {1, 1}, {1, 1}}}}; // strips of rows

std::size_t results(std::size_t points, std::size_t kernel, const nn::window& how, int d) {
  return (points + 2 * how.padding[d] - how.dilation[d] * (kernel - 1) - 1) / how.stride[d] + 1;
}
/// Calls work(n, o, i, j, c of x, c of w, r, s, h, w) for each product of the convolution.
template <typename Work>
void each_product(const shape& s, Work&& work) {
  const std::size_t height = results(s.h, s.r, s.how, 0), width = results(s.w, s.s, s.how, 1);
  const std::size_t inputs = s.c / s.groups, outputs = s.o / s.groups;
  for (std::size_t n = 0; n < s.n; ++n)
    for (std::size_t o = 0; o < s.o; ++o)
      for (std::size_t i = 0; i < height; ++i)
        for (std::size_t j = 0; j < width; ++j)
          for (std::size_t c = 0; c < inputs; ++c)
            for (std::size_t r = 0; r < s.r; ++r)
              for (std::size_t q = 0; q < s.s; ++q) {
                const long y = long(i * s.how.stride[0] + r * s.how.dilation[0]) - long(s.how.padding[0]),
                           x = long(j * s.how.stride[1] + q * s.how.dilation[1]) - long(s.how.padding[1]);
                if (y < 0 || x < 0 || y >= long(s.h) || x >= long(s.w)) continue;
                work(std::array{n, o, i, j},
                     std::array{n, o / outputs * inputs + c, std::size_t(y), std::size_t(x)},
                     std::array{o, c, r, q});
              }
}
template <typename T>
std::size_t place(const image<T>& of, const std::array<std::size_t, 4>& at) {
  return ((at[0] * of.n[1] + at[1]) * of.n[2] + at[2]) * of.n[3] + at[3];
}

TYPED_TEST(networks, convolutions_and_their_gradients_by_each_algorithm) {
  using T = TypeParam;
  sycl::queue queue;
  for (const shape& s : shapes) {
    image<T> x({s.n, s.c, s.h, s.w}, 1), w({s.o, s.c / s.groups, s.r, s.s}, 2),
        y({s.n, s.o, results(s.h, s.r, s.how, 0), results(s.w, s.s, s.how, 1)}, 3), bias({1, 1, 1, s.o}, 4);
    const std::string what = std::to_string(&s - shapes);
    const double bound = std::max<double>(100, double(s.c / s.groups * s.r * s.s)); // terms of a long sum
    std::vector<double> of_y(y.data.size()), of_x(x.data.size()), of_w(w.data.size());
    each_product(s, [&](const auto& at_y, const auto& at_x, const auto& at_w) {
      of_y[place(y, at_y)] += double(x.data[place(x, at_x)]) * double(w.data[place(w, at_w)]);
      of_x[place(x, at_x)] += double(y.data[place(y, at_y)]) * double(w.data[place(w, at_w)]);
      of_w[place(w, at_w)] += double(x.data[place(x, at_x)]) * double(y.data[place(y, at_y)]);
    });
    nn::convolution_options how;
    how.how = s.how, how.groups = s.groups;
    image<T> dx(x.n, 5), dw(w.n, 6);
    nn::conv2d_gradient_of_data(queue, y.view(), w.view(), dx.view(), how);
    nn::conv2d_gradient_of_weights(queue, x.view(), y.view(), dw.view(), how);
    expect_near(dx.found(), of_x, 100, "dx of " + what);
    expect_near(dw.found(), of_w, std::max<double>(300, double(s.n * y.n[2] * y.n[3]) / 4), "dw of " + what);
    for (const nn::method by : {nn::method::direct, nn::method::gemm, nn::method::automatic}) {
      if (by == nn::method::direct && s.c > 100) continue; // rusticl and lavapipe stop long loops
      how.by = by;
      nn::conv2d(queue, x.view(), w.view(), y.view(), how);
      expect_near(y.found(), of_y, bound, "y of " + what + ", method " + std::to_string(int(by)));
    }
    how.then = nn::activation::relu;
    std::vector<double> with_bias = of_y;
    for (std::size_t i = 0; i < of_y.size(); ++i)
      with_bias[i] = std::max(0.0, of_y[i] + double(bias.data[i / (y.n[2] * y.n[3]) % s.o]));
    nn::conv2d(queue, x.view(), w.view(), tensor(bias.memory, {s.o}), y.view(), how);
    expect_near(y.found(), with_bias, bound, "bias and relu of " + what);
  }
}

TYPED_TEST(networks, convolutions_of_images_with_the_channels_last) {
  using T = TypeParam;
  sycl::queue queue;
  const shape s{2, 3, 6, 7, 9, 3, 3, 1, {}};
  image<T> x({2, 6, 7, 3}, 1), w({9, 3, 3, 3}, 2), y({2, 4, 5, 9}, 3);
  const auto swapped = [](const auto& v) { return v.permuted({0, 3, 1, 2}); };
  std::vector<double> expected(y.data.size());
  each_product(s, [&](const auto& i, const auto& j, const auto& k) {
    expected[place(y, {i[0], i[2], i[3], i[1]})] +=
        x.at(j[0], j[2], j[3], j[1]) * w.at(k[0], k[1], k[2], k[3]);
  });
  for (const nn::method by :
       {nn::method::direct, nn::method::gemm, nn::method::winograd, nn::method::automatic}) {
    nn::convolution_options how;
    how.by = by;
    nn::conv2d(queue, swapped(x.view()), w.view(), swapped(y.view()), how);
    expect_near(y.found(), expected, by == nn::method::winograd ? 300 : 100, "channels last");
  }
  image<T> first({2, 9, 4, 5}, 4);
  nn::conv2d(queue, swapped(x.view()), w.view(), first.view());
  std::vector<double> moved(expected.size());
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t c = 0; c < 9; ++c)
      for (std::size_t p = 0; p < 20; ++p) moved[(n * 9 + c) * 20 + p] = expected[(n * 20 + p) * 9 + c];
  expect_near(first.found(), moved, 100, "channels last in, first out");
}

TYPED_TEST(networks, convolutions_by_winograds_algorithm) {
  using T = TypeParam;
  sycl::queue queue;
  const shape all[] = {{2, 3, 9, 11, 10, 3, 3, 1, {{1, 1}, {1, 1}, {1, 1}}},
                       {1, 2, 3, 3, 1, 3, 3, 1, {}},
                       {3, 4, 8, 37, 6, 3, 3, 2, {{1, 1}, {0, 2}, {1, 1}}},
                       {1, 5, 1, 2, 3, 3, 3, 1, {{1, 1}, {5, 1}, {1, 1}}},
                       {1, 230, 3, 5, 17, 3, 3, 1, {{1, 1}, {1, 1}, {1, 1}}}};
  for (const shape& s : all) {
    image<T> x({s.n, s.c, s.h, s.w}, 1), w({s.o, s.c / s.groups, 3, 3}, 2),
        y({s.n, s.o, results(s.h, 3, s.how, 0), results(s.w, 3, s.how, 1)}, 3), bias({1, 1, 1, s.o}, 4);
    std::vector<double> expected(y.data.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] = double(bias.data[i / (y.n[2] * y.n[3]) % s.o]);
    each_product(s, [&](const auto& at_y, const auto& at_x, const auto& at_w) {
      expected[place(y, at_y)] += double(x.data[place(x, at_x)]) * double(w.data[place(w, at_w)]);
    });
    nn::convolution_options how;
    how.how = s.how, how.groups = s.groups, how.by = nn::method::winograd;
    nn::conv2d(queue, x.view(), w.view(), tensor(bias.memory, {s.o}), y.view(), how);
    expect_near(y.found(), expected, 100 + 20.0 * double(9 * s.c / s.groups),
                "shape " + std::to_string(&s - all));
  }
}

TYPED_TEST(networks, winograds_algorithm_is_refused_for_other_windows) {
  using T = TypeParam;
  sycl::queue queue;
  image<T> x({1, 2, 9, 9}, 1);
  nn::convolution_options how;
  how.by = nn::method::winograd;
  const auto refused = [&](std::size_t r, std::size_t s, const nn::window& by) {
    how.how = by;
    image<T> w({2, 2, r, s}, 2), y({1, 2, results(9, r, by, 0), results(9, s, by, 1)}, 3);
    try {
      nn::conv2d(queue, x.view(), w.view(), y.view(), how);
      return std::string("ran");
    } catch (const sycl::exception& e) {
      EXPECT_EQ(e.code(), sycl::errc::invalid);
      return std::string(e.what());
    }
  };
  EXPECT_NE(refused(5, 3, {}).find("Winograd's algorithm is for 3 x 3 weights"), std::string::npos);
  EXPECT_NE(refused(3, 1, {}).find("not for 3 x 1"), std::string::npos);
  EXPECT_NE(refused(3, 3, {{1, 2}, {0, 0}, {1, 1}}).find("stride 2"), std::string::npos);
  EXPECT_NE(refused(3, 3, {{1, 1}, {0, 0}, {2, 1}}).find("dilation 2"), std::string::npos);
}

TYPED_TEST(networks, pooling_and_its_gradients) {
  using T = TypeParam;
  sycl::queue queue;
  for (const nn::pooling kind : {nn::pooling::max, nn::pooling::average, nn::pooling::average_with_padding}) {
    nn::pooling_options how;
    how.kind = kind, how.size[0] = 3, how.size[1] = 2, how.how = {{2, 1}, {1, 1}, {1, 2}};
    image<T> x({2, 3, 8, 9}, 1), y({2, 3, 4, 9}, 2), dy(y.n, 3), dx(x.n, 4);
    std::vector<double> expected(y.data.size()), gradient(x.data.size());
    for (std::size_t p = 0; p < expected.size(); ++p) {
      const std::size_t plane = p / 36, i = p / 9 % 4, j = p % 9;
      double sum = 0, count = 0, best = -9;
      std::vector<std::size_t> points;
      std::size_t where = 0;
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t s = 0; s < 2; ++s) {
          const long line = long(i * 2 + r) - 1, column = long(j + 2 * s) - 1;
          if (line < 0 || column < 0 || line >= 8 || column >= 9) continue;
          points.push_back(plane * 72 + std::size_t(line * 9 + column));
          const double value = double(x.data[points.back()]);
          sum += value, ++count;
          if (value > best) best = value, where = points.back();
        }
      const double divisor = kind == nn::pooling::average ? count : 6;
      expected[p] = kind == nn::pooling::max ? best : sum / divisor;
      if (kind == nn::pooling::max) gradient[where] += double(dy.data[p]);
      else
        for (const std::size_t at : points) gradient[at] += double(dy.data[p]) / divisor;
    }
    nn::pool2d(queue, x.view(), y.view(), how);
    nn::pool2d_gradient(queue, x.view(), dy.view(), dx.view(), how);
    expect_near(y.found(), expected, 10, "kind " + std::to_string(int(kind)));
    expect_near(dx.found(), gradient, 20, "gradient, kind " + std::to_string(int(kind)));
  }
}

double value_of(nn::activation f, double x) {
  const double s = 1 / (1 + std::exp(-x)), k = std::sqrt(2 / 3.14159265358979323846);
  switch (f) {
    case nn::activation::relu: return std::max(x, 0.0);
    case nn::activation::leaky_relu: return x < 0 ? 0.01 * x : x;
    case nn::activation::gelu: return x * 0.5 * std::erfc(-x / std::sqrt(2.0));
    case nn::activation::gelu_tanh: return 0.5 * x * (1 + std::tanh(k * (x + 0.044715 * x * x * x)));
    case nn::activation::silu: return x * s;
    case nn::activation::tanh: return std::tanh(x);
    case nn::activation::sigmoid: return s;
    case nn::activation::softplus: return std::log1p(std::exp(x));
    case nn::activation::elu: return x < 0 ? std::expm1(x) : x;
    default: return x;
  }
}
TYPED_TEST(networks, activations_and_their_derivatives) {
  using T = TypeParam;
  sycl::queue queue;
  for (int number = 0; number <= int(nn::activation::elu); ++number) {
    const auto f = nn::activation(number);
    image<T> x({1, 2, 3, 70}, 1), y(x.n, 2), dy(x.n, 3), dx(x.n, 4);
    std::vector<double> expected, gradient;
    for (std::size_t i = 0; i < x.data.size(); ++i) {
      const double at = double(x.data[i]), h = 1e-6;
      expected.push_back(value_of(f, at));
      gradient.push_back(double(dy.data[i]) * (value_of(f, at + h) - value_of(f, at - h)) / (2 * h));
    }
    nn::activate(queue, f, x.view(), y.view());
    nn::activate_gradient(queue, f, x.view(), dy.view(), dx.view());
    expect_near(y.found(), expected, 16, "activation " + std::to_string(number));
    const std::vector<T> found = dx.found();
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(double(found[i]), gradient[i], 2e-6) << "derivative " << number << ", " << i;
  }
}

TYPED_TEST(networks, softmax_and_normalisations) {
  using T = TypeParam;
  sycl::queue queue;
  const std::size_t m = 7, n = 50;
  image<T> x({1, 1, m, n}, 1), y(x.n, 2), gamma({1, 1, 1, n}, 3), beta({1, 1, 1, n}, 4);
  const auto rows = [&](const image<T>& of) { return prism::row_major(of.memory, m, n); };
  std::vector<double> soft, log_soft, norm;
  for (std::size_t i = 0; i < m; ++i) {
    double sum = 0, mean = 0, variance = 0;
    for (std::size_t j = 0; j < n; ++j) sum += std::exp(x.at(0, 0, i, j)), mean += x.at(0, 0, i, j) / n;
    for (std::size_t j = 0; j < n; ++j) variance += std::pow(x.at(0, 0, i, j) - mean, 2) / n;
    for (std::size_t j = 0; j < n; ++j) {
      soft.push_back(std::exp(x.at(0, 0, i, j)) / sum);
      log_soft.push_back(x.at(0, 0, i, j) - std::log(sum));
      norm.push_back((x.at(0, 0, i, j) - mean) / std::sqrt(variance + 1e-5) * double(gamma.data[j]) +
                     double(beta.data[j]));
    }
  }
  nn::softmax(queue, rows(x), rows(y));
  expect_near(y.found(), soft, 8, "softmax");
  nn::log_softmax(queue, rows(x), rows(y));
  expect_near(y.found(), log_soft, 32, "log_softmax");
  nn::layer_norm(queue, rows(x), tensor(gamma.memory, {n}), tensor(beta.memory, {n}), rows(y));
  expect_near(y.found(), norm, 32, "layer_norm");

  image<T> z({3, 5, 4, 6}, 7), result(z.n, 8), mean({1, 1, 1, 5}, 9), variance(mean.n, 10), g(mean.n, 11),
      b(mean.n, 12);
  const auto each = [](const image<T>& of) { return tensor(of.memory, {5}); };
  std::vector<double> means(5), variances(5), expected(z.data.size());
  for (std::size_t i = 0; i < z.data.size(); ++i) means[i / 24 % 5] += double(z.data[i]) / 72;
  for (std::size_t i = 0; i < z.data.size(); ++i)
    variances[i / 24 % 5] += std::pow(double(z.data[i]) - means[i / 24 % 5], 2) / 72;
  for (std::size_t i = 0; i < z.data.size(); ++i) {
    const std::size_t c = i / 24 % 5;
    expected[i] =
        std::max(0.0, (double(z.data[i]) - means[c]) / std::sqrt(variances[c] + 1e-5) * double(g.data[c]) +
                          double(b.data[c]));
  }
  nn::batch_statistics(queue, z.view(), each(mean), each(variance));
  nn::batch_norm(queue, z.view(), each(mean), each(variance), each(g), each(b), result.view(), 1e-5,
                 nn::activation::relu);
  expect_near(mean.found(), means, 8, "mean");
  expect_near(variance.found(), variances, 8, "variance");
  expect_near(result.found(), expected, 32, "batch_norm");
}

TYPED_TEST(networks, products_with_bias_and_activation) {
  using T = TypeParam;
  sycl::queue queue;
  image<T> x({1, 1, 6, 20}, 1), w({1, 1, 9, 20}, 2), bias({1, 1, 1, 9}, 3), y({1, 1, 6, 9}, 4);
  std::vector<double> expected;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 9; ++j) {
      double sum = double(bias.data[j]);
      for (std::size_t k = 0; k < 20; ++k) sum += x.at(0, 0, i, k) * w.at(0, 0, j, k);
      expected.push_back(value_of(nn::activation::silu, sum));
    }
  nn::linear(queue, prism::row_major(x.memory, 6, 20), prism::row_major(w.memory, 9, 20),
             tensor(bias.memory, {9}), prism::row_major(y.memory, 6, 9), nn::activation::silu);
  expect_near(y.found(), expected, 64, "linear");
}

TEST(network_rules, products_of_8_bit_integers_are_exact) {
  sycl::queue queue;
  std::vector<std::int8_t> a(5 * 300), b(4 * 300);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::int8_t(i * 37 % 256 - 128);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::int8_t(i * 91 % 256 - 128);
  sycl::buffer<float, 1> y{sycl::range<1>(20)};
  const sycl::buffer<std::int8_t, 1> x(a.data(), sycl::range<1>(a.size())),
      w(b.data(), sycl::range<1>(b.size()));
  using bytes = prism::tensor_view<const std::int8_t, prism::buffer_place<const std::int8_t>>;
  nn::quantised_matmul(queue, bytes(tensor(x, {5, 300})), 3, bytes(tensor(w, {4, 300})), -7, 0.5,
                       tensor(y, {5, 4}));
  const sycl::host_accessor found(y, sycl::read_only);
  for (std::size_t i = 0; i < 20; ++i) {
    long sum = 0;
    for (std::size_t k = 0; k < 300; ++k) sum += long(a[i / 4 * 300 + k] - 3) * long(b[i % 4 * 300 + k] + 7);
    EXPECT_EQ(found[i], 0.5f * float(sum)) << i;
  }
}

TEST(network_rules, convolutions_by_onednn_are_those_of_the_librarys_own_kernels) {
  sycl::queue queue;
  const auto all = prism::blas::implementations();
  if (std::none_of(all.begin(), all.end(), [](const auto& each) { return each.name == "onednn"; }))
    GTEST_SKIP() << "the provider onednn is not there";
  if (queue.get_device().get_backend() != sycl::backend::ext_prism_host)
    GTEST_SKIP() << "oneDNN's provider is for the host";
  for (const shape& s : shapes) {
    const std::size_t height = results(s.h, s.r, s.how, 0), width = results(s.w, s.s, s.how, 1);
    const image<float> x({s.n, s.c, s.h, s.w}, 1), w({s.o, s.c / s.groups, s.r, s.s}, 2),
        bias({1, 1, 1, s.o}, 3);
    image<float> own({s.n, s.o, height, width}, 4), theirs({s.n, s.o, height, width}, 5);
    nn::convolution_options how;
    how.how = s.how, how.groups = s.groups, how.then = nn::activation::relu;
    for (const auto& [name, y] : {std::pair("prism", &own), {"onednn", &theirs}}) {
      const prism::blas::scoped_provider by(name);
      nn::conv2d(queue, x.view(), w.view(), tensor(bias.memory, {s.o}), y->view(), how);
    }
    EXPECT_EQ(prism::blas::last_choice().substr(0, 12), "conv2d float");
    EXPECT_NE(prism::blas::last_choice().find(": onednn"), std::string::npos);
    const std::vector<float> found = theirs.found();
    expect_near(own.found(), std::vector<double>(found.begin(), found.end()),
                2.0 * double(s.c * s.r * s.s) + 8, "a shape of " + std::to_string(s.c) + " channels");
  }
}

TEST(network_rules, convolutions_of_8_bit_integers_are_exact) {
  sycl::queue queue;
  using bytes = prism::tensor_view<const std::int8_t, prism::buffer_place<const std::int8_t>>;
  const auto numbers = [](std::size_t count, unsigned step) {
    std::vector<std::int8_t> out(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = std::int8_t(i * step % 256 - 128);
    out[count - 1] = 127;
    return out;
  };
  // The last shape has 230 channels of 9 points, more than a float holds the sum of.
  for (const shape& s : shapes)
    for (const auto& [zero_x, zero_w] : {std::pair(0, 0), {127, -128}, {-5, 3}}) {
      const std::size_t height = results(s.h, s.r, s.how, 0), width = results(s.w, s.s, s.how, 1);
      const std::vector<std::int8_t> a = numbers(s.n * s.c * s.h * s.w, 37),
                                     b = numbers(s.o * (s.c / s.groups) * s.r * s.s, 91);
      const sycl::buffer<std::int8_t, 1> x(a.data(), sycl::range<1>(a.size())),
          w(b.data(), sycl::range<1>(b.size()));
      sycl::buffer<float, 1> y{sycl::range<1>(s.n * s.o * height * width)};
      nn::convolution_options how;
      how.how = s.how, how.groups = s.groups;
      nn::quantised_conv2d(queue, bytes(tensor(x, {s.n, s.c, s.h, s.w})), zero_x,
                           bytes(tensor(w, {s.o, s.c / s.groups, s.r, s.s})), zero_w, 0.25,
                           tensor(y, {s.n, s.o, height, width}), how);
      std::vector<long> expected(y.size());
      each_product(s, [&](const auto& to, const auto& from, const auto& by) {
        expected[((to[0] * s.o + to[1]) * height + to[2]) * width + to[3]] +=
            (long(a[((from[0] * s.c + from[1]) * s.h + from[2]) * s.w + from[3]]) - zero_x) *
            (long(b[((by[0] * (s.c / s.groups) + by[1]) * s.r + by[2]) * s.s + by[3]]) - zero_w);
      });
      const sycl::host_accessor found(y, sycl::read_only);
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(found[i], 0.25f * float(expected[i])) << s.c << " channels, result " << i;
    }
}

TEST(network_rules, convolutions_of_8_bit_integers_beyond_exact_sums_are_refused) {
  sycl::queue queue;
  using bytes = prism::tensor_view<const std::int8_t, prism::buffer_place<const std::int8_t>>;
  const sycl::buffer<std::int8_t, 1> a{sycl::range<1>(40'000)}, b{sycl::range<1>(40'000)};
  const sycl::buffer<float, 1> y{sycl::range<1>(100)};
  const auto refusal = [&](std::initializer_list<std::size_t> x, std::initializer_list<std::size_t> w,
                           int zero_x) {
    std::string text;
    const auto call = [&] {
      nn::quantised_conv2d(queue, bytes(tensor(a, x)), zero_x, bytes(tensor(b, w)), 0, 1.0,
                           tensor(y, {1, 1, 1, 1}));
    };
    EXPECT_EQ(prism_test::error_of(call, &text), sycl::errc::invalid) << text;
    return text;
  };
  EXPECT_NE(refusal({1, 33'000, 1, 1}, {1, 33'000, 1, 1}, 0).find("33000 products"), std::string::npos);
  EXPECT_NE(refusal({1, 1, 40, 40}, {1, 1, 40, 40}, 0).find("1600 points"), std::string::npos);
  EXPECT_NE(refusal({1, 1, 1, 1}, {1, 1, 1, 1}, 128).find("zero point of 128"), std::string::npos);
}

TEST(network_rules, shapes_that_disagree_are_refused_with_the_numbers) {
  sycl::queue queue;
  const sycl::buffer<float, 1> a{sycl::range<1>(1000)}, b{sycl::range<1>(1000)}, c{sycl::range<1>(1000)};
  const auto refusal = [&](const std::function<void()>& call) {
    std::string text;
    EXPECT_EQ(prism_test::error_of(call, &text), sycl::errc::invalid) << text;
    return text;
  };
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const auto x = tensor(a, {1, 4, 6, 6}), w = tensor(b, {2, 4, 3, 3});
  has(refusal([&] { nn::conv2d(queue, x, w, tensor(c, {1, 2, 4, 5})); }),
      "y is 1 x 2 x 4 x 5 instead of 1 x 2 x 4 x 4");
  has(refusal([&] { nn::conv2d(queue, x, tensor(b, {2, 3, 3, 3}), tensor(c, {1, 2, 4, 4})); }),
      "the weights is 2 x 3 x 3 x 3 instead of 2 x 4 x 3 x 3");
  nn::convolution_options how;
  how.groups = 3;
  has(refusal([&] { nn::conv2d(queue, x, w, tensor(c, {1, 2, 4, 4}), how); }),
      "3 groups of 4 and 2 channels");
  how.groups = 1, how.how.stride[0] = 0;
  has(refusal([&] { nn::conv2d(queue, x, w, tensor(c, {1, 2, 4, 4}), how); }), "stride 0");
  has(refusal([&] { nn::conv2d(queue, x, w, tensor(a, {1, 2, 4, 4})); }),
      "begins where another operand does");
  auto again = a.reinterpret<float, 1>(a.get_range());
  has(refusal([&] { nn::conv2d(queue, x, w, tensor(again, {1, 2, 4, 4})); }),
      "begins where another operand does");
  has(refusal([&] { nn::pool2d(queue, x, tensor(c, {1, 4, 3, 2})); }), "instead of 1 x 4 x 3 x 3");
  has(refusal([&] {
    nn::attention(queue, tensor(a, {1, 1, 2, 4}), tensor(b, {1, 1, 3, 5}), tensor(b, {1, 1, 3, 5}),
                  tensor(c, {1, 1, 2, 5}));
  }),
      "k is 1 x 1 x 3 x 5 instead of 1 x 1 x 3 x 4");
}

TEST(network_rules, tensors_without_elements_and_not_a_number) {
  sycl::queue queue;
  image<float> x({1, 1, 4, 4}, 1), y({1, 1, 2, 2}, 2);
  nn::conv2d(queue, tensor(x.memory, {0, 1, 4, 4}), tensor(x.memory, {1, 1, 3, 3}),
             tensor(y.memory, {0, 1, 2, 2}));
  {
    const sycl::host_accessor to(x.memory, sycl::read_write);
    to[5] = std::nanf("");
  }
  nn::pool2d(queue, x.view(), y.view());
  const std::vector<float> found = y.found();
  EXPECT_TRUE(std::isnan(found[0]));
  EXPECT_EQ(found[3], std::max({x.data[10], x.data[11], x.data[14], x.data[15]}));
}

} // namespace
