// PRISM's errors as oneMath's exceptions, with the names of the domain and the routine.
#pragma once

#include <oneapi/math/exceptions.hpp>

#include <string>

namespace oneapi::math::detail {

template <typename Body>
auto translated(const char* domain, const char* name, const Body& body) {
  try {
    return body();
  } catch (const sycl::exception& error) {
    if (error.code() == sycl::errc::invalid) throw invalid_argument(domain, name, error.what());
    if (error.code() == sycl::errc::feature_not_supported || error.code() == sycl::errc::kernel_not_supported)
      throw unsupported_device(std::string(domain), name, error.what());
    if (error.code() == sycl::errc::memory_allocation)
      throw device_bad_alloc(std::string("oneMath: ") + domain + "/" + name + ": " + error.what());
    throw;
  }
}

} // namespace oneapi::math::detail
