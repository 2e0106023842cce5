// Shuffles, folds and scans inside one sub-group, for every device-copyable type. All work-items of the sub-group must
// call these together; the loops run as often in each of them. Combinations keep the order of the lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <sycl/detail/kernel_abi.hpp>
#include <sycl/device_copyable.hpp>

namespace sycl { inline namespace _V1 { namespace detail {

/// `value` of the work-item `lane`; unspecified when there is none. Larger types travel as 64-bit words.
template <typename T>
inline T shuffle(const T& value, std::uint32_t lane) noexcept {
  static_assert(is_device_copyable_v<T>, "only values of device-copyable types pass between work-items");
  T result = value;
  if constexpr (sizeof(T) <= 4) {
    std::uint32_t word = 0;
    __builtin_memcpy(&word, &value, sizeof(T));
    word = __prism_sub_group_shuffle_i32(word, lane);
    __builtin_memcpy(static_cast<void*>(&result), &word, sizeof(T));
  } else {
    constexpr std::size_t words = (sizeof(T) + 7) / 8;
    std::uint64_t block[words] = {};
    __builtin_memcpy(block, &value, sizeof(T));
    for (std::size_t i = 0; i < words; ++i) block[i] = __prism_sub_group_shuffle_i64(block[i], lane);
    __builtin_memcpy(static_cast<void*>(&result), block, sizeof(T));
  }
  return result;
}

/// All values combined, given to lane 0; other lanes receive the combination of their own and later values.
template <typename T, typename Combine>
inline T fold_to_first_lane(T value, Combine combine) {
  const std::uint32_t lane = __prism_sub_group_local_id(), lanes = __prism_sub_group_local_size();
  for (std::uint32_t step = 1; step < __prism_sub_group_size(); step *= 2) {
    const T later = shuffle(value, lane + step);
    if (lane + step < lanes) value = combine(value, later);
  }
  return value;
}
template <typename T, typename Combine>
inline T sub_group_fold(const T& value, Combine combine) {
  return shuffle(fold_to_first_lane(value, combine), 0);
}

/// Inclusive scan.
template <typename T, typename Combine>
inline T sub_group_scan(T value, Combine combine) {
  const std::uint32_t lane = __prism_sub_group_local_id();
  for (std::uint32_t step = 1; step < __prism_sub_group_size(); step *= 2) {
    const T earlier = shuffle(value, lane - step);
    if (lane >= step) value = combine(earlier, value);
  }
  return value;
}

}}} // namespace sycl::_V1::detail
