// Constants of the program in kernels: tables that hold pointers to other constants, and large ones.
#include "tests/sycl/common.hpp"

#include <prism/graph.hpp>

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace {

using namespace sycl;

constexpr int items = 64;

/// The results of `body(item, a word of global memory)` for every item.
template <class Name, class Body>
std::vector<int> results(const Body& body) {
  std::vector<int> words(items), output(items, -1);
  for (int i = 0; i < items; ++i) words[std::size_t(i)] = 1000 + i;
  queue q;
  {
    buffer<int> in(words), out(output);
    q.submit([&](handler& h) {
      accessor a(in, h, read_only);
      accessor r(out, h, write_only);
      h.parallel_for<Name>(range<1>(items), [=](id<1> i) { r[i] = body(int(i[0]), a[i]); });
    });
  }
  return output;
}

/// The results must be the same on the host and on the device.
#define EXPECT_SAME_ON_DEVICE(NAME, ...)                                                                     \
  do {                                                                                                       \
    const auto body = __VA_ARGS__;                                                                           \
    const auto seen = results<class NAME>(body);                                                             \
    for (int i = 0; i < items; ++i) {                                                                        \
      const int word = 1000 + i;                                                                             \
      ASSERT_EQ(seen[std::size_t(i)], body(i, word)) << i;                                                   \
    }                                                                                                        \
  } while (0)

int hash(const char* text) {
  int result = 0;
  while (*text) result = result * 7 + *text++;
  return result;
}

constexpr const char* names[] = {"zero", "one", "two", "three", "", "five", "six"};
constexpr int primes[] = {2, 3, 5, 7, 11}, squares[] = {0, 1, 4, 9};
struct series {
  const char* name;
  const int* values;
  int count;
};
constexpr series all_series[] = {
    {"primes", primes, 5}, {"squares", squares, 4}, {"none", nullptr, 0}, {"odd primes", primes + 1, 4}};
struct family {
  const series* first;
  const series* const* others;
  float weight;
  char mark;
};
constexpr const series* both[] = {&all_series[0], &all_series[3], nullptr};
constexpr family families[2] = {{all_series, both, 0.5f, 'a'}, {all_series + 1, both + 1, 2.0f, 'b'}};
struct node {
  int value;
  const node* next;
};
extern const node ring[3];
constexpr node ring[3] = {{1, &ring[1]}, {20, &ring[2]}, {300, &ring[0]}};

constexpr std::string_view views[] = {"alpha", "beta", "gamma delta", ""};

} // namespace

TEST(tables_of_pointers, in_the_kernel_itself) {
  EXPECT_SAME_ON_DEVICE(local_names, [](int i, const int&) {
    const char* words[3] = {"abc", "defg", "hi"};
    static const char* const more[] = {"x", "yz"};
    return hash(words[i % 3]) + hash(more[i % 2]);
  });
}

TEST(tables_of_pointers, at_namespace_scope_and_nested) {
  EXPECT_SAME_ON_DEVICE(outer_names, [](int i, const int&) { return hash(names[i % 7]); });
  EXPECT_SAME_ON_DEVICE(structures, [](int i, const int&) {
    const series& s = all_series[i % 4];
    int sum = hash(s.name);
    for (int k = 0; k < s.count; ++k) sum += s.values[k] * (k + 1);
    return s.values == nullptr ? -sum : sum;
  });
  EXPECT_SAME_ON_DEVICE(three_levels, [](int i, const int&) {
    const family& f = families[i % 2];
    int sum = int(f.weight * 10) + f.mark + f.first->count;
    for (const series* const* at = f.others; *at; ++at)
      sum = sum * 3 + (*at)->values[i % 4] + hash((*at)->name);
    return sum;
  });
  EXPECT_SAME_ON_DEVICE(only_numbers, [](int i, const int&) { return all_series[i % 4].count; });
}

TEST(tables_of_pointers, in_views_of_the_standard_library) {
  EXPECT_SAME_ON_DEVICE(string_views, [](int i, const int&) {
    int sum = views[i % 4] == views[1] ? 1000 : int(views[(i + 1) % 4].find('a'));
    for (char letter : views[i % 4]) sum = sum * 31 + letter;
    return sum;
  });
}

TEST(tables_of_pointers, that_point_to_each_other) {
  EXPECT_SAME_ON_DEVICE(rings, [](int i, const int&) {
    const node* at = &ring[i % 3];
    int sum = 0;
    for (int k = 0; k <= i; ++k, at = at->next) sum += at->value * (k + 1);
    return at == &ring[0] ? sum : -sum;
  });
}

TEST(tables_of_pointers, are_compared_passed_on_and_subtracted) {
  EXPECT_SAME_ON_DEVICE(compared, [](int i, const int&) {
    const int* values = all_series[i % 4].values;
    if (values == nullptr) return -1;
    const auto place = [](const int* p, const int* begin) { return int(p - begin); };
    if (values == squares) return 100;
    return 10 * place(values, primes) + (values > primes) + (all_series[(i + 1) % 4].name == names[1]);
  });
}

TEST(tables_of_pointers, mixed_with_pointers_to_other_memory) {
  EXPECT_SAME_ON_DEVICE(mixed, [](int i, const int& word) {
    int own[2] = {i, -i};
    const int* places[4] = {primes, &word, own, all_series[1].values};
    const int* chosen = places[i % 4];
    const int offset = i % 4 == 1 ? 0 : i % 2;
    const int* stored[2] = {chosen, all_series[(i / 4) % 2].values};
    return chosen[offset] + stored[i % 2][0] * 10 + (chosen == own) * 1000;
  });
}

TEST(tables_of_pointers, copied_as_structures) {
  EXPECT_SAME_ON_DEVICE(copied, [](int i, const int& word) {
    series own[2] = {all_series[i % 2], all_series[3]};
    own[1].values = &word;
    own[1].count = 1;
    const series picked = own[i % 3 == 0];
    int sum = hash(picked.name);
    for (int k = 0; k < picked.count; ++k) sum += picked.values[k];
    return sum;
  });
}

namespace {

template <std::size_t N>
constexpr std::array<std::uint32_t, N> random_words() {
  std::array<std::uint32_t, N> words{};
  std::uint32_t state = 1;
  for (auto& word : words) word = state = state * 1664525u + 1013904223u;
  return words;
}
constexpr auto four_kilobytes = random_words<1024>();
constexpr auto sixty_four_kilobytes = random_words<16384>();
constexpr std::uint8_t nibbles[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
constexpr double weights[40] = {1, 0.5, 0.25, 8, -3};

} // namespace

// If the build time were quadratic in the table's size, the build would exceed the test's time limit.
TEST(large_tables, of_several_sizes_are_indexed) {
  EXPECT_SAME_ON_DEVICE(of_4_kib, [](int i, const int& word) {
    return int(four_kilobytes[std::size_t(word * 79 + i) % 1024]);
  });
  EXPECT_SAME_ON_DEVICE(of_64_kib, [](int i, const int& word) {
    return int(sixty_four_kilobytes[std::size_t(word * 7919 + i) % 16384] ^
               four_kilobytes[std::size_t(word) % 1024]);
  });
}

TEST(large_tables, of_bytes_next_to_doubles) {
  EXPECT_SAME_ON_DEVICE(of_bytes, [](int i, const int& word) {
    std::uint32_t x = four_kilobytes[std::size_t(word) % 1024];
    int bits = 0;
    for (int k = 0; k < 8; ++k, x >>= 4) bits += nibbles[x & 15];
    return bits * 100 + i;
  });
  SKIP_WITHOUT(queue(), fp64);
  EXPECT_SAME_ON_DEVICE(of_doubles, [](int i, const int& word) { return int(weights[word % 40] * 100) + i; });
}

// The device records the address of the tables in the commands.
TEST(large_tables, in_graphs_that_run_several_times) {
  queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  int* const data = malloc_device<int>(items, q);
  q.fill(data, 1, items).wait();
  prism::command_graph graph(q);
  graph.begin_recording(q);
  event before;
  for (int step = 0; step < 3; ++step)
    before = q.submit([&](handler& h) {
      h.depends_on(before);
      h.parallel_for<class looked_up>(range<1>(items), [=](id<1> i) {
        data[i] = int(four_kilobytes[(std::size_t(data[i]) + i[0]) % 1024] >> 20);
      });
    });
  graph.end_recording(q);
  auto runs = graph.finalize();
  for (int round = 0; round < 4; ++round) prism::execute_graph(q, runs).wait();
  std::vector<int> seen(items), expected(items, 1);
  q.copy(data, seen.data(), items).wait();
  for (int step = 0; step < 12; ++step)
    for (std::size_t i = 0; i < items; ++i)
      expected[i] = int(four_kilobytes[(std::size_t(expected[i]) + i) % 1024] >> 20);
  EXPECT_EQ(seen, expected);
  sycl::free(data, q);
}

// On Vulkan, push constants contain the addresses of both.
TEST(large_tables, together_with_sequentially_consistent_atomics) {
  queue q;
  int sum = 0, expected = 0;
  {
    buffer<int> b(&sum, 1);
    q.submit([&](handler& h) {
      accessor total(b, h, read_write);
      h.parallel_for<class ordered>(range<1>(items), [=](id<1> i) {
        const int word = int(four_kilobytes[(i[0] * 79 + std::size_t(total[0] & 0)) % 1024] >> 20);
        atomic_ref<int, memory_order::seq_cst, memory_scope::device>(total[0]).fetch_add(word);
      });
    });
  }
  for (std::size_t i = 0; i < items; ++i) expected += int(four_kilobytes[i * 79 % 1024] >> 20);
  EXPECT_EQ(sum, expected);
}
