// <prism/nn.hpp> with half and bfloat16 on one device: results are those of float, rounded once. That of
// float is compared with definitions in double by the other tests.
#include "tests/kernels/nn_common.hpp"

#include <sycl/ext/oneapi/bfloat16.hpp>

namespace {

using namespace nn_test;

/// Numbers of T, and the same ones as floats.
template <typename T>
struct twins {
  image<T> narrow;
  image<float> wide;
  twins(std::array<std::size_t, 4> extent, unsigned seed) : narrow(extent, seed), wide(extent, seed) {
    copy();
  }
  void copy() {
    for (std::size_t i = 0; i < wide.data.size(); ++i) wide.data[i] = float(narrow.data[i]);
    narrow.write(), wide.write();
  }
  /// `units` in the last place of T may be between the results; 0 if both were computed alike.
  void expect_rounded(const std::string& what, int units = 0) {
    const double unit = std::is_same_v<T, sycl::half> ? 0x1p-10 : 0x1p-7;
    const std::vector<T> found = narrow.found();
    const std::vector<float> exact = wide.found();
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(double(float(found[i])), double(float(T(exact[i]))),
                  units * unit * std::fabs(double(exact[i])))
          << what << ", element " << i;
  }
};

template <typename T>
class narrow_networks : public testing::Test {};
using narrow_types = testing::Types<sycl::half, sycl::ext::oneapi::bfloat16>;
TYPED_TEST_SUITE(narrow_networks, narrow_types);

TYPED_TEST(narrow_networks, convolutions_and_their_gradients_are_those_of_float_rounded) {
  sycl::queue queue;
  twins<TypeParam> x({2, 6, 9, 20}, 1), w({4, 3, 3, 3}, 2), y({2, 4, 9, 20}, 3), bias({1, 1, 1, 4}, 4);
  nn::convolution_options how;
  how.how.padding[0] = how.how.padding[1] = 1, how.groups = 2;
  for (const nn::method by : {nn::method::automatic, nn::method::direct, nn::method::gemm}) {
    how.by = by;
    how.then = nn::activation::relu;
    nn::conv2d(queue, x.narrow.view(), w.narrow.view(), tensor(bias.narrow.memory, {4}), y.narrow.view(),
               how);
    nn::conv2d(queue, x.wide.view(), w.wide.view(), tensor(bias.wide.memory, {4}), y.wide.view(), how);
    y.expect_rounded("conv2d");
  }
  how.by = nn::method::automatic, how.then = nn::activation::none, y.copy();
  nn::conv2d_gradient_of_data(queue, y.narrow.view(), w.narrow.view(), x.narrow.view(), how);
  nn::conv2d_gradient_of_data(queue, y.wide.view(), w.wide.view(), x.wide.view(), how);
  x.expect_rounded("gradient of data"), x.copy();
  nn::conv2d_gradient_of_weights(queue, x.narrow.view(), y.narrow.view(), w.narrow.view(), how);
  nn::conv2d_gradient_of_weights(queue, x.wide.view(), y.wide.view(), w.wide.view(), how);
  w.expect_rounded("gradient of weights");
}

TYPED_TEST(narrow_networks, images_with_the_channels_last) {
  sycl::queue queue;
  twins<TypeParam> x({2, 9, 10, 5}, 1), w({8, 5, 3, 3}, 2), y({2, 7, 8, 8}, 3); // n, h, w, c
  const auto last = [](const auto& of) { return of.view().permuted({0, 3, 1, 2}); };
  nn::conv2d(queue, last(x.narrow), w.narrow.view(), last(y.narrow));
  nn::conv2d(queue, last(x.wide), w.wide.view(), last(y.wide));
  y.expect_rounded("channels last", 1);
}

TYPED_TEST(narrow_networks, windows_activations_and_normalisations) {
  sycl::queue queue;
  twins<TypeParam> x({2, 3, 6, 8}, 1), y({2, 3, 3, 4}, 2), dx({2, 3, 6, 8}, 3), dy({2, 3, 6, 8}, 4);
  for (const nn::pooling kind : {nn::pooling::max, nn::pooling::average}) {
    nn::pooling_options how;
    how.kind = kind;
    nn::pool2d(queue, x.narrow.view(), y.narrow.view(), how),
        nn::pool2d(queue, x.wide.view(), y.wide.view(), how);
    y.expect_rounded("pool2d"), y.copy();
    nn::pool2d_gradient(queue, x.narrow.view(), y.narrow.view(), dx.narrow.view(), how);
    nn::pool2d_gradient(queue, x.wide.view(), y.wide.view(), dx.wide.view(), how);
    dx.expect_rounded("gradient of pool2d");
  }
  nn::activate(queue, nn::activation::gelu, x.narrow.view(), dx.narrow.view());
  nn::activate(queue, nn::activation::gelu, x.wide.view(), dx.wide.view());
  dx.expect_rounded("gelu");
  nn::activate_gradient(queue, nn::activation::silu, x.narrow.view(), dy.narrow.view(), dy.narrow.view());
  nn::activate_gradient(queue, nn::activation::silu, x.wide.view(), dy.wide.view(), dy.wide.view());
  dy.expect_rounded("derivative of silu");
  twins<TypeParam> mean({1, 1, 1, 3}, 5), variance({1, 1, 1, 3}, 6), gamma({1, 1, 1, 3}, 7),
      beta({1, 1, 1, 3}, 8);
  const auto by_channel = [](const auto& of) { return tensor(of.memory, {3}); };
  nn::batch_statistics(queue, x.narrow.view(), by_channel(mean.narrow), by_channel(variance.narrow));
  nn::batch_statistics(queue, x.wide.view(), by_channel(mean.wide), by_channel(variance.wide));
  mean.expect_rounded("means"), variance.expect_rounded("variances");
  mean.copy(), variance.narrow.data.assign(3, TypeParam(0.5f)), variance.copy();
  nn::batch_norm(queue, x.narrow.view(), by_channel(mean.narrow), by_channel(variance.narrow),
                 by_channel(gamma.narrow), by_channel(beta.narrow), dx.narrow.view());
  nn::batch_norm(queue, x.wide.view(), by_channel(mean.wide), by_channel(variance.wide),
                 by_channel(gamma.wide), by_channel(beta.wide), dx.wide.view());
  dx.expect_rounded("batch_norm");
}

TYPED_TEST(narrow_networks, rows_in_place_attention_and_products) {
  sycl::queue queue;
  twins<TypeParam> x({1, 1, 6, 20}, 1), gamma({1, 1, 1, 20}, 2), beta({1, 1, 1, 20}, 3), w({1, 1, 9, 20}, 4),
      bias({1, 1, 1, 9}, 5), y({1, 1, 6, 9}, 6);
  const auto rows = [](const auto& of) { return prism::row_major(of.memory, of.n[2], of.n[3]); };
  const auto run = [&](const auto& get) {
    nn::linear(queue, rows(get(x)), rows(get(w)), tensor(get(bias).memory, {9}), rows(get(y)),
               nn::activation::silu);
    nn::layer_norm(queue, rows(get(x)), tensor(get(gamma).memory, {20}), tensor(get(beta).memory, {20}),
                   rows(get(x)));
  };
  run([](auto& of) -> auto& { return of.narrow; }), run([](auto& of) -> auto& { return of.wide; });
  y.expect_rounded("linear"), x.expect_rounded("layer_norm in place");
  x.copy();
  nn::softmax(queue, rows(x.narrow), rows(x.narrow)), nn::softmax(queue, rows(x.wide), rows(x.wide));
  x.expect_rounded("softmax in place");

  twins<TypeParam> q({2, 3, 5, 8}, 7), k({2, 3, 7, 8}, 8), v({2, 3, 7, 6}, 9), mask({1, 1, 5, 7}, 10),
      z({2, 3, 5, 6}, 11);
  const auto attend = [&](auto& of_q, auto& of_k, auto& of_v, auto& of_mask, auto& to) {
    auto shared = tensor(of_mask.memory, {2, 3, 5, 7}); // by all batches and heads
    shared.stride = {0, 0, 7, 1};
    using T = std::decay_t<decltype(to.data[0])>;
    nn::attention<T, prism::buffer_place<T>>(queue, of_q.view(), of_k.view(), of_v.view(), shared, to.view());
  };
  attend(q.narrow, k.narrow, v.narrow, mask.narrow, z.narrow),
      attend(q.wide, k.wide, v.wide, mask.wide, z.wide);
  z.expect_rounded("attention");
}

TYPED_TEST(narrow_networks, memory_of_the_device_and_tensors_without_elements) {
  sycl::queue queue;
  if (!queue.get_device().has(sycl::aspect::usm_device_allocations))
    GTEST_SKIP() << queue.get_device().get_info<sycl::info::device::name>() << " has no USM";
  using T = TypeParam;
  T* const memory = sycl::malloc_device<T>(64, queue);
  std::vector<T> values(64), found(64);
  for (std::size_t i = 0; i < 64; ++i) values[i] = T(float(int(i % 7) - 3));
  const sycl::event copied = queue.copy(values.data(), memory, 64);
  const auto x = tensor(memory, {4, 8}), y = tensor(memory + 32, {4, 8});
  const sycl::event done = nn::activate(queue, nn::activation::relu, x, y, {copied});
  queue.submit([&](sycl::handler& h) {
    h.depends_on(done);
    h.copy(memory, found.data(), 64);
  });
  nn::activate(queue, nn::activation::relu, tensor(memory, {0, 8}), tensor(memory + 32, {0, 8}));
  queue.wait_and_throw();
  sycl::free(memory, queue);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(float(found[32 + i]), std::max(0.0f, float(values[i]))) << i;
}

} // namespace
