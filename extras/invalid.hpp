// The error for invalid arguments of functions of prism/*.
#pragma once

#include <string>
#include <sycl/exception.hpp>

namespace prism {

/// Throws sycl::exception with errc::invalid and this text.
[[noreturn]] inline void invalid(const std::string& text) {
  throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), text);
}

} // namespace prism
