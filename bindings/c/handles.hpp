// Handles and errors of prism.h. A handle is a number that is never used again; its value lies outside of the
// addresses that a program can have, so no pointer is mistaken for one. The registry maps it to an object
// that the caller and running calls share: releasing a handle during a call is harmless. Any thread.
//
// Functions of the interface run their body by `guarded`, which turns exceptions into a status and an error
// object. Bodies throw `failure` for what the interface itself refuses.
#pragma once

#include <prism.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace prism::c_interface {

enum class handle_kind : std::uint8_t {
  error = 1,
  device,
  queue,
  event,
  library,
  kernel,
  graph,
  array,
  model,
  tuning,
  variants,
  tasks,
  sparse
};

/// What the interface refuses.
class failure : public std::exception {
public:
  failure(prism_status status, std::string message) : m_status(status), m_message(std::move(message)) {}
  prism_status status() const noexcept { return m_status; }
  const char* what() const noexcept override { return m_message.c_str(); }

private:
  prism_status m_status;
  std::string m_message;
};

struct object {
  virtual ~object() = default;
};
struct error_object : object {
  static constexpr handle_kind kind = handle_kind::error;
  prism_status status = PRISM_FAILED;
  std::string message;
};

void* add_handle(handle_kind kind, std::shared_ptr<object> what);
/// Throws failure (PRISM_BAD_HANDLE). `name`: the argument's, for the message.
std::shared_ptr<object> find_handle(handle_kind kind, const void* handle, const char* name);
/// Throws failure (PRISM_BAD_HANDLE). The object is returned, so that the caller destroys it.
std::shared_ptr<object> remove_handle(void* handle);

template <typename T>
std::shared_ptr<T> find(const void* handle, const char* name) {
  return std::static_pointer_cast<T>(find_handle(T::kind, handle, name));
}
template <typename T, typename Handle>
void store(Handle** to, std::shared_ptr<T> what) {
  *to = static_cast<Handle*>(add_handle(T::kind, std::move(what)));
}

/// Status and message of the exception that is being handled.
std::pair<prism_status, std::string> current_failure() noexcept;
/// Makes the error object; where memory is missing, none.
prism_status report(const char* function, prism_error** error) noexcept;

template <typename Body>
prism_status guarded(const char* function, prism_error** error, const Body& body) noexcept {
  try {
    body();
    return PRISM_OK;
  } catch (...) {
    return report(function, error);
  }
}

/// Throws failure (PRISM_BAD_POINTER) for a null or misaligned pointer to T, the argument `name`.
template <typename T>
T* required(T* pointer, const char* name) {
  if (pointer == nullptr) throw failure(PRISM_BAD_POINTER, std::string(name) + " is NULL");
  if constexpr (!std::is_void_v<T>) {
    if (reinterpret_cast<std::uintptr_t>(pointer) % alignof(T) != 0)
      throw failure(PRISM_BAD_POINTER, std::string(name) + " is misaligned: it needs to be a multiple of " +
                                           std::to_string(alignof(T)));
  }
  return pointer;
}
/// The same for a pointer that may be null.
template <typename T>
T* optional(T* pointer, const char* name) {
  return pointer == nullptr ? nullptr : required(pointer, name);
}
/// The rule for texts of prism.h.
void give_text(const std::string& value, char* text, std::size_t capacity, std::size_t* needed);

} // namespace prism::c_interface
