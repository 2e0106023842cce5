// Converts values and configurations to text and JSON, the form in which the database stores them. Pure.
#pragma once

#include <prism/tuner.hpp>

namespace prism::tuning {

std::string to_text(const parameter_value& value);
/// Returns JSON such as {"group":64,"style":"tree"}. The names are sorted, so equal configurations have equal
/// text.
std::string to_json(const configuration& c);
/// Returns a configuration; empty if the text cannot be parsed.
std::optional<configuration> configuration_from_json(const std::string& text);

/// Throws sycl::exception with errc::invalid and this text.
[[noreturn]] inline void refuse(const std::string& what) {
  throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), what);
}

} // namespace prism::tuning
