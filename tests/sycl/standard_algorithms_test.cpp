// Algorithms of the C++ standard library in kernels, as docs/support.md lists them: each work-item runs one
// on 24 numbers of its own, and the host repeats it.
#include "tests/sycl/common.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace {

using numbers = std::array<int, 24>;
constexpr std::size_t items = 37;

numbers numbers_of(std::size_t item) {
  numbers all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = int((item * 31 + i * 17 + i * i * 5) % 23) - 7;
  return all;
}

/// `algorithm` changes the numbers [first, last), in a kernel and on the host.
template <typename Algorithm>
void same_as_on_the_host(const Algorithm& algorithm) {
  std::vector<numbers> all(items);
  for (std::size_t i = 0; i < items; ++i) all[i] = numbers_of(i);
  {
    sycl::buffer<numbers> data(all);
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor a(data, h, sycl::read_write);
      h.parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) {
        numbers own = a[i];
        algorithm(own.data(), own.data() + own.size());
        a[i] = own;
      });
    });
  }
  for (std::size_t i = 0; i < items; ++i) {
    numbers expected = numbers_of(i);
    algorithm(expected.data(), expected.data() + expected.size());
    ASSERT_EQ(all[i], expected) << "work-item " << i;
  }
}

} // namespace

TEST(standard_algorithms, sort_by_a_heap_and_select) {
  same_as_on_the_host([](int* first, int* last) { std::partial_sort(first, last, last); });
  same_as_on_the_host([](int* first, int* last) {
    std::make_heap(first, last);
    std::sort_heap(first, last);
  });
  same_as_on_the_host([](int* first, int* last) {
    std::nth_element(first, first + 5, last);
    std::fill(first, first + 5, 0); // the order of the others is not specified
    std::fill(first + 6, last, 0);
  });
  same_as_on_the_host([](int* first, int* last) {
    std::make_heap(first, last, std::greater<>());
    std::pop_heap(first, last, std::greater<>());
    std::push_heap(first, last, std::greater<>());
    std::sort_heap(first, last, std::greater<>());
  });
}

TEST(standard_algorithms, search_sorted_numbers) {
  same_as_on_the_host([](int* first, int* last) {
    std::partial_sort(first, last, last);
    const int found[] = {int(std::lower_bound(first, last, 3) - first),
                         int(std::upper_bound(first, last, 3) - first),
                         int(std::equal_range(first, last, 5).second - first),
                         int(std::binary_search(first, last, 4)), int(std::unique(first, last) - first)};
    std::copy(std::begin(found), std::end(found), first);
  });
  same_as_on_the_host([](int* first, int* last) {
    int merged[24];
    std::partial_sort(first, first + 12, first + 12);
    std::partial_sort(first + 12, last, last);
    std::merge(first, first + 12, first + 12, last, merged);
    std::copy(merged, merged + 24, first);
  });
  same_as_on_the_host([](int* first, int* last) {
    int found[24] = {};
    std::partial_sort(first, first + 12, first + 12);
    std::partial_sort(first + 12, last, last);
    std::set_intersection(first, first + 12, first + 12, last, found);
    std::copy(found, found + 24, first);
  });
}

TEST(standard_algorithms, move_numbers) {
  same_as_on_the_host([](int* first, int* last) { std::reverse(first, last); });
  same_as_on_the_host([](int* first, int* last) { std::rotate(first, first + 7, last); });
  same_as_on_the_host([](int* first, int* last) {
    int* const middle = std::partition(first, last, [](int n) { return n % 2 == 0; });
    std::partial_sort(first, middle, middle);
    std::partial_sort(middle, last, last);
  });
  same_as_on_the_host([](int* first, int* last) { std::fill(std::remove(first, last, 3), last, 0); });
  same_as_on_the_host(
      [](int* first, int* last) { std::replace_if(first, last, [](int n) { return n < 0; }, 1); });
  same_as_on_the_host([](int* first, int* last) {
    std::swap_ranges(first, first + 12, first + 12);
    (void)last;
  });
  same_as_on_the_host([](int* first, int* last) { std::copy_backward(first, last - 3, last); });
  same_as_on_the_host([](int* first, int* last) {
    for (int i = 0; i < 5; ++i) std::next_permutation(first, last);
    std::prev_permutation(first, last);
  });
}

TEST(standard_algorithms, compare_and_count) {
  same_as_on_the_host([](int* first, int* last) {
    const int found[] = {int(std::count(first, last, 3)),
                         int(std::find(first, last, 5) - first),
                         int(std::max_element(first, last) - first),
                         int(std::min_element(first, last) - first),
                         int(std::all_of(first, last, [](int n) { return n < 20; })),
                         int(std::adjacent_find(first, last) - first),
                         int(std::equal(first, first + 3, first + 3)),
                         int(std::lexicographical_compare(first, first + 6, first + 6, last)),
                         int(std::is_sorted(first, last)),
                         int(std::search(first, last, first + 4, first + 6) - first),
                         std::clamp(*first, 0, 5)};
    std::copy(std::begin(found), std::end(found), first);
  });
}

TEST(standard_algorithms, sum_and_transform) {
  same_as_on_the_host([](int* first, int* last) { *first = std::accumulate(first, last, 0); });
  same_as_on_the_host([](int* first, int* last) { *first = std::inner_product(first, last, first, 0); });
  same_as_on_the_host([](int* first, int* last) { std::partial_sum(first, last, first); });
  same_as_on_the_host([](int* first, int* last) { std::adjacent_difference(first, last, first); });
  same_as_on_the_host([](int* first, int* last) { std::iota(first, last, *first); });
  same_as_on_the_host(
      [](int* first, int* last) { std::transform(first, last, first, [](int n) { return n * n; }); });
  same_as_on_the_host([](int* first, int* last) { std::exclusive_scan(first, last, first, 4); });
  same_as_on_the_host([](int* first, int* last) {
    *first = std::transform_reduce(first, last, 1, std::plus<>(), std::negate<>());
  });
  same_as_on_the_host([](int* first, int* last) { std::for_each(first, last, [](int& n) { n += 2; }); });
  same_as_on_the_host([](int* first, int* last) { *first = std::gcd(*first, *(last - 1)); });
}
