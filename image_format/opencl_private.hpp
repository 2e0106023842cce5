// What an OpenCL C text of compiler/opencl says about private memory. Pure; for backends whose driver does
// not say it.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

namespace prism::image_format {

/// Bytes of a work-item's arrays in all functions of the text, each declared as `ulong NAME_m[COUNT]`.
inline std::uint64_t private_array_bytes(std::string_view text) {
  constexpr std::string_view begin = "\n  ulong ", after_name = "_m[";
  std::uint64_t sum = 0;
  for (std::size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
    const std::string_view line = text.substr(at + begin.size(), text.find('\n', at + 1) - at - begin.size());
    const std::size_t count_at = line.find(after_name);
    if (count_at == line.npos || line.find_first_of(" =;") < count_at) continue;
    std::uint64_t count = 0;
    const std::string_view digits = line.substr(count_at + after_name.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), count);
    sum += count * 8;
  }
  return sum;
}

} // namespace prism::image_format
