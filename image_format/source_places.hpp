// The source location of a kernel, and the program's line for each line of its OpenCL C texts. For messages:
// a driver that refuses a text names the text's line. A kernel's record carries them as one more image, of a
// kind that no device accepts. Hashes of images leave it out, because code that moves within its file is the
// same program.
//
// The data is text, so that it is readable in a record: the first line is the kernel's location. For each
// OpenCL C image a line with its kind's number and a colon follows, and then a line "TEXT_LINE LOCATION"
// wherever the location changes.
#pragma once

#include "devices/api/image.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace prism::image_format {

/// The lines of the text from this one on (from 1), up to the next entry's, come from "file.cpp:12".
using text_places = std::vector<std::pair<std::uint32_t, std::string>>;

/// The lines of one image in the text form.
inline std::string lines_of(image::kind kind, const text_places& places) {
  std::string text = std::to_string(static_cast<std::uint32_t>(kind)) + ":\n";
  for (const auto& [line, place] : places) text += std::to_string(line) + " " + place + "\n";
  return text;
}

/// The kernel's location in a record, "file.cpp:7"; empty if it has none.
std::string_view place_of_kernel(const image::kernel_record& record);

/// The program's line for a line of an image's text; empty if it is unknown.
std::string_view place_of_line(const image::kernel_record& record, image::kind kind, std::uint32_t text_line);

/// The line that the first error in a compiler's log names, as "FILE:LINE:COLUMN:" before or after the word
/// "error"; 0 if it names none.
std::uint32_t first_error_line(std::string_view log);

/// The end of a message about a build that failed with this log; empty if no location is known.
std::string cited_places(const image::kernel_record& record, image::kind kind, std::string_view log);

} // namespace prism::image_format
