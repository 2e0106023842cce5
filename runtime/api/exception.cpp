// sycl::exception, and the conversion of the runtime's errors to it.
#include "runtime/api/impl.hpp"

#include <new>

namespace sycl {
inline namespace _V1 {

namespace {

class category final : public std::error_category {
public:
  const char* name() const noexcept override { return "sycl"; }
  std::string message(int value) const override {
    static constexpr const char* texts[] = {"success",
                                            "runtime error",
                                            "kernel error",
                                            "accessor error",
                                            "invalid nd_range",
                                            "event error",
                                            "invalid kernel argument",
                                            "build failed",
                                            "invalid use",
                                            "memory allocation failed",
                                            "platform error",
                                            "profiling not available",
                                            "feature not supported",
                                            "kernel not supported by the device",
                                            "wrong backend"};
    return value >= 0 && value < static_cast<int>(std::size(texts)) ? texts[value] : "unknown SYCL error";
  }
};

} // namespace

const std::error_category& sycl_category() noexcept {
  static const category instance;
  return instance;
}

std::error_code make_error_code(errc code) noexcept { return {static_cast<int>(code), sycl_category()}; }

namespace detail {

void throw_moved_from(const char* function) {
  std::string name(function);
  const std::size_t end = name.rfind("_impl");
  name = end == std::string::npos ? "object" : name.substr(0, end);
  const std::size_t begin = name.find_last_of(": ");
  if (begin != std::string::npos) name.erase(0, begin + 1);
  throw_error(errc::invalid,
              "this sycl::" + name + " has no state: it was moved from; assign to it before using it");
}

} // namespace detail

exception_list::exception_list(std::vector<std::exception_ptr> errors) : m_errors(std::move(errors)) {}

struct exception::state {
  std::string message;
  std::shared_ptr<detail::context_impl> where;
};

exception::exception(std::error_code code, const std::string& message)
    : m_code(code), m_state(std::make_shared<state>(state{message, nullptr})) {}
exception::exception(std::error_code code, const char* message) : exception(code, std::string(message)) {}
exception::exception(std::error_code code) : exception(code, code.message()) {}
exception::exception(int code, const std::error_category& category, const std::string& message)
    : exception(std::error_code(code, category), message) {}
exception::exception(int code, const std::error_category& category, const char* message)
    : exception(std::error_code(code, category), message) {}
exception::exception(int code, const std::error_category& category)
    : exception(std::error_code(code, category)) {}
exception::exception(context where, std::error_code code, const std::string& message)
    : m_code(code), m_state(std::make_shared<state>(state{message, detail::access_impl::get(where)})) {}
exception::exception(context where, std::error_code code, const char* message)
    : exception(std::move(where), code, std::string(message)) {}
exception::exception(context where, std::error_code code)
    : exception(std::move(where), code, code.message()) {}
exception::exception(context where, int code, const std::error_category& category, const std::string& message)
    : exception(std::move(where), std::error_code(code, category), message) {}
exception::exception(context where, int code, const std::error_category& category, const char* message)
    : exception(std::move(where), std::error_code(code, category), message) {}
exception::exception(context where, int code, const std::error_category& category)
    : exception(std::move(where), std::error_code(code, category)) {}
exception::~exception() = default;

const char* exception::what() const noexcept { return m_state->message.c_str(); }
bool exception::has_context() const noexcept { return m_state->where != nullptr; }
context exception::get_context() const {
  if (!m_state->where)
    throw exception(make_error_code(errc::invalid), "this exception has no context; call has_context first");
  return detail::access_impl::make<context>(m_state->where);
}

namespace detail {

namespace {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
/// Calls `take` with the exception, converted to the class that SYCL 1.2.1 had for its code.
template <typename Take>
decltype(auto) as_old_class(const exception& e, const Take& take) {
  switch (static_cast<errc>(e.code().value())) {
    case errc::runtime: return take(runtime_error(e));
    case errc::kernel: return take(kernel_error(e));
    case errc::accessor: return take(accessor_error(e));
    case errc::nd_range: return take(nd_range_error(e));
    case errc::event: return take(event_error(e));
    case errc::build: return take(compile_program_error(e));
    case errc::invalid:
    case errc::kernel_argument: return take(invalid_parameter_error(e));
    case errc::memory_allocation: return take(memory_allocation_error(e));
    case errc::platform: return take(platform_error(e));
    case errc::profiling: return take(profiling_error(e));
    case errc::feature_not_supported: return take(feature_not_supported(e));
    default: return take(e);
  }
}
#pragma GCC diagnostic pop

/// Programs often print what() alone. For a missing feature it begins with the name of the code, which
/// distinguishes it from a mistake in the program.
std::string with_code_name(errc code, std::string message) {
  const char* const name = code == errc::feature_not_supported  ? "feature_not_supported: "
                           : code == errc::kernel_not_supported ? "kernel_not_supported: "
                                                                : "";
  return message.starts_with(name) ? message : name + message;
}

[[noreturn]] void throw_as_old_class(const exception& e) {
  as_old_class(e, [](const auto& same) { throw same; });
  std::terminate(); // not reached
}

} // namespace

void throw_error(errc code, const char* message) { throw_error(code, std::string(message)); }
void throw_error(errc code, const std::string& message) {
  throw_as_old_class(exception(make_error_code(code), with_code_name(code, message)));
}

namespace {

// error_code has the same order as errc.
static_assert(static_cast<int>(errc::backend_mismatch) ==
              static_cast<int>(prism::error_code::backend_mismatch));
static_assert(static_cast<int>(errc::memory_allocation) ==
              static_cast<int>(prism::error_code::memory_allocation));

errc code_of(prism::devices::error_category category) {
  switch (category) {
    case prism::devices::error_category::out_of_memory: return errc::memory_allocation;
    case prism::devices::error_category::unsupported: return errc::feature_not_supported;
    case prism::devices::error_category::invalid: return errc::invalid;
    case prism::devices::error_category::build: return errc::build;
    default: return errc::runtime;
  }
}

exception make(const std::shared_ptr<context_impl>& where, errc code, const char* what) {
  const std::string text = with_code_name(code, what);
  if (where) return exception(access_impl::make<context>(where), make_error_code(code), text);
  return exception(make_error_code(code), text);
}

} // namespace

void rethrow_as_sycl(const std::shared_ptr<context_impl>& where) {
  try {
    throw;
  } catch (const prism::error& e) {
    throw_as_old_class(make(where, static_cast<errc>(e.code()), e.what()));
  } catch (const prism::devices::device_error& e) {
    throw_as_old_class(make(where, code_of(e.category()), e.what()));
  } catch (const std::bad_alloc&) {
    throw_as_old_class(make(where, errc::memory_allocation, "out of host memory"));
  } catch (const std::exception& e) {
    throw_as_old_class(make(where, errc::runtime, e.what()));
  }
}

namespace {
std::exception_ptr pointer_to(const exception& e) {
  return as_old_class(e, [](const auto& same) { return std::make_exception_ptr(same); });
}
} // namespace

std::exception_ptr as_sycl_exception(const std::exception_ptr& failure,
                                     const std::shared_ptr<context_impl>& where) {
  try {
    std::rethrow_exception(failure);
  } catch (const prism::error& e) {
    return pointer_to(make(where, static_cast<errc>(e.code()), e.what()));
  } catch (const prism::devices::device_error& e) {
    return pointer_to(make(where, code_of(e.category()), e.what()));
  } catch (...) {
    return failure; // an exception of a host task
  }
}

} // namespace detail

}
} // namespace sycl::_V1
