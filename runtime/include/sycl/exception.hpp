// Errors: errc, exception, exception_list and async_handler (SYCL 2020, "Error handling").
//
// PRISM reports every error as a sycl::exception. Its code() is one of errc; its what() contains the request,
// the problem and a remedy. Copying an exception does not throw.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include <sycl/detail/common.hpp>

namespace sycl {
inline namespace _V1 {

class context;

enum class errc {
  success = 0,
  runtime,
  kernel,
  accessor,
  nd_range,
  event,
  kernel_argument,
  build,
  invalid,
  memory_allocation,
  platform,
  profiling,
  feature_not_supported,
  kernel_not_supported,
  backend_mismatch
};

const std::error_category& sycl_category() noexcept;
std::error_code make_error_code(errc code) noexcept;

}
} // namespace sycl::_V1

template <>
struct std::is_error_code_enum<sycl::errc> : std::true_type {};

namespace sycl {
inline namespace _V1 {

class exception : public virtual std::exception {
public:
  exception(std::error_code code, const std::string& message);
  exception(std::error_code code, const char* message);
  exception(std::error_code code);
  exception(int code, const std::error_category& category, const std::string& message);
  exception(int code, const std::error_category& category, const char* message);
  exception(int code, const std::error_category& category);
  exception(context where, std::error_code code, const std::string& message);
  exception(context where, std::error_code code, const char* message);
  exception(context where, std::error_code code);
  exception(context where, int code, const std::error_category& category, const std::string& message);
  exception(context where, int code, const std::error_category& category, const char* message);
  exception(context where, int code, const std::error_category& category);
  exception(const exception&) noexcept = default;
  exception& operator=(const exception&) noexcept = default;
  ~exception() override;

  const std::error_code& code() const noexcept { return m_code; }
  const std::error_category& category() const noexcept { return m_code.category(); }
  const char* what() const noexcept override;
  /// Returns CL_SUCCESS: OpenCL error numbers are not passed on; what() has the name of the error.
  [[deprecated("use code()")]] std::int32_t get_cl_code() const noexcept { return 0; }
  bool has_context() const noexcept;
  /// Throws errc::invalid if there is no context.
  context get_context() const;

private:
  struct state;
  std::error_code m_code;
  detail::impl_ptr<state> m_state; // shared, so that copying cannot throw
};

/// A list of asynchronous errors, oldest first.
class exception_list {
public:
  using value_type = std::exception_ptr;
  using reference = value_type&;
  using const_reference = const value_type&;
  using size_type = std::size_t;
  using iterator = std::vector<std::exception_ptr>::const_iterator;
  using const_iterator = iterator;

  exception_list() = default;
  explicit exception_list(std::vector<std::exception_ptr> errors);
  size_type size() const { return m_errors.size(); }
  iterator begin() const { return m_errors.begin(); }
  iterator end() const { return m_errors.end(); }

private:
  std::vector<std::exception_ptr> m_errors;
};

using async_handler = std::function<void(exception_list)>;

// The exception classes of SYCL 1.2.1. An error is thrown as the class for its code, so old handlers catch
// it.
#define PRISM_OLD_EXCEPTION(name, base, value)                                                               \
  class [[deprecated("catch sycl::exception and compare its code()")]] name : public base {                  \
  public:                                                                                                    \
    name(const char* message, int = 0) : base(exception(make_error_code(value), message)) {}                 \
    name(const std::string& message, int = 0) : base(exception(make_error_code(value), message)) {}          \
    explicit name(const exception& same) : base(same) {}                                                     \
  };
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
PRISM_OLD_EXCEPTION(runtime_error, exception, errc::runtime)
PRISM_OLD_EXCEPTION(kernel_error, runtime_error, errc::kernel)
PRISM_OLD_EXCEPTION(accessor_error, runtime_error, errc::accessor)
PRISM_OLD_EXCEPTION(nd_range_error, runtime_error, errc::nd_range)
PRISM_OLD_EXCEPTION(event_error, runtime_error, errc::event)
PRISM_OLD_EXCEPTION(invalid_parameter_error, runtime_error, errc::kernel_argument)
PRISM_OLD_EXCEPTION(device_error, exception, errc::invalid)
PRISM_OLD_EXCEPTION(compile_program_error, device_error, errc::build)
PRISM_OLD_EXCEPTION(link_program_error, device_error, errc::build)
PRISM_OLD_EXCEPTION(invalid_object_error, device_error, errc::invalid)
PRISM_OLD_EXCEPTION(memory_allocation_error, device_error, errc::memory_allocation)
PRISM_OLD_EXCEPTION(platform_error, device_error, errc::platform)
PRISM_OLD_EXCEPTION(profiling_error, device_error, errc::profiling)
PRISM_OLD_EXCEPTION(feature_not_supported, device_error, errc::feature_not_supported)
#pragma GCC diagnostic pop
#undef PRISM_OLD_EXCEPTION

namespace detail {
/// For header code: throws sycl::exception.
[[noreturn]] void throw_error(errc code, const char* message);
} // namespace detail

}
} // namespace sycl::_V1
