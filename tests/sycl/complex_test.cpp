// sycl_ext_oneapi_complex: the class, its functions and marray of it, in kernels, compared with std::complex.
#include "tests/sycl/common.hpp"

#include <complex>
#include <sstream>

#define SYCL_EXT_ONEAPI_COMPLEX 1 // as programs for the original implementation define it
#include <sycl/ext/oneapi/experimental/complex/complex.hpp>

namespace {

namespace ex = sycl::ext::oneapi::experimental;
using ex::complex;

static_assert(SYCL_EXT_ONEAPI_COMPLEX == 1);
static_assert(std::is_trivially_copyable_v<complex<sycl::half>> &&
              sycl::is_device_copyable_v<complex<double>>);
static_assert(std::is_trivially_copyable_v<sycl::marray<complex<float>, 3>> &&
              sizeof(sycl::marray<complex<float>, 3>) == 24);
static_assert(std::is_same_v<decltype(ex::pow(complex<float>(), 2.0)), complex<double>>);
static_assert(std::is_same_v<decltype(ex::pow(sycl::half(), complex<float>())), complex<float>>);
static_assert(std::is_same_v<decltype(ex::real(3)), double> &&
              std::is_same_v<decltype(ex::arg(1.0f)), float>);

template <typename T, typename = void>
constexpr bool is_ordered = false;
template <typename T>
constexpr bool is_ordered<T, std::void_t<decltype(std::declval<T>() < std::declval<T>())>> = true;
static_assert(is_ordered<sycl::mfloat3> && !is_ordered<sycl::marray<complex<float>, 3>>);

constexpr int samples = 81, functions = 24;

template <typename T, template <typename> class Complex, typename U>
Complex<U> sample(int i) {
  // All quadrants, near to and far from branch points, on both sides of the branch cuts.
  const float parts[] = {0.25f, -0.75f, 1.25f, -1.5f, 3.5f, -0.125f, 0.0f, 2.0f, -2.5f};
  return {static_cast<U>(parts[i % 9]), static_cast<U>(parts[i / 9])};
}
template <typename T>
using standard = std::complex<T>;

/// The same expressions for both classes. `put` gets the number of a function and its value. A kernel has
/// those of one group: drivers take minutes to build a kernel with all of them.
#define FOR_SIMPLE_FUNCTIONS(NS, z, w, put)                                                                  \
  put(0, z + w), put(1, z - w), put(2, z* w), put(3, z / w), put(4, NS::conj(z)), put(5, NS::proj(z)),       \
      put(6, NS::log(z + five)), put(7, NS::log10(z + five)), put(8, NS::sqrt(z)), put(9, NS::exp(z)),       \
      put(22, NS::pow(z + five, w)), put(23, {NS::abs(z), NS::arg(z) + NS::norm(z)})
#define FOR_HYPERBOLIC_FUNCTIONS(NS, z, put)                                                                 \
  put(10, NS::asinh(z)), put(11, NS::acosh(z)), put(12, NS::atanh(z)), put(13, NS::sinh(z)),                 \
      put(14, NS::cosh(z)), put(15, NS::tanh(z))
#define FOR_CIRCULAR_FUNCTIONS(NS, z, put)                                                                   \
  put(16, NS::asin(z)), put(17, NS::acos(z)), put(18, NS::atan(z)), put(19, NS::sin(z)),                     \
      put(20, NS::cos(z)), put(21, NS::tan(z))

/// Two of each of both, for half: the header computes all of its functions by those of float in one way.
#define FOR_FOUR_FUNCTIONS(NS, z, put)                                                                       \
  put(10, NS::asinh(z)), put(13, NS::sinh(z)), put(16, NS::asin(z)), put(19, NS::sin(z))

enum class function_group { simple, hyperbolic, circular, four };

template <typename T, function_group group>
void compute_functions(sycl::queue& queue, sycl::buffer<complex<T>>& out) {
  queue.submit([&](sycl::handler& h) {
    sycl::accessor to(out, h, sycl::write_only);
    h.parallel_for(sycl::range<1>(samples), [=](sycl::id<1> id) {
      const int i = static_cast<int>(id[0]);
      const complex<T> z = sample<T, complex, T>(i), w(T(1.5f), T(-0.5f));
      const T five = 5;
      const auto put = [&](int k, const complex<T>& value) { to[i * functions + k] = value; };
      if constexpr (group == function_group::simple) FOR_SIMPLE_FUNCTIONS(ex, z, w, put);
      else if constexpr (group == function_group::hyperbolic) FOR_HYPERBOLIC_FUNCTIONS(ex, z, put);
      else if constexpr (group == function_group::circular) FOR_CIRCULAR_FUNCTIONS(ex, z, put);
      else FOR_FOUR_FUNCTIONS(ex, z, put);
      (void)w, (void)five;
    });
  });
}

template <typename T>
void expect_what_cxx_computes(double tolerance) {
  using work = std::conditional_t<std::is_same_v<T, double>, double, float>;
  std::vector<complex<T>> results(samples * functions);
  sycl::queue queue;
  if (std::is_same_v<T, double> && !queue.get_device().has(sycl::aspect::fp64))
    GTEST_SKIP() << prism_test::name_of(queue.get_device()) << " has no fp64";
  {
    sycl::buffer out(results);
    compute_functions<T, function_group::simple>(queue, out);
    if constexpr (std::is_same_v<T, sycl::half>) {
      compute_functions<T, function_group::four>(queue, out);
    } else {
      compute_functions<T, function_group::hyperbolic>(queue, out);
      compute_functions<T, function_group::circular>(queue, out);
    }
  }
  for (int i = 0; i < samples; ++i) {
    const std::complex<work> z = sample<T, standard, work>(i), w(1.5f, -0.5f);
    const work five = 5;
    const auto expect = [&](int k, const std::complex<work>& value) {
      const complex<T> found = results[i * functions + k];
      if (std::isinf(value.real()) || std::isnan(value.real())) return; // the poles; see below
      EXPECT_NEAR(found.real(), value.real(), tolerance * (1 + std::abs(value)))
          << "function " << k << " of " << z;
      EXPECT_NEAR(found.imag(), value.imag(), tolerance * (1 + std::abs(value)))
          << "function " << k << " of " << z;
    };
    FOR_SIMPLE_FUNCTIONS(std, z, w, expect);
    if constexpr (std::is_same_v<T, sycl::half>) {
      FOR_FOUR_FUNCTIONS(std, z, expect);
    } else {
      FOR_HYPERBOLIC_FUNCTIONS(std, z, expect);
      FOR_CIRCULAR_FUNCTIONS(std, z, expect);
    }
  }
}

TEST(complex_numbers, float_functions_are_those_of_cxx) { expect_what_cxx_computes<float>(4e-6); }
TEST(complex_numbers, double_functions_are_those_of_cxx) { expect_what_cxx_computes<double>(1e-14); }
TEST(complex_numbers, half_functions_are_those_of_float_rounded) {
  expect_what_cxx_computes<sycl::half>(4e-3);
}

TEST(complex_numbers, infinities_and_nan_are_those_of_cxx) {
  sycl::queue queue;
  if (queue.get_device().get_platform().get_info<sycl::info::platform::name>() == "rusticl")
    GTEST_SKIP() << "rusticl replaces x * 0 by 0, also for infinities and NaN";
  constexpr float parts[] = {0.0f, -1.0f, INFINITY, -INFINITY, NAN};
  std::vector<complex<float>> results(25 * 4);
  {
    sycl::buffer out(results);
    queue.submit([&](sycl::handler& h) {
      sycl::accessor to(out, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<1>(25), [=](sycl::id<1> i) {
        const complex<float> z(parts[i[0] % 5], parts[i[0] / 5]);
        to[i[0] * 4] = ex::proj(z);
        to[i[0] * 4 + 1] = ex::sqrt(z);
        to[i[0] * 4 + 2] = {ex::abs(z), ex::norm(z)};
        to[i[0] * 4 + 3] = z * complex<float>(0, 1);
      });
    });
  }
  const auto same = [](float a, float b) { // roots and sizes of numbers are not exact on every device
    if (std::isnan(b)) return std::isnan(a);
    return std::isinf(b) ? a == b : std::fabs(a - b) <= 1e-6f * std::fabs(b);
  };
  for (int i = 0; i < 25; ++i) {
    const std::complex<float> z(parts[i % 5], parts[i / 5]);
    const std::complex<float> expected[] = {
        std::proj(z), std::sqrt(z), {std::abs(z), std::norm(z)}, z * std::complex<float>(0, 1)};
    for (int k = 0; k < 4; ++k)
      EXPECT_TRUE(same(results[i * 4 + k].real(), expected[k].real()) &&
                  same(std::fabs(results[i * 4 + k].imag()), std::fabs(expected[k].imag())))
          << "function " << k << " of " << z << ": " << results[i * 4 + k] << ", C++ says " << expected[k];
  }
}

/// A kernel that writes N conditions, all of which must be true.
template <int N, typename Kernel>
void expect_all_true(const Kernel& kernel) {
  std::vector<int> right(N, 0);
  {
    sycl::buffer out(right);
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor to(out, h, sycl::write_only);
      h.single_task([=] { kernel([&](int i, bool answer) { to[i] = answer; }); });
    });
  }
  for (int i = 0; i < N; ++i) EXPECT_TRUE(right[i]) << i;
}

TEST(complex_numbers, assign_compare_and_convert) {
  SKIP_WITHOUT(sycl::queue(), fp64);
  expect_all_true<8>([](auto right) {
    complex<float> z(1, 2);
    z += 1;
    z *= complex<sycl::half>(0, 1);
    right(0, z == complex<float>(-2, 2) && z != 1.0f);
    z = 3;
    right(1, z == 3.0f && 3.0f == z && ex::imag(z) == 0);
    z -= complex<double>(1, 1);
    z /= 2;
    right(2, z == complex<float>(1, -0.5f) && -z + 1 == complex<float>(0, 0.5f));
    const std::complex<float> standard = z;
    right(3, standard.imag() == -0.5f && complex<double>(standard).real() == 1);
    z.real(7);
    z.imag(8);
    right(4, ex::real(z) == 7 && z.imag() == 8 && 2 * z == complex<float>(14, 16) &&
                 1 / complex<float>(0, 1) == complex<float>(0, -1));
    right(5, ex::real(3) == 3 && ex::imag(2.0f) == 0 && ex::norm(3) == 9 && ex::arg(-1.0f) > 3 &&
                 ex::conj(2.0f) == 2.0f && ex::proj(2) == 2.0);
    right(6, ex::polar(2.0f) == complex<float>(2, 0) &&
                 ex::abs(ex::polar(2.0f, 1.0f) - complex<float>(1.0806046f, 1.682942f)) < 1e-5f);
    right(7, ex::abs(ex::pow(complex<float>(0, 1), 2) + 1) < 1e-6f &&
                 ex::abs(ex::pow(2.0f, complex<float>(2, 0)) - 4) < 1e-5f);
  });
}

TEST(complex_numbers, arrays_of_them_compute_element_by_element) {
  using array = sycl::marray<complex<float>, 3>;
  using reals = sycl::marray<float, 3>;
  expect_all_true<6>([](auto right) {
    const array a(complex<float>(1, 2), complex<float>(3, -4), complex<float>(0, 1));
    array b = a * complex<float>(0, 1) + a;
    b -= a;
    right(0, b[1] == complex<float>(4, 3) && (b / complex<float>(0, 1))[1] == a[1] && (-b)[2] == 1.0f);
    const auto same = a == array(complex<float>(1, 2));
    right(1, same[0] && !same[1] && (a != b)[2]);
    right(2, ex::abs(a)[1] == 5 && ex::real(a)[0] == 1 && ex::imag(a)[1] == -4 && ex::norm(a)[1] == 25 &&
                 ex::conj(a)[0] == complex<float>(1, -2));
    const auto near = [](const array& x, const array& y) {
      bool all = true;
      for (int i = 0; i < 3; ++i) all = all && ex::abs(x[i] - y[i]) < 1e-3f;
      return all;
    };
    right(3, near(ex::pow(a, 2.0f), a * a) && near(ex::pow(a, reals(2.0f)), a * a) &&
                 near(ex::pow(a, array(complex<float>(2, 0))), a * a) &&
                 near(ex::pow(a, complex<float>(2, 0)), a * a));
    right(4, near(ex::pow(2.0f, a), ex::pow(reals(2.0f), a)) &&
                 near(ex::pow(complex<float>(2, 0), a), ex::pow(reals(2.0f), a)) &&
                 near(ex::pow(complex<float>(0, 1), reals(2.0f)), array(complex<float>(-1, 0))) &&
                 near(ex::pow(reals(2.0f), complex<float>(2, 0)), array(complex<float>(4, 0))));
    right(5, near(ex::polar(ex::abs(a), ex::arg(a)), a) &&
                 near(ex::polar(2.0f, reals(0.0f)), ex::polar(reals(2.0f))) && near(ex::exp(ex::log(a)), a) &&
                 ex::proj(reals(2.0f))[1] == 2.0f);
  });
}

TEST(complex_numbers, are_read_and_written) {
  std::istringstream from("(1.5,-2) 7 x");
  complex<float> a, b, c(1, 1);
  from >> a >> b >> c;
  EXPECT_TRUE(a == complex<float>(1.5f, -2) && b == 7.0f && c == complex<float>(1, 1) && from.fail());
  std::ostringstream to;
  to << a << complex<sycl::half>(1, 2);
  EXPECT_EQ(to.str(), "(1.5,-2)(1,2)");
  prism_test::printed_text printed;
  sycl::queue queue;
  queue.submit([&](sycl::handler& h) {
    sycl::stream out(256, 64, h);
    h.single_task([=] { out << complex<float>(0.5f, 2) << sycl::endl; });
  });
  queue.wait();
  EXPECT_EQ(printed.take(), "(0.5,2)\n");
}

} // namespace
