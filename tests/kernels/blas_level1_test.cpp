// The library's own kernels for operations on vectors, on every device, with every kind of stride, for USM
// and buffers, compared with long double.
#include "tests/kernels/blas_operands.hpp"

namespace {

using namespace blas_test;
using prism::blas::conjugated;

constexpr std::array<std::ptrdiff_t, 3> strides{1, 3, -2};
constexpr std::array<std::size_t, 4> sizes{1, 7, 300, 20'000};

template <typename T>
class blas_level1 : public ::testing::Test {
protected:
  void SetUp() override {
    if (!has_type<T>(queue)) GTEST_SKIP() << "the device has no double precision";
    for (const char* name : {"axpy", "scal", "copy", "swap", "rot", "dot", "nrm2", "asum", "iamax"})
      prism::blas::pin(name, implementation());
  }
  void TearDown() override {
    for (const char* name : {"axpy", "scal", "copy", "swap", "rot", "dot", "nrm2", "asum", "iamax"})
      prism::blas::pin(name, "");
  }
  sycl::queue queue;
  static T number(double re, double im) { return rounded<T>(exact(re, is_complex<T> ? im : 0)); }
  const T alpha = number(0.75, 0.5);

  /// Applies `call` to vectors x and y in USM and in buffers, and checks the results.
  template <typename Call, typename Check>
  void each(const operand<T>& x, const operand<T>& y, const Call& call, const Check& check) {
    if (queue.get_device().has(sycl::aspect::usm_device_allocations)) {
      const in_usm<T> left(queue, x), right(queue, y);
      call(left.vector(), right.vector());
      queue.wait_and_throw();
      check(left.found(), right.found());
    }
    const in_buffer<T> left(queue, x), right(queue, y);
    call(left.vector(), right.vector());
    queue.wait_and_throw();
    check(left.found(), right.found());
  }
  template <typename R, typename Call>
  R result_of(const operand<T>& x, const operand<T>& y, const Call& call) {
    sycl::buffer<R> result{sycl::range<1>(1)};
    const in_buffer<T> left(queue, x), right(queue, y);
    call(left.vector(), right.vector(), prism::view_of(result));
    queue.wait_and_throw();
    const R from_buffer = sycl::host_accessor(result)[0];
    if (queue.get_device().has(sycl::aspect::usm_device_allocations)) {
      const in_usm<T> first(queue, x), second(queue, y);
      R* const to = sycl::malloc_device<R>(1, queue);
      R from_usm{};
      call(first.vector(), second.vector(), prism::vector_view(to, 1));
      queue.wait();
      queue.copy(to, &from_usm, 1).wait();
      sycl::free(to, queue);
      EXPECT_EQ(std::memcmp(&from_usm, &from_buffer, sizeof(R)), 0) << from_usm << " and " << from_buffer;
    }
    return from_buffer;
  }
  /// Checks that each element of `found` is `want(i)` within some roundings of `size(i)`, and that memory
  /// outside of the vector is unchanged.
  template <typename Want>
  void expect_vector(const char* what, const operand<T>& before, const std::vector<T>& found,
                     const Want& want) {
    expected sum(before.rows, 1);
    for (std::size_t i = 0; i < before.rows; ++i) {
      sum.value(i, 0) = want(i);
      sum.size(i, 0) = std::abs(want(i)) + std::abs(before.value(i)) + 2;
    }
    expect_within_bound(what, before, found, sum, 0);
  }
};
TYPED_TEST_SUITE(blas_level1, all_types, type_names);

TYPED_TEST(blas_level1, axpy_adds_a_multiple) {
  variety<TypeParam> any;
  for (const std::size_t n : sizes)
    for (const std::ptrdiff_t stride : strides) {
      const auto x = any.vector(n, strides[any.made % 3]), y = any.vector(n, stride);
      this->each(x, y, [&](auto from, auto to) { prism::blas::axpy(this->queue, this->alpha, from, to); },
                 [&](const auto&, const auto& found) {
        this->expect_vector("axpy", y, found,
                            [&](std::size_t i) { return exactly(this->alpha) * x.value(i) + y.value(i); });
      });
      this->each(x, y, [&](auto from, auto to) {
        prism::blas::axpy(this->queue, this->alpha, conjugated(from), to);
      }, [&](const auto&, const auto& found) {
        this->expect_vector("axpy of conjugates", y, found, [&](std::size_t i) {
          return exactly(this->alpha) * std::conj(x.value(i)) + y.value(i);
        });
      });
    }
}

TYPED_TEST(blas_level1, scal_multiplies_by_real_and_complex_factors) {
  variety<TypeParam> any;
  for (const std::ptrdiff_t stride : strides)
    for (const TypeParam factor : {this->alpha, this->number(-3, 0)}) {
      const auto x = any.vector(301, stride);
      this->each(x, x, [&](auto to, auto) { prism::blas::scal(this->queue, factor, to); },
                 [&](const auto& found, const auto&) {
        this->expect_vector("scal", x, found, [&](std::size_t i) { return exactly(factor) * x.value(i); });
      });
    }
}

TYPED_TEST(blas_level1, copy_and_swap_move_every_bit) {
  variety<TypeParam> any;
  for (const std::ptrdiff_t stride : strides) {
    const auto x = any.vector(300, strides[any.made % 3]), y = any.vector(300, stride);
    const auto are_x = [&](const auto&, const auto& found) {
      for (std::size_t i = 0; i < x.rows; ++i) ASSERT_EQ(found[y.index(i, 0)], x.at(i)) << i;
    };
    this->each(x, y, [&](auto from, auto to) { prism::blas::copy(this->queue, from, to); }, are_x);
    this->each(x, y, [&](auto from, auto to) { prism::blas::swap(this->queue, from, to); },
               [&](const auto& left, const auto& right) {
      are_x(left, right);
      for (std::size_t i = 0; i < x.rows; ++i) ASSERT_EQ(left[x.index(i, 0)], y.at(i)) << i;
    });
  }
}

TYPED_TEST(blas_level1, rot_turns_pairs_of_elements) {
  variety<TypeParam> any;
  for (const std::ptrdiff_t stride : strides) {
    const auto x = any.vector(300, strides[any.made % 3]), y = any.vector(300, stride);
    const real<TypeParam> c(0.6), s(-0.8);
    const exact ec = exactly(c), es = exactly(s);
    this->each(x, y, [&](auto from, auto to) { prism::blas::rot(this->queue, from, to, c, s); },
               [&](const auto& left, const auto& right) {
      this->expect_vector("x of rot", x, left,
                          [&](std::size_t i) { return ec * x.value(i) + es * y.value(i); });
      this->expect_vector("y of rot", y, right,
                          [&](std::size_t i) { return ec * y.value(i) - es * x.value(i); });
    });
  }
}

TYPED_TEST(blas_level1, dot_and_dotc_are_within_the_bound_of_the_sum) {
  using T = TypeParam;
  variety<T> any;
  for (const std::size_t n : sizes)
    for (const std::ptrdiff_t stride : strides) {
      const auto x = any.vector(n, strides[any.made % 3]), y = any.vector(n, stride);
      exact sum = 0, adjoint = 0;
      long double size = 0;
      for (std::size_t i = 0; i < n; ++i) {
        sum += x.value(i) * y.value(i), adjoint += std::conj(x.value(i)) * y.value(i);
        size += std::abs(x.value(i)) * std::abs(y.value(i));
      }
      const T plain = this->template result_of<T>(
          x, y, [&](auto a, auto b, auto to) { prism::blas::dot(this->queue, a, b, to); });
      const T conjugate = this->template result_of<T>(
          x, y, [&](auto a, auto b, auto to) { prism::blas::dotc(this->queue, a, b, to); });
      const long double bound = static_cast<long double>(n + 2) * unit<T>() * size;
      ASSERT_LE(std::abs(exactly(plain) - sum), bound) << n;
      ASSERT_LE(std::abs(exactly(conjugate) - adjoint), bound) << n;
    }
}

TYPED_TEST(blas_level1, asum_and_nrm2_are_within_the_bound_of_the_sum) {
  using R = real<TypeParam>;
  variety<TypeParam> any;
  for (const std::size_t n : sizes)
    for (const std::ptrdiff_t stride : strides) {
      const auto x = any.vector(n, stride);
      long double sum = 0, squares = 0;
      for (std::size_t i = 0; i < n; ++i) {
        sum += std::abs(x.value(i).real()) + std::abs(x.value(i).imag());
        squares += std::norm(x.value(i));
      }
      const R total = this->template result_of<R>(
          x, x, [&](auto a, auto, auto to) { prism::blas::asum(this->queue, a, to); });
      const R norm = this->template result_of<R>(
          x, x, [&](auto a, auto, auto to) { prism::blas::nrm2(this->queue, a, to); });
      const long double slack = static_cast<long double>(n + 4) * unit<TypeParam>();
      ASSERT_LE(std::abs(total - sum), slack * sum) << n;
      ASSERT_LE(std::abs(norm - std::sqrt(squares)), slack * std::sqrt(squares)) << n;
    }
}

TYPED_TEST(blas_level1, nrm2_neither_overflows_nor_underflows) {
  using T = TypeParam;
  using R = real<T>;
  using limits = std::numeric_limits<R>;
  const auto norm_of = [&](std::vector<long double> values) {
    operand<T> x(values.size(), 1, 1);
    for (std::size_t i = 0; i < values.size(); ++i) x.at(i) = rounded<T>(values[i]);
    return this->template result_of<R>(x, x,
                                       [&](auto a, auto, auto to) { prism::blas::nrm2(this->queue, a, to); });
  };
  const long double large = limits::max() / 8, small = limits::min();
  EXPECT_NEAR(double(norm_of({3 * large / 4, large}) / (1.25L * large)), 1, 8 * double(limits::epsilon()));
  EXPECT_NEAR(double(norm_of({3 * small, 4 * small, 0}) / (5 * small)), 1, 8 * double(limits::epsilon()));
  EXPECT_NEAR(double(norm_of({large, 1, small}) / large), 1, 8 * double(limits::epsilon()));
  EXPECT_NEAR(double(norm_of({1, small})), 1, 8 * double(limits::epsilon()));
  EXPECT_EQ(norm_of({0, 0, 0}), R(0));
  EXPECT_EQ(norm_of({1, limits::infinity()}), limits::infinity());
  EXPECT_TRUE(std::isnan(norm_of({1, limits::quiet_NaN(), 2})));
  EXPECT_TRUE(std::isnan(norm_of({large, limits::quiet_NaN(), small})));
}

TYPED_TEST(blas_level1, iamax_is_the_first_of_the_largest) {
  using T = TypeParam;
  for (const std::size_t n : sizes)
    for (const std::ptrdiff_t stride : strides) {
      operand<T> x(n, stride, 5);
      const std::size_t first = n / 3, later = n - 1;
      x.at(first) = x.at(later) = this->number(-7, 2);
      const auto found = this->template result_of<std::int64_t>(
          x, x, [&](auto a, auto, auto to) { prism::blas::iamax(this->queue, a, to); });
      ASSERT_EQ(found, std::int64_t(first)) << n << " elements, " << stride << " apart";
    }
}

TYPED_TEST(blas_level1, reductions_of_no_elements_are_zero_and_minus_one) {
  using T = TypeParam;
  const operand<T> none(0, 1, 1);
  EXPECT_EQ((this->template result_of<T>(
                none, none, [&](auto a, auto b, auto to) { prism::blas::dot(this->queue, a, b, to); })),
            T(0));
  EXPECT_EQ((this->template result_of<real<T>>(
                none, none, [&](auto a, auto, auto to) { prism::blas::nrm2(this->queue, a, to); })),
            real<T>(0));
  EXPECT_EQ((this->template result_of<real<T>>(
                none, none, [&](auto a, auto, auto to) { prism::blas::asum(this->queue, a, to); })),
            real<T>(0));
  EXPECT_EQ((this->template result_of<std::int64_t>(
                none, none, [&](auto a, auto, auto to) { prism::blas::iamax(this->queue, a, to); })),
            -1);
}

/// c a + s b = r, -conj(s) a + c b = 0, c^2 + |s|^2 = 1.
template <typename T>
void expect_rotation(sycl::queue& queue, T a, T b) {
  using R = real<T>;
  sycl::buffer<T> values{sycl::range<1>(3)};
  sycl::buffer<R> cosine{sycl::range<1>(1)};
  {
    const sycl::host_accessor to(values);
    to[0] = a, to[1] = b;
  }
  const auto at = [&](std::ptrdiff_t i) { return prism::buffer_vector_view<T>({values, i}, 1); };
  prism::blas::rotg(queue, at(0), at(1), prism::view_of(cosine), at(2));
  queue.wait_and_throw();
  const sycl::host_accessor found(values);
  const exact c = exactly(sycl::host_accessor(cosine)[0]), s = exactly(found[2]), r = exactly(found[0]);
  const long double size = std::abs(exactly(a)) + std::abs(exactly(b)),
                    slack = 16 * std::numeric_limits<R>::epsilon();
  EXPECT_LE(std::abs(c * exactly(a) + s * exactly(b) - r), slack * size) << a << ", " << b;
  EXPECT_LE(std::abs(-std::conj(s) * exactly(a) + c * exactly(b)), slack * size) << a << ", " << b;
  EXPECT_LE(std::abs(std::norm(c) + std::norm(s) - 1), slack) << a << ", " << b;
}

TYPED_TEST(blas_level1, rotg_makes_the_second_number_zero) {
  for (const double x : {0.0, 3.0, -4.0})
    for (const double y : {0.0, 5.0, -0.25})
      expect_rotation<TypeParam>(this->queue, this->number(x, x / 2), this->number(y, -y));
  const double large = double(std::numeric_limits<real<TypeParam>>::max()) / 16;
  expect_rotation<TypeParam>(this->queue, this->number(large, 0), this->number(large / 2, large / 4));
}

} // namespace
