// Histograms. Each chunk has its own counts, and the counts of a bin are added afterwards, without atomic
// operations.
#pragma once

#include <prism/primitives/fold.hpp>
#include <prism/primitives/sort.hpp>

#include <type_traits>

namespace prism::primitives {
namespace detail {

inline constexpr std::size_t most_counters = std::size_t(1) << 22;

struct histogram_plan {
  std::size_t n, bins, length, parts;
};
inline histogram_plan plan_histogram(const execution& on, std::size_t n, std::size_t bins) {
  std::size_t length = 8192;
  if (on.how() == method::chained)
    length =
        std::max(length, n / (8 * on.queue().get_device().get_info<sycl::info::device::max_compute_units>()));
  length = std::max(length, n / std::max<std::size_t>(1, most_counters / bins) + 1);
  return {n, bins, length, std::max<std::size_t>(1, (n + length - 1) / length)};
}

/// bin_of(element, extra) returns the bin; a result of `bins` or more excludes the element. `extra` is an
/// operand.
template <typename In, typename Extra, typename Out, typename Bin>
void count_bins(command_chain& chain, const In& in, const Extra& extra, const Out& out, const Bin& bin_of) {
  const histogram_plan plan = plan_histogram(chain.on(), in.size, out.size);
  const auto counters = chain.memory().template take<std::uint32_t>(plan.parts * plan.bins);
  const std::size_t group = chunk_group(chain.on());
  constexpr std::size_t few = 4096; // bins whose counters each part clears: some drivers limit loops
  if (plan.bins > few)
    chain.submit([&](sycl::handler& h) {
      const auto memory = bind(h, counters);
      const std::size_t all = plan.parts * plan.bins;
      for_parts(h, (all + few - 1) / few, group, [=](std::size_t block) {
        for (std::size_t i = block * few; i < std::min(all, (block + 1) * few); ++i) memory.open()[i] = 0;
      });
    });
  chain.submit([&](sycl::handler& h) {
    const auto from = bind(h, in);
    const auto help = bind(h, extra);
    const auto memory = bind(h, counters);
    for_parts(h, plan.parts, group, [=](std::size_t part) {
      std::uint32_t* counts = memory.open() + part * plan.bins;
      for (std::size_t bin = 0; bin < plan.bins && plan.bins <= few; ++bin) counts[bin] = 0;
      const auto elements = from.open();
      const auto helper = help.open();
      const std::size_t end = std::min(plan.n, (part + 1) * plan.length);
      for (std::size_t i = part * plan.length; i < end; ++i) {
        const std::size_t bin = bin_of(elements[i], helper);
        if (bin < plan.bins) ++counts[bin];
      }
    });
  });
  chain.submit([&](sycl::handler& h) {
    const auto memory = bind(h, counters);
    const auto to = bind(h, out);
    for_parts(h, plan.bins, group, [=](std::size_t bin) {
      std::uint64_t sum = 0;
      for (std::size_t part = 0; part < plan.parts; ++part) sum += memory.open()[part * plan.bins + bin];
      to.open()[bin] = static_cast<std::remove_reference_t<decltype(to.open()[bin])>>(sum);
    });
  });
}

template <typename T>
struct even_bins {
  T lower, upper, scale;
  std::size_t bins;
  std::size_t operator()(const T& value, const no_values&) const {
    if (!(value >= lower && value < upper)) return bins;
    if constexpr (std::is_integral_v<T>) {
      return std::size_t(std::uint64_t(value) - std::uint64_t(lower)) * bins /
             std::size_t(std::uint64_t(upper) - std::uint64_t(lower));
    } else {
      const auto bin = static_cast<std::size_t>((value - lower) * scale);
      return bin < bins ? bin : bins - 1;
    }
  }
};
struct numbered_bins {
  template <typename T>
  std::size_t operator()(const T& value, const no_values&) const {
    return static_cast<std::size_t>(value); // of a negative number: more than there are bins
  }
};
/// Of bounds at nearly equal distances: the bin is guessed, and corrected by the bounds.
template <typename B>
struct spaced_bins {
  std::size_t bins;
  template <typename T, typename Bounds>
  std::size_t operator()(const T& value, const Bounds& sorted) const {
    const B lower = sorted[0], upper = sorted[bins];
    if (!(value >= lower && value < upper)) return bins;
    const B place = (value - lower) / (upper - lower) * B(bins);
    std::size_t bin = place < B(bins) ? static_cast<std::size_t>(place) : bins - 1;
    while (bin > 0 && value < sorted[bin]) --bin;
    while (bin + 1 < bins && value >= sorted[bin + 1]) ++bin;
    return bin;
  }
};
struct bounded_bins {
  std::size_t bounds;
  template <typename T, typename Bounds>
  std::size_t operator()(const T& value, const Bounds& sorted) const {
    const std::size_t behind = bound_of<true>(sorted, bounds, value, std::less<>());
    return behind == 0 || !(value == value) ? bounds : behind - 1;
  }
};

} // namespace detail

/// counts[b] = the number of elements in the b-th of counts.size equal parts of [lower, upper). Values
/// outside and NaNs do not count. Bins of floating-point numbers are computed in their own precision, so a
/// value at a border may count in the adjacent bin. Errors: errc::invalid if there is no bin, lower is not
/// less than upper or, for integers, the product of their distance and the number of bins exceeds 64 bits.
template <typename T, typename Place, typename U, typename OutPlace>
sycl::event histogram_even(const execution& on, const vector_view<T, Place>& in,
                           const vector_view<U, OutPlace>& counts, std::remove_const_t<T> lower,
                           std::remove_const_t<T> upper, const std::vector<sycl::event>& depends = {}) {
  using value = std::remove_const_t<T>;
  detail::require_operand("histogram_even", "in", in);
  detail::require_operand("histogram_even", "counts", counts);
  if (counts.empty() || !(lower < upper))
    prism::detail::refuse_view("histogram_even: needs a bin and a lower border less than the upper one");
  value scale{};
  if constexpr (std::is_integral_v<value>) {
    if ((std::uint64_t(upper) - std::uint64_t(lower)) > ~std::uint64_t(0) / counts.size)
      prism::detail::refuse_view("histogram_even: the distance of the borders times " +
                                 std::to_string(counts.size) + " bins does not fit 64 bits");
  } else {
    scale = value(counts.size) / (upper - lower);
  }
  command_chain chain(on, depends);
  detail::count_bins(chain, detail::readable(in), detail::no_values(), counts,
                     detail::even_bins<value>{lower, upper, scale, counts.size});
  return chain.last();
}

/// counts[b] = the number of elements in [bounds[b], bounds[b + 1]). `bounds` must ascend and have one
/// element more than `counts`. Values outside and NaNs do not count.
template <typename T, typename Place, typename B, typename BoundPlace, typename U, typename OutPlace>
sycl::event histogram_bounds(const execution& on, const vector_view<T, Place>& in,
                             const vector_view<B, BoundPlace>& bounds, const vector_view<U, OutPlace>& counts,
                             const std::vector<sycl::event>& depends = {}) {
  detail::require_operand("histogram_bounds", "in", in);
  detail::require_operand("histogram_bounds", "bounds", bounds);
  detail::require_operand("histogram_bounds", "counts", counts);
  if (counts.empty()) prism::detail::refuse_view("histogram_bounds: needs a bin");
  detail::require_extent("histogram_bounds", "bounds", bounds.size, counts.size + 1);
  command_chain chain(on, depends);
  detail::count_bins(chain, detail::readable(in), detail::readable(bounds), counts,
                     detail::bounded_bins{bounds.size});
  return chain.last();
}

/// The same of floating-point numbers and bounds whose distances are nearly equal: it takes less time, but
/// more than histogram_bounds() of other bounds.
template <typename T, typename Place, typename B, typename BoundPlace, typename U, typename OutPlace>
sycl::event histogram_spaced(const execution& on, const vector_view<T, Place>& in,
                             const vector_view<B, BoundPlace>& bounds, const vector_view<U, OutPlace>& counts,
                             const std::vector<sycl::event>& depends = {}) {
  using bound = std::remove_const_t<B>;
  static_assert(std::is_same_v<bound, std::remove_const_t<T>> && std::is_floating_point_v<bound>,
                "histogram_spaced takes floating-point numbers of one type");
  detail::require_operand("histogram_spaced", "in", in);
  detail::require_operand("histogram_spaced", "bounds", bounds);
  detail::require_operand("histogram_spaced", "counts", counts);
  if (counts.empty()) prism::detail::refuse_view("histogram_spaced: needs a bin");
  detail::require_extent("histogram_spaced", "bounds", bounds.size, counts.size + 1);
  command_chain chain(on, depends);
  detail::count_bins(chain, detail::readable(in), detail::readable(bounds), counts,
                     detail::spaced_bins<bound>{counts.size});
  return chain.last();
}

/// counts[k] = how many of the integers are k, from 0 to counts.size - 1. Other numbers do not count. Errors:
/// errc::invalid if there is no number to count.
template <typename T, typename Place, typename U, typename OutPlace>
sycl::event bincount(const execution& on, const vector_view<T, Place>& in,
                     const vector_view<U, OutPlace>& counts, const std::vector<sycl::event>& depends = {}) {
  static_assert(std::is_integral_v<std::remove_const_t<T>>, "bincount counts integers");
  detail::require_operand("bincount", "in", in);
  detail::require_operand("bincount", "counts", counts);
  if (counts.empty()) prism::detail::refuse_view("bincount: needs a number to count");
  command_chain chain(on, depends);
  detail::count_bins(chain, detail::readable(in), detail::no_values(), counts, detail::numbered_bins());
  return chain.last();
}

} // namespace prism::primitives
