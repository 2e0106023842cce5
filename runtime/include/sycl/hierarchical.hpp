// Hierarchical parallelism (deprecated in SYCL 2020): parallel_for_work_group, parallel_for_work_item, h_item,
// private_memory.
//
// One work-item a group runs the whole group: its code at work-group scope once, each parallel_for_work_item as a loop
// over the logical items. Variables of that scope are then its own, no barrier is needed between the loops, and any
// logical range runs on any device. The requested size of the group is what the kernel sees as physical range.
#pragma once

#include <sycl/exception.hpp>
#include <sycl/group.hpp>
#include <sycl/detail/kernel_wrap.hpp>
#include <sycl/item.hpp>

// Deprecated for programs, not here.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
namespace sycl { inline namespace _V1 {

template <int Dimensions>
class [[deprecated("hierarchical kernels are deprecated: use an nd_range and group_barrier")]] h_item;

namespace detail {
/// `logical` is the place in `logical_range`; the local and global places are those of the work-item that would run it, in the
/// ranges with which the kernel was started.
template <int Dimensions>
h_item<Dimensions> make_h_item(const group<Dimensions>& own, const range<Dimensions>& logical_range,
                               const id<Dimensions>& logical) noexcept;
/// Objects of private_memory hold so many values.
inline constexpr std::size_t largest_hierarchical_group = 1024;
} // namespace detail

template <int Dimensions>
class [[deprecated("hierarchical kernels are deprecated: use an nd_range and group_barrier")]] h_item {
  using place = item<Dimensions, false>;

public:
  static constexpr int dimensions = Dimensions;

  h_item() = delete;

  place get_global() const noexcept { return m_global; }
  place get_local() const noexcept { return m_logical; }
  place get_logical_local() const noexcept { return m_logical; }
  place get_physical_local() const noexcept { return m_physical; }

#define PRISM_H_ITEM_PLACE(NAME, ITEM)                                                                                 \
  range<Dimensions> get_##NAME##_range() const noexcept { return ITEM.get_range(); }                                   \
  std::size_t get_##NAME##_range(int dimension) const noexcept { return ITEM.get_range(dimension); }                   \
  id<Dimensions> get_##NAME##_id() const noexcept { return ITEM.get_id(); }                                            \
  std::size_t get_##NAME##_id(int dimension) const noexcept { return ITEM.get_id(dimension); }
  PRISM_H_ITEM_PLACE(global, m_global)
  PRISM_H_ITEM_PLACE(local, m_logical)
  PRISM_H_ITEM_PLACE(logical_local, m_logical)
  PRISM_H_ITEM_PLACE(physical_local, m_physical)
#undef PRISM_H_ITEM_PLACE

  friend bool operator==(const h_item& l, const h_item& r) noexcept {
    return l.m_global == r.m_global && l.m_logical == r.m_logical && l.m_physical == r.m_physical;
  }
  friend bool operator!=(const h_item& l, const h_item& r) noexcept { return !(l == r); }

private:
  h_item(const place& global, const place& logical, const place& physical) noexcept
      : m_global(global), m_logical(logical), m_physical(physical) {}
  friend h_item detail::make_h_item<Dimensions>(const group<Dimensions>&, const range<Dimensions>&,
                                                const id<Dimensions>&) noexcept;

  place m_global, m_logical, m_physical;
};

namespace detail {

template <int Dimensions>
h_item<Dimensions> make_h_item(const group<Dimensions>& own, const range<Dimensions>& logical_range,
                               const id<Dimensions>& logical) noexcept {
  const range<Dimensions> physical_range = own.get_local_range();
  const id<Dimensions> physical = logical % id<Dimensions>(physical_range);
  const bool chosen = physical_range.size() == 1; // by PRISM, as large as the logical range
  const range<Dimensions>& counted = chosen ? logical_range : physical_range;
  return h_item<Dimensions>(
      make_item<Dimensions, false>(own.get_group_range() * counted,
                                   own.get_group_id() * id<Dimensions>(counted) + (chosen ? logical : physical)),
      make_item<Dimensions, false>(logical_range, logical),
      make_item<Dimensions, false>(physical_range, physical));
}

template <int Dimensions, typename F>
inline void for_each_logical_item(const group<Dimensions>& own, const range<Dimensions>& logical, const F& function) {
  const std::size_t n0 = Dimensions == 3 ? logical[0] : 1, n1 = Dimensions >= 2 ? logical[Dimensions - 2] : 1;
  const std::size_t n2 = logical[Dimensions - 1];
  for (std::size_t i = 0; i < n0; ++i) {
    for (std::size_t j = 0; j < n1; ++j) {
      for (std::size_t k = 0; k < n2; ++k) {
        if constexpr (Dimensions == 1) function(make_h_item<1>(own, logical, id<1>(k)));
        else if constexpr (Dimensions == 2) function(make_h_item<2>(own, logical, id<2>(j, k)));
        else function(make_h_item<3>(own, logical, id<3>(i, j, k)));
      }
    }
  }
}

inline void check_hierarchical_group(std::size_t items) {
  if (items > largest_hierarchical_group) {
    throw_error(errc::nd_range, "parallel_for_work_group: the work-groups have more than 1024 work-items; give a smaller "
                                "range and let parallel_for_work_item have the larger one");
  }
}

/// The kernel of parallel_for_work_group; launched with one work-item a group.
template <int Dimensions, typename F>
struct work_group_kernel {
  range<Dimensions> groups, local;
  F function;
  void operator()() const {
    apply_kernel_properties<F, Dimensions>();
    auto own = make_group<Dimensions>(this_group_id<Dimensions>(), groups, local);
    if constexpr (callable<F, group<Dimensions>, kernel_handler>) {
      call_kernel(function, own, kernel_handler_maker::make());
    } else {
      static_assert(callable_with<F, group<Dimensions>>,
                    "the kernel of parallel_for_work_group must be callable with a sycl::group of "
                    "the range's dimensions, and perhaps a sycl::kernel_handler");
      call_kernel(function, own);
    }
  }
};

} // namespace detail

template <int Dimensions>
template <typename WorkItemFunction>
void group<Dimensions>::parallel_for_work_item(const WorkItemFunction& function) const {
  detail::for_each_logical_item(*this, m_local, function);
}
template <int Dimensions>
template <typename WorkItemFunction>
void group<Dimensions>::parallel_for_work_item(range<Dimensions> logical, const WorkItemFunction& function) const {
  detail::for_each_logical_item(*this, logical, function);
}

/// A value for each physical work-item, kept from one parallel_for_work_item to the next.
template <typename T, int Dimensions = 1>
class [[deprecated("hierarchical kernels are deprecated: use an nd_range and group_barrier")]] private_memory {
public:
  explicit private_memory(const group<Dimensions>&) {}
  private_memory(const private_memory&) = delete;
  private_memory& operator=(const private_memory&) = delete;

  T& operator()(const h_item<Dimensions>& place) noexcept {
    return m_values[detail::linear_index(place.get_physical_local_id(), place.get_physical_local_range())];
  }

private:
  T m_values[detail::largest_hierarchical_group];
};

}} // namespace sycl::_V1
#pragma GCC diagnostic pop
