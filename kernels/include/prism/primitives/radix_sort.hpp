// Sorting by digits of eight bits, the least significant first. Stable; the time does not depend on the keys'
// order. For each digit every chunk counts its keys by digit, the counts become positions, and every chunk
// moves its keys there. Keys go from the operand to intermediate memory and back. D. E. Knuth, "The Art of
// Computer Programming", vol. 3, 5.2.5; M. Zagha & G. Blelloch, "Radix sort for vector multiprocessors"
// (1991), for the chunks.
//
// Floating-point numbers are sorted in IEEE 754's total order: negative NaNs, -infinity, ..., -0, +0, ...,
// +infinity, positive NaNs.
#pragma once

#include <prism/primitives/merge_sort.hpp>

#include <type_traits>

namespace prism::primitives {
namespace detail {

template <std::size_t Bytes>
struct unsigned_of;
template <>
struct unsigned_of<1> {
  using type = std::uint8_t;
};
template <>
struct unsigned_of<2> {
  using type = std::uint16_t;
};
template <>
struct unsigned_of<4> {
  using type = std::uint32_t;
};
template <>
struct unsigned_of<8> {
  using type = std::uint64_t;
};

template <typename T>
inline constexpr bool is_radix_key =
    (std::is_arithmetic_v<T> && sizeof(T) <= 8) || std::is_same_v<T, sycl::half>;

/// Unsigned integers in the order of the keys.
template <typename T>
auto radix_bits(const T& key) {
  using bits = typename unsigned_of<sizeof(T)>::type;
  const bits raw = sycl::bit_cast<bits>(key);
  constexpr auto sign = bits(bits(1) << (8 * sizeof(T) - 1));
  if constexpr (std::is_unsigned_v<T>) return raw;
  else if constexpr (std::is_integral_v<T>) return bits(raw ^ sign);
  else return bits(raw & sign ? ~raw : raw | sign);
}

inline constexpr std::size_t digits = 256;

/// Keys to sort in chunks of `length`. `flip` reverses the order.
struct radix_plan {
  std::size_t n, length, parts;
  std::uint64_t flip;
};
inline radix_plan plan_radix(const execution& on, std::size_t n, bool descending) {
  // Chunks are short except on the host device: llvmpipe ends a work-item's loops after 65,535 iterations.
  std::size_t length = 8192;
  if (on.how() == method::chained) {
    const std::size_t units = on.queue().get_device().get_info<sycl::info::device::max_compute_units>();
    length = std::max<std::size_t>(4096, (n + 8 * units - 1) / (8 * units));
  }
  return {n, length, (n + length - 1) / length, descending ? ~std::uint64_t(0) : 0};
}

template <typename Key>
std::size_t digit_of(const Key& key, unsigned shift, std::uint64_t flip) {
  return std::size_t(((radix_bits(key) ^ flip) >> shift) & (digits - 1));
}

/// A pass's operands: keys and values move from one side to the other.
template <typename Bound, typename Temporary>
struct two_sides {
  Bound operand;
  Temporary memory;
  bool from_memory;
  auto source() const { return side(from_memory); }
  auto target() const { return side(!from_memory); }

private:
  auto side(bool in_memory) const {
    auto elements = operand.open();
    auto* data = memory.open();
    return in_memory ? decltype(elements){data, 1} : elements;
  }
};
struct no_sides {
  no_values source() const { return {}; }
  no_values target() const { return {}; }
};
template <typename View, typename T>
auto bind_sides(sycl::handler& h, const View& view, const temporary<T>& memory, bool from_memory) {
  auto operand = bind(h, view);
  auto other = bind(h, memory);
  return two_sides<decltype(operand), decltype(other)>{operand, other, from_memory};
}
inline no_sides bind_sides(sycl::handler&, const no_values&, const no_values&, bool) { return {}; }

template <typename Keys, typename T>
void count_digits(command_chain& chain, const radix_plan& plan, const Keys& keys, const temporary<T>& memory,
                  bool from_memory, unsigned shift, const temporary<std::uint64_t>& counts) {
  chain.submit([&](sycl::handler& h) {
    const auto sides = bind_sides(h, keys, memory, from_memory);
    const auto all_counts = bind(h, counts);
    for_parts(h, plan.parts, chunk_group(chain.on()), [=](std::size_t part) {
      const auto from = sides.source();
      std::uint64_t* count = all_counts.open() + part * digits;
      for (std::size_t d = 0; d < digits; ++d) count[d] = 0;
      const std::size_t end = std::min(plan.n, (part + 1) * plan.length);
      for (std::size_t i = part * plan.length; i < end; ++i) ++count[digit_of(from[i], shift, plan.flip)];
    });
  });
}

/// Turns counts into the number of keys with the digit in earlier chunks. The total for all chunks follows
/// them.
inline void place_digits(command_chain& chain, const radix_plan& plan,
                         const temporary<std::uint64_t>& counts) {
  chain.submit([&](sycl::handler& h) {
    const auto all_counts = bind(h, counts);
    for_parts(h, digits, chunk_group(chain.on()), [=](std::size_t d) {
      std::uint64_t *count = all_counts.open() + d, sum = 0;
      for (std::size_t part = 0; part <= plan.parts; ++part) {
        const std::uint64_t own = count[part * digits];
        count[part * digits] = sum;
        sum += own;
      }
    });
  });
}

template <typename Keys, typename T, typename Values, typename V>
void move_by_digits(command_chain& chain, const radix_plan& plan, const Keys& keys,
                    const temporary<T>& key_memory, const Values& values, const V& value_memory,
                    bool from_memory, unsigned shift, const temporary<std::uint64_t>& counts) {
  chain.submit([&](sycl::handler& h) {
    const auto key_sides = bind_sides(h, keys, key_memory, from_memory);
    const auto value_sides = bind_sides(h, values, value_memory, from_memory);
    const auto all_counts = bind(h, counts);
    for_parts(h, plan.parts, chunk_group(chain.on()), [=](std::size_t part) {
      const auto from = key_sides.source();
      const auto to = key_sides.target();
      const auto values_from = value_sides.source();
      const auto values_to = value_sides.target();
      std::uint64_t *place = all_counts.open() + part * digits, before = 0;
      const std::uint64_t* totals = all_counts.open() + plan.parts * digits;
      for (std::size_t d = 0; d < digits; ++d) {
        place[d] += before;
        before += totals[d];
      }
      const std::size_t end = std::min(plan.n, (part + 1) * plan.length);
      for (std::size_t i = part * plan.length; i < end; ++i) {
        const T key = from[i];
        const std::size_t at = place[digit_of(key, shift, plan.flip)]++;
        to[at] = key;
        if constexpr (!std::is_same_v<V, no_values>) values_to[at] = values_from[i];
      }
    });
  });
}

template <typename Keys, typename T>
void copy_back(command_chain& chain, std::size_t n, const Keys& keys, const temporary<T>& memory) {
  chain.submit([&](sycl::handler& h) {
    const auto to = bind(h, keys);
    const auto from = bind(h, memory);
    h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { to.open()[i] = from.open()[i]; });
  });
}
inline void copy_back(command_chain&, std::size_t, const no_values&, const no_values&) {}

template <typename T, typename Place>
temporary<T> memory_like(command_chain& chain, const vector_view<T, Place>& view) {
  return chain.memory().template take<T>(view.size);
}
inline no_values memory_like(command_chain&, const no_values&) { return {}; }

template <typename T, typename Place, typename Values>
void radix_sort(command_chain& chain, const vector_view<T, Place>& keys, const Values& values,
                bool descending) {
  if (keys.size < 2) return;
  const radix_plan plan = plan_radix(chain.on(), keys.size, descending);
  const temporary<T> key_memory = memory_like(chain, keys);
  const auto value_memory = memory_like(chain, values);
  const auto counts = chain.memory().template take<std::uint64_t>((plan.parts + 1) * digits);
  bool from_memory = false;
  for (unsigned shift = 0; shift < 8 * sizeof(T); shift += 8, from_memory = !from_memory) {
    count_digits(chain, plan, keys, key_memory, from_memory, shift, counts);
    place_digits(chain, plan, counts);
    move_by_digits(chain, plan, keys, key_memory, values, value_memory, from_memory, shift, counts);
  }
  if (!from_memory) return;
  copy_back(chain, keys.size, keys, key_memory);
  copy_back(chain, keys.size, values, value_memory);
}

} // namespace detail
} // namespace prism::primitives
