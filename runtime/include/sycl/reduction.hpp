// sycl::reduction (SYCL 2020, "Reduction variables") and parallel_for with reductions.
//
// A reduction uses two kernels and no atomics, so it works on every device. The first kernel writes one
// partial result per work-group to a temporary buffer. The second kernel, of one work-group, combines them
// with the variable's old value, unless initialize_to_identity was given. The command group's event is that
// of the second kernel. A range is divided into as many work-groups as keep the device busy. Each has a
// contiguous segment, through which its work-items step side by side. Of an nd_range with more work-groups
// than that, each group that starts stands for several, one after the other.
#pragma once

#include <sycl/buffer.hpp>
#include <sycl/detail/group_combine.hpp>
#include <sycl/detail/reducer.hpp>
#include <sycl/handler.hpp>
#include <sycl/span.hpp>

namespace sycl {
inline namespace _V1 {

namespace property {
namespace reduction {
class initialize_to_identity {};
}
} // namespace property::reduction
template <>
struct is_property<property::reduction::initialize_to_identity> : std::true_type {};

namespace detail {

// The destination of the result. at(handler&) returns an object for the second kernel whose operator[]
// accesses the variable.
template <typename T, typename Allocator>
struct reduction_buffer {
  buffer<T, 1, Allocator> variable;
  auto at(handler& group) const {
    auto copy = variable;
    return accessor<T, 1, access_mode::read_write>(copy, group);
  }
};
template <typename T>
struct reduction_pointer {
  T* variable;
  T* at(handler&) const { return variable; }
};

/// The result of sycl::reduction. Elements: 0 for one value, else the extent of a span.
template <typename T, typename BinaryOperation, std::size_t Elements, bool HasIdentity, typename Target>
struct reduction_description {
  using value_type = T;
  using state = reduction_state<T, HasIdentity>;
  using reducer_type =
      reducer<T, BinaryOperation, (Elements == 0 ? 0 : 1), (Elements == 0 ? 1 : Elements), HasIdentity>;
  static constexpr std::size_t elements = Elements == 0 ? 1 : Elements;
  static constexpr bool is_span = Elements != 0;

  Target target;
  BinaryOperation op;
  identity_holder<T, HasIdentity> identity;
  bool replace; // initialize_to_identity
};

template <typename T>
inline constexpr bool is_reduction = false;
template <typename T, typename Op, std::size_t N, bool H, typename Target>
inline constexpr bool is_reduction<reduction_description<T, Op, N, H, Target>> = true;

template <typename T, typename Op>
inline auto known_identity_holder() {
  if constexpr (has_known_identity_v<Op, T>) return identity_holder<T, true>{known_identity_v<Op, T>};
  else return identity_holder<T, false>{};
}

inline bool replaces(const property_list& properties, bool has_identity) {
  const bool replace = properties.has_property<property::reduction::initialize_to_identity>();
  if (replace && !has_identity) {
    throw_error(errc::invalid,
                "sycl::reduction: initialize_to_identity needs an identity, and none is known for this "
                "operation and type; pass the identity as an argument");
  }
  return replace;
}

template <std::size_t Elements, typename T, typename Op, bool HasIdentity, typename Target>
inline auto describe_reduction(const Target& target, const Op& op,
                               const identity_holder<T, HasIdentity>& identity,
                               const property_list& properties) {
  static_assert(is_device_copyable_v<T>, "a reduction variable must be of a device-copyable type");
  return reduction_description<T, Op, Elements, HasIdentity, Target>{target, op, identity,
                                                                     replaces(properties, HasIdentity)};
}
template <typename T, typename Allocator>
inline reduction_buffer<T, Allocator> reduction_target(const buffer<T, 1, Allocator>& variable) {
  if (variable.size() != 1) {
    throw_error(errc::invalid, "sycl::reduction: the buffer must have exactly one element");
  }
  return {variable};
}

/// Half of the least local memory that a device may have (OpenCL's embedded profile: 1 KiB). For values of
/// four bytes the groups of plan_reduction fit into it at once, provided that sub-groups have more than one
/// work-item. Otherwise they are processed in several rounds.
inline constexpr std::size_t reduction_block = 512 + total_bytes;
template <typename State>
inline constexpr std::uint32_t reduction_slots =
    sizeof(State) >= 512 ? 1 : static_cast<std::uint32_t>(512 / sizeof(State));

template <typename State, typename Op>
struct join_of_states {
  using operator_type = Op;
  Op op;
  static constexpr bool commutes = has_known_identity_v<Op, State>;
  State operator()(const State& a, const State& b) const { return join_states(a, b, op); }
};

/// Returns the combination of the states of all work-items of the group.
template <typename State, typename Op>
inline State fold_states(const State& own, std::size_t self, const Op& op) {
  return work_group_fold<State, reduction_slots<State>>(own, static_cast<std::uint32_t>(self),
                                                        join_of_states<State, Op>{op});
}

/// The data of one reduction in the first kernel.
template <typename Description>
struct reduction_part {
  using state = typename Description::state;
  using op_type = decltype(Description::op);
  using identity_type = decltype(Description::identity);

  accessor<state, 1, access_mode::write> partials; // [group][element]
  op_type op;
  identity_type identity;

  /// Combines the values of the work-group; its first work-item writes the partial result.
  template <typename Reducer>
  void finish(const Reducer& own, std::size_t self, std::size_t group) const {
    for (std::size_t e = 0; e < Description::elements; ++e) {
      const state total = fold_states(reducer_access::state(own, e), self, op);
      if (self == 0) partials[group * Description::elements + e] = total;
    }
  }
};

/// A reducer on the kernel's stack, with the reduction to which its result belongs.
template <typename Description>
struct active_reduction {
  const reduction_part<Description>& part;
  typename Description::reducer_type own;

  explicit active_reduction(const reduction_part<Description>& p) : part(p), own(make(p)) {}
  static typename Description::reducer_type make(const reduction_part<Description>& p) {
    if constexpr (Description::is_span) {
      return reducer_access::make_span<typename Description::reducer_type>(
          p.op, p.identity, std::make_index_sequence<Description::elements>());
    } else {
      return reducer_access::make<typename Description::reducer_type>(p.op, p.identity);
    }
  }
};

/// Calls `body(reducers...)` once for the work-item, then combines the results of the group.
template <typename Body, typename... Active>
inline void with_reducers(std::size_t self, std::size_t group, const Body& body, Active&&... active) {
  body(active.own...);
  (active.part.finish(active.own, self, group), ...);
}

template <typename F, int Dimensions, typename... Reducers>
inline void call_range_kernel(const F& kernel, const range<Dimensions>& extent, const id<Dimensions>& point,
                              Reducers&... reducers) {
  if constexpr (callable<F, item<Dimensions, true>&, Reducers&...>) {
    item<Dimensions, true> place = make_item<Dimensions, true>(extent, point);
    call_kernel(kernel, place, reducers...);
  } else {
    static_assert(callable<F, item<Dimensions, false>&, Reducers&...>,
                  "the kernel of parallel_for with reductions must be callable with an item (or "
                  "id) of the range's dimensions and one reducer (by reference) for each reduction");
    item<Dimensions, false> place = make_item<Dimensions, false>(extent, point);
    call_kernel(kernel, place, reducers...);
  }
}

template <int Dimensions>
inline id<Dimensions> point_of(std::size_t linear, const range<Dimensions>& extent) noexcept {
  id<Dimensions> point;
  for (int d = Dimensions - 1; d > 0; --d) {
    point[d] = linear % extent[d];
    linear /= extent[d];
  }
  point[0] = linear;
  return point;
}

struct reduction_plan {
  std::size_t local, groups;
};
#if defined(__PRISM_COMPILER__)
inline constexpr std::size_t host_reduction_group = 128;
#else // barriers of fibers cost more than they gain
inline constexpr std::size_t host_reduction_group = 1;
#endif
/// The same on every device, so that values are combined in the same order.
inline reduction_plan plan_reproducible_reduction(std::size_t items) {
  constexpr std::size_t local = 64, row = 4096, most = 1024;
  const std::size_t groups = (items + row - 1) / row;
  return {local, groups == 0 ? 1 : groups < most ? groups : most};
}
/// Chooses the work-groups for `items` items: at most four per compute unit, since the second kernel reads
/// one partial result of each. On the host device a work-group adds at most a few thousand values (for up to
/// eight million items), which keeps sums of floats accurate.
inline reduction_plan plan_reduction(const device& where, std::size_t items, bool on_host) {
  // For devices with little local memory: values that a work-item needs across a barrier may use local memory
  // too, in addition to the block.
  constexpr std::size_t plenty = 16384, bytes_of_an_item = 128;
  const auto memory = static_cast<std::size_t>(where.get_info<info::device::local_mem_size>());
  const std::size_t small =
      memory > reduction_block + bytes_of_an_item ? (memory - reduction_block) / bytes_of_an_item : 1;
  const std::size_t limit = on_host ? host_reduction_group : memory < plenty && small < 128 ? small : 128;
  std::size_t local = where.get_info<info::device::max_work_group_size>();
  local = local < limit ? local : limit;
  std::size_t busy = std::size_t{4} * where.get_info<info::device::max_compute_units>();
  if (on_host) {
    constexpr std::size_t row = 4096, most = 4096;
    const std::size_t rows = items / row < most ? items / row : most;
    if (busy < rows) busy = rows;
  }
  const std::size_t needed = (items + local - 1) / local;
  const std::size_t groups = needed < busy ? needed : busy;
  return {local, groups == 0 ? 1 : groups};
}

template <typename Shape = void> // a template, so that files that are compiled in different ways have their
                                 // own
inline reduction_plan reduction_plan_of(const handler& group, const device& where, std::size_t items,
                                        bool on_host) {
#if defined(__PRISM_REPRODUCIBLE__)
  constexpr bool is_fixed = true;
#else
  const bool is_fixed = group.prism_fixes_order();
#endif
  return is_fixed ? plan_reproducible_reduction(items) : plan_reduction(where, items, on_host);
}

/// The number of work-groups that start for an nd_range: as many work-items as for a range. All of them where
/// the order of the sums is fixed, and where the launch is an error.
template <int D>
inline std::size_t started_groups(const handler& group, const device& where, const nd_range<D>& launch,
                                  bool on_host) {
  const std::size_t all = launch.get_group_range().size(), local = launch.get_local_range().size();
#if defined(__PRISM_COMPILER__) && !defined(__PRISM_REPRODUCIBLE__)
  for (int d = 0; d < D; ++d)
    if (launch.get_local_range()[d] == 0 || launch.get_global_range()[d] % launch.get_local_range()[d] != 0)
      return all;
  if (group.prism_fixes_order()) return all;
  const reduction_plan plan = plan_reduction(where, launch.get_global_range().size(), on_host);
  const std::size_t needed = (plan.groups * plan.local + local - 1) / local;
  const std::size_t started = needed < plan.groups ? plan.groups : needed;
  constexpr std::size_t worth = 8; // a loop of few iterations gains less than programs with own loops lose
  return started * worth <= all ? started : all;
#else
  (void)group, (void)where, (void)local, (void)on_host;
  return all;
#endif
}

template <typename Description>
inline reduction_part<Description> make_part(handler& group, const Description& what,
                                             buffer<typename Description::state, 1>& partials) {
  using state = typename Description::state;
  return {accessor<state, 1, access_mode::write>(partials, group, property_list(property::no_init())),
          what.op, what.identity};
}

/// Writes the result. If no work-item contributed a value and there is no identity, the variable is
/// unchanged.
template <typename T, typename State, typename Op>
inline void assign_result(T& variable, const State& total, bool replace, const Op& op) {
  if constexpr (std::is_same_v<T, State>) {
    variable = replace ? total : static_cast<T>(op(variable, total));
  } else if (total.filled) {
    variable = static_cast<T>(op(variable, total.value()));
  }
}

template <typename Description>
class reduction_end; // the name of the second kernel

/// Submits the second kernel: one work-group combines `count` partial results of every element into the
/// variable.
template <typename Description>
inline void combine_partials(handler& group, const Description& what,
                             buffer<typename Description::state, 1> partials, std::size_t count,
                             std::size_t local) {
  using state = typename Description::state;
  accessor<state, 1, access_mode::read> in(partials, group);
  auto out = what.target.at(group);
  const auto op = what.op;
  const auto identity = what.identity;
  const bool replace = what.replace;
  group.parallel_for<reduction_end<Description>>(nd_range<1>(range<1>(local), range<1>(local)),
                                                 [=](nd_item<1> it) {
    const std::size_t self = it.get_local_id(0);
    for (std::size_t e = 0; e < Description::elements; ++e) {
      state own = identity.start();
      for (std::size_t i = self; i < count; i += local)
        own = join_states(own, in[i * Description::elements + e], op);
      const state total = fold_states(own, self, op);
      if (self == 0) assign_result(out[e], total, replace, op);
    }
  });
}

template <typename Name, int D, typename F, typename... Parts>
inline void submit_reduction_range(handler& group, const range<D>& extent, const reduction_plan& plan,
                                   const F& kernel, const Parts&... parts) {
  const std::size_t items = extent.size(), piece = (items + plan.groups - 1) / plan.groups;
  group.template parallel_for<Name>(nd_range<1>(range<1>(plan.groups * plan.local), range<1>(plan.local)),
                                    [=](nd_item<1> it) {
    apply_kernel_properties<F, 0>();
    const std::size_t self = it.get_local_id(0), local = it.get_local_range(0), at = it.get_group(0);
    const std::size_t begin = at * piece, end = begin + piece < items ? begin + piece : items;
    with_reducers(self, at, [&](auto&... reducers) {
      for (std::size_t i = begin + self; i < end; i += local) {
        call_range_kernel(kernel, extent, point_of(i, extent), reducers...);
      }
    }, active_reduction(parts)...);
  });
}

/// Queries the group that was entered. Not inlined, so that compilers of ordinary C++, for which the queries
/// are constant, do not reuse what they answered before.
template <int D, typename F, typename... Reducers>
[[gnu::noinline]] void call_in_group(const F& kernel, const id<D>& offset, Reducers&... reducers) {
  nd_item<D> it = make_nd_item<D>(offset);
  call_kernel(kernel, it, reducers...);
}
/// Numbers of work-groups in 32 bits, in which loops cost less on devices that compute in vectors of 32 bits.
template <int D>
struct counted_groups {
  std::uint32_t of[D], all;
  explicit counted_groups(const range<D>& groups) : of{}, all(0) {
    constexpr std::size_t most = ~std::uint32_t{0};
    std::size_t product = 1;
    for (int d = 0; d < D; ++d) {
      if (groups[d] > most || (product *= groups[d]) > most)
        throw_error(errc::nd_range, "parallel_for: a reduction over 2^32 work-groups or more");
      of[d] = static_cast<std::uint32_t>(groups[d]);
    }
    all = static_cast<std::uint32_t>(product);
  }
};
inline void enter_group(std::size_t each, const counted_groups<1>& groups) noexcept {
  __prism_enter_group(each, 0, 0, groups.of[0], 1, 1);
}
inline void enter_group(std::size_t each, const counted_groups<2>& groups) noexcept {
  const std::uint32_t x = groups.of[1];
  __prism_enter_group(each % x, each / x, 0, x, groups.of[0], 1);
}
inline void enter_group(std::size_t each, const counted_groups<3>& groups) noexcept {
  const std::uint32_t x = groups.of[2], y = groups.of[1];
  __prism_enter_group(each % x, each / x % y, each / x / y, x, y, groups.of[0]);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // the offset
/// Starts `started` work-groups for all those of `launch`.
template <typename Name, int D, typename F, typename... Parts>
inline void submit_reduction_nd_range(handler& group, const nd_range<D>& launch, std::size_t started,
                                      const F& kernel, const Parts&... parts) {
  const counted_groups<D> groups(launch.get_group_range());
  const id<D> offset = launch.get_offset();
  range<D> global = launch.get_global_range();
  if (started != groups.all) {
    global = launch.get_local_range();
    global[0] *= started;
  }
  group.template parallel_for<Name>(nd_range<D>(global, launch.get_local_range()), [=](nd_item<D> it) {
    apply_kernel_properties<F, D>();
    const std::size_t first = it.get_group_linear_id(), step = it.get_group_range().size();
    with_reducers(it.get_local_linear_id(), first, [&](auto&... reducers) {
      std::size_t each = first;
      do { // not a loop that tests first: no barrier may depend on that (group_combine.hpp)
        enter_group(each, groups);
        call_in_group<D>(kernel, offset, reducers...);
        __prism_leave_group();
        each += step;
      } while (each < groups.all);
    }, active_reduction(parts)...);
  });
}
#pragma GCC diagnostic pop

template <typename Name, typename Shape, typename F, typename... Descriptions>
inline void launch_reductions(handler& group, const Shape& shape, const F& kernel,
                              const Descriptions&... what) {
  static_assert((is_reduction<Descriptions> && ...),
                "parallel_for: arguments between range and kernel must be reductions");
  group.prism_wraps(pretty_kernel_name<F>());
  const device where = group.prism_device();
  const bool on_host = where.get_backend() == backend::ext_prism_host;
  constexpr bool is_nd = !std::is_same_v<Shape, range<Shape::dimensions>>;
  std::size_t groups = 0;
  reduction_plan plan{1, 1};
  if constexpr (is_nd) {
    groups = started_groups(group, where, shape, on_host);
    plan = reduction_plan_of(group, where, groups, on_host);
  } else {
    plan = reduction_plan_of(group, where, shape.size(), on_host);
    groups = plan.groups;
  }
  const auto run = [&](auto&&... partials) {
    if constexpr (is_nd) {
      submit_reduction_nd_range<Name>(group, shape, groups, kernel, make_part(group, what, partials)...);
    } else {
      submit_reduction_range<Name>(group, shape, plan, kernel, make_part(group, what, partials)...);
    }
    (group.prism_then([=](handler& next) { combine_partials(next, what, partials, groups, plan.local); }),
     ...);
  };
  // A buffer must have at least one element, even if there is no work-group.
  run(buffer<typename Descriptions::state, 1>(
      range<1>((groups == 0 ? 1 : groups) * Descriptions::elements))...);
}

template <typename Name, typename Shape, typename Tuple, std::size_t... I>
inline void launch_split(handler& group, const Shape& shape, const Tuple& all, std::index_sequence<I...>) {
  launch_reductions<Name>(group, shape, std::get<sizeof...(I)>(all), std::get<I>(all)...);
}

template <typename Name, typename Shape, typename... Rest>
void launch_with_reductions(handler& group, const Shape& shape, Rest&&... rest) {
  launch_split<Name>(group, shape, std::tie(rest...), std::make_index_sequence<sizeof...(Rest) - 1>());
}

} // namespace detail

/// Describes a reduction into a buffer, which must have exactly one element. Throws errc::invalid otherwise.
template <typename T, typename Allocator, typename BinaryOperation>
auto reduction(buffer<T, 1, Allocator> variable, handler&, BinaryOperation combiner,
               const property_list& properties = {}) {
  return detail::describe_reduction<0>(detail::reduction_target(variable), combiner,
                                       detail::known_identity_holder<T, BinaryOperation>(), properties);
}
template <typename T, typename Allocator, typename BinaryOperation>
auto reduction(buffer<T, 1, Allocator> variable, handler&, const T& identity, BinaryOperation combiner,
               const property_list& properties = {}) {
  return detail::describe_reduction<0>(detail::reduction_target(variable), combiner,
                                       detail::identity_holder<T, true>{identity}, properties);
}
/// Describes a reduction into USM that the device can access.
template <typename T, typename BinaryOperation>
auto reduction(T* variable, BinaryOperation combiner, const property_list& properties = {}) {
  return detail::describe_reduction<0>(detail::reduction_pointer<T>{variable}, combiner,
                                       detail::known_identity_holder<T, BinaryOperation>(), properties);
}
template <typename T, typename BinaryOperation>
auto reduction(T* variable, const T& identity, BinaryOperation combiner,
               const property_list& properties = {}) {
  return detail::describe_reduction<0>(detail::reduction_pointer<T>{variable}, combiner,
                                       detail::identity_holder<T, true>{identity}, properties);
}
/// Describes reductions into several variables, each reduced separately. Their number is part of the type.
template <typename T, std::size_t Extent, typename BinaryOperation,
          std::enable_if_t<Extent != dynamic_extent, int> = 0>
auto reduction(span<T, Extent> variables, BinaryOperation combiner, const property_list& properties = {}) {
  return detail::describe_reduction<Extent>(detail::reduction_pointer<T>{variables.data()}, combiner,
                                            detail::known_identity_holder<T, BinaryOperation>(), properties);
}
template <typename T, std::size_t Extent, typename BinaryOperation,
          std::enable_if_t<Extent != dynamic_extent, int> = 0>
auto reduction(span<T, Extent> variables, const T& identity, BinaryOperation combiner,
               const property_list& properties = {}) {
  return detail::describe_reduction<Extent>(detail::reduction_pointer<T>{variables.data()}, combiner,
                                            detail::identity_holder<T, true>{identity}, properties);
}

}
} // namespace sycl::_V1
