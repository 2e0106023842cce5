// Standard algorithms with std::execution::par_unseq, compiled by prism++ --stdpar, against the same calls
// without a policy.
#include "tests/kernels/standard_algorithms.hpp"

#include <algorithm>
#include <deque>
#include <dlfcn.h>
#include <execution>
#include <list>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

std::map<std::string, int>& checked_iterators() {
  static std::map<std::string, int> all;
  return all;
}

namespace prism::stdpar {
/// This program's calls come here, and go on to the library.
void require_shared(const char* algorithm, const void* memory) {
  static const auto next = reinterpret_cast<void (*)(const char*, const void*)>(
      dlsym(RTLD_NEXT, "_ZN5prism6stdpar14require_sharedEPKcPKv"));
  static std::mutex mutex;
  {
    const std::lock_guard lock(mutex);
    ++checked_iterators()[algorithm];
  }
  next(algorithm, memory);
}
} // namespace prism::stdpar

namespace {

using std::execution::par_unseq;

const std::size_t sizes[] = {0, 1, 2, 7, 1000, 100'003};

template <typename T>
std::vector<T> numbers(std::size_t n) {
  std::vector<T> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = T((i * 7919 + 13) % 1009) - T(300);
  return all;
}

template <typename T>
class standard_algorithms : public on_shared_memory {};
using element_types = testing::Types<int, float>;
TYPED_TEST_SUITE(standard_algorithms, element_types);
/// Algorithms that do the same for elements of each type: the given function makes numbers or answers of
/// them.
class standard_functions : public on_shared_memory {};

TEST_F(standard_functions, change_each_element) {
  using T = float;
  for (const std::size_t n : sizes) {
    const std::vector<T> a = numbers<T>(n), b(a.rbegin(), a.rend());
    std::vector<T> x = a, y(n, T(5)), expected = a, sums(n);
    std::for_each(par_unseq, x.begin(), x.end(), [](T& v) { v = T(v * 2 + 1); });
    std::for_each(expected.begin(), expected.end(), [](T& v) { v = T(v * 2 + 1); });
    EXPECT_EQ(x, expected) << n;

    EXPECT_EQ(std::transform(par_unseq, a.begin(), a.end(), y.begin(), [](T v) { return T(v - 1); }),
              y.end());
    std::transform(a.begin(), a.end(), expected.begin(), [](T v) { return T(v - 1); });
    EXPECT_EQ(y, expected) << n;

    EXPECT_EQ(std::transform(par_unseq, a.cbegin(), a.cend(), b.data(), sums.begin(), std::plus<>()),
              sums.end());
    std::transform(a.begin(), a.end(), b.begin(), expected.begin(), std::plus<>());
    EXPECT_EQ(sums, expected) << n;

    const T limit(10);
    std::replace_if(par_unseq, x.begin(), x.end(), [limit](T v) { return v < limit; }, T(0));
    EXPECT_EQ(std::count_if(x.begin(), x.end(), [&](T v) { return v != 0 && v < limit; }), 0) << n;
    std::replace(par_unseq, x.begin(), x.end(), T(0), T(77));
    EXPECT_EQ(std::count(x.begin(), x.end(), T(0)), 0) << n;
    EXPECT_EQ(std::copy(par_unseq, a.begin(), a.end(), x.begin()), x.end());
    EXPECT_EQ(x, a) << n;
    std::fill(par_unseq, x.begin(), x.end(), T(9));
    EXPECT_EQ(x, std::vector<T>(n, T(9)));
    EXPECT_EQ(std::fill_n(par_unseq, x.begin(), n / 2, T(8)), x.begin() + std::ptrdiff_t(n / 2));
    EXPECT_EQ(std::count(x.begin(), x.end(), T(8)), std::ptrdiff_t(n / 2));
    EXPECT_EQ(std::copy_n(par_unseq, a.begin(), n / 2, x.begin()), x.begin() + std::ptrdiff_t(n / 2));
    EXPECT_TRUE(std::equal(x.begin(), x.begin() + std::ptrdiff_t(n / 2), a.begin()));
    EXPECT_EQ(std::for_each_n(par_unseq, x.begin(), n, [](T& v) { v = T(1); }), x.end());
    EXPECT_EQ(x, std::vector<T>(n, T(1)));
  }
  const std::map<std::string, int> on_the_device{{"std::for_each", 10},
                                                 {"std::transform", 25},
                                                 {"std::replace_if", 10},
                                                 {"std::copy", 18},
                                                 {"std::fill", 9}};
  EXPECT_EQ(checked_iterators(), on_the_device);
}

TYPED_TEST(standard_algorithms, reduce_to_one_value) {
  using T = TypeParam;
  for (const std::size_t n : sizes) {
    const std::vector<T> a = numbers<T>(n), b(a.rbegin(), a.rend());
    const auto wide = [](T v) { return (long long)(v); };
    EXPECT_EQ(std::transform_reduce(par_unseq, a.begin(), a.end(), 5ll, std::plus<>(), wide),
              std::transform_reduce(a.begin(), a.end(), 5ll, std::plus<>(), wide))
        << n;
    const std::vector<long long> x(a.begin(), a.end()), y(b.begin(), b.end());
    EXPECT_EQ(std::transform_reduce(par_unseq, x.begin(), x.end(), y.begin(), 0ll),
              std::transform_reduce(x.begin(), x.end(), y.begin(), 0ll))
        << n;
    EXPECT_EQ(std::reduce(par_unseq, x.begin(), x.end(), 3ll), std::reduce(x.begin(), x.end(), 3ll)) << n;
    EXPECT_EQ(std::reduce(par_unseq, a.begin(), a.end(), T(-400), [](T x, T y) { return x < y ? y : x; }),
              std::reduce(a.begin(), a.end(), T(-400), [](T x, T y) {
      return x < y ? y : x;
    })) << n;
    const std::vector<T> ones(n % 128, T(1));
    EXPECT_EQ(std::reduce(par_unseq, ones.begin(), ones.end()), T(n % 128));
    EXPECT_EQ(std::min_element(par_unseq, a.begin(), a.end()), std::min_element(a.begin(), a.end())) << n;
    EXPECT_EQ(std::max_element(par_unseq, a.begin(), a.end()), std::max_element(a.begin(), a.end())) << n;
  }
  const std::map<std::string, int> on_the_device{
      {"std::transform_reduce", 15}, {"std::reduce", 15}, {"std::min_element", 5}, {"std::max_element", 5}};
  EXPECT_EQ(checked_iterators(), on_the_device);
}

TEST_F(standard_functions, of_one_element_count_and_find) {
  using T = float;
  const auto is_large = [](T v) { return v > T(700); };
  for (const std::size_t n : sizes) {
    const std::vector<T> a = numbers<T>(n);
    EXPECT_EQ(std::count(par_unseq, a.begin(), a.end(), T(-287)), std::count(a.begin(), a.end(), T(-287)));
    EXPECT_EQ(std::count_if(par_unseq, a.begin(), a.end(), is_large),
              std::count_if(a.begin(), a.end(), is_large));
    EXPECT_EQ(std::any_of(par_unseq, a.begin(), a.end(), is_large),
              std::any_of(a.begin(), a.end(), is_large));
    EXPECT_EQ(std::all_of(par_unseq, a.begin(), a.end(), is_large),
              std::all_of(a.begin(), a.end(), is_large));
    EXPECT_EQ(std::none_of(par_unseq, a.begin(), a.end(), is_large),
              std::none_of(a.begin(), a.end(), is_large));
    EXPECT_EQ(std::find_if(par_unseq, a.begin(), a.end(), is_large),
              std::find_if(a.begin(), a.end(), is_large));
    EXPECT_EQ(std::find(par_unseq, a.begin(), a.end(), T(30'000)), a.end());
  }
  const std::map<std::string, int> on_the_device{{"std::transform_reduce", 10}, {"std::find_if", 25}};
  EXPECT_EQ(checked_iterators(), on_the_device);
}

TEST_F(standard_functions, combine_the_elements_before_each) {
  using T = float;
  const auto larger = [](T x, T y) { return x < y ? y : x; };
  for (const std::size_t n : sizes) {
    const std::vector<T> a = numbers<T>(n);
    std::vector<T> x(n), expected(n);
    EXPECT_EQ(std::inclusive_scan(par_unseq, a.begin(), a.end(), x.begin(), larger), x.end());
    std::inclusive_scan(a.begin(), a.end(), expected.begin(), larger);
    EXPECT_EQ(x, expected) << n;
    std::inclusive_scan(par_unseq, a.begin(), a.end(), x.begin(), larger, T(200));
    std::inclusive_scan(a.begin(), a.end(), expected.begin(), larger, T(200));
    EXPECT_EQ(x, expected) << n;
    x = a; // in place
    std::inclusive_scan(par_unseq, x.begin(), x.end(), x.begin(), larger);
    std::inclusive_scan(a.begin(), a.end(), expected.begin(), larger);
    EXPECT_EQ(x, expected) << n;
  }
  const std::map<std::string, int> on_the_device{{"std::inclusive_scan", 30}};
  EXPECT_EQ(checked_iterators(), on_the_device);
}

TEST_F(standard_functions, make_the_elements_of_a_scan) {
  const auto wide = [](float v) { return (long long)(v); };
  for (const std::size_t n : sizes) {
    const std::vector<float> a = numbers<float>(n);
    std::vector<long long> sums(n), expected_sums(n);
    const std::vector<long long> wider(a.begin(), a.end());
    std::exclusive_scan(par_unseq, wider.begin(), wider.end(), sums.begin(), 100ll);
    std::exclusive_scan(wider.begin(), wider.end(), expected_sums.begin(), 100ll);
    EXPECT_EQ(sums, expected_sums) << n;
    std::transform_inclusive_scan(par_unseq, a.begin(), a.end(), sums.begin(), std::plus<>(), wide);
    std::transform_inclusive_scan(a.begin(), a.end(), expected_sums.begin(), std::plus<>(), wide);
    EXPECT_EQ(sums, expected_sums) << n;
    std::transform_exclusive_scan(par_unseq, a.begin(), a.end(), sums.begin(), 7ll, std::plus<>(), wide);
    std::transform_exclusive_scan(a.begin(), a.end(), expected_sums.begin(), 7ll, std::plus<>(), wide);
    EXPECT_EQ(sums, expected_sums) << n;
  }
  const std::map<std::string, int> on_the_device{{"std::exclusive_scan", 10},
                                                 {"std::transform_inclusive_scan", 10},
                                                 {"std::transform_exclusive_scan", 10}};
  EXPECT_EQ(checked_iterators(), on_the_device);
}

TYPED_TEST(standard_algorithms, sort) {
  using T = TypeParam;
  for (const std::size_t n : sizes) {
    const std::vector<T> a = numbers<T>(n);
    std::vector<T> x = a, expected = a;
    std::sort(par_unseq, x.begin(), x.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(x, expected) << n;
    EXPECT_EQ(std::unique(par_unseq, x.begin(), x.end()) - x.begin(),
              std::unique(expected.begin(), expected.end()) - expected.begin());
    x = a;
    const auto by_last_digit = [](T p, T q) { return int(p) % 10 < int(q) % 10; };
    std::stable_sort(par_unseq, x.begin(), x.end(), by_last_digit);
    expected = a;
    std::stable_sort(expected.begin(), expected.end(), by_last_digit);
    EXPECT_EQ(x, expected) << n;
  }
  const std::map<std::string, int> on_the_device{
      {"std::sort", 4}, {"std::stable_sort", 4}, {"std::unique", 5}};
  EXPECT_EQ(checked_iterators(), on_the_device);
}

TEST_F(standard_functions, select_elements) {
  using T = float;
  const auto is_even = [](T v) { return int(v) % 2 == 0; };
  for (const std::size_t n : sizes) {
    const std::vector<T> a = numbers<T>(n);
    std::vector<T> chosen(std::size_t(std::count_if(a.begin(), a.end(), is_even))), right = chosen;
    EXPECT_EQ(std::copy_if(par_unseq, a.begin(), a.end(), chosen.begin(), is_even), chosen.end());
    std::copy_if(a.begin(), a.end(), right.begin(), is_even);
    EXPECT_EQ(chosen, right) << n;
    std::vector<T> x = a;
    x.erase(std::remove_if(par_unseq, x.begin(), x.end(), [=](T v) { return !is_even(v); }), x.end());
    EXPECT_EQ(x, right) << n;
  }
  const std::map<std::string, int> on_the_device{{"std::copy_if", 16}};
  EXPECT_EQ(checked_iterators(), on_the_device);
}

class standard_iterators : public on_shared_memory {};

/// Numbers from one on, without memory.
class counting {
public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = long;
  using difference_type = std::ptrdiff_t;
  using pointer = const long*;
  using reference = long;
  explicit counting(long at = 0) : m_at(at) {}
  long operator*() const { return m_at; }
  long operator[](std::ptrdiff_t i) const { return m_at + i; }
  counting& operator++() { return ++m_at, *this; }
  counting operator+(std::ptrdiff_t i) const { return counting(m_at + i); }
  std::ptrdiff_t operator-(const counting& o) const { return m_at - o.m_at; }
  bool operator==(const counting& o) const { return m_at == o.m_at; }
  bool operator!=(const counting& o) const { return m_at != o.m_at; }

private:
  long m_at;
};

TEST_F(standard_iterators, that_compute_their_elements_need_no_memory) {
  const long n = 10'000;
  EXPECT_EQ(std::reduce(par_unseq, counting(0), counting(n), 0l), n * (n - 1) / 2);
  std::vector<float> y(n);
  float* const to = y.data();
  std::for_each(par_unseq, counting(0), counting(n), [=](long i) { to[i] = float(i) / 2; });
  for (long i = 0; i < n; ++i) ASSERT_EQ(y[std::size_t(i)], float(i) / 2);
}

TEST_F(standard_iterators, may_run_backwards) {
  std::vector<int> a = numbers<int>(5000), b(a.size());
  std::copy(par_unseq, a.rbegin(), a.rend(), b.begin());
  EXPECT_TRUE(std::equal(a.rbegin(), a.rend(), b.begin()));
  std::inclusive_scan(par_unseq, a.rbegin(), a.rend(), b.rbegin());
  EXPECT_EQ(b.front(), std::accumulate(a.begin(), a.end(), 0));
}

struct body {
  float position[3], mass;
};

TEST_F(standard_iterators, lead_to_objects_of_a_class) {
  std::vector<body> bodies(3000);
  for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i] = {{float(i), 0, 1}, float(i * 37 % 1001)};
  std::sort(par_unseq, bodies.begin(), bodies.end(),
            [](const body& a, const body& b) { return a.mass < b.mass; });
  EXPECT_TRUE(std::is_sorted(bodies.begin(), bodies.end(),
                             [](const body& a, const body& b) { return a.mass < b.mass; }));
  const auto is_heavy = [](const body& b) { return b.mass > 999.f; };
  EXPECT_EQ(std::count_if(par_unseq, bodies.begin(), bodies.end(), is_heavy),
            std::count_if(bodies.begin(), bodies.end(), is_heavy));
}

TEST_F(standard_iterators, that_devices_cannot_use_stay_on_the_host) {
  std::list<int> list{3, 1, 2};
  std::for_each(par_unseq, list.begin(), list.end(), [](int& v) { v *= 10; });
  EXPECT_EQ(list, (std::list<int>{30, 10, 20}));
  std::vector<std::string> words{"pear", "apple", "a plum that is longer than what a string holds inside"};
  std::sort(par_unseq, words.begin(), words.end());
  EXPECT_EQ(words.back(), "pear");
  std::vector<bool> bits(100);
  std::fill(par_unseq, bits.begin(), bits.end(), true);
  EXPECT_EQ(std::count(bits.begin(), bits.end(), true), 100);
}

TEST_F(standard_iterators, of_a_deque_are_followed) {
  std::deque<int> queue(3000, 1);
  std::for_each(par_unseq, queue.begin(), queue.end(), [](int& v) { v += 1; });
  EXPECT_EQ(std::accumulate(queue.begin(), queue.end(), 0), 6000);
}

} // namespace
