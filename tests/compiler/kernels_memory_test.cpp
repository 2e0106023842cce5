// As kernels_test.cpp: atomic operations, pointers to every kind of memory, and what a kernel finds behind
// its captured block.
#include <array>
#include <cstring>

#include <gtest/gtest.h>

#include "tests/compiler/compared_kernels.hpp"
#include "tests/compiler/hidden_arguments.hpp"

using namespace prism::test;

namespace {
class kernels_memory : public compared_kernels {};
} // namespace

TEST_P(kernels_memory, atomics_on_global_memory) {
  std::vector<unsigned> counters(16);
  counters[4] = 0xffffffffu;
  auto in = filled<unsigned>(items);
  unsigned *p = counters.data(), *q = in.data();
  same<class atomics>([=] {
    const unsigned v = q[id()];
    __atomic_fetch_add(&p[0], v, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&p[1], v, __ATOMIC_ACQ_REL);
    __atomic_fetch_or(&p[2], 1u << (v & 31), __ATOMIC_RELAXED);
    __atomic_fetch_xor(&p[3], v, __ATOMIC_SEQ_CST);
    __atomic_fetch_and(&p[4], ~(1u << (v & 31)), __ATOMIC_RELAXED);
    __atomic_fetch_max(&p[5], v, __ATOMIC_RELAXED);
    __atomic_fetch_max(reinterpret_cast<int*>(&p[6]), static_cast<int>(v), __ATOMIC_RELAXED);
    __atomic_fetch_min(reinterpret_cast<int*>(&p[7]), static_cast<int>(v), __ATOMIC_RELAXED);
    unsigned seen = __atomic_load_n(&p[8], __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&p[8], &seen, seen * 1u + (v & 255), false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {}
    __atomic_fetch_add(reinterpret_cast<float*>(&p[9]), static_cast<float>(v & 15), __ATOMIC_RELAXED);
    __atomic_fetch_nand(&p[10], 0u, __ATOMIC_RELAXED);
    if (id() == 5) __atomic_store_n(&p[11], 77u, __ATOMIC_RELEASE);
  }, {.arrays = {bytes_of(counters), bytes_of(in)}});
}

TEST_P(kernels_memory, atomics_of_64_bits_and_double) {
  std::vector<std::uint64_t> counters(8);
  auto in = filled<std::uint64_t>(items);
  std::uint64_t *p = counters.data(), *q = in.data();
  same<class atomics64>([=] {
    const std::uint64_t v = q[id()];
    __atomic_fetch_add(&p[0], v, __ATOMIC_RELAXED);
    __atomic_fetch_xor(&p[1], v, __ATOMIC_RELAXED);
    __atomic_fetch_max(&p[2], v, __ATOMIC_RELAXED);
    __atomic_fetch_add(reinterpret_cast<double*>(&p[3]), static_cast<double>(v & 1023), __ATOMIC_RELAXED);
  }, {.arrays = {bytes_of(counters), bytes_of(in)}});
}

TEST_P(kernels_memory, atomics_on_local_memory) {
  auto out = filled<int>(items);
  int* p = out.data();
  same<class local_atomics>([=] {
    int* histogram = static_cast<int*>(__prism_local_arena());
    if (lid() < 8) histogram[lid()] = 0;
    __prism_barrier(1);
    __atomic_fetch_add(&histogram[p[id()] & 7], 1, __ATOMIC_RELAXED);
    __prism_barrier(1);
    p[id()] = histogram[lid() & 7];
  }, {.local_bytes = 64, .arrays = {bytes_of(out)}});
}

TEST_P(kernels_memory, pointers_stored_in_private_arrays) {
  auto a = filled<int>(items * 2), b = filled<int>(items * 2, 9);
  int *p = a.data(), *q = b.data();
  same<class kept_pointers>([=] {
    int* both[2] = {p, q};
    for (int i = 0; i < 2; ++i) both[i][id()] = both[1 - i][id() + items] + i;
  }, {.arrays = {bytes_of(a), bytes_of(b)}});
}

TEST_P(kernels_memory, pointers_chosen_at_run_time) {
  auto a = filled<int>(items), b = filled<int>(items, 9);
  int *p = a.data(), *q = b.data();
  same<class chosen_pointers>([=] {
    int* one = id() % 3 ? p : q;
    int* end = one + id();
    int n = 0;
    for (int* at = one; at != end; ++at) n += 1;
    one[id()] += n + (one == p);
  }, {.arrays = {bytes_of(a), bytes_of(b)}});
}

TEST_P(kernels_memory, pointers_to_local_private_or_global_memory) {
  auto a = filled<int>(items), b = filled<int>(items * 2, 9);
  int *p = a.data(), *q = b.data();
  same<class local_or_private>([=] {
    int* local = static_cast<int*>(__prism_local_arena()) + lid() * 2;
    int own[2] = {p[id()], 3};
    local[0] = 5;
    local[1] = 6;
    int* chosen = p[id()] & 1 ? own : local;
    chosen[p[id()] >> 4 & 1] += 7;
    chosen = own[0] & 4 ? chosen : q + id() * 2;
    for (int i = 0; i < 2; ++i, ++chosen) *chosen = *chosen * 11 + i;
    p[id()] = own[0] + own[1] * 3 + local[0] * 5 + local[1] * 7;
  }, {.local_bytes = 32 * 8, .arrays = {bytes_of(a), bytes_of(b)}});
}

TEST_P(kernels_memory, pointers_to_local_or_private_memory_stored_in_an_array) {
  auto a = filled<int>(items);
  int* p = a.data();
  same<class kept_local_or_private>([=] {
    int* local = static_cast<int*>(__prism_local_arena()) + lid() * 2;
    int own[2] = {p[id()], 3};
    local[0] = 5;
    int* both[2] = {own, local};
    both[p[id()] & 1][0] += 7;
    p[id()] = own[0] + own[1] * 3 + local[0] * 5;
  }, {.local_bytes = 32 * 8, .arrays = {bytes_of(a)}});
}

TEST_P(kernels_memory, a_failed_assertion_ends_the_item) {
  auto a = filled<int>(items);
  for (int& v : a) v &= 0xff;
  int* p = a.data();
  same<class asserted>([=] {
    if (p[id()] > 1000) __builtin_trap();
    p[id()] += 1;
  }, {.arrays = {bytes_of(a)}});
}

TEST_P(kernels_memory, specialisation_constants_are_read_from_behind_the_captured_block) {
  auto a = filled<int>(items);
  int *p = a.data(), factor = 7;
  const hidden::triple second{2.5, -3};
  launch how{.arrays = {bytes_of(a)}};
  how.constants = {{&hidden::factor_id, &factor}, {&hidden::triple_id, &second}};
  same<class specialised>([=] {
    const auto& all = hidden::constant<hidden::triple, hidden::triple_id>();
    const int times = hidden::constant<int, hidden::factor_id>();
    for (int i = 0; i < times; ++i) p[id()] += int(all.a * 4) + all.b;
    p[id()] *= hidden::constant<int, hidden::factor_id>();
  }, how);
}

TEST_P(kernels_memory, a_kernel_without_captures_reads_constants_and_writes_output) {
  const int factor = 0x20686f; // "oh "
  launch how{.groups = 2, .group_size = 2};
  how.constants = {{&hidden::factor_id, &factor}};
  prism::test::output written;
  const std::string result = prism::test::run_on_driver<class captures_nothing>(
      GetParam(), [] { hidden::write_word(hidden::constant<int, hidden::factor_id>()); }, how, written);
  if (result.rfind("skipped", 0) == 0) GTEST_SKIP() << result;
  ASSERT_EQ(result, "");
  EXPECT_EQ(written.text, "oh oh oh oh ");
  EXPECT_FALSE(written.failed);
}

TEST_P(kernels_memory, a_failed_assert_prints_file_line_function_and_work_item) {
  std::vector<int> a(items, 1);
  a[37] = 100;
  int* p = a.data();
  prism::test::output written;
  const std::string result = prism::test::run_on_driver<class asserts>(GetParam(), [=] {
    assert(p[id()] > 0);
    p[id()] = hidden::checked(p[id()]);
  }, {.arrays = {bytes_of(a)}}, written);
  if (result.rfind("skipped", 0) == 0) GTEST_SKIP() << result;
  ASSERT_EQ(result, "");
  EXPECT_TRUE(written.failed);
  EXPECT_NE(written.text.find(
                "hidden_arguments.hpp:31: int hidden::checked(int): Assertion `value < 100 && \"too large\"' "
                "failed in work-item [37, 0, 0]\n"),
            std::string::npos)
      << written.text;
  for (std::size_t i = 0; i < items; ++i) EXPECT_EQ(a[i], i == 37 ? 100 : 2) << i;
}

TEST_P(kernels_memory, assertions_that_hold_write_nothing) {
  std::vector<int> a(items, 1);
  int* p = a.data();
  prism::test::output written;
  const std::string result = prism::test::run_on_driver<class asserts_rightly>(
      GetParam(), [=] { p[id()] = hidden::checked(p[id()]); }, {.arrays = {bytes_of(a)}}, written);
  if (result.rfind("skipped", 0) == 0) GTEST_SKIP() << result;
  EXPECT_EQ(result, "");
  EXPECT_FALSE(written.failed);
  EXPECT_EQ(written.text, "");
}

TEST_P(kernels_memory, failed_assertions_beyond_the_capacity_are_only_counted) {
  std::vector<int> a(1024, 200);
  int* p = a.data();
  prism::test::output written;
  const std::string result = prism::test::run_on_driver<class asserts_often>(GetParam(), [=] {
    p[id()] = hidden::checked(p[id()]);
  }, {.groups = 32, .group_size = 32, .arrays = {bytes_of(a)}}, written);
  if (result.rfind("skipped", 0) == 0) GTEST_SKIP() << result;
  EXPECT_EQ(result, "");
  EXPECT_TRUE(written.failed);
  EXPECT_TRUE(written.lost);
  EXPECT_EQ(written.text.find_last_of('\n'), written.text.size() - 1);
}

template <class T>
auto narrow_atomics(T* counters, T* seen) {
  return [=] {
    T* mine = counters + id() % 7;
    __atomic_fetch_add(mine, T(3), __ATOMIC_RELAXED);
    __atomic_fetch_xor(counters + 7 + id() % 3, T(id()), __ATOMIC_ACQ_REL);
    T old = __atomic_load_n(counters + 10, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(counters + 10, &old, T(old + 1), false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {}
    T highest = __atomic_load_n(counters + 11, __ATOMIC_RELAXED);
    while (highest < T(id() & 0x7f) &&
           !__atomic_compare_exchange_n(counters + 11, &highest, T(id() & 0x7f), true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {}
    T* local = static_cast<T*>(__prism_local_arena());
    if (lid() < 8) __atomic_store_n(local + lid(), T(lid()), __ATOMIC_RELAXED);
    __prism_barrier(3);
    __atomic_fetch_add(local + lid() % 8, T(1), __ATOMIC_RELAXED);
    __prism_barrier(3);
    if (lid() < 8) __atomic_fetch_add(seen + lid(), local[lid()], __ATOMIC_RELAXED);
  };
}

TEST_P(kernels_memory, atomics_of_8_bits) {
  std::vector<std::uint8_t> a(13, 1), b(9);
  same<class atomics8>(narrow_atomics<std::uint8_t>(a.data(), b.data()),
                       {.local_bytes = 16, .arrays = {bytes_of(a), bytes_of(b)}});
}

TEST_P(kernels_memory, atomics_of_16_bits) {
  std::vector<std::int16_t> a(13, 1), b(9);
  same<class atomics16>(narrow_atomics<std::int16_t>(a.data(), b.data()),
                        {.local_bytes = 16, .arrays = {bytes_of(a), bytes_of(b)}});
}

INSTANTIATE_TEST_SUITE_P(opencl, kernels_memory, testing::ValuesIn(prism::test::drivers()),
                         [](const auto& info) { return info.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(kernels_memory);
