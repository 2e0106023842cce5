// Fourier transforms that a provider reports as supported: their error against sums in long double, all
// combinations of real and complex sides, 1 to 3 dimensions, batches, strides of either sign, in place, no
// points, scales; nothing else changes.
#include "tests/providers/conformance/opencl_target.hpp"
#include "tests/wait.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <thread>

namespace provider_test {
namespace {

using extents = std::vector<std::int64_t>;

/// What is asked for; `spread` of the strides: 0 contiguous, 1 padded, 2 some of them negative.
struct wish {
  std::int32_t operation = PRISM_FFT, in = PRISM_C32, out = PRISM_C32;
  extents points;
  std::int64_t batch = 1;
  int spread = 0;
  bool in_place = false;
};

/// Calls `each` with the place of every element, the last dimension before the batch fastest.
void for_each(const operand& a, const std::function<void(std::int64_t place, std::int64_t batch)>& each) {
  const auto& d = a.description;
  for (std::int64_t b = 0; b < d.extent[d.rank - 1]; ++b) {
    const std::function<void(int, std::int64_t)> walk = [&](int dimension, std::int64_t at) {
      if (dimension == d.rank - 1) return each(at, b);
      for (std::int64_t i = 0; i < d.extent[dimension]; ++i)
        walk(dimension + 1, at + i * d.stride[dimension]);
    };
    walk(0, a.first + b * d.stride[d.rank - 1]);
  }
}

operand grid_of(const wish& w, bool is_input, engine& random) {
  operand out;
  out.kind = prism::provider::operand_kind::grid;
  auto& d = out.description;
  d.type = is_input ? w.in : w.out, d.rank = int(w.points.size()) + 1;
  const bool halved = is_complex_type(d.type) && !is_complex_type(is_input ? w.out : w.in);
  std::int64_t apart = w.spread == 0 ? 1 : 2, low = 0, high = 1;
  // In place with reals on one side, neighbours are neighbours, and lines of both sides are as long.
  const bool shares_lines = w.in_place && w.in != w.out;
  if (shares_lines) apart = 1;
  for (int i = d.rank; i-- > 0;) {
    const bool is_batch = i == d.rank - 1;
    const int at = is_batch ? -1 : i; // the batch last: it is outermost
    if (is_batch) continue;
    d.extent[at] = w.points[std::size_t(at)];
    const std::int64_t whole = d.extent[at];
    if (halved && at == d.rank - 2) d.extent[at] = whole == 0 ? 0 : whole / 2 + 1;
    d.stride[at] = apart;
    std::int64_t line = std::max<std::int64_t>(1, d.extent[at]);
    if (shares_lines && at == d.rank - 2) line = (whole / 2 + 1) * (is_complex_type(d.type) ? 1 : 2);
    apart *= line;
    if (w.spread != 0 && !shares_lines) apart += 3;
  }
  d.extent[d.rank - 1] = w.batch, d.stride[d.rank - 1] = apart;
  if (w.spread == 2 && !w.in_place) d.stride[0] = -d.stride[0];
  for (int i = 0; i < d.rank; ++i) {
    const std::int64_t far = (d.extent[i] - 1) * d.stride[i];
    if (d.extent[i] > 0) (far < 0 ? low : high) += far;
  }
  out.first = 4 - low;
  // In place the memory of one side holds the other.
  out.bytes.resize(std::size_t(8 - low + high) * 2 * prism::provider::bytes_of_type(d.type));
  for (std::byte& each : out.bytes) each = std::byte(random() % 120);
  std::uniform_real_distribution<double> value(-1, 1);
  for_each(out, [&](std::int64_t at, std::int64_t) { out.set(at, number(value(random), value(random))); });
  return out;
}

std::vector<number> values_of(const operand& a, std::int64_t batch) {
  std::vector<number> out;
  for_each(a, [&](std::int64_t at, std::int64_t b) {
    if (b == batch) out.push_back(a.get(at));
  });
  return out;
}

/// By definition, in every dimension.
std::vector<number> transformed(std::vector<number> x, const extents& points, int sign) {
  std::int64_t apart = 1;
  for (std::size_t d = points.size(); d-- > 0; apart *= points[d]) {
    const std::int64_t n = points[d];
    std::vector<number> roots, line(static_cast<std::size_t>(n));
    for (std::int64_t k = 0; k < n; ++k)
      roots.push_back(std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> * k / n));
    for (std::int64_t first = 0; first < std::int64_t(x.size()); ++first) {
      if (first / apart % n != 0) continue;
      for (std::int64_t k = 0; k < n; ++k) {
        line[std::size_t(k)] = 0;
        for (std::int64_t j = 0; j < n; ++j)
          line[std::size_t(k)] += x[std::size_t(first + j * apart)] * roots[std::size_t(j * k % n)];
      }
      for (std::int64_t k = 0; k < n; ++k) x[std::size_t(first + k * apart)] = line[std::size_t(k)];
    }
  }
  return x;
}

/// The points that a transform of real numbers keeps.
std::vector<number> half_of(const std::vector<number>& all, std::int64_t n) {
  std::vector<number> out;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::int64_t(i) % n <= n / 2) out.push_back(all[i]);
  return out;
}

struct transform {
  job what;
  std::vector<std::vector<number>> expected; // of each of the batch
};

transform make(const wish& w, engine& random) {
  transform out;
  job& j = out.what;
  j.operands.push_back(grid_of(w, true, random)), j.operands.push_back(grid_of(w, false, random));
  j.what.struct_size = sizeof j.what, j.what.operand_size = sizeof(prism_provider_operand);
  j.what.operation = w.operation, j.what.operand_count = 2;
  for (int i = 0; i < 2; ++i) j.what.operand[i] = j.operands[std::size_t(i)].description;
  j.alpha[0] = random() % 2 ? 1 : 0.375, j.in_place = w.in_place;
  const int sign = w.operation == PRISM_FFT ? -1 : 1;
  const bool to_reals = is_complex_type(w.in) && !is_complex_type(w.out);
  std::int64_t all = 1;
  for (const std::int64_t n : w.points) all *= n;
  std::uniform_real_distribution<double> value(-1, 1);
  for (std::int64_t b = 0; b < w.batch; ++b) {
    std::vector<number> from = values_of(j.operands[0], b);
    if (to_reals) { // of a transform of real numbers, so that what it reads is one
      std::vector<number> reals(static_cast<std::size_t>(all));
      for (number& each : reals) each = value(random);
      std::vector<number> half = half_of(transformed(reals, w.points, -1), w.points.back());
      std::size_t i = 0;
      for_each(j.operands[0], [&](std::int64_t at, std::int64_t of) {
        if (of == b) j.operands[0].set(at, half[i++] / (long double)(all));
      });
      out.expected.push_back(std::move(reals)); // a round trip
    } else {
      std::vector<number> to = transformed(std::move(from), w.points, sign);
      out.expected.push_back(is_complex_type(w.in) ? std::move(to) : half_of(to, w.points.back()));
    }
    for (number& each : out.expected.back()) each *= (long double)(j.alpha[0]);
  }
  return out;
}

std::string wrong_transform(const transform& t, const std::vector<operand>& after) {
  const job& j = t.what;
  const std::string text = prism::provider::text_of(j.what);
  const auto& in = j.operands[0];
  long double points = 1;
  for (int d = 0; d + 1 < in.description.rank; ++d)
    points *= std::max(j.what.operand[0].extent[d], j.what.operand[1].extent[d]);
  for (std::int64_t b = 0; b < std::int64_t(t.expected.size()); ++b) {
    operand placed = after[1];
    if (j.in_place) // counted from the common first element
      placed.first = j.operands[0].first * std::int64_t(prism::provider::bytes_of_type(in.description.type)) /
                     std::int64_t(prism::provider::bytes_of_type(placed.description.type));
    const std::vector<number> found = values_of(placed, b);
    long double error = 0, norm = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
      error += std::norm(found[i] - t.expected[std::size_t(b)][i]),
          norm += std::norm(t.expected[std::size_t(b)][i]);
    const long double bound = unit_roundoff(in.description.type) * (6 + 3 * std::log2(points + 1));
    if (!(std::sqrt(error) <= bound * std::sqrt(norm)))
      return text + ", number " + std::to_string(b) + ": relative error " +
             std::to_string(double(std::sqrt(error / norm) / unit_roundoff(in.description.type))) +
             " roundoffs, at most " + std::to_string(double(bound / unit_roundoff(in.description.type)));
  }
  if (j.in_place) return {};
  if (after[0].bytes != in.bytes) return text + ": the operand that is read was changed";
  std::vector<bool> written(after[1].bytes.size());
  const std::size_t width = prism::provider::bytes_of_type(after[1].description.type);
  for_each(after[1], [&](std::int64_t at, std::int64_t) {
    std::fill_n(written.begin() + at * std::int64_t(width), width, true);
  });
  for (std::size_t i = 0; i < written.size(); ++i)
    if (!written[i] && after[1].bytes[i] != j.operands[1].bytes[i])
      return text + ": byte " + std::to_string(i) + " of the result is no element and was changed";
  return {};
}

struct transform_kind {
  std::int32_t operation;
  std::int32_t in, out;
  const char* name;
};
const transform_kind kinds[] = {{PRISM_FFT, PRISM_C32, PRISM_C32, "complex_float"},
                                {PRISM_IFFT, PRISM_C32, PRISM_C32, "complex_float_back"},
                                {PRISM_FFT, PRISM_F32, PRISM_C32, "float_to_complex"},
                                {PRISM_IFFT, PRISM_C32, PRISM_F32, "complex_to_float"},
                                {PRISM_FFT, PRISM_C64, PRISM_C64, "complex_double"},
                                {PRISM_IFFT, PRISM_C64, PRISM_C64, "complex_double_back"},
                                {PRISM_FFT, PRISM_F64, PRISM_C64, "double_to_complex"},
                                {PRISM_IFFT, PRISM_C64, PRISM_F64, "complex_to_double"}};
std::string name_of_transform(const testing::TestParamInfo<transform_kind>& info) { return info.param.name; }
void PrintTo(const transform_kind& one, std::ostream* out) { *out << one.name; }

class provider_transforms : public testing::TestWithParam<transform_kind> {
protected:
  /// Runs those that the provider supports.
  void try_all(std::vector<wish> wishes) {
    int supported = 0;
    std::string refusal;
    for (const auto& on : all_targets()) {
      engine random(77);
      // Providers on OpenCL compile for each plan: every eighth of the list, another one for each kind.
      const bool compiles = on->device().native == PRISM_NATIVE_OPENCL;
      std::size_t number = std::size_t(GetParam().operation + (GetParam().in >> 12) + (GetParam().out & 3));
      for (wish w : wishes) {
        if (compiles && ++number % 8 != 0) continue;
        w.operation = GetParam().operation, w.in = GetParam().in, w.out = GetParam().out;
        const transform made = make(w, random);
        ASSERT_EQ(prism::provider::contradiction_in(made.what.what), "") << "the test contradicts itself";
        const prism_provider_support answer = query(*on, made.what.what);
        if (!answer.supported) {
          EXPECT_NE(answer.reason[0], 0) << prism::provider::text_of(made.what.what) << ": no reason";
          refusal = answer.reason;
          continue;
        }
        ++supported;
        std::string why;
        const plan_ptr ready = plan(*on, made.what.what, &why);
        ASSERT_TRUE(ready) << prism::provider::text_of(made.what.what) << ": plan refuses: " << why;
        std::vector<operand> after;
        for (const std::uint32_t threads : {1u, 2u}) {
          ASSERT_EQ(on->run(ready.get(), made.what, threads, after, why), PRISM_OK) << why;
          ASSERT_EQ(wrong_transform(made, after), "") << on->name() << ", " << threads << " threads";
        }
      }
    }
    if (supported == 0) GTEST_SKIP() << "not supported: " << refusal;
  }
};

TEST_P(provider_transforms, of_one_dimension_and_any_size_are_right) {
  std::vector<wish> wishes;
  int spread = 0;
  for (const std::int64_t n : {1, 2, 3, 7, 8, 17, 30, 64, 97, 128, 360})
    wishes.push_back({.points = {n}, .spread = spread++ % 3});
  try_all(wishes);
}
TEST_P(provider_transforms, of_several_dimensions_and_batches_are_right) {
  std::vector<wish> wishes;
  for (const extents& points :
       {extents{4, 6}, extents{8, 8}, extents{5, 16}, extents{3, 4, 5}, extents{8, 4, 2}})
    for (const std::int64_t batch : {1, 3})
      wishes.push_back({.points = points, .batch = batch, .spread = int(wishes.size()) % 3});
  for (const std::int64_t batch : {2, 9})
    for (const int spread : {0, 1}) wishes.push_back({.points = {24}, .batch = batch, .spread = spread});
  try_all(wishes);
}
TEST_P(provider_transforms, in_place_are_those_of_two_operands) {
  std::vector<wish> wishes;
  for (const extents& points :
       {extents{2}, extents{9}, extents{32}, extents{60}, extents{6, 8}, extents{4, 3, 5}})
    for (const std::int64_t batch : {1, 4})
      wishes.push_back({.points = points, .batch = batch, .in_place = true});
  try_all(wishes);
}
TEST_P(provider_transforms, of_no_points_change_nothing) {
  std::vector<wish> wishes;
  for (const extents& points : {extents{0}, extents{4, 0}, extents{0, 4}})
    wishes.push_back({.points = points});
  wishes.push_back({.points = {8}, .batch = 0});
  try_all(wishes);
}
INSTANTIATE_TEST_SUITE_P(of, provider_transforms, testing::ValuesIn(kinds), name_of_transform);

wish contiguous(std::int64_t n) { return {.points = {n}, .batch = 5}; }

TEST(provider_transform_rules, contradictory_requests_are_rejected_with_a_reason) {
  engine random(3);
  for (const auto& on : all_targets()) {
    const transform good = make(contiguous(16), random);
    if (!query(*on, good.what.what).supported) GTEST_SKIP() << "it has no transforms";
    const std::pair<const char*, std::function<void(prism_provider_operation&)>> faults[] = {
        {"extents that disagree", [](auto& o) { o.operand[0].extent[0] = 15; }},
        {"batches that disagree", [](auto& o) { o.operand[0].extent[1] = 4; }},
        {"another number of dimensions", [](auto& o) { o.operand[0].rank = 3; }},
        {"a grid without a batch", [](auto& o) { o.operand[0].rank = o.operand[1].rank = 1; }},
        {"too many dimensions", [](auto& o) { o.operand[0].rank = o.operand[1].rank = 5; }},
        {"types of different sizes", [](auto& o) { o.operand[1].type = PRISM_C64; }},
        {"integers", [](auto& o) { o.operand[0].type = PRISM_S32; }},
        {"only real numbers", [](auto& o) { o.operand[0].type = o.operand[1].type = PRISM_F32; }},
        {"real numbers as the result of fft", [](auto& o) { o.operand[1].type = PRISM_F32; }},
        {"a result whose elements overlap", [](auto& o) { o.operand[1].stride[0] = 0; }},
        {"a conjugated operand", [](auto& o) { o.operand[0].flags = PRISM_CONJUGATED; }}};
    for (const auto& [what, change] : faults) {
      prism_provider_operation wrong = good.what.what;
      change(wrong);
      const prism_provider_support answer = query(*on, wrong);
      EXPECT_FALSE(answer.supported) << what;
      EXPECT_NE(answer.reason[0], 0) << what << ": no reason";
      EXPECT_FALSE(plan(*on, wrong)) << what << ": plan accepted it";
    }
  }
}

TEST(provider_transform_rules, one_plan_is_run_by_many_threads_at_once) {
  engine random(4);
  for (const auto& on : all_targets()) {
    if (on->device().native != PRISM_NATIVE_HOST) continue;
    const transform good = make(contiguous(120), random);
    if (!query(*on, good.what.what).supported) GTEST_SKIP() << "it has no transforms";
    const plan_ptr ready = plan(*on, good.what.what);
    ASSERT_TRUE(ready);
    std::vector<std::string> wrong(4);
    std::vector<std::thread> threads;
    for (std::string& each : wrong)
      threads.emplace_back([&] {
        for (int round = 0; round < 20 && each.empty(); ++round) {
          std::vector<operand> after;
          std::string why;
          each =
              on->run(ready.get(), good.what, 1, after, why) == PRISM_OK ? wrong_transform(good, after) : why;
        }
      });
    for (std::thread& each : threads) each.join();
    for (const std::string& each : wrong) EXPECT_EQ(each, "");
  }
}

TEST(provider_transform_rules, run_on_opencl_returns_before_its_wait_list_is_complete) {
  engine random(6);
  for (const auto& each : all_targets()) {
    auto* const on = dynamic_cast<opencl_target*>(each.get());
    const transform good = make(contiguous(16), random);
    if (!on || !query(*on, good.what.what).supported) continue;
    const plan_ptr ready = plan(*on, good.what.what);
    ASSERT_TRUE(ready);
    std::vector<operand> after;
    std::string why;
    ASSERT_EQ(on->run(ready.get(), good.what, 1, after, why), PRISM_OK) << why; // compiles
    cl_event gate = clCreateUserEvent(on->context(), nullptr), done = nullptr;
    const std::vector<cl_mem> objects = on->upload(good.what);
    ASSERT_EQ(on->start(ready.get(), good.what, objects, {gate}, done, why), PRISM_OK) << why;
    clFlush(on->queue());
    EXPECT_TRUE(prism_test::never_within(std::chrono::milliseconds(20), [&] {
      cl_int status = CL_COMPLETE;
      clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
      return status == CL_COMPLETE;
    })) << "its work was complete before the event that it had to wait for";
    clSetUserEventStatus(gate, CL_COMPLETE);
    clWaitForEvents(1, &done), clReleaseEvent(done), clReleaseEvent(gate);
    on->download(good.what, objects, after);
    EXPECT_EQ(wrong_transform(good, after), "");
  }
}

TEST(provider_transform_rules, reproducible_results_have_the_same_bits) {
  engine random(5);
  for (const auto& on : all_targets()) {
    transform good = make(contiguous(96), random);
    good.what.what.reproducible = PRISM_REPRODUCIBLE_SAME_THREADS;
    if (!query(*on, good.what.what).supported) continue;
    std::vector<operand> first, again;
    for (int round = 0; round < 4; ++round) {
      const plan_ptr ready = plan(*on, good.what.what);
      ASSERT_TRUE(ready);
      std::string why;
      ASSERT_EQ(on->run(ready.get(), good.what, 1, round == 0 ? first : again, why), PRISM_OK) << why;
      if (round != 0) {
        EXPECT_EQ(first[1].bytes, again[1].bytes);
      }
    }
  }
}

} // namespace
} // namespace provider_test
