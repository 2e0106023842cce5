// Bodies of host_order.hpp.
#include "kernels/array/host_order.hpp"

#include <prism/array/number.hpp>

#include <sycl/sycl.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

namespace prism::array_detail {

namespace {

/// Calls `use` with an element of a type that has an order.
template <typename Use>
void with_ordered(dtype type, const Use& use) {
  switch (type) {
    case dtype::boolean:
    case dtype::uint8: return use(std::uint8_t());
    case dtype::int8: return use(std::int8_t());
    case dtype::int16: return use(std::int16_t());
    case dtype::int32: return use(std::int32_t());
    case dtype::int64: return use(std::int64_t());
    case dtype::uint16: return use(std::uint16_t());
    case dtype::uint32: return use(std::uint32_t());
    case dtype::uint64: return use(std::uint64_t());
    case dtype::float32: return use(float());
    case dtype::float64: return use(double());
    default: refuse(std::string("elements of type ") + name_of(type) + " have no order");
  }
}

/// Copies the numbers, and behind them or in front of them the NaN. Returns how many numbers there are.
template <typename E>
std::int64_t copy_numbers(const E* from, std::int64_t n, E* to, bool nan_first) {
  if constexpr (!std::is_floating_point_v<E>) return std::copy(from, from + n, to) - to;
  else {
    const auto is_number = [](E x) { return x == x; };
    const std::int64_t numbers = std::count_if(from, from + n, is_number);
    std::copy_if(from, from + n, to + (nan_first ? n - numbers : 0), is_number);
    std::remove_copy_if(from, from + n, to + (nan_first ? 0 : numbers), is_number);
    return numbers;
  }
}

template <typename E>
using order_key =
    std::conditional_t<sizeof(E) == 1, std::uint8_t,
                       std::conditional_t<sizeof(E) == 2, std::uint16_t,
                                          std::conditional_t<sizeof(E) == 4, std::uint32_t, std::uint64_t>>>;
template <typename E>
constexpr auto top_bit = order_key<E>(order_key<E>(1) << (8 * sizeof(E) - 1));

/// A number without a sign that has the order of x, where -0 is below 0.
template <typename E>
order_key<E> key_of(E x) {
  using key = order_key<E>;
  const key bits = std::bit_cast<key>(x);
  if constexpr (std::is_floating_point_v<E>)
    return key(bits ^ (key(0 - (bits >> (8 * sizeof(E) - 1))) | top_bit<E>));
  else return std::is_signed_v<E> ? key(bits ^ top_bit<E>) : bits;
}
template <typename E>
E of_key(order_key<E> k) {
  using key = order_key<E>;
  if constexpr (std::is_floating_point_v<E>)
    return std::bit_cast<E>(key(k ^ (key((k >> (8 * sizeof(E) - 1)) - 1) | top_bit<E>)));
  else return std::bit_cast<E>(std::is_signed_v<E> ? key(k ^ top_bit<E>) : k);
}

/// Sorts by one byte after the other, the lowest one first (Knuth, "The Art of Computer Programming" 3,
/// 5.2.5), by as many bytes as the keys' distances have. Returns where the keys are then: in `keys` or in
/// `spare`.
template <typename Key>
Key* sort_keys(Key* keys, Key* spare, std::int64_t n) {
  Key least = keys[0], most = keys[0];
  for (std::int64_t i = 0; i < n; ++i) {
    least = std::min(least, keys[i]);
    most = std::max(most, keys[i]);
  }
  int bytes = 0;
  for (auto distance = std::uint64_t(most - least); distance != 0; distance >>= 8) ++bytes;
  std::uint32_t places[sizeof(Key)][256];
  std::memset(places, 0, sizeof places[0] * std::size_t(bytes));
  for (std::int64_t i = 0; i < n; ++i) keys[i] = Key(keys[i] - least);
  const auto count = [&](auto of) {
    for (std::int64_t i = 0; i < n; ++i)
      for (int b = 0; b < of; ++b) ++places[b][keys[i] >> (8 * b) & 255];
  };
  if (bytes == int(sizeof(Key))) count(std::integral_constant<int, sizeof(Key)>());
  else count(bytes);
  for (int b = 0; b < bytes; ++b) {
    std::uint32_t* const place = places[b];
    for (std::uint32_t at = 0, before = 0; at < 256; ++at) before += std::exchange(place[at], before);
    for (std::int64_t i = 0; i < n; ++i) spare[place[keys[i] >> (8 * b) & 255]++] = keys[i];
    std::swap(keys, spare);
  }
  for (std::int64_t i = 0; i < n; ++i) keys[i] = Key(keys[i] + least);
  return keys;
}

/// Writes the zeros of sorted numbers in the order that they have among the given ones.
template <typename E>
void restore_zeros(const E* given, std::int64_t n, E* sorted, std::int64_t count, bool descending) {
  E* to = descending ? std::lower_bound(sorted, sorted + count, E(0), std::greater<E>())
                     : std::lower_bound(sorted, sorted + count, E(0));
  for (std::int64_t i = 0; i < n; ++i)
    if (given[i] == 0) *to++ = given[i];
}

/// Longer rows are sorted by bytes.
template <typename E>
constexpr std::int64_t fewest_of_bytes = 32 * sizeof(E);

/// `keys` has room for 2 n keys, or is null for short rows.
template <typename E>
void sort_row(const E* from, std::int64_t n, E* to, order_key<E>* keys, bool descending) {
  std::int64_t others = 0, negative_zeros = 0; // NaN; -0
  if constexpr (std::is_floating_point_v<E>)
    for (std::int64_t i = 0; i < n; ++i) {
      others += from[i] != from[i];
      negative_zeros += std::bit_cast<order_key<E>>(from[i]) == top_bit<E>;
    }
  const std::int64_t count = n - others;
  E* const numbers = descending ? to + others : to;
  const bool is_short = !keys || count == 0;
  if (is_short || others > 0) copy_numbers(from, n, to, descending);
  if (is_short) {
    if (descending) std::stable_sort(numbers, numbers + count, std::greater<E>());
    else std::stable_sort(numbers, numbers + count);
    return;
  }
  const E* const given = others > 0 ? numbers : from;
  const auto turned = order_key<E>(descending ? ~order_key<E>(0) : order_key<E>(0));
  for (std::int64_t i = 0; i < count; ++i) keys[i] = order_key<E>(key_of(given[i]) ^ turned);
  const order_key<E>* const sorted = sort_keys(keys, keys + n, count);
  for (std::int64_t i = 0; i < count; ++i) numbers[i] = of_key<E>(order_key<E>(sorted[i] ^ turned));
  if (negative_zeros > 0) restore_zeros(from, n, numbers, count, descending);
}

/// The elements with these places, which ascend, among the numbers of `all`, which it reorders.
template <typename E>
void select_in_turn(std::vector<E>& all, const std::vector<std::int64_t>& ranks, std::int64_t first,
                    std::vector<E>& out) {
  auto begin = all.begin();
  for (const std::int64_t rank : ranks) {
    const auto place = all.begin() + (rank - first);
    if (place >= begin) std::nth_element(begin, place, all.end());
    out.push_back(*place);
    begin = place + 1;
  }
}

/// Selects by a sample, whose order bounds the elements with these places (Floyd, Rivest, "Expected time
/// bounds for selection", 1975). Returns false if the bounds do not hold or do not help.
template <typename E>
bool select_by_sample(const E* from, std::int64_t n, const std::vector<std::int64_t>& ranks,
                      std::vector<E>& out) {
  constexpr std::int64_t size = 4096, margin = 192; // three times the root of the size
  if (n < 16 * size) return false;
  std::vector<E> sample(size);
  for (std::int64_t i = 0; i < size; ++i) sample[std::size_t(i)] = from[i * n / size];
  std::sort(sample.begin(), sample.end());
  const auto bound = [&](std::int64_t rank, std::int64_t by) {
    return sample[std::size_t(std::clamp<std::int64_t>(rank * size / n + by, 0, size - 1))];
  };
  const std::int64_t least = ranks.front() * size / n - margin, most = ranks.back() * size / n + margin;
  const E low = least < 0 ? std::numeric_limits<E>::lowest() : bound(ranks.front(), -margin),
          high = most >= size ? std::numeric_limits<E>::max() : bound(ranks.back(), margin);
  std::vector<E> between(std::size_t(n / 8 + 1));
  std::int64_t below = 0, found = 0;
  const auto room = std::int64_t(between.size()) - 1; // the last one takes what is not meant
  for (std::int64_t i = 0; i < n; ++i) {
    const E x = from[i];
    below += x < low;
    between[std::size_t(found)] = x;
    found += (x >= low) & (x <= high) & (found < room);
  }
  if (found >= room || ranks.front() < below || ranks.back() >= below + found) return false;
  between.resize(std::size_t(found));
  select_in_turn(between, ranks, below, out);
  return true;
}

/// The work-items of a launch over so many parts.
template <typename Body>
void for_each_part(device_state& device, std::int64_t parts, const Body& body) {
  const std::lock_guard guard(device.lock);
  device.busy = true;
  device.queue.parallel_for(sycl::nd_range<1>(std::size_t(parts), 1),
                            [=](sycl::nd_item<1> item) { body(std::int64_t(item.get_global_id(0))); });
}

} // namespace

void sort_rows_on_host(device_state& device, dtype type, const void* from, void* to, std::int64_t rows,
                       std::int64_t n, bool descending) {
  with_ordered(type, [&]<typename E>(E) {
    const auto* const in = static_cast<const E*>(from);
    auto* const out = static_cast<E*>(to);
    const std::int64_t each = std::max<std::int64_t>(1, 4096 / n); // rows of a work-item
    for_each_part(device, (rows + each - 1) / each, [=](std::int64_t part) {
      using key = order_key<E>;
      const std::unique_ptr<key[]> keys(n > fewest_of_bytes<E> ? new key[2 * std::size_t(n)] : nullptr);
      for (std::int64_t r = part * each; r < std::min(rows, (part + 1) * each); ++r)
        sort_row(in + r * n, n, out + r * n, keys.get(), descending);
    });
  });
}

void find_ranks_on_host(dtype type, const void* from, std::int64_t count, const std::int64_t* ranks,
                        std::int64_t rank_count, void* to) {
  with_ordered(type, [&]<typename E>(E) {
    const auto* in = static_cast<const E*>(from);
    std::vector<std::int64_t> asked(ranks, ranks + rank_count);
    std::sort(asked.begin(), asked.end());
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
    std::vector<E> numbers, found;
    std::int64_t of_numbers = count;
    if (std::is_floating_point_v<E> && std::any_of(in, in + count, [](E x) { return x != x; })) {
      numbers.resize(std::size_t(count));
      of_numbers = copy_numbers(in, count, numbers.data(), false);
      in = numbers.data();
    }
    std::vector<std::int64_t> inside = asked;
    inside.erase(std::lower_bound(inside.begin(), inside.end(), of_numbers), inside.end());
    if (!inside.empty() && !select_by_sample(in, of_numbers, inside, found)) {
      std::vector<E> all(in, in + of_numbers);
      select_in_turn(all, inside, 0, found);
    }
    found.resize(asked.size(), std::numeric_limits<E>::quiet_NaN());
    auto* const out = static_cast<E*>(to);
    for (std::int64_t i = 0; i < rank_count; ++i)
      out[i] = found[std::size_t(std::lower_bound(asked.begin(), asked.end(), ranks[i]) - asked.begin())];
  });
}

std::int64_t count_mask_on_host(const std::uint8_t* mask, std::int64_t count, std::int64_t* before) {
  std::int64_t total = 0;
  for (std::int64_t begin = 0; begin < count; begin += mask_block) {
    const std::int64_t end = std::min(count, begin + mask_block);
    std::int32_t found = 0;
    for (std::int64_t i = begin; i < end; ++i) found += mask[i] != 0;
    *before++ = total;
    total += found;
  }
  *before = total;
  return total;
}

void list_mask_on_host(device_state& device, const std::uint8_t* mask, std::int64_t count,
                       const std::int64_t* before, std::int64_t* positions) {
  for_each_part(device, blocks_of_mask(count), [=](std::int64_t part) {
    std::int64_t at = before[part], i = part * mask_block;
    for (const std::int64_t end = before[part + 1]; at < end;
         ++i) { // without a branch that depends on the mask
      positions[at] = i;
      at += mask[i] != 0;
    }
  });
}

} // namespace prism::array_detail
