#include "image_format/source_places.hpp"

#include <charconv>

namespace prism::image_format {

namespace {

std::string_view carried_text(const image::kernel_record& record) {
  for (std::uint32_t i = 0; i < record.image_count; ++i) {
    const image::kernel_image& each = record.images[i];
    if (each.image_kind == image::source_places_kind && each.data != nullptr)
      return {static_cast<const char*>(each.data), static_cast<std::size_t>(each.size)};
  }
  return {};
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return line;
}

/// The number that `text` begins with, which is taken off; 0 where there is none.
std::uint32_t take_number(std::string_view& text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text = text.substr(static_cast<std::size_t>(end - text.data()));
  return error == std::errc() ? number : 0;
}

} // namespace

std::string_view place_of_kernel(const image::kernel_record& record) {
  std::string_view text = carried_text(record);
  return take_line(text);
}

std::string_view place_of_line(const image::kernel_record& record, image::kind kind,
                               std::uint32_t text_line) {
  std::string_view text = carried_text(record), found;
  take_line(text); // the kernel's
  bool is_of_kind = false;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::uint32_t number = take_number(line);
    if (line == ":") is_of_kind = number == static_cast<std::uint32_t>(kind);
    else if (is_of_kind && number <= text_line && !line.empty()) found = line.substr(1);
  }
  return found;
}

std::uint32_t first_error_line(std::string_view log) {
  while (!log.empty()) {
    const std::string_view said = take_line(log);
    if (said.find("error") == std::string_view::npos) continue;
    for (std::size_t colon = said.find(':'); colon != std::string_view::npos;
         colon = said.find(':', colon + 1)) {
      std::string_view left = said.substr(colon + 1);
      const std::uint32_t line = take_number(left);
      if (line == 0 || !left.starts_with(':')) continue;
      left.remove_prefix(1);
      if (take_number(left) != 0 && left.starts_with(':')) return line;
    }
  }
  return 0;
}

std::string cited_places(const image::kernel_record& record, image::kind kind, std::string_view log) {
  const std::string_view kernel = place_of_kernel(record);
  if (kernel.empty()) return {};
  std::string text = "\nThe kernel is at " + std::string(kernel);
  const std::uint32_t line = first_error_line(log);
  const std::string_view place = line != 0 ? place_of_line(record, kind, line) : std::string_view();
  if (!place.empty())
    text += "; line " + std::to_string(line) + " of what it was compiled to comes from " + std::string(place);
  return text;
}

} // namespace prism::image_format
