// Constant data of an OpenCL C image whose constants are too large for the driver's constant memory: comments
// behind the kernel, in the characters of spirv_data.hpp. The backend copies the bytes to device memory once
// for each program.
#pragma once

#include "devices/api/spirv_data.hpp"

namespace prism::image::opencl_data {

/// The least that a device of the full profile has for constants (CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE).
inline constexpr std::size_t most_constant_bytes = 65536;

inline constexpr std::string_view begin_of_line = "\n//";
/// After the data, whose last character may be a backslash.
inline constexpr std::string_view end_of_line = " .";

/// The comments for these bytes.
inline std::string text_of(std::span<const std::uint8_t> bytes) {
  std::string out;
  for (const std::string& text : spirv_data::texts_of(bytes))
    out.append(begin_of_line).append(text).append(end_of_line);
  return out.empty() ? out : out + "\n";
}

/// The bytes of an image's comments; empty if it has none.
inline std::vector<std::uint8_t> bytes_of(std::string_view image) {
  std::vector<std::uint8_t> bytes;
  const std::string mark = std::string(begin_of_line) + std::string(spirv_data::mark);
  for (std::size_t at = image.find(mark); at != std::string_view::npos; at = image.find(mark, at)) {
    at += begin_of_line.size();
    const std::string_view line = image.substr(at, image.find(end_of_line, at) - at);
    if (!spirv_data::add_bytes(line, bytes)) return {};
    at += line.size();
  }
  return bytes;
}

} // namespace prism::image::opencl_data
