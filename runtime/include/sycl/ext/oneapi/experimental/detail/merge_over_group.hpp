// A stable merge sort by the work-items of a group: in each step, an element's place among two sorted runs is
// its place in its own run plus the number of elements of the other run before it, which a binary search
// finds. So every element moves at the same time, for any number of elements and any comparison. Source:
// Satish, Harris, Garland, Designing efficient sorting algorithms for manycore GPUs, IPDPS 2009.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <cstddef>

#include <sycl/group_functions.hpp>

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {
namespace detail {

/// The place of element i of n once runs of `width` elements are merged two by two.
template <typename Values, typename Compare>
std::size_t merged_place(Values values, std::size_t i, std::size_t n, std::size_t width, Compare less) {
  const std::size_t run = i / width, other = (run ^ 1) * width;
  const bool is_left = run % 2 == 0;
  if (other >= n) return i;
  const auto& x = values[i];
  std::size_t low = other, high = n - other < width ? n : other + width;
  while (low < high) { // the elements of the other run that come first; equal ones do if they are on the left
    const std::size_t middle = low + (high - low) / 2;
    const bool comes_first = is_left ? less(values[middle], x) : !less(x, values[middle]);
    if (comes_first) low = middle + 1;
    else high = middle;
  }
  return (is_left ? i : i - width) + (low - other);
}

/// Sorts `count` elements of each work-item, which begin at work-item * count of `shared`. `mine` and `place`
/// are private memory for `count` elements.
template <typename Group, typename T, typename Compare>
void merge_over_group(Group group, T* shared, T* mine, std::size_t* place, std::size_t count, Compare less) {
  const std::size_t n = group.get_local_linear_range() * count;
  const std::size_t begin = group.get_local_linear_id() * count;
  group_barrier(group);
  for (std::size_t width = 1; width < n; width *= 2) {
    for (std::size_t k = 0; k < count; ++k) {
      mine[k] = shared[begin + k];
      place[k] = merged_place(shared, begin + k, n, width, less);
    }
    group_barrier(group);
    for (std::size_t k = 0; k < count; ++k) shared[place[k]] = mine[k];
    group_barrier(group);
  }
}

/// Sorts n elements that the group shares. `scratch` has memory for n more.
template <typename Group, typename Ptr, typename T, typename Compare>
void merge_jointly(Group group, Ptr first, std::size_t n, T* scratch, Compare less) {
  const std::size_t items = group.get_local_linear_range(), item = group.get_local_linear_id();
  group_barrier(group);
  bool in_scratch = false;
  for (std::size_t width = 1; width < n; width *= 2, in_scratch = !in_scratch) {
    for (std::size_t i = item; i < n; i += items) {
      if (in_scratch) first[merged_place(scratch, i, n, width, less)] = scratch[i];
      else scratch[merged_place(first, i, n, width, less)] = first[i];
    }
    group_barrier(group);
  }
  if (!in_scratch) return;
  for (std::size_t i = item; i < n; i += items) first[i] = scratch[i];
  group_barrier(group);
}

}
}
}
}
}
} // namespace sycl::_V1::ext::oneapi::experimental::detail

#include <sycl/detail/user_macros_restore.hpp>
