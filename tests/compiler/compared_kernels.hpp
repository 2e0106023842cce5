// What the tests of kernels share: their fixture, which compares a driver with the host, and their data.
#pragma once

#include "tests/compiler/runner.hpp"

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace prism::test {

inline std::size_t id() { return __prism_group_id(0) * __prism_local_size(0) + __prism_local_id(0); }
inline std::size_t lid() { return __prism_local_id(0); }

class compared_kernels : public testing::TestWithParam<std::string> {
protected:
  template <class Name, class F>
  void same(const F& kernel, launch how) {
    const std::string result = compare<Name>(GetParam(), kernel, how);
    if (result.rfind("skipped", 0) == 0) GTEST_SKIP() << result;
    EXPECT_EQ(result, "");
  }
};

template <class T>
std::vector<T> filled(std::size_t count, unsigned seed = 1) {
  std::vector<T> values(count);
  std::uint32_t state = seed * 2654435761u + 12345u;
  for (T& value : values) {
    state = state * 1664525u + 1013904223u;
    if constexpr (std::is_floating_point_v<T>)
      value = static_cast<T>(static_cast<std::int32_t>(state >> 8) % 20000 - 10000) / T(64);
    else value = static_cast<T>((std::uint64_t(state) << 29) ^ state ^ (state >> 7));
  }
  return values;
}

template <class T>
array bytes_of(std::vector<T>& v) {
  return {v.data(), v.size() * sizeof(T)};
}

inline constexpr std::size_t items = 128;

} // namespace prism::test
