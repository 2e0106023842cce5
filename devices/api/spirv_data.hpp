// Constant data of a Vulkan SPIR-V image, stored inside the module where drivers ignore it: the texts of its
// OpStrings that begin with `mark`, in order, six bits a character. The backend copies the bytes to device
// memory once for each program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prism::image::spirv_data {

inline constexpr std::string_view mark = "prism.data:";
inline constexpr std::size_t most_bytes = 3 * 16000; // of one text: an instruction has at most 65,535 words
inline constexpr char first_character = '0';         // '0'..'o'

/// The texts for these bytes.
inline std::vector<std::string> texts_of(std::span<const std::uint8_t> bytes) {
  std::vector<std::string> texts;
  for (std::size_t begin = 0; begin < bytes.size(); begin += most_bytes) {
    const auto part =
        bytes.subspan(begin, bytes.size() - begin < most_bytes ? bytes.size() - begin : most_bytes);
    std::string& text = texts.emplace_back(mark);
    std::uint32_t pending = 0;
    unsigned bits = 0;
    for (const std::uint8_t byte : part) {
      pending |= std::uint32_t{byte} << bits;
      for (bits += 8; bits >= 6; bits -= 6, pending >>= 6)
        text += static_cast<char>(first_character + (pending & 63));
    }
    if (bits != 0) text += static_cast<char>(first_character + (pending & 63));
  }
  return texts;
}

/// Appends the bytes of a text; false if the text does not begin with `mark` or has other characters.
inline bool add_bytes(std::string_view text, std::vector<std::uint8_t>& bytes) {
  if (!text.starts_with(mark)) return false;
  std::uint32_t pending = 0;
  unsigned bits = 0;
  for (const char character : text.substr(mark.size())) {
    const int value = character - first_character;
    if (value < 0 || value > 63) return false;
    pending |= static_cast<std::uint32_t>(value) << bits;
    bits += 6;
    if (bits < 8) continue;
    bytes.push_back(static_cast<std::uint8_t>(pending & 255));
    pending >>= 8;
    bits -= 8;
  }
  return true;
}

} // namespace prism::image::spirv_data
