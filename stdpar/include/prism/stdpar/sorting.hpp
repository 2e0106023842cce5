// sort, stable_sort, copy_if, remove_if and unique of contiguous elements, by <prism/primitives.hpp>. Its
// sort is stable.
#pragma once

#include <prism/stdpar/iterators.hpp>

#include <prism/primitives/select.hpp>
#include <prism/primitives/sort.hpp>

#include <cstdint>
#include <functional>

namespace prism::stdpar {

template <typename Result, typename... Iterators>
using if_contiguous =
    result_if<Result, ((runs_on_devices<Iterators>::value && is_contiguous<Iterators>::value) && ...)>;

template <typename Iterator>
auto view_of_elements(const char* algorithm, const Iterator& first, std::size_t n) {
  return vector_view<std::remove_reference_t<decltype(*first)>>(in_kernel(algorithm, first), n);
}

template <typename Iterator, typename Compare>
void sort_elements(const char* algorithm, const Iterator& first, const Iterator& last, Compare before) {
  if (last - first < 2) return;
  primitives::sort(primitives::execution(queue()), view_of_elements(algorithm, first, count_of(first, last)),
                   before)
      .wait_and_throw();
}

} // namespace prism::stdpar

namespace std {

template <typename Iterator, typename Compare>
prism::stdpar::if_contiguous<void, Iterator> sort(const prism::stdpar::policy&, Iterator first, Iterator last,
                                                  Compare before) {
  prism::stdpar::sort_elements("std::sort", first, last, before);
}

template <typename Iterator>
prism::stdpar::if_contiguous<void, Iterator> sort(const prism::stdpar::policy& on, Iterator first,
                                                  Iterator last) {
  sort(on, first, last, less<>());
}

template <typename Iterator, typename Compare>
prism::stdpar::if_contiguous<void, Iterator> stable_sort(const prism::stdpar::policy&, Iterator first,
                                                         Iterator last, Compare before) {
  // Numbers sorted by their digits distinguish -0 and 0, which are equal under <.
  prism::stdpar::sort_elements("std::stable_sort", first, last,
                               [=](const auto& a, const auto& b) { return before(a, b); });
}

template <typename Iterator>
prism::stdpar::if_contiguous<void, Iterator> stable_sort(const prism::stdpar::policy& on, Iterator first,
                                                         Iterator last) {
  stable_sort(on, first, last, less<>());
}

template <typename In, typename Out, typename Predicate>
prism::stdpar::if_contiguous<Out, In, Out> copy_if(const prism::stdpar::policy&, In first, In last, Out out,
                                                   Predicate predicate) {
  // An output without memory has room for what is selected: nothing.
  if (first == last || !prism::stdpar::pointer_of(out)) return out;
  const size_t n = prism::stdpar::count_of(first, last);
  const prism::stdpar::result<uint64_t> count;
  prism::primitives::copy_if(prism::stdpar::queue(),
                             prism::stdpar::view_of_elements("std::copy_if", first, n),
                             prism::stdpar::view_of_elements("std::copy_if", out, n),
                             prism::vector_view<uint64_t>(count.get(), 1), predicate)
      .wait_and_throw();
  return out + static_cast<ptrdiff_t>(*count.get());
}

template <typename Iterator, typename Equal>
prism::stdpar::if_contiguous<Iterator, Iterator> unique(const prism::stdpar::policy&, Iterator first,
                                                        Iterator last, Equal equal) {
  if (first == last) return last;
  const auto all =
      prism::stdpar::view_of_elements("std::unique", first, prism::stdpar::count_of(first, last));
  const prism::stdpar::result<uint64_t> count;
  prism::primitives::unique(prism::stdpar::queue(), all, all, prism::vector_view<uint64_t>(count.get(), 1),
                            equal)
      .wait_and_throw();
  return first + static_cast<ptrdiff_t>(*count.get());
}

template <typename Iterator>
prism::stdpar::if_contiguous<Iterator, Iterator> unique(const prism::stdpar::policy& on, Iterator first,
                                                        Iterator last) {
  return unique(on, first, last, equal_to<>());
}

template <typename Iterator, typename Predicate>
prism::stdpar::if_contiguous<Iterator, Iterator> remove_if(const prism::stdpar::policy& on, Iterator first,
                                                           Iterator last, Predicate predicate) {
  return copy_if(on, first, last, first, [=](const auto& each) { return !predicate(each); });
}

} // namespace std
