// Unusual contents of kernels in ordinary programs: large objects, unions, bit fields, copies of single
// bytes.
#include "tests/sycl/common.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string>

namespace {

template <class Name, class T, class Body>
std::vector<T> results(std::size_t count, const Body& body) {
  std::vector<T> found(count);
  sycl::queue q;
  {
    sycl::buffer<T> out(found.data(), count);
    q.submit([&](sycl::handler& h) {
      sycl::accessor r(out, h, sycl::write_only);
      h.parallel_for<Name>(sycl::range<1>(count),
                           [=](sycl::id<1> i) { r[i] = body(static_cast<int>(i[0])); });
    });
  }
  q.wait_and_throw();
  return found;
}

union real_or_word {
  float real;
  unsigned word;
};

struct packed_numbers {
  unsigned a : 3, b : 7, c : 22;
  signed d : 5;
};

int through_bytes(int i) {
  real_or_word both;
  both.real = static_cast<float>(i);
  packed_numbers first{};
  first.a = static_cast<unsigned>(i) & 7;
  first.b = static_cast<unsigned>(i * 9) & 127;
  first.c = both.word >> 10;
  first.d = -i;
  char bytes[16];
  std::memcpy(bytes + 1, &first, sizeof first); // not aligned
  packed_numbers second;
  std::memcpy(&second, bytes + 1, sizeof second);
  return static_cast<int>(second.a + second.b * 8 + (second.c & 0xffff)) + second.d * 1000;
}

/// An instance of a template with a step of 0 never ends. Programs have such instances and never launch them.
template <int Step>
struct counting {
  int* out;
  void operator()() const {
    for (int i = 0; i < 10; i += Step) ++*out;
  }
};

TEST(odd_programs, an_instance_of_a_kernel_that_never_ends_is_refused_when_it_is_launched) {
  SKIP_UNLESS_COMPILED("kernels that never end");
  sycl::queue q;
  if (!q.get_device().has(sycl::aspect::usm_shared_allocations))
    GTEST_SKIP() << "no shared USM: " << prism_test::name_of(q.get_device());
  int* const out = sycl::malloc_shared<int>(1, q);
  *out = 0;
  std::string text;
  EXPECT_EQ(prism_test::error_of([&] { q.single_task(counting<0>{out}).wait(); }, &text),
            sycl::errc::kernel_not_supported);
  EXPECT_NE(text.find("an endless loop"), std::string::npos) << text;
  q.single_task(counting<2>{out}).wait();
  EXPECT_EQ(*out, 5);
  sycl::free(out, q);
}

struct given_numbers { // not known to the compiler
  float limit = -3032.6f;
  unsigned bits = 57;
  int factor = 42, going = 22;
};
struct choice {
  unsigned number = 129;
  float real = 3601.12f;
  int chosen = -55;
};

float in_bounds(float x) {
  const float size = x < 0 ? -x : x;
  return size > 1e-6f && size < 1e6f ? x : 1.5f;
}

template <class Numbers>
void choose(choice& own, const Numbers& in, const given_numbers& given, unsigned id, unsigned local) {
  own.number = in[own.number & 63];
  if ((static_cast<unsigned>(own.chosen) << (own.number & 31)) < ~65u) {
    const unsigned factor = given.limit > 1 ? in[0] : 2u, divisor = given.bits >> (in[local & 63] & 31);
    own.number = in[16] * factor - (divisor == 0 ? 0u : (in[56] - in[in[0] & 63]) % divisor);
  } else {
    own.real = in_bounds(given.limit) > own.real ? in_bounds(own.real - in_bounds(float(id)))
                                                 : in_bounds(sycl::bit_cast<float>(own.number));
    own.chosen = given.factor != 0;
  }
}

/// LLVM's uniformity analysis holds `chosen` for the same in all work-items (device_ir/divergent_joins.hpp).
TEST(odd_programs, a_constant_chosen_behind_several_branches_is_each_work_items_own) {
  constexpr unsigned size = 96, group = 16;
  sycl::queue q;
  if (q.get_device().get_info<sycl::info::device::max_work_group_size>() < group)
    GTEST_SKIP() << "no work-groups of 16: " << prism_test::name_of(q.get_device());
  const given_numbers given;
  for (unsigned seed : {60574u, 151435u, 178791u, 217871u, 252066u, 315571u, 318502u, 339019u}) {
    std::array<unsigned, 64> in;
    for (unsigned& each : in) {
      seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5;
      each = seed;
    }
    std::array<unsigned, size> found{};
    {
      sycl::buffer<unsigned> numbers(in.data(), in.size()), out(found.data(), size);
      q.submit([&](sycl::handler& h) {
        sycl::accessor n(numbers, h, sycl::read_only);
        sycl::accessor r(out, h, sycl::write_only);
        h.parallel_for<class chosen_constant>(sycl::nd_range<1>(size, group), [=](sycl::nd_item<1> item) {
          const auto id = static_cast<unsigned>(item.get_global_id(0)),
                     local = static_cast<unsigned>(item.get_local_id(0));
          choice own;
          for (unsigned turn = 0; turn < 2 && sycl::all_of_group(item.get_group(), given.going != 3); ++turn)
            for (unsigned k = 0; k < static_cast<unsigned>(item.get_group(0)) % 4; ++k)
              choose(own, n, given, id, local);
          r[id] = own.number ^ sycl::bit_cast<unsigned>(own.real);
        });
      });
    }
    for (unsigned id = 0; id < size; ++id) {
      choice own;
      for (unsigned turn = 0; turn < 2; ++turn)
        for (unsigned k = 0; k < id / group % 4; ++k) choose(own, in, given, id, id % group);
      EXPECT_EQ(found[id], own.number ^ sycl::bit_cast<unsigned>(own.real)) << id;
    }
  }
}

/// If the range had no work-items, the second loop would not end. A compiler must know that it has some.
TEST(odd_programs, a_loop_of_at_most_one_step_by_the_range_ends) {
  constexpr unsigned size = 96, group = 32;
  sycl::queue q;
  if (q.get_device().get_info<sycl::info::device::max_work_group_size>() < group)
    GTEST_SKIP() << "no work-groups of 32: " << prism_test::name_of(q.get_device());
  std::array<unsigned, size> found{};
  {
    sycl::buffer<unsigned> out(found.data(), size);
    q.submit([&](sycl::handler& h) {
      sycl::accessor r(out, h, sycl::read_write);
      h.parallel_for<class at_most_one_step>(sycl::nd_range<1>(size, group), [=](sycl::nd_item<1> item) {
        const std::size_t local = item.get_local_range(0), range = item.get_global_range(0);
        const auto lane = static_cast<unsigned>(item.get_local_id(0));
        const unsigned bound = lane == 0 ? 0 : 1;
        for (std::size_t k = lane; k < range / local; k += local) r[item.get_global_id(0)] += 10;
        for (std::size_t k = item.get_global_id(0); k < bound; k += range) r[k] += 1;
        for (std::size_t k = item.get_global_id(0); k + 1 < 2 - bound; k += range) r[k] += 100;
      });
    });
  }
  for (unsigned id = 0; id < size; ++id)
    EXPECT_EQ(found[id], (id % group < size / group ? 10u : 0u) + (id == 0 ? 100u : 0u)) << id;
}

TEST(odd_programs, a_loop_of_at_most_one_step_by_a_range_of_two_dimensions_ends) {
  sycl::queue q;
  std::array<unsigned, 24> found{};
  {
    sycl::buffer<unsigned> out(found.data(), 24);
    q.submit([&](sycl::handler& h) {
      sycl::accessor r(out, h, sycl::read_write);
      h.parallel_for<class one_step_of_two>(sycl::nd_range<2>({6, 4}, {2, 4}), [=](sycl::nd_item<2> item) {
        const std::size_t id = item.get_global_linear_id(), local = item.get_local_linear_id();
        for (std::size_t k = id; k < (id < 24 ? 1 : 0); k += item.get_global_range().size()) r[k] += 1;
        for (std::size_t k = local; k < (local < 24 ? 1 : 0); k += item.get_local_range().size()) r[id] += 10;
        unsigned narrow = static_cast<unsigned>(id); // a step of 2^32 would be 0
        while (narrow < (local < 24 ? 1u : 0u)) {
          r[id] += 100;
          narrow += item.get_global_range().size();
        }
      });
    });
  }
  for (unsigned id = 0; id < 24; ++id)
    EXPECT_EQ(found[id], (id == 0 ? 101u : 0u) + (id % 8 == 0 ? 10u : 0u)) << id;
}

} // namespace

/// Names that C, std and sycl all have are not ambiguous if a program uses all namespaces.
template <typename T>
std::array<T, 12> of_both_namespaces(T x, T y, int i) {
  using namespace sycl;
  using namespace std;
  return {sqrt(x),
          pow(x, y) + T(pow(x, 2)),
          fabs(x) + fmin(x, y) + fma(x, y, x),
          max(x, y) + min(x, y) + clamp(x, T(1), T(2)),
          T(isnan(x)) + T(isfinite(y)) + T(signbit(x)) + T(isinf(x)),
          floor(x) + ceil(y) + round(x) + trunc(y),
          T(abs(i)) + abs(x) + T(max(i, 3)) + T(min(i, 5)),
          ldexp(x, 2) + copysign(x, y) + T(ilogb(x)),
          sycl::max(x, 0) + sycl::fmax(x, 0) + sycl::clamp(x, 1, 3),
          T(sycl::max(std::size_t(7), i)) + T(sycl::min<int>(i, std::size_t(7))),
          T(sycl::sqrt(i)) + sycl::pow(x, i),
          exp(x) + log(y) + sin(x) + cos(y) + atan2(x, y)};
}
template <typename T>
void check_both_namespaces(sycl::queue& q) {
  const std::array<T, 12> expected = of_both_namespaces<T>(T(2.25), T(3.5), 4);
  std::array<T, 12> seen{};
  {
    sycl::buffer<std::array<T, 12>> out(&seen, 1);
    q.submit([&](sycl::handler& h) {
      sycl::accessor o(out, h, sycl::write_only);
      const T x = T(2.25);
      h.single_task([=] { o[0] = of_both_namespaces<T>(x, T(3.5), 4); });
    });
  }
  for (std::size_t i = 0; i < seen.size(); ++i)
    EXPECT_NEAR(seen[i], expected[i], 1e-5 * std::fabs(expected[i])) << i;
  EXPECT_EQ(seen[0], T(1.5));
  EXPECT_EQ(seen[3], T(2.25) + T(3.5) + T(2));
  EXPECT_EQ(seen[6], T(4) + T(2.25) + T(4) + T(4));
  EXPECT_EQ(seen[8], T(2.25) * 3);
  EXPECT_EQ(seen[9], T(7 + 4));
}
TEST(odd_programs, all_names_of_std_and_sycl_at_once) {
  sycl::queue q;
  static_assert(std::is_same_v<decltype(sycl::sqrt(1.0f)), float> &&
                std::is_same_v<decltype(sycl::pow(1.0f, 2)), float> &&
                std::is_same_v<decltype(sycl::sqrt(sycl::half(1))), sycl::half> &&
                std::is_same_v<decltype(sycl::pow(1.0, 2.0f)), double>);
  if (q.get_device().has(sycl::aspect::fp64)) {
    check_both_namespaces<float>(q);
    check_both_namespaces<double>(q);
  } else {
    EXPECT_FLOAT_EQ(sycl::sqrt(4.0f), 2);
    GTEST_SKIP() << prism_test::name_of(q.get_device())
                 << " has no aspect::fp64, which C's functions of integers take";
  }
}

TEST(odd_programs, unions_bit_fields_and_memcpy) {
  const auto found = results<class bytes, int>(16, [](int i) { return through_bytes(i); });
  for (int i = 0; i < 16; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], through_bytes(i)) << i;
}

TEST(odd_programs, private_arrays_of_64_KiB) {
  constexpr int words = 16384;
  const auto sum_of = [](int i) {
    int all[words], sum = 0;
    for (int j = 0; j < words; ++j) all[j] = j * (i + 1);
    for (int j = 0; j < words; ++j) sum += all[(j * 7919) & (words - 1)] & 0xff;
    return sum;
  };
  std::vector<int> found;
  SKIP_WITHOUT_PRIVATE_MEMORY((found = results<class large_array, int>(4, sum_of)));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], sum_of(i)) << i;
}

/// Interprets a program on 16 KiB of each work-item; its steps and places are known only at run time.
struct interpreter {
  static constexpr int words = 4096, steps = 12;
  const int* code;
  float* values;
  void operator()(std::size_t item) const {
    float all[words], sum = 0;
    for (int k = 0; k < words; ++k) all[k] = values[item] + float(k);
    for (int s = 0; s < steps; ++s) {
      float& a = all[code[3 * s + 1]];
      const float b = all[code[3 * s + 2]];
      switch (code[3 * s]) {
        case 0: a += b; break;
        case 1: a *= 0.5f; break;
        case 2: a = a > b ? a : b; break;
        default: a = sycl::sin(b); break;
      }
    }
    for (int k = 0; k < words; ++k) sum += all[k] * 1e-6f;
    values[item] = sum;
  }
};

/// What `launch` gives with 4096 work-items of an interpreter. PoCL keeps the arrays of a whole work-group on
/// a thread's stack.
template <typename Launch>
sycl::errc interprets(std::string& text, const Launch& launch) {
  constexpr int items = 4096;
  sycl::queue q;
  int* const code = sycl::malloc_shared<int>(3 * interpreter::steps, q);
  float* const values = sycl::malloc_shared<float>(items, q);
  for (int s = 0; s < interpreter::steps; ++s) {
    code[3 * s] = s % 4;
    code[3 * s + 1] = s * 7;
    code[3 * s + 2] = s * 5 + 1;
  }
  std::fill_n(values, items, 0.0f);
  std::vector<float> wanted(1);
  interpreter{code, wanted.data()}(0);
  const sycl::errc outcome = prism_test::error_of([&] {
    launch(q, items, interpreter{code, values});
    q.wait_and_throw();
  }, &text);
  if (outcome == sycl::errc::success)
    for (int i = 0; i < items; ++i) {
      EXPECT_NEAR(values[i], wanted[0], 1e-3f) << i;
      if (std::abs(values[i] - wanted[0]) > 1e-3f) break;
    }
  sycl::free(code, q);
  sycl::free(values, q);
  return outcome;
}
#define SKIP_SLOW_ARRAYS(queue)                                                                              \
  SKIP_WITHOUT(queue, usm_shared_allocations);                                                               \
  if ((queue).get_backend() == sycl::backend::ext_prism_vulkan)                                              \
  GTEST_SKIP() << prism_test::name_of((queue).get_device()) << " takes 15 s for such a kernel"

TEST(odd_programs, private_arrays_of_16_KiB_in_many_work_items) {
  SKIP_SLOW_ARRAYS(sycl::queue());
  std::string text;
  const sycl::errc outcome = interprets(text, [](sycl::queue& q, std::size_t items, interpreter body) {
    q.parallel_for<class many_arrays>(sycl::range<1>(items), [=](sycl::id<1> i) { body(i[0]); });
  });
  if (outcome != sycl::errc::success) { // a driver that refuses the array itself
    EXPECT_EQ(outcome, sycl::errc::kernel_not_supported) << text;
    GTEST_SKIP() << prism_test::name_of(sycl::device()) << " refuses the kernel: " << text;
  }
}

TEST(odd_programs, private_arrays_of_16_KiB_in_a_large_work_group_are_right_or_refused) {
  SKIP_SLOW_ARRAYS(sycl::queue());
  std::string text;
  const sycl::errc outcome = interprets(text, [](sycl::queue& q, std::size_t items, interpreter body) {
    q.parallel_for<class arrays_of_a_group>(sycl::nd_range<1>(items, 1024),
                                            [=](sycl::nd_item<1> i) { body(i.get_global_id(0)); });
  });
  if (outcome != sycl::errc::success) {
    EXPECT_TRUE(outcome == sycl::errc::nd_range || outcome == sycl::errc::kernel_not_supported) << text;
    EXPECT_NE(text.find("arrays_of_a_group"), std::string::npos) << text;
  }
}

/// Function objects whose call operator is not const, as programs have them. Changes of their members are
/// private to the work-item.
class scale_and_count {
public:
  scale_and_count(int* out, int factor) : m_out(out), m_factor(factor) {}
  void operator()(sycl::item<1> item) { put(item.get_linear_id()); }
  void operator()(sycl::nd_item<1> item) { put(item.get_global_linear_id()); }
  void operator()() { put(0); }

private:
  void put(std::size_t i) { m_out[i] = m_factor * static_cast<int>(i) + ++m_calls; }
  int* m_out;
  int m_factor, m_calls = 0;
};
class sum_up {
public:
  template <class Sum>
  void operator()(sycl::item<1> item, Sum& sum) {
    m_seen += static_cast<int>(item.get_linear_id());
    sum += m_seen;
  }

private:
  int m_seen = 1;
};
TEST(odd_programs, function_objects_without_a_const_call_operator) {
  constexpr std::size_t count = 64;
  sycl::queue q;
  if (!q.get_device().has(sycl::aspect::usm_device_allocations)) {
    GTEST_SKIP() << prism_test::name_of(q.get_device()) << " has no aspect::usm_device_allocations";
  }
  int* out = sycl::malloc_device<int>(count, q);
  int* total = sycl::malloc_device<int>(1, q);
  const scale_and_count body(out, 5);
  std::vector<int> found(count);
  for (int shape = 0; shape < 3; ++shape) {
    q.fill(out, -1, count).wait();
    if (shape == 0) q.parallel_for(sycl::range<1>(count), body);
    else if (shape == 1) q.parallel_for(sycl::nd_range<1>(count, 16), body);
    else q.single_task(body);
    q.wait_and_throw();
    q.copy(out, found.data(), count).wait();
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(found[i], shape < 2 || i == 0 ? 5 * static_cast<int>(i) + 1 : -1) << shape << ' ' << i;
    }
  }
  int sum = 0;
  q.parallel_for(
      sycl::range<1>(count),
      sycl::reduction(total, sycl::plus<int>(), {sycl::property::reduction::initialize_to_identity()}),
      sum_up());
  q.wait_and_throw();
  q.copy(total, &sum, 1).wait();
  EXPECT_EQ(sum, 64 * 63 / 2 + 64);
  int calls = 0;
  q.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) mutable { out[i] = ++calls; }).wait_and_throw();
  q.copy(out, found.data(), count).wait();
  EXPECT_EQ(found, std::vector<int>(count, 1));
  sycl::free(out, q);
  sycl::free(total, q);
}

TEST(odd_programs, captured_objects_of_8_KB) {
  struct table {
    int values[2000];
  } all;
  for (int i = 0; i < 2000; ++i) all.values[i] = i * 3;
  const auto found = results<class captured, int>(2000, [all](int i) { return all.values[1999 - i]; });
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(found[static_cast<std::size_t>(i)], (1999 - i) * 3) << i;
}

TEST(odd_programs, all_the_local_memory_that_the_device_has) {
  sycl::queue q;
  const std::size_t words = q.get_device().get_info<sycl::info::device::local_mem_size>() / sizeof(int);
  int sum = 0;
  {
    sycl::buffer<int> out(&sum, 1);
    q.submit([&](sycl::handler& h) {
      sycl::accessor r(out, h, sycl::write_only);
      sycl::local_accessor<int, 1> all(words, h);
      h.parallel_for<class whole_local>(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> item) {
        for (std::size_t j = item.get_local_id(0); j < words; j += 16) all[j] = 1;
        sycl::group_barrier(item.get_group());
        if (item.get_local_id(0) != 0) return;
        int found = 0;
        for (std::size_t j = 0; j < words; ++j) found += all[j];
        r[0] = found;
      });
    });
  }
  EXPECT_EQ(static_cast<std::size_t>(sum), words);
}

std::uint64_t available_memory() {
  std::ifstream lines("/proc/meminfo");
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("MemAvailable:", 0) == 0) return std::stoull(line.substr(13)) * 1024;
  return 0;
}
/// Only the named pages are touched.
TEST(odd_programs, one_allocation_of_more_than_4_GiB) {
  constexpr std::uint64_t GiB = std::uint64_t(1) << 30, size = 4 * GiB + GiB / 2, parts = 9;
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  if (available_memory() < 3 * size) GTEST_SKIP() << "less than 13.5 GiB of memory are free here";
  auto* bytes = sycl::malloc_device<unsigned char>(size, q);
  if (q.get_device().get_info<sycl::info::device::max_mem_alloc_size>() < size) {
    EXPECT_EQ(bytes, nullptr) << "larger than the device's maximum allocation";
    GTEST_SKIP() << prism_test::name_of(q.get_device()) << " allocates less than 4.5 GiB at once";
  }
  ASSERT_NE(bytes, nullptr);
  q.memset(bytes + 4 * GiB - 8, 0x5a, 16).wait();
  q.parallel_for(sycl::range<1>(parts), [=](sycl::id<1> i) {
    bytes[i[0] * (size / parts) + 17] = static_cast<unsigned char>(i[0] + 1);
  }).wait();
  std::vector<unsigned char> seen(parts), across(16), low(1);
  for (std::uint64_t i = 0; i < parts; ++i) q.memcpy(&seen[i], bytes + i * (size / parts) + 17, 1);
  q.memcpy(across.data(), bytes + 4 * GiB - 8, 16);
  q.wait();
  for (std::uint64_t i = 0; i < parts; ++i) EXPECT_EQ(seen[i], i + 1);
  EXPECT_EQ(across, std::vector<unsigned char>(16, 0x5a));
  sycl::free(bytes, q);
}

TEST(odd_programs, loops_with_unroll_pragmas) {
  const auto found = results<class unrolled, float>(8, [](int i) {
    float sum = 0;
#pragma unroll 4
    for (int j = 0; j < 13; ++j) sum += static_cast<float>(j * i);
#pragma unroll
    for (int j = 0; j < 5; ++j) sum += 1;
    return sum;
  });
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(found[static_cast<std::size_t>(i)], static_cast<float>(78 * i + 5)) << i;
}

#define STEP(n)                                                                                              \
  if ((x ^ (n)) & 1) x = x * 5 + (n) % 97;                                                                   \
  else x ^= x >> ((n) % 13 + 1);
// clang-format off: a table
#define STEPS_8(n) STEP(n) STEP(n + 1) STEP(n + 2) STEP(n + 3) STEP(n + 4) STEP(n + 5) STEP(n + 6) STEP(n + 7)
#define STEPS_64(n)                                                                                          \
  STEPS_8(n) STEPS_8(n + 8) STEPS_8(n + 16) STEPS_8(n + 24) STEPS_8(n + 32) STEPS_8(n + 40) STEPS_8(n + 48)  \
  STEPS_8(n + 56)
#define STEPS_512(n)                                                                                         \
  STEPS_64(n) STEPS_64(n + 64) STEPS_64(n + 128) STEPS_64(n + 192) STEPS_64(n + 256) STEPS_64(n + 320)       \
  STEPS_64(n + 384) STEPS_64(n + 448)
// clang-format on

TEST(odd_programs, a_kernel_of_thousands_of_statements) {
  const sycl::device device = sycl::queue().get_device();
  if (device.get_platform().get_info<sycl::info::platform::name>() == "rusticl")
    GTEST_SKIP() << "Mesa's compiler of OpenCL C takes minutes";
  const auto long_way = [](int i) {
    unsigned x = static_cast<unsigned>(i) * 77777u + 1u;
    STEPS_512(0u)
    STEPS_512(512u)
    return static_cast<int>(x);
  };
  const auto found = results<class long_kernel, int>(64, long_way);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], long_way(i)) << i;
}

/// Intel's OpenCL driver for processors (2026.22) crashes when it computes such a condition again behind a
/// barrier, unless it is asked not to (devices/opencl/compiler_options.hpp).
TEST(odd_programs, a_condition_of_a_value_and_its_magnitude_may_be_used_behind_a_barrier) {
  constexpr std::size_t size = 64, group = 16;
  std::vector<int> found(size, 1);
  sycl::queue q;
  if (q.get_device().get_info<sycl::info::device::max_work_group_size>() < group)
    GTEST_SKIP() << "no work-groups of 16: " << prism_test::name_of(q.get_device());
  const float divisor = -2.0f, wanted = -3.0f;
  {
    sycl::buffer<int> out(found.data(), size);
    q.submit([&](sycl::handler& h) {
      sycl::accessor r(out, h, sycl::read_write);
      h.parallel_for<class behind_a_barrier>(sycl::nd_range<1>(size, group), [=](sycl::nd_item<1> item) {
        const float x = static_cast<float>(static_cast<unsigned>(item.get_local_id(0))) / divisor;
        const float magnitude = x < 0.0f ? -x : x;
        const float chosen = (magnitude > 1e-6f && magnitude < 1e6f) ? x : 1.5f;
        const bool is_wanted = chosen == wanted;
        sycl::group_barrier(item.get_group());
        if (is_wanted) return;
        sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> sum(
            r[item.get_global_id(0)]);
        sum += 3;
      });
    });
  }
  q.wait_and_throw();
  for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(found[i], i % group == 6 ? 1 : 4) << i;
}

/// Intel's OpenCL driver for processors (2026.22) adds the numbers in another order, unless it is asked not
/// to vectorise loops of single work-items (devices/opencl/compiler_options.hpp).
TEST(odd_programs, a_group_of_one_work_item_adds_numbers_in_the_order_of_its_loop) {
  sycl::queue q;
  if (!q.get_device().has(sycl::aspect::usm_shared_allocations))
    GTEST_SKIP() << "no shared USM: " << prism_test::name_of(q.get_device());
  volatile std::size_t length = 1000; // which the compiler does not know
  const std::size_t count = length;
  float* const numbers = sycl::malloc_shared<float>(count, q);
  float* const found = sycl::malloc_shared<float>(1, q);
  float expected = 0;
  unsigned state = 1;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    numbers[i] = static_cast<float>(state >> 8) * 0.37f - 100000.0f;
    expected += numbers[i];
  }
  q.parallel_for<class in_order>(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1> item) {
    const float* const x = numbers + item.get_global_id(0) * count;
    float sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += x[i];
    found[item.get_global_id(0)] = sum;
  }).wait();
  EXPECT_EQ(*found, expected);
  sycl::free(numbers, q);
  sycl::free(found, q);
}
