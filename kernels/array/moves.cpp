// Bodies of moves.hpp.
#include "kernels/array/moves.hpp"

#include <prism/array/number.hpp>
#include <prism/primitives/histogram.hpp>
#include <prism/primitives/sort.hpp>
#include <prism/primitives/top_k.hpp>
#include <sycl/detail/direct.hpp>

namespace prism::array_detail {
namespace {

constexpr std::int64_t most_copied = 4 << 20, // bytes that the caller waits for: 0.1 to 0.2 ms
    most_alone = 1 << 17;                     // bytes that the calling thread copies alone: 5 us

struct sixteen_bytes {
  std::uint64_t low, high;
};

template <typename Use>
void with_bytes(std::size_t bytes, const Use& use) {
  switch (bytes) {
    case 1: return use(std::uint8_t{});
    case 2: return use(std::uint16_t{});
    case 4: return use(std::uint32_t{});
    case 8: return use(std::uint64_t{});
    default: return use(sixteen_bytes{});
  }
}

template <typename Body>
void for_each(device_state& device, std::int64_t count, const Body& body) {
  const std::lock_guard guard(device.lock);
  if (count == 0) return;
  device.busy = true;
  device.queue.parallel_for(sycl::range<1>(std::size_t(count)), body);
}

/// The bits of a number, so that they compare as the number does (Herf 2001, "Radix tricks").
template <typename Bits, typename Real>
std::uint64_t key_of_real(Real x) {
  constexpr Bits top = Bits(1) << (sizeof(Bits) * 8 - 1);
  if (x != x) return ~std::uint64_t(0);
  const Bits bits = x == 0 ? Bits(0) : sycl::bit_cast<Bits>(x);
  return std::uint64_t(bits & top ? Bits(~bits) : Bits(bits | top));
}

template <typename E>
std::uint64_t key_of(E x) {
  if constexpr (std::is_same_v<E, float>) return key_of_real<std::uint32_t>(x);
  else if constexpr (std::is_same_v<E, double>) return key_of_real<std::uint64_t>(x);
  else if constexpr (std::is_signed_v<E>) return std::uint64_t(std::int64_t(x)) ^ (std::uint64_t(1) << 63);
  else return std::uint64_t(x);
}

template <typename E>
void keys_as(device_state& device, const void* from, std::uint64_t* keys, std::int64_t count,
             bool descending) {
  const E* data = static_cast<const E*>(from);
  const std::uint64_t turned = descending ? ~std::uint64_t(0) : 0;
  for_each(device, count, [=](sycl::id<1> i) { keys[i[0]] = key_of(data[i[0]]) ^ turned; });
}

} // namespace

void run_gather(device_state& device, const void* from, const std::int64_t* positions, void* to,
                std::int64_t count, std::size_t bytes) {
  with_bytes(bytes, [&](auto element) {
    using E = decltype(element);
    const E* in = static_cast<const E*>(from);
    E* out = static_cast<E*>(to);
    for_each(device, count, [=](sycl::id<1> i) { out[i[0]] = in[positions[i[0]]]; });
  });
}

void run_gather_rows(device_state& device, const void* from, const std::int64_t* positions, void* to,
                     std::int64_t count, std::int64_t row, std::size_t bytes) {
  with_bytes(bytes, [&](auto element) {
    using E = decltype(element);
    const E* in = static_cast<const E*>(from);
    E* out = static_cast<E*>(to);
    const std::lock_guard guard(device.lock);
    const std::int64_t copied = count * row * std::int64_t(bytes);
    const bool is_small = copied <= most_alone;
    if (!device.busy && copied <= most_copied &&
        sycl::detail::run_parts(device.queue, is_small ? 1 : std::uint64_t(count),
                                [=](std::uint64_t begin, std::uint64_t end) {
      for (auto i = std::int64_t(begin); i < (is_small ? count : std::int64_t(end)); ++i)
        std::copy_n(in + positions[i], row, out + i * row);
    }))
      return;
    device.busy = true;
    device.queue.parallel_for(sycl::range<2>(std::size_t(count), std::size_t(row)), [=](sycl::id<2> at) {
      const auto i = std::int64_t(at[0]), k = std::int64_t(at[1]);
      out[i * row + k] = in[positions[i] + k];
    });
  });
}

void run_scatter(device_state& device, const void* from, const std::int64_t* positions, void* to,
                 std::int64_t count, std::size_t bytes) {
  with_bytes(bytes, [&](auto element) {
    using E = decltype(element);
    const E* in = static_cast<const E*>(from);
    E* out = static_cast<E*>(to);
    for_each(device, count, [=](sycl::id<1> i) { out[positions[i[0]]] = in[i[0]]; });
  });
}

void run_compact(device_state& device, const std::uint8_t* mask, const std::int64_t* ends,
                 std::int64_t* positions, std::int64_t count) {
  for_each(device, count, [=](sycl::id<1> i) {
    if (mask[i[0]]) positions[ends[i[0]] - 1] = std::int64_t(i[0]);
  });
}

void run_keys(device_state& device, const void* from, dtype type, std::uint64_t* keys, std::int64_t count,
              bool descending) {
  const auto as = [&](auto element) { keys_as<decltype(element)>(device, from, keys, count, descending); };
  switch (type) {
    case dtype::int8: return as(std::int8_t{});
    case dtype::int16: return as(std::int16_t{});
    case dtype::int32: return as(std::int32_t{});
    case dtype::int64: return as(std::int64_t{});
    case dtype::boolean:
    case dtype::uint8: return as(std::uint8_t{});
    case dtype::uint16: return as(std::uint16_t{});
    case dtype::uint32: return as(std::uint32_t{});
    case dtype::uint64: return as(std::uint64_t{});
    case dtype::float32: return as(float{});
    case dtype::float64: return as(double{});
    default: refuse(std::string("elements of type ") + name_of(type) + " have no order");
  }
}

void run_sort(device_state& device, std::uint64_t* keys, std::int64_t* places, std::int64_t count) {
  const std::lock_guard guard(device.lock);
  device.busy = true;
  primitives::sort_by_key(device.queue, vector_view<std::uint64_t>(keys, std::size_t(count)),
                          vector_view<std::int64_t>(places, std::size_t(count)));
}

void run_topk(device_state& device, const std::uint64_t* keys, std::int64_t count, std::uint64_t* least,
              std::int64_t* places, std::int64_t k) {
  const std::lock_guard guard(device.lock);
  device.busy = true;
  primitives::top_k(device.queue, vector_view<const std::uint64_t>(keys, std::size_t(count)),
                    vector_view<std::uint64_t>(least, std::size_t(k)),
                    vector_view<std::int64_t>(places, std::size_t(k)), std::less<>());
}

void run_bincount(device_state& device, const std::int64_t* numbers, std::int64_t n, std::int64_t* counts,
                  std::int64_t count) {
  const std::lock_guard guard(device.lock);
  device.busy = true;
  primitives::bincount(device.queue, vector_view<const std::int64_t>(numbers, std::size_t(n)),
                       vector_view<std::int64_t>(counts, std::size_t(count)));
}

void run_histogram(device_state& device, dtype type, const void* from, std::int64_t n, const void* edges,
                   std::int64_t* counts, std::int64_t bins, bool is_even) {
  const std::lock_guard guard(device.lock);
  device.busy = true;
  const auto as = [&]<typename E>(E) {
    const vector_view<const E> in(static_cast<const E*>(from), std::size_t(n)),
        bounds(static_cast<const E*>(edges), std::size_t(bins + 1));
    const vector_view<std::int64_t> out(counts, std::size_t(bins));
    if constexpr (std::is_floating_point_v<E>)
      if (is_even) return (void)primitives::histogram_spaced(device.queue, in, bounds, out);
    primitives::histogram_bounds(device.queue, in, bounds, out);
  };
  if (type == dtype::float32) as(float());
  else if (type == dtype::float64) as(double());
  else as(std::int64_t());
}

void run_search(device_state& device, const std::uint64_t* sorted, std::int64_t extent,
                const std::uint64_t* values, std::int64_t* places, std::int64_t count, bool right) {
  for_each(device, count, [=](sycl::id<1> i) {
    const std::uint64_t value = values[i[0]];
    std::int64_t low = 0, high = extent;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (right ? sorted[middle] <= value : sorted[middle] < value) low = middle + 1;
      else high = middle;
    }
    places[i[0]] = low;
  });
}

} // namespace prism::array_detail
