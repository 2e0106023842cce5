// Expressions as one kernel made of their steps, with PRISM_ARRAY_KERNELS=fused: they have the bits of the
// same expressions interpreted, which parts of less than 4,096 elements are. And when such a kernel pays.
#include "kernels/array/divisor.hpp"
#include "kernels/array/fused.hpp"
#include "tests/sycl/common.hpp"

#include <prism/array.hpp>

#include <functional>

namespace {

using namespace prism;
using prism::array_detail::build_choice;

constexpr std::int64_t rows = 60, columns = 100, half = 30;

using operands = std::vector<any_array>;
using expression = std::function<any_array(const operands&)>;

/// Bytes of an array's elements.
std::vector<char> bytes_of(const any_array& a) {
  a.evaluate();
  const any_array packed = a.copy();
  std::vector<char> out(std::size_t(packed.size()) * size_of(packed.type()));
  packed.copy_to_host(out.data(), out.size());
  return out;
}

any_array rows_of(const any_array& a, std::int64_t from, std::int64_t to) {
  return a.ndim() < 2 ? a : a[{slice{from, to}}];
}

/// Compares the elements of the whole with those of its two halves, whose expressions are interpreted.
void expect_the_same_bits(const std::string& what, const operands& from, const expression& make) {
  const any_array whole = make(from);
  EXPECT_NE(explain(whole).find("one kernel made of its steps"), std::string::npos) << what << explain(whole);
  whole.evaluate();
  std::vector<char> parts;
  for (const std::int64_t begin : {std::int64_t(0), half}) {
    operands part;
    for (const any_array& each : from) part.push_back(rows_of(each, begin, begin + half));
    const any_array made = make(part);
    EXPECT_NE(explain(made).find("interpreted"), std::string::npos) << what << explain(made);
    const std::vector<char> bytes = bytes_of(made);
    parts.insert(parts.end(), bytes.begin(), bytes.end());
  }
  const std::vector<char> all = bytes_of(whole);
  ASSERT_EQ(all.size(), parts.size()) << what;
  const auto differs = std::mismatch(all.begin(), all.end(), parts.begin()).first;
  EXPECT_TRUE(differs == all.end()) << what << ": element "
                                    << std::size_t(differs - all.begin()) / size_of(whole.type());
}

any_array field(dtype type, double from, double to) {
  const any_array made =
      linspace(from, to, rows * columns, true, dtype::float32).reshape({rows, columns}).astype(type);
  made.evaluate();
  return made;
}

/// The sum of operations, each of which counts: half of the sum before and the next one.
any_array mixed(const std::vector<any_array>& all) {
  any_array sum = all[0];
  for (std::size_t k = 1; k < all.size(); ++k) sum = sum / 2 + all[k];
  return sum;
}

class fused_arrays : public testing::Test {
protected:
  void SetUp() override {
    const sycl::device device;
    if (device.get_backend() == sycl::backend::ext_prism_host)
      GTEST_SKIP() << "the host device runs expressions in another way";
    has_double = device.has(sycl::aspect::fp64);
  }
  std::vector<dtype> of(std::initializer_list<dtype> all) const {
    std::vector<dtype> out;
    for (const dtype t : all)
      if (has_double || (t != dtype::float64 && t != dtype::complex128)) out.push_back(t);
    return out;
  }
  bool has_double = false;
};

TEST_F(fused_arrays, functions_of_real_numbers_have_the_bits_of_interpreted_ones) {
  for (const dtype t : of({dtype::float32, dtype::float64})) {
    const operands inputs{field(t, 0.01, 0.99), field(t, 2, -3)};
    const auto check = [&](const std::string& what, const expression& make) {
      expect_the_same_bits(std::string(name_of(t)) + " " + what, inputs, make);
    };
    check("exponentials", [](const operands& in) {
      const any_array& x = in[0];
      return mixed(
          {sqrt(x), exp(x), expm1(x), log(x), log1p(x), log2(x), log10(x), exp2(x), cbrt(x), pow(x, in[1])});
    });
    check("angles", [](const operands& in) {
      const any_array& x = in[0];
      return mixed({sin(x), cos(x), tan(x), asin(x), acos(x), atan(x), atan2(x, in[1]), hypot(x, in[1])});
    });
    check("hyperbolic functions", [](const operands& in) {
      const any_array& x = in[0];
      return mixed({sinh(x), cosh(x), tanh(x), asinh(x), acosh(x + 1), atanh(x), logaddexp(x, in[1])});
    });
    check("rounding", [](const operands& in) {
      const any_array y = in[1] * 2.3;
      return mixed({floor(y), ceil(y), trunc(y), round(y), floor_divide(y, in[0]), y % in[0],
                    copysign(in[0], y), nextafter(y, in[0])});
    });
    check("signs", [](const operands& in) {
      const any_array& y = in[1];
      return mixed({-y, abs(y), sign(y), square(y), reciprocal(y), maximum(y, in[0]), minimum(y, in[0]),
                    fmax(y, where(in[0] < 0, y / 0 * 0, in[0])), fmin(where(y < 0, y / 0 * 0, y), in[0])});
    });
    check("choices", [](const operands& in) {
      const any_array &x = in[0], &y = in[1];
      return where((x < y) ^ (y > -1), x, y) + where(isfinite(y / x) & logical_not(x == y), x, y) / 4 +
             where(isnan(x) | isinf(y) | (x >= 0.5), y, x) + where((x <= y) != signbit(y), x, 3);
    });
  }
}

TEST_F(fused_arrays, operations_of_integers_have_the_bits_of_interpreted_ones) {
  for (const dtype t : {dtype::int8, dtype::uint16, dtype::int32, dtype::int64, dtype::uint64}) {
    const double low = t == dtype::uint16 || t == dtype::uint64 ? 0 : -100;
    const operands inputs{field(t, low, 120), field(t, 7, 1)};
    const auto check = [&](const std::string& what, const expression& make) {
      expect_the_same_bits(std::string(name_of(t)) + " " + what, inputs, make);
    };
    check("arithmetic", [](const operands& in) {
      return in[0] * in[1] + floor_divide(in[0], in[1]) - in[0] % in[1] + square(in[0]) + abs(in[0]);
    });
    check("bits", [](const operands& in) {
      return ((in[0] & in[1]) ^ (in[0] | 5)) + (in[0] << in[1]) + (in[0] >> in[1]) + ~in[1];
    });
    check("order", [](const operands& in) {
      return maximum(in[0], in[1]) + minimum(in[0], 3) + sign(in[0]) + where(in[0] > in[1], in[0], 1) +
             pow(in[1], 3);
    });
  }
}

TEST_F(fused_arrays, complex_arithmetic_has_the_bits_of_interpreted_one) {
  for (const dtype t : of({dtype::complex64, dtype::complex128})) {
    const dtype real = t == dtype::complex64 ? dtype::float32 : dtype::float64;
    const operands inputs{field(real, 1, 2), field(real, -3, 5)};
    const scalar i(std::complex<double>(0, 1));
    const auto number = [&](const operands& in) { return in[0].astype(t) + in[1] * i; };
    expect_the_same_bits(name_of(t), inputs, [&](const operands& in) {
      const any_array z = number(in);
      return z * z - z / conj(z) + reciprocal(z) + abs(z) + where(z == conj(z), z, -z);
    });
  }
}

TEST_F(fused_arrays, functions_of_complex_numbers_are_one_kernel_made_of_their_steps_at_any_size) {
  const any_array z =
      field(dtype::float32, 0.5, 2).astype(dtype::complex64) * scalar(std::complex<double>(1, 0.25));
  const auto made = [](const any_array& of) { return exp(log(of)) + sqrt(of) * tanh(of); };
  const any_array whole = made(z), few = made(z[{slice{0, 1}}]);
  EXPECT_NE(explain(few).find("functions of complex numbers are not interpreted"), std::string::npos)
      << explain(few);
  const std::vector<char> all = bytes_of(whole), first = bytes_of(few);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), all.begin()));
  const auto numbers = few.to_vector<std::complex<float>>();
  const std::complex<float> of = z.to_vector<std::complex<float>>()[99],
                            wanted = of + std::sqrt(of) * std::tanh(of);
  EXPECT_LT(std::abs(numbers[99] - wanted), 1e-5f * std::abs(wanted));
  EXPECT_LT(std::abs(sum(exp(z * 0)).item().real - std::complex<double>(double(rows * columns), 0)),
            1e-3); // and their fold
}

TEST_F(fused_arrays, conversions_between_all_types_have_the_bits_of_interpreted_ones) {
  const std::vector<dtype> all =
      of({dtype::boolean, dtype::int8, dtype::int16, dtype::int32, dtype::int64, dtype::uint8, dtype::uint16,
          dtype::uint32, dtype::uint64, dtype::float32, dtype::float64, dtype::complex64, dtype::complex128});
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (const std::size_t apart : {1, 4, 9}) { // each type to three others, each from three others
      const dtype from = all[k], to = all[(k + apart) % all.size()];
      if (is_complex(from) && !is_complex(to)) continue;
      expect_the_same_bits(std::string(name_of(from)) + " to " + name_of(to), {field(from, 0, 120)},
                           [&](const operands& in) { return in[0].astype(to); });
    }
  }
}

TEST_F(fused_arrays, views_and_broadcasts_read_and_write_their_elements) {
  const any_array x = field(dtype::float32, -1, 1), row = linspace(0, 1, columns, true, dtype::float32),
                  wide = field(dtype::float32, 3, 9).reshape({columns, rows});
  expect_the_same_bits("a row", {x, row}, [](const operands& in) { return in[0] * in[1]; });
  expect_the_same_bits("a column", {x, x[{every, slice{3, 4}}]},
                       [](const operands& in) { return in[0] + in[1]; });
  expect_the_same_bits("a transposed array", {x, wide.transpose()},
                       [](const operands& in) { return in[0] - in[1]; });
  expect_the_same_bits("a reversed array", {x, x.flip()}, [](const operands& in) { return in[0] / in[1]; });
  expect_the_same_bits("three dimensions", {x}, [](const operands& in) {
    const any_array cube = in[0].reshape({in[0].shape()[0], 10, 10});
    return cube.swapaxes(1, 2) * 2 + cube;
  });
  any_array target = zeros({rows, 2 * columns}, dtype::float32);
  any_array odd = target[{every, slice{1, {}, 2}}];
  odd.assign(x * 2 + 1);
  const any_array expected = x * 2 + 1;
  EXPECT_EQ(bytes_of(odd), bytes_of(expected));
  const any_array even = target[{every, slice{0, {}, 2}}];
  EXPECT_EQ(sum(abs(even)).item().real.real(), 0);
}

TEST_F(fused_arrays, dimensions_that_do_not_join_are_read_where_they_are) {
  struct grid {
    int rank;
    std::int64_t extent;
  };
  for (const grid of : {grid{4, 9}, grid{8, 3}, grid{13, 2}, grid{17, 2}}) {
    std::vector<std::int64_t> shape(std::size_t(of.rank), of.extent), order;
    for (std::int64_t d = of.rank - 1; d >= 0; --d) order.push_back(d);
    const std::int64_t size = extents(shape).product();
    const any_array straight = arange(0, size).astype(dtype::int32).reshape(shape);
    straight.evaluate();
    const any_array made = straight.transpose(order) * 3 + straight;
    EXPECT_NE(explain(made).find("one kernel made of its steps"), std::string::npos) << explain(made);
    const std::vector<std::int32_t> got = made.to_vector<std::int32_t>();
    for (std::int64_t i = 0; i < size; ++i) {
      std::int64_t mirrored = 0;
      for (std::int64_t rest = i, d = 0; d < of.rank; ++d, rest /= of.extent)
        mirrored = mirrored * of.extent + rest % of.extent;
      ASSERT_EQ(got[std::size_t(i)], mirrored * 3 + i) << of.rank << " dimensions, element " << i;
    }
  }
}

TEST_F(fused_arrays, reductions_of_expressions_have_the_bits_of_interpreted_ones) {
  const operands inputs{field(dtype::float32, -2, 3), field(dtype::int32, -50, 70)};
  const auto over_rows = [](reduction_op op, const any_array& a) { return reduce(op, a, axes({{1}})); };
  std::vector<reduction_op> operations{reduction_op::sum, reduction_op::max, reduction_op::any,
                                       reduction_op::argmin, reduction_op::mean};
  // PoCL compiles a kernel of each for half a second. The other five have the same forms: a number, a truth,
  // a place and a quotient. kernels.array.pocl runs the folds of all.
  if (sycl::device().get_backend() != sycl::backend::opencl)
    operations.insert(operations.end(), {reduction_op::prod, reduction_op::min, reduction_op::all,
                                         reduction_op::argmax, reduction_op::count_nonzero});
  for (const reduction_op op : operations) {
    for (const std::size_t k : {0, 1}) { // of numbers with a fraction and of integers
      const any_array &all = inputs[k], expression = all * all - all * 3;
      const any_array whole = over_rows(op, expression);
      std::vector<char> parts;
      for (const std::int64_t begin : {std::int64_t(0), half}) {
        const any_array part = rows_of(all, begin, begin + half);
        const std::vector<char> bytes = bytes_of(over_rows(op, part * part - part * 3));
        parts.insert(parts.end(), bytes.begin(), bytes.end());
      }
      EXPECT_EQ(bytes_of(whole), parts) << name_of(op) << (k ? " of integers" : "");
    }
  }
}

TEST_F(fused_arrays, reductions_of_all_elements_are_right) {
  const any_array i = arange(0, rows * columns).astype(dtype::int64);
  const std::int64_t n = rows * columns;
  EXPECT_EQ(sum(i * 2 + 1).item().integer, n * n);
  EXPECT_EQ(reduce(reduction_op::max, i * 3 - 7).item().integer, 3 * (n - 1) - 7);
  EXPECT_EQ(reduce(reduction_op::min, abs(i - 4321)).item().integer, 0);
  EXPECT_EQ(reduce(reduction_op::argmin, abs(i - 4321)).item().integer, 4321);
  EXPECT_EQ(reduce(reduction_op::argmax, i).item().integer, n - 1);
  EXPECT_TRUE(reduce(reduction_op::any, i == 5000).item().integer);
  EXPECT_FALSE(reduce(reduction_op::all, i < n - 1).item().integer);
}

TEST_F(fused_arrays, users_may_free_their_memory_and_get_other_memory_at_its_address) {
  sycl::queue q;
  for (int round = 0; round < 4; ++round) { // with the graph of an expression on the first memory still known
    float* const data = sycl::malloc_device<float>(rows * columns, q);
    q.fill(data, float(round), rows * columns).wait();
    any_array x = from_usm(data, {rows * columns}, {1}, dtype::float32, q);
    EXPECT_EQ((x * 2 + 1)[{7}].item().real.real(), 2 * round + 1);
    x = any_array();
    q.wait();
    sycl::free(data, q);
  }
}

TEST_F(fused_arrays, a_loop_that_updates_its_arrays_sees_each_step) {
  any_array x = ones({rows * columns}, dtype::float32), v = zeros({rows * columns}, dtype::float32);
  float position = 1, speed = 0;
  for (int step = 0; step < 40; ++step) {
    v = v - x / 8;
    x = x + v / 4;
    v.evaluate(), x.evaluate();
    speed = speed - position / 8;
    position = position + speed / 4;
  }
  EXPECT_EQ(x[{99}].item().real.real(), position);
  x.assign(x * 2); // in place
  EXPECT_EQ(x[{99}].item().real.real(), position * 2);
}

TEST(divisor, has_the_quotients_and_rests_of_a_division) {
  constexpr std::uint32_t most = 0x7fffffff;
  std::vector<std::uint32_t> divisors{most, most - 1};
  for (std::uint32_t by = 1; by < 3000; ++by) divisors.push_back(by);
  for (int bit = 1; bit < 31; ++bit)
    for (const int apart : {-1, 0, 1}) divisors.push_back((std::uint32_t(1) << bit) + std::uint32_t(apart));
  std::uint32_t state = 1;
  const auto drawn = [&] { return (state = state * 1664525u + 1013904223u) >> 1; };
  for (int k = 0; k < 3000; ++k) divisors.push_back(drawn() | 1);
  for (const std::uint32_t by : divisors) {
    const prism::array_detail::divisor fast(by);
    for (int k = 0; k < 64; ++k) {
      const std::uint32_t multiple = drawn() / by * by, last = most / by * by;
      for (const std::uint32_t i :
           {drawn(), multiple, multiple - (multiple > 0), last, last - 1, most, by - 1}) {
        const std::uint32_t quotient = fast.quotient(i);
        ASSERT_EQ(quotient, i / by) << i << " / " << by;
        ASSERT_EQ(fast.rest(i, quotient), i % by) << i << " / " << by;
      }
    }
  }
}

using verdict = build_choice::verdict;

TEST(build_choice, a_form_is_built_when_its_launches_have_cost_a_build) {
  build_choice choice(1e-9);                                 // a build takes .3 s until one is measured
  EXPECT_EQ(choice.next("a", 0.1), verdict::fused_if_built); // perhaps an earlier process built it
  EXPECT_EQ(choice.next("a", 0.1), verdict::interpreted);
  EXPECT_NE(choice.explain("b", 0.1).find("if the driver has built it before"), std::string::npos);
  EXPECT_EQ(choice.next("a", 0.1), verdict::fused);
  EXPECT_EQ(choice.next("b", 0.1), verdict::fused_if_built); // another form pays for itself
}

TEST(build_choice, a_launch_that_takes_as_long_as_a_build_is_fused_at_once) {
  build_choice choice(1e-9);
  EXPECT_EQ(choice.next("a", 0.4), verdict::fused);
}

TEST(build_choice, a_launch_that_takes_no_time_is_interpreted) {
  build_choice choice(1e-9);
  choice.recorded("a", 0.5, true);
  EXPECT_EQ(choice.next("a", 1e-4), verdict::interpreted);
  EXPECT_NE(choice.explain("a", 1e-4).find("no longer than to record"), std::string::npos);
  EXPECT_EQ(choice.next("a", 1e-2), verdict::fused);
}

TEST(build_choice, measured_times_replace_guesses) {
  build_choice choice(1e-9);
  EXPECT_DOUBLE_EQ(choice.interpreted_seconds(3, 1000), 1e-6);
  choice.interpreted(3, 1000, 1e-3);
  EXPECT_DOUBLE_EQ(choice.interpreted_seconds(3, 1000), 1e-3);
  EXPECT_DOUBLE_EQ(choice.interpreted_seconds(2, 1000), 1e-6); // of another kernel nothing is known
  choice.recorded("a", 2.9, true);
  EXPECT_EQ(choice.next("b", 1.0), verdict::fused_if_built);
  EXPECT_EQ(choice.next("b", 0.5), verdict::interpreted); // a build takes 1.6 s now
  EXPECT_EQ(choice.next("b", 0.5), verdict::fused);
}

TEST(build_choice, a_kernel_that_was_loaded_says_nothing_of_builds) {
  build_choice choice(1e-9);
  choice.recorded("a", 0.001, false);
  EXPECT_EQ(choice.next("b", 0.2), verdict::fused_if_built);
}

} // namespace
