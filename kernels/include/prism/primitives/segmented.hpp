// Scans and reductions of segments of any length: one scan (scan.hpp) over pairs of a value and a flag "a
// segment begins here". J. Schwartz, "Ultracomputers" (1980); G. Blelloch, "Prefix sums and their
// applications" (1990), 1.5.
//
// Segments: `offsets` ascends from 0 to the number of elements and has one element more than there are
// segments. Segment s has the elements offsets[s] to offsets[s + 1] - 1 and may be empty. That is not
// checked.
#pragma once

#include <prism/primitives/scan.hpp>

namespace prism::primitives {
namespace detail {

template <typename R>
struct segment_part {
  R value; // of the elements since the last start of a segment
  std::uint32_t begins;
};
template <typename Operator>
struct within_segments {
  Operator op;
  template <typename R>
  segment_part<R> operator()(const segment_part<R>& a, const segment_part<R>& b) const {
    return {b.begins ? b.value : op(a.value, b.value), a.begins | b.begins};
  }
};

template <typename R, typename View>
struct segment_source {
  View in;
  temporary<std::uint32_t> begins;
  template <typename Operand>
  struct bound {
    Operand operand;
    bound_temporary<std::uint32_t> begins;
    template <typename Elements>
    static auto getter(const Elements& elements, const std::uint32_t* begins) {
      return [=](std::size_t i) { return segment_part<R>{R(elements[i]), begins[i]}; };
    }
    bool is_near() const { return operand.stride == 1; }
    auto near() const { return getter(operand.open().data, begins.open()); }
    auto far() const { return getter(operand.open(), begins.open()); }
  };
  auto bind(sycl::handler& h) const {
    auto operand = detail::bind(h, in);
    return bound<decltype(operand)>{operand, detail::bind(h, begins)};
  }
};

/// Inclusive: the value. Exclusive: the value before it in its segment, starting with `init`.
template <bool Exclusive, typename R, typename Target, typename Operator>
struct segment_sink {
  Target out;
  temporary<std::uint32_t> begins;
  R init;
  Operator op;
  template <typename Bound>
  struct bound {
    Bound operand;
    bound_temporary<std::uint32_t> begins;
    R init;
    Operator op;
    static constexpr bool is_near() { return true; }
    auto near() const {
      return [to = operand.open(), is_first = begins.open(), start = init,
              combine = op](std::size_t i, const segment_part<R>& part) {
        if constexpr (Exclusive) to[i] = is_first[i] ? start : combine(start, part.value);
        else to[i] = part.value;
      };
    }
    auto far() const { return near(); }
  };
  auto bind(sycl::handler& h) const {
    auto operand = detail::bind(h, out);
    return bound<decltype(operand)>{operand, detail::bind(h, begins), init, op};
  }
};

template <typename Offsets>
temporary<std::uint32_t> mark_segments(command_chain& chain, std::size_t n, const Offsets& offsets) {
  const auto begins = chain.memory().template take<std::uint32_t>(n);
  if (n == 0) return begins;
  chain.submit([&](sycl::handler& h) {
    const auto marks = bind(h, begins);
    h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { marks.open()[i[0]] = 0; });
  });
  if (offsets.size > 1)
    chain.submit([&](sycl::handler& h) {
      const auto marks = bind(h, begins);
      const auto from = bind(h, offsets);
      h.parallel_for(sycl::range<1>(offsets.size - 1), [=](sycl::id<1> i) {
        const auto first = from.open()[i[0]];
        if (first < from.open()[i[0] + 1]) marks.open()[first] = 1;
      });
    });
  return begins;
}

template <bool Exclusive, typename R, typename In, typename Target, typename Operator>
void scan_segments(command_chain& chain, const In& in, const temporary<std::uint32_t>& begins,
                   const Target& out, const R& init, const Operator& op) {
  scan_source<Exclusive>(chain, in.size, segment_source<R, In>{in, begins},
                         segment_sink<Exclusive, R, Target, Operator>{out, begins, init, op},
                         before<segment_part<R>>{Exclusive, {init, 1}}, within_segments<Operator>{op});
}

template <typename T, typename Place, typename O, typename OffsetPlace>
void require_segments(const char* operation, const vector_view<T, Place>& in,
                      const vector_view<O, OffsetPlace>& offsets) {
  require_operand(operation, "in", in);
  require_operand(operation, "offsets", offsets);
  if (offsets.empty()) prism::detail::refuse_view(std::string(operation) + ": offsets has no elements");
}

} // namespace detail

/// inclusive_scan of each segment. `out` has the extent of `in` and may be `in` itself.
template <typename T, typename Place, typename O, typename OffsetPlace, typename U, typename OutPlace,
          typename Operator>
sycl::event segmented_inclusive_scan(const execution& on, const vector_view<T, Place>& in,
                                     const vector_view<O, OffsetPlace>& offsets,
                                     const vector_view<U, OutPlace>& out, Operator op,
                                     const std::vector<sycl::event>& depends = {}) {
  detail::require_segments("segmented_inclusive_scan", in, offsets);
  detail::require_operand("segmented_inclusive_scan", "out", out);
  detail::require_extent("segmented_inclusive_scan", "out", out.size, in.size);
  command_chain chain(on, depends);
  const auto begins = detail::mark_segments(chain, in.size, detail::readable(offsets));
  detail::scan_segments<false>(chain, detail::readable(in), begins, out, U{}, op);
  return chain.last();
}

/// exclusive_scan of each segment, starting with `init`. `out` has the extent of `in` and may be `in` itself.
template <typename T, typename Place, typename O, typename OffsetPlace, typename U, typename OutPlace,
          typename R, typename Operator>
sycl::event segmented_exclusive_scan(const execution& on, const vector_view<T, Place>& in,
                                     const vector_view<O, OffsetPlace>& offsets,
                                     const vector_view<U, OutPlace>& out, R init, Operator op,
                                     const std::vector<sycl::event>& depends = {}) {
  detail::require_segments("segmented_exclusive_scan", in, offsets);
  detail::require_operand("segmented_exclusive_scan", "out", out);
  detail::require_extent("segmented_exclusive_scan", "out", out.size, in.size);
  command_chain chain(on, depends);
  const auto begins = detail::mark_segments(chain, in.size, detail::readable(offsets));
  detail::scan_segments<true>(chain, detail::readable(in), begins, out, init, op);
  return chain.last();
}

/// out[s] = init op all elements of segment s; init for an empty segment. `out` has one element per segment.
template <typename T, typename Place, typename O, typename OffsetPlace, typename U, typename OutPlace,
          typename R, typename Operator>
sycl::event segmented_reduce(const execution& on, const vector_view<T, Place>& in,
                             const vector_view<O, OffsetPlace>& offsets, const vector_view<U, OutPlace>& out,
                             R init, Operator op, const std::vector<sycl::event>& depends = {}) {
  detail::require_segments("segmented_reduce", in, offsets);
  detail::require_operand("segmented_reduce", "out", out);
  detail::require_extent("segmented_reduce", "offsets", offsets.size, out.size + 1);
  command_chain chain(on, depends);
  const auto places = detail::readable(offsets);
  const auto begins = detail::mark_segments(chain, in.size, places);
  const auto sums = chain.memory().template take<R>(in.size);
  detail::scan_segments<false>(chain, detail::readable(in), begins, sums, init, op);
  if (!out.empty())
    chain.submit([&](sycl::handler& h) {
      const auto from = detail::bind(h, sums);
      const auto bounds = detail::bind(h, places);
      const auto to = detail::bind(h, out);
      h.parallel_for(sycl::range<1>(out.size), [=](sycl::id<1> s) {
        const auto first = bounds.open()[s[0]], end = bounds.open()[s[0] + 1];
        to.open()[s[0]] = first < end ? op(init, from.open()[end - 1]) : init;
      });
    });
  return chain.last();
}

} // namespace prism::primitives
