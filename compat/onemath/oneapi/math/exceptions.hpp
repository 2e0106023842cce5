// oneMath's exceptions: one class for each kind of failure, all derived from oneapi::math::exception. The
// message is "oneMath: DOMAIN/FUNCTION: WHY".
#pragma once

#include <sycl/sycl.hpp>

#include <exception>
#include <string>

namespace oneapi::math {

class exception : public std::exception {
public:
  exception(const std::string& message) : m_message(message) {}
  exception(const std::string& domain, const std::string& function, const std::string& why = {})
      : m_message("oneMath: " + domain + (domain.empty() || function.empty() ? "" : "/") + function +
                  (why.empty() ? "" : ": " + why)) {}
  const char* what() const noexcept override { return m_message.c_str(); }

private:
  std::string m_message;
};

/// The device cannot do what was asked, for lack of a type for example.
class unsupported_device : public exception {
public:
  using exception::exception;
  unsupported_device(const std::string& domain, const std::string& function, const sycl::device& device)
      : exception(domain, function, device.get_info<sycl::info::device::name>() + " is not supported") {}
};
class host_bad_alloc : public exception {
public:
  host_bad_alloc(const std::string& message) : exception(message) {}
  host_bad_alloc(const std::string& domain, const std::string& function)
      : exception(domain, function, "cannot allocate memory on host") {}
};
class device_bad_alloc : public exception {
public:
  device_bad_alloc(const std::string& message) : exception(message) {}
  device_bad_alloc(const std::string& domain, const std::string& function, const sycl::device& device)
      : exception(domain, function,
                  "cannot allocate memory on " + device.get_info<sycl::info::device::name>()) {}
};
/// PRISM has no such routine, or not for these types.
class unimplemented : public exception {
public:
  unimplemented(const std::string& message) : exception(message) {}
  unimplemented(const std::string& domain, const std::string& function, const std::string& why = {})
      : exception(domain, function, "function is not implemented" + (why.empty() ? "" : " " + why)) {}
};
class invalid_argument : public exception {
public:
  invalid_argument(const std::string& message) : exception(message) {}
  invalid_argument(const std::string& domain, const std::string& function, const std::string& why = {})
      : exception(domain, function, "invalid argument" + (why.empty() ? "" : " " + why)) {}
};
class uninitialized : public exception {
public:
  uninitialized(const std::string& message) : exception(message) {}
  uninitialized(const std::string& domain, const std::string& function, const std::string& why = {})
      : exception(domain, function, "handle/descriptor is not initialized" + (why.empty() ? "" : " " + why)) {
  }
};
class computation_error : public exception {
public:
  computation_error(const std::string& message) : exception(message) {}
  computation_error(const std::string& domain, const std::string& function, const std::string& why = {})
      : exception(domain, function, "computation error" + (why.empty() ? "" : ": " + why)) {}
};
class batch_error : public exception {
public:
  batch_error(const std::string& message) : exception(message) {}
  batch_error(const std::string& domain, const std::string& function, const std::string& why = {})
      : exception(domain, function, "batch error" + (why.empty() ? "" : ": " + why)) {}
};

} // namespace oneapi::math
