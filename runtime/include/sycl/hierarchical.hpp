// Hierarchical parallelism (deprecated in SYCL 2020): parallel_for_work_group, parallel_for_work_item,
// h_item, private_memory.
//
// A launch has work-groups of the requested size, or of a size that PRISM chooses. The plugin divides the
// kernel among the work-items of a group (compiler/passes/hierarchical.cpp): code at work-group scope runs
// once per group, with variables that the group shares. The logical items of a parallel_for_work_item are
// distributed over the work-items: in each dimension every local_range-th item goes to the same work-item. If
// a kernel cannot be divided, and whenever a kernel runs as ordinary C++, the first work-item of the group
// runs it, and each parallel_for_work_item is a loop. If PRISM chooses the size, the kernel sees a physical
// range of one.
#pragma once

#include <sycl/exception.hpp>
#include <sycl/group.hpp>
#include <sycl/detail/kernel_wrap.hpp>
#include <sycl/item.hpp>

#include <new>
#include <type_traits>

// Deprecated names cause warnings in programs, not in this header.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
namespace sycl {
inline namespace _V1 {

template <int Dimensions>
class [[deprecated("hierarchical kernels are deprecated: use an nd_range and group_barrier")]] h_item;

namespace detail {
/// `logical` is the id in `logical_range`, `physical` the local id of the work-item that runs it. The global
/// id is that of the work-item in the range of the launch.
template <int Dimensions>
h_item<Dimensions> make_h_item(const group<Dimensions>& own, const range<Dimensions>& logical_range,
                               const id<Dimensions>& logical, const id<Dimensions>& physical) noexcept;
/// The number of values in a private_memory object if one work-item runs all.
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

#define PRISM_H_ITEM_PLACE(NAME, ITEM)                                                                       \
  range<Dimensions> get_##NAME##_range() const noexcept { return ITEM.get_range(); }                         \
  std::size_t get_##NAME##_range(int dimension) const noexcept { return ITEM.get_range(dimension); }         \
  id<Dimensions> get_##NAME##_id() const noexcept { return ITEM.get_id(); }                                  \
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
                                                const id<Dimensions>&, const id<Dimensions>&) noexcept;

  place m_global, m_logical, m_physical;
};

namespace detail {

template <int Dimensions>
h_item<Dimensions> make_h_item(const group<Dimensions>& own, const range<Dimensions>& logical_range,
                               const id<Dimensions>& logical, const id<Dimensions>& physical) noexcept {
  const range<Dimensions> physical_range = own.get_local_range();
  const bool chosen =
      physical_range.size() == 1; // PRISM chose the size; it appears as large as the logical range
  const range<Dimensions>& counted = chosen ? logical_range : physical_range;
  return h_item<Dimensions>(make_item<Dimensions, false>(own.get_group_range() * counted,
                                                         own.get_group_id() * id<Dimensions>(counted) +
                                                             (chosen ? logical : physical)),
                            make_item<Dimensions, false>(logical_range, logical),
                            make_item<Dimensions, false>(physical_range, physical));
}

#define PRISM_QUERY_OF_ITEMS(name, type, query)                                                              \
  template <int Dimensions>                                                                                  \
  inline type<Dimensions> name() noexcept {                                                                  \
    if constexpr (Dimensions == 1) return type<1>(query(0));                                                 \
    else if constexpr (Dimensions == 2) return type<2>(query(1), query(0));                                  \
    else return type<3>(query(2), query(1), query(0));                                                       \
  }
PRISM_QUERY_OF_ITEMS(first_items, id, __prism_first_item)
PRISM_QUERY_OF_ITEMS(item_steps, range, __prism_item_step)
#undef PRISM_QUERY_OF_ITEMS

/// Calls `function` for each index of a row. All work-items execute the same iterations, and neighbouring
/// work-items have neighbouring indices, which helps devices that run work-items as loops or vectors.
template <typename F>
inline void for_each_in_row(std::size_t count, std::size_t first, std::size_t step, const F& function) {
  for (std::size_t round = 0; round < count; round += step)
    if (round + first < count) function(round + first);
}

/// Calls `function` for each id of `all`, from `first` on in steps; x varies fastest.
template <int Dimensions, typename F>
inline void for_each_place(const range<Dimensions>& all, const id<Dimensions>& first,
                           const range<Dimensions>& step, const F& function) {
  if constexpr (Dimensions == 1) {
    for_each_in_row(all[0], first[0], step[0], [&](std::size_t k) { function(id<1>(k)); });
  } else if constexpr (Dimensions == 2) {
    for (std::size_t j = first[0]; j < all[0]; j += step[0])
      for_each_in_row(all[1], first[1], step[1], [&](std::size_t k) { function(id<2>(j, k)); });
  } else {
    for (std::size_t i = first[0]; i < all[0]; i += step[0])
      for (std::size_t j = first[1]; j < all[1]; j += step[1])
        for_each_in_row(all[2], first[2], step[2], [&](std::size_t k) { function(id<3>(i, j, k)); });
  }
}

/// Runs the share of one work-item of a parallel_for_work_item. `IsPhysical`: the logical range is the
/// physical one, which is not larger than the group, so a work-item has at most one item.
template <bool IsPhysical, int Dimensions, typename F>
inline void run_own_items(const group<Dimensions>& own, const range<Dimensions>& logical, const F& function) {
  const id<Dimensions> first = first_items<Dimensions>();
  const id<Dimensions> physical_range(own.get_local_range());
  if (__prism_one_item_runs_all()) {
    id<Dimensions> none;
    range<Dimensions> one = logical;
    for (int d = 0; d < Dimensions; ++d) one[d] = 1;
    for_each_place(logical, none, one, [&](const id<Dimensions>& place) {
      function(make_h_item<Dimensions>(own, logical, place, place % physical_range));
    });
  } else if constexpr (IsPhysical) {
    bool is_inside = first[0] < logical[0];
    if constexpr (Dimensions > 1) is_inside = is_inside && first[1] < logical[1];
    if constexpr (Dimensions > 2) is_inside = is_inside && first[2] < logical[2];
    if (is_inside) function(make_h_item<Dimensions>(own, logical, first, first));
  } else {
    const bool chosen = own.get_local_range().size() == 1;
    for_each_place(logical, first, item_steps<Dimensions>(), [&](const id<Dimensions>& place) {
      function(make_h_item<Dimensions>(own, logical, place, chosen ? id<Dimensions>() : first));
    });
  }
}

template <bool IsPhysical, int Dimensions, typename F>
inline void for_each_logical_item(const group<Dimensions>& own, const range<Dimensions>& logical,
                                  const F& function) {
  __prism_items_begin();
  run_own_items<IsPhysical>(own, logical, function); // a separate function, so that its variables are private
  __prism_items_end();
}

inline void check_hierarchical_group(std::size_t items) {
  if (items > largest_hierarchical_group) {
    throw_error(errc::nd_range,
                "parallel_for_work_group: the work-groups have more than 1024 work-items; give a smaller "
                "range and let parallel_for_work_item have the larger one");
  }
}

/// The work-group size that the kernel sees: the requested one, or one work-item if PRISM chooses.
template <int Dimensions, bool IsChosen>
struct group_size {
  range<Dimensions> asked;
  /// In the divided form, the size is known without reading captured values.
  range<Dimensions> get() const noexcept {
    return __prism_one_item_runs_all() ? asked : item_steps<Dimensions>();
  }
};
template <int Dimensions>
struct group_size<Dimensions, true> {
  range<Dimensions> get() const noexcept {
    if constexpr (Dimensions == 1) return range<1>(1);
    else if constexpr (Dimensions == 2) return range<2>(1, 1);
    else return range<3>(1, 1, 1);
  }
};

/// The kernel of parallel_for_work_group.
template <int Dimensions, typename F, bool IsChosen>
struct work_group_kernel {
  group_size<Dimensions, IsChosen> local;
  F function;
  void operator()() const {
    __prism_dimensions(Dimensions);
    __prism_hierarchical();
    apply_kernel_properties<F, Dimensions>();
    auto own =
        make_group<Dimensions>(this_group_id<Dimensions>(), this_group_range<Dimensions>(), local.get());
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

/// The host body: in ordinary C++ one work-item runs all.
template <typename Name, typename Kernel>
void run_group_alone(const void* closure) {
  __prism_run_alone(&run_item<Name, Kernel>, closure);
}

} // namespace detail

template <int Dimensions>
template <typename WorkItemFunction>
void group<Dimensions>::parallel_for_work_item(const WorkItemFunction& function) const {
  detail::for_each_logical_item<true>(*this, m_local, function);
}
template <int Dimensions>
template <typename WorkItemFunction>
void group<Dimensions>::parallel_for_work_item(range<Dimensions> logical,
                                               const WorkItemFunction& function) const {
  detail::for_each_logical_item<false>(*this, logical, function);
}

/// A value for each physical work-item that persists between calls of parallel_for_work_item.
template <typename T, int Dimensions = 1>
class [[deprecated(
    "hierarchical kernels are deprecated: use an nd_range and group_barrier")]] private_memory {
public:
  explicit private_memory(const group<Dimensions>&) {
    __prism_private_memory(m_values, sizeof(T));
    if constexpr (!std::is_trivially_default_constructible_v<T>) {
      __prism_items_begin();
      construct();
      __prism_items_end();
    }
  }
  ~private_memory() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      __prism_items_begin();
      destroy();
      __prism_items_end();
    }
  }
  private_memory(const private_memory&) = delete;
  private_memory& operator=(const private_memory&) = delete;

  T& operator()(const h_item<Dimensions>& place) noexcept {
    return m_values[__prism_private_place(
        detail::linear_index(place.get_physical_local_id(), place.get_physical_local_range()))];
  }

private:
  static std::size_t count() noexcept {
    return __prism_one_item_runs_all() ? detail::largest_hierarchical_group : 1;
  }
  void construct() {
    for (std::size_t k = 0; k < count(); ++k) ::new (static_cast<void*>(m_values + k)) T;
  }
  void destroy() {
    for (std::size_t k = 0; k < count(); ++k) m_values[k].~T();
  }
  union { // the constructor and destructor above manage its elements
    T m_values[detail::largest_hierarchical_group];
  };
};

}
} // namespace sycl::_V1
#pragma GCC diagnostic pop
