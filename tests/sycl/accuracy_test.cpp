// The math functions of SYCL on the device, compared with MPFR: every one is within the limit of the
// specification (OpenCL 1.2, 7.4, full profile), for dense random arguments, random bit patterns and edge
// values. If PRISM_ACCURACY_TABLE names a file, the measured errors of all devices are written there as a
// table: docs/accuracy.md.
#include "tests/sycl/common.hpp"

#include "tests/compiler/builtins/reference.hpp"

#include <cstdlib>
#include <fstream>
#include <map>
#include <string_view>

namespace {

using namespace sycl;
using builtins_test::edges;
using builtins_test::from_random_bits;
using builtins_test::real;
using builtins_test::ulp_error;

// index, function, exact value, limit in units in the last place for float and double, range of most
// arguments
#define UNARY_FUNCTIONS(X)                                                                                   \
  X(0, acos, mpfr_acos, 4, 4, -1, 1)                                                                         \
  X(1, acosh, mpfr_acosh, 4, 4, 1, 5)                                                                        \
  X(2, acospi, mpfr_acospi, 5, 5, -1, 1)                                                                     \
  X(3, asin, mpfr_asin, 4, 4, -1, 1)                                                                         \
  X(4, asinh, mpfr_asinh, 4, 4, -5, 5)                                                                       \
  X(5, asinpi, mpfr_asinpi, 5, 5, -1, 1)                                                                     \
  X(6, atan, mpfr_atan, 5, 5, -5, 5)                                                                         \
  X(7, atanh, mpfr_atanh, 5, 5, -1, 1)                                                                       \
  X(8, atanpi, mpfr_atanpi, 5, 5, -5, 5)                                                                     \
  X(9, cbrt, mpfr_cbrt, 2, 2, -30, 30)                                                                       \
  X(10, ceil, mpfr_rint_ceil, 0, 0, -9, 9)                                                                   \
  X(11, cos, mpfr_cos, 4, 4, -200, 200)                                                                      \
  X(12, cosh, mpfr_cosh, 4, 4, -25, 25)                                                                      \
  X(13, cospi, mpfr_cospi, 4, 4, -9, 9)                                                                      \
  X(14, erf, mpfr_erf, 16, 16, -4, 4)                                                                        \
  X(15, erfc, mpfr_erfc, 16, 16, -5, 28)                                                                     \
  X(16, exp, mpfr_exp, 3, 3, -90, 90)                                                                        \
  X(17, exp10, mpfr_exp10, 3, 3, -40, 40)                                                                    \
  X(18, exp2, mpfr_exp2, 3, 3, -130, 130)                                                                    \
  X(19, expm1, mpfr_expm1, 3, 3, -2, 2)                                                                      \
  X(20, floor, mpfr_rint_floor, 0, 0, -9, 9)                                                                 \
  X(21, log, mpfr_log, 3, 3, 0, 4)                                                                           \
  X(22, log10, mpfr_log10, 3, 3, 0, 4)                                                                       \
  X(23, log1p, mpfr_log1p, 2, 2, -1, 3)                                                                      \
  X(24, log2, mpfr_log2, 3, 3, 0, 4)                                                                         \
  X(25, rint, mpfr_rint_roundeven, 0, 0, -9, 9)                                                              \
  X(26, round, mpfr_rint_round, 0, 0, -9, 9)                                                                 \
  X(27, rsqrt, mpfr_rec_sqrt, 2, 2, 0, 9)                                                                    \
  X(28, sin, mpfr_sin, 4, 4, -200, 200)                                                                      \
  X(29, sinh, mpfr_sinh, 4, 4, -25, 25)                                                                      \
  X(30, sinpi, mpfr_sinpi, 4, 4, -9, 9)                                                                      \
  X(31, sqrt, mpfr_sqrt, 3, 0.5, 0, 9)                                                                       \
  X(32, tan, mpfr_tan, 5, 5, -200, 200)                                                                      \
  X(33, tanh, mpfr_tanh, 5, 5, -5, 5)                                                                        \
  X(34, tanpi, mpfr_tanpi, 6, 6, -9, 9)                                                                      \
  X(35, tgamma, mpfr_gamma, 16, 16, -30, 40)

#define BINARY_FUNCTIONS(X)                                                                                  \
  X(0, atan2, mpfr_atan2, 6, 6, -3, 3)                                                                       \
  X(1, atan2pi, mpfr_atan2pi, 6, 6, -3, 3)                                                                   \
  X(2, fdim, mpfr_dim, 0.5, 0.5, -9, 9)                                                                      \
  X(3, fmax, mpfr_max, 0, 0, -9, 9)                                                                          \
  X(4, fmin, mpfr_min, 0, 0, -9, 9)                                                                          \
  X(5, fmod, mpfr_fmod, 0, 0, -100, 100)                                                                     \
  X(6, hypot, mpfr_hypot, 4, 4, -9, 9)                                                                       \
  X(7, pow, mpfr_pow, 16, 16, 0, 40)                                                                         \
  X(8, remainder, mpfr_remainder, 0, 0, -100, 100)
#define DIVISION(X) X(9, division, mpfr_div, 2.5, 0.5, -9, 9)

template <int Index, typename T>
T unary(T x) {
#define CASE(INDEX, NAME, ...)                                                                               \
  if constexpr (Index == INDEX) return sycl::NAME(x);                                                        \
  else
  UNARY_FUNCTIONS(CASE) return x;
#undef CASE
}
template <int Index, typename T>
T binary(T x, T y) {
#define CASE(INDEX, NAME, ...)                                                                               \
  if constexpr (Index == INDEX) return sycl::NAME(x, y);                                                     \
  else
  BINARY_FUNCTIONS(CASE) return x / y;
#undef CASE
}

struct row {
  const char* name;
  int (*unary)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  int (*binary)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
  double limit_float, limit_double, from, to;
  template <typename T>
  double limit() const {
    return sizeof(T) == 4 ? limit_float : limit_double;
  }
};
const row unary_rows[] = {
#define ROW(INDEX, NAME, EXACT, LF, LD, FROM, TO) {#NAME, EXACT, nullptr, LF, LD, FROM, TO},
    UNARY_FUNCTIONS(ROW)
#undef ROW
};
const row binary_rows[] = {
#define ROW(INDEX, NAME, EXACT, LF, LD, FROM, TO) {#NAME, nullptr, EXACT, LF, LD, FROM, TO},
    BINARY_FUNCTIONS(ROW) DIVISION(ROW)
#undef ROW
};

constexpr int samples = 4096; // of each function
constexpr int a_kernel = 4;   // functions

/// Edge values first; half of the rest in the function's main range, half random bit patterns.
template <typename T>
std::vector<T> arguments_of(const row& what, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> inside(what.from, what.to);
  std::vector<T> all = edges<T>();
  std::shuffle(all.begin(), all.end(), random); // so that two-argument functions get pairs of edge values
  if (all.size() > samples / 2) all.resize(samples / 2);
  while (all.size() < samples) {
    const T any = all.size() % 2 == 0 ? static_cast<T>(inside(random)) : from_random_bits<T>(random);
    all.push_back(std::isnan(any) ? std::numeric_limits<T>::quiet_NaN()
                                  : any); // fmax and fmin may treat signalling NaNs in either way
  }
  return all;
}
/// Arguments that are not tested. MPFR needs minutes for gamma and similar functions of huge arguments, whose
/// results are infinite, zero or poles. For rsqrt(-0) MPFR returns +infinity, IEEE 754 -infinity.
bool is_left_out(const row& what, double x) {
  const bool slow = what.unary == mpfr_gamma || what.unary == mpfr_erfc || what.unary == mpfr_erf;
  return (slow && !(std::fabs(x) <= 1e4)) || (what.unary == mpfr_rec_sqrt && x == 0);
}

template <typename T, bool Binary, int First>
class accuracy_kernel;

/// Computes functions First .. First + a_kernel of x (and y).
template <typename T, bool Binary, int First, int Count>
void compute(queue& q, const std::vector<T>& xs, const std::vector<T>& ys, std::vector<T>& results) {
  buffer<T> bx(xs.data() + First * samples, range<1>(Count * samples));
  buffer<T> by(ys.data() + First * samples, range<1>(Count * samples));
  buffer<T> out(results.data() + First * samples, range<1>(Count * samples));
  q.submit([&](handler& h) {
    accessor<T, 1, access_mode::read> x(bx, h), y(by, h);
    accessor<T, 1, access_mode::write> o(out, h);
    h.template parallel_for<accuracy_kernel<T, Binary, First>>(range<1>(samples), [=](id<1> at) {
      const auto one = [&](auto index) {
        constexpr int k = decltype(index)::value;
        const std::size_t i = k * samples + at[0];
        if constexpr (Binary) o[i] = binary<First + k, T>(x[i], y[i]);
        else o[i] = unary<First + k, T>(x[i]);
      };
      one(std::integral_constant<int, 0>());
      if constexpr (Count > 1) one(std::integral_constant<int, 1>());
      if constexpr (Count > 2) one(std::integral_constant<int, 2>());
      if constexpr (Count > 3) one(std::integral_constant<int, 3>());
    });
  });
}
template <typename T, bool Binary, int First, int Total>
void compute_all(queue& q, const std::vector<T>& xs, const std::vector<T>& ys, std::vector<T>& results) {
  constexpr int count = Total - First < a_kernel ? Total - First : a_kernel;
  compute<T, Binary, First, count>(q, xs, ys, results);
  if constexpr (First + count < Total) compute_all<T, Binary, First + count, Total>(q, xs, ys, results);
}

/// The same in host code, outside of kernels.
template <typename T, bool Binary, int First, int Total>
void compute_here(const std::vector<T>& xs, const std::vector<T>& ys, std::vector<T>& results) {
  for (std::size_t i = First * samples; i < std::size_t(First + 1) * samples; ++i)
    if constexpr (Binary) results[i] = binary<First, T>(xs[i], ys[i]);
    else results[i] = unary<First, T>(xs[i]);
  if constexpr (First + 1 < Total) compute_here<T, Binary, First + 1, Total>(xs, ys, results);
}

struct worst {
  double error = 0;
  double x = 0, y = 0, result = 0;
};

/// On the queue's device; null: in host code.
template <typename T, bool Binary, std::size_t Total>
std::vector<worst> measure(queue* q, const row (&rows)[Total]) {
  std::vector<T> xs, ys, results(Total * samples);
  for (unsigned k = 0; k < Total; ++k) {
    const auto x = arguments_of<T>(rows[k], 2 * k + 1), y = arguments_of<T>(rows[k], 2 * k + 2);
    xs.insert(xs.end(), x.begin(), x.end());
    ys.insert(ys.end(), y.begin(), y.end());
  }
  if (q) compute_all<T, Binary, 0, int(Total)>(*q, xs, ys, results);
  else compute_here<T, Binary, 0, int(Total)>(xs, ys, results);
  // A device without denormals may treat them as zero, in arguments and results.
  bool keeps_denormals = true;
  if (q) {
    const auto config = sizeof(T) == 4 ? q->get_device().get_info<info::device::single_fp_config>()
                                       : q->get_device().get_info<info::device::double_fp_config>();
    keeps_denormals = std::count(config.begin(), config.end(), info::fp_config::denorm) != 0;
  }
  const auto is_small = [](double v) {
    return v != 0 && std::fabs(v) < double(std::numeric_limits<T>::min());
  };
  std::vector<worst> all(Total);
  real a, b, exact;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const row& what = rows[i / samples];
    const double x = double(xs[i]), y = double(ys[i]);
    if (is_left_out(what, x)) continue;
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    if (Binary) what.binary(exact, a, b, MPFR_RNDN);
    else what.unary(exact, a, MPFR_RNDN);
    if (!keeps_denormals &&
        (is_small(x) || (Binary && is_small(y)) || is_small(mpfr_get_d(exact, MPFR_RNDN))))
      continue;
    const double error = ulp_error(results[i], static_cast<mpfr_ptr>(exact));
    worst& so_far = all[i / samples];
    if (!(error <= so_far.error)) so_far = {error, x, y, double(results[i])};
  }
  return all;
}

struct column {
  std::string device;
  std::map<std::string, std::string> errors; // "sin float" -> "0.52"
};

/// Measures one type on one device, or in host code. With `column`, records the error instead of judging it.
template <typename T>
void check_type(queue* q, column* into) {
  const auto judge = [&](const row& what, const worst& seen) {
    if (into) {
      char text[32];
      std::snprintf(text, sizeof text, "%.2f", seen.error);
      into->errors[std::string(what.name) + (sizeof(T) == 4 ? " float" : " double")] = text;
    }
    EXPECT_LE(seen.error, what.limit<T>())
        << what.name << (sizeof(T) == 4 ? " float" : " double") << " of " << std::hexfloat << seen.x
        << (what.binary ? " and " : "") << (what.binary ? seen.y : 0) << " gives " << seen.result;
  };
  const auto unary_errors = measure<T, false>(q, unary_rows);
  for (std::size_t k = 0; k < unary_errors.size(); ++k) judge(unary_rows[k], unary_errors[k]);
  const auto binary_errors = measure<T, true>(q, binary_rows);
  for (std::size_t k = 0; k < binary_errors.size(); ++k) judge(binary_rows[k], binary_errors[k]);
}

TEST(accuracy, of_float_functions_is_within_the_limits) {
#if defined(__x86_64__)
  // A setting for processors with AVX-512: on others llvmpipe rounds floats in vectors of 16 wrongly.
  const char* const width = std::getenv("LP_NATIVE_VECTOR_WIDTH");
  if (width != nullptr && std::string_view(width) == "512" && !__builtin_cpu_supports("avx512f"))
    GTEST_SKIP() << "LP_NATIVE_VECTOR_WIDTH=512, and this processor has no AVX-512";
#endif
  queue q;
  check_type<float>(&q, nullptr);
}
TEST(accuracy, of_double_functions_is_within_the_limits) {
  queue q;
  SKIP_WITHOUT(q, fp64);
  check_type<double>(&q, nullptr);
}

TEST(accuracy, of_calls_outside_of_kernels_is_within_the_limits) {
  if (queue().get_device().get_backend() != backend::ext_prism_host)
    GTEST_SKIP() << "host code is the same for every device; the run of the host device tests it";
  check_type<float>(nullptr, nullptr);
  check_type<double>(nullptr, nullptr);
}

void write_table(const std::string& path, const std::vector<column>& columns) {
  std::ofstream out(path);
  out << "# Accuracy of the math functions\n\nThe largest observed error, in units in the last place, of "
      << samples
      << " arguments per function: edge values (zeros, limits, denormals, NaN, infinities,\nneighbours of "
         "multiples of pi/2, "
         "huge arguments), random bit patterns, and random values of the function's usual range;\nagainst "
         "MPFR at 200 bits. "
         "`limit` is SYCL's limit. `sycl_accuracy` writes this page with `PRISM_ACCURACY_TABLE` set\n"
         "(`tests/sycl/accuracy_test.cpp`); do not edit it. `fma` is fused on every device (tested by "
         "value).\n\n| function | type | limit |";
  for (const column& each : columns) out << " " << each.device << " |";
  out << "\n|---|---|---|";
  for (std::size_t i = 0; i < columns.size(); ++i) out << "---|";
  out << "\n";
  const auto write_row = [&](const row& what, const char* type, double limit) {
    out << "| " << what.name << " | " << type << " | " << limit << " |";
    for (const column& each : columns) {
      const auto found = each.errors.find(std::string(what.name) + " " + type);
      out << " " << (found == each.errors.end() ? "no " + std::string(type) : found->second) << " |";
    }
    out << "\n";
  };
  const auto write_rows = [&](const row& what) {
    write_row(what, "float", what.limit_float);
    write_row(what, "double", what.limit_double);
  };
  for (const row& what : unary_rows) write_rows(what);
  for (const row& what : binary_rows) write_rows(what);
}

TEST(accuracy, is_written_to_a_file_on_request) {
  const char* path = std::getenv("PRISM_ACCURACY_TABLE");
  if (!path) GTEST_SKIP() << "PRISM_ACCURACY_TABLE names no file";
  std::vector<column> columns;
  for (const device& each : device::get_devices()) {
    queue q(each);
    columns.push_back(
        {each.get_platform().get_info<info::platform::name>() + ", " + each.get_info<info::device::name>(),
         {}});
    check_type<float>(&q, &columns.back());
    if (each.has(aspect::fp64)) check_type<double>(&q, &columns.back());
  }
  write_table(path, columns);
}

/// (1 + e)(1 - e) - 1 is -e^2 only if the operation is fused.
template <typename T>
void check_fused() {
  queue q;
  T values[3] = {T(1) + std::numeric_limits<T>::epsilon(), T(1) - std::numeric_limits<T>::epsilon(), T(-1)};
  T result = 0;
  {
    buffer<T> b(values, 3), r(&result, 1);
    q.submit([&](handler& h) {
      accessor<T, 1, access_mode::read> v(b, h);
      accessor<T, 1, access_mode::write> o(r, h);
      h.single_task([=] { o[0] = sycl::fma(v[0], v[1], v[2]); });
    });
  }
  EXPECT_EQ(result, -std::numeric_limits<T>::epsilon() * std::numeric_limits<T>::epsilon());
}
TEST(accuracy, fma_is_fused) {
  check_fused<float>();
  if (queue().get_device().has(aspect::fp64)) check_fused<double>();
}

template <typename T>
T of_many_functions(T x, T y) {
  T sum[] = {sycl::exp(x),    sycl::log(x),  sycl::sin(x), sycl::tan(y),
             sycl::pow(x, y), sycl::tanh(x), sycl::erf(y)};
  std::uint64_t bits = 0;
  for (T each : sum)
    bits = bits * 31 + sycl::bit_cast<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(each);
  return static_cast<T>(bits % 1000003);
}

/// Edge values need the mathematical library in one lane of a vector, and neighbours do not.
template <typename T>
void check_neighbours(queue& q) {
  constexpr std::size_t size = 1003, group = 64, groups = (size + group - 1) / group;
  std::vector<T> x = edges<T>(), y = x;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> inside(-4, 40);
  while (x.size() < size) x.push_back(static_cast<T>(inside(random)));
  x.resize(size), y.resize(size, T(1.7));
  std::shuffle(x.begin(), x.end(), random);
  for (T& each : x)
    if (std::isnan(each)) each = 1;
  for (T& each : y)
    if (std::isnan(each)) each = 1;
  std::vector<T> together(size), guarded(size), alone(size);
  {
    buffer<T> bx(x), by(y), b1(together), b2(guarded), b3(alone);
    q.submit([&](handler& h) {
      accessor a(bx, h, read_only), b(by, h, read_only);
      accessor r(b1, h, write_only);
      h.parallel_for(range<1>(size), [=](id<1> i) { r[i] = of_many_functions<T>(a[i], b[i]); });
    });
    q.submit([&](handler& h) {
      accessor a(bx, h, read_only), b(by, h, read_only);
      accessor r(b2, h, write_only);
      h.parallel_for(nd_range<1>(groups * group, group), [=](nd_item<1> item) {
        const std::size_t i = item.get_global_id(0);
        if (i < size) r[i] = of_many_functions<T>(a[i], b[i]);
      });
    });
    for (std::size_t i = 0; i < size; i += 17)
      q.submit([&](handler& h) {
        accessor a(bx, h, read_only), b(by, h, read_only);
        accessor r(b3, h, read_write);
        h.parallel_for(range<1>(1), [=](id<1>) { r[i] = of_many_functions<T>(a[i], b[i]); });
      });
  }
  for (std::size_t i = 0; i < size; ++i) {
    EXPECT_EQ(together[i], guarded[i]) << std::hexfloat << x[i] << " and " << y[i];
    if (i % 17 == 0) EXPECT_EQ(together[i], alone[i]) << std::hexfloat << x[i] << " and " << y[i];
  }
}
TEST(accuracy, a_function_has_the_same_bits_in_a_vector_and_alone) {
  queue q;
  if (q.get_device().get_backend() != backend::ext_prism_host)
    GTEST_SKIP() << "the functions are the driver's: " << prism_test::name_of(q.get_device());
  check_neighbours<float>(q);
  check_neighbours<double>(q);
}

} // namespace
