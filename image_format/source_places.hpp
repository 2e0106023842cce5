// Where in the program a kernel is, and which of its lines each line of an OpenCL C text comes from: carried
// in a kernel's record as one more image, of a kind that no device accepts and that no hash of images counts
// (text that moves down in its file is the same program). For messages: a driver that refuses a text names
// the text's line.
//
// As text, so that a record can be read by eye: the kernel's place in the first line, then for each OpenCL C
// image its kind's number with a colon, and a line "TEXT_LINE PLACE" wherever the place changes.
#pragma once

#include "devices/api/image.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace prism::image_format {

/// From this line of the text on (from 1), up to the next entry's, it comes from "file.cpp:12".
using text_places = std::vector<std::pair<std::uint32_t, std::string>>;

/// The lines of one image for the carried text.
inline std::string lines_of(image::kind kind, const text_places& places) {
  std::string text = std::to_string(static_cast<std::uint32_t>(kind)) + ":\n";
  for (const auto& [line, place] : places) text += std::to_string(line) + " " + place + "\n";
  return text;
}

/// The kernel's place in a record, "file.cpp:7"; empty where it has none.
std::string_view place_of_kernel(const image::kernel_record& record);

/// The program's line behind a line of an image's text; empty where that is not known.
std::string_view place_of_line(const image::kernel_record& record, image::kind kind, std::uint32_t text_line);

/// The line that the first error in a compiler's log names, as "FILE:LINE:COLUMN:" in front of or behind the
/// word; 0 where none is named.
std::uint32_t first_error_line(std::string_view log);

/// For the end of a message about a build that failed with this log; empty where nothing is known.
std::string cited_places(const image::kernel_record& record, image::kind kind, std::string_view log);

} // namespace prism::image_format
