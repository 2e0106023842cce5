#include "bindings/c/handles.hpp"

#include <sycl/exception.hpp>

#include <cstring>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <unordered_map>

namespace prism::c_interface {
namespace {

static_assert(sizeof(void*) == 8, "handles have their mark in the upper bits of a pointer");

// 16 bits of mark, 4 of kind, 44 of number. No processor that PRISM supports has addresses with this mark.
constexpr std::uint64_t mark = 0x5052, number_bits = 44;

const char* name_of_kind(handle_kind kind) {
  switch (kind) {
    case handle_kind::error: return "an error object";
    case handle_kind::device: return "a device";
    case handle_kind::queue: return "a queue";
    case handle_kind::event: return "an event";
    case handle_kind::library: return "a library";
    case handle_kind::kernel: return "a kernel";
    case handle_kind::graph: return "a graph";
    case handle_kind::array: return "an array";
    case handle_kind::model: return "a model";
    case handle_kind::tuning: return "a tuning";
    case handle_kind::variants: return "variants";
    case handle_kind::tasks: return "tasks";
    case handle_kind::sparse: return "a sparse matrix";
  }
  return "an object";
}

/// Never destroyed: objects may be released while the process ends.
struct handle_registry {
  std::shared_mutex mutex;
  std::unordered_map<std::uint64_t, std::shared_ptr<object>> objects;
  std::uint64_t last = 0;
};
handle_registry& handles() {
  static auto& made = *new handle_registry;
  return made;
}

std::uint64_t number_of(const void* handle) { return reinterpret_cast<std::uint64_t>(handle); }
handle_kind kind_in(std::uint64_t number) { return static_cast<handle_kind>(number >> number_bits & 15); }

/// Whether a number of this form was given out before. The caller holds the mutex.
bool was_given(std::uint64_t number) {
  const std::uint64_t counted = number & ((std::uint64_t(1) << number_bits) - 1);
  return number >> 48 == mark && counted != 0 && counted <= handles().last;
}

[[noreturn]] void refuse(std::uint64_t number, const std::string& wanted, const char* name) {
  const std::string begin = std::string(name) + " ";
  if (number == 0) throw failure(PRISM_BAD_HANDLE, begin + "is NULL, not " + wanted);
  if (!was_given(number)) throw failure(PRISM_BAD_HANDLE, begin + "is not a handle of PRISM");
  if (handles().objects.count(number) != 0)
    throw failure(PRISM_BAD_HANDLE, begin + "is " + name_of_kind(kind_in(number)) + ", not " + wanted);
  throw failure(PRISM_BAD_HANDLE, begin + "was released: it was " + name_of_kind(kind_in(number)));
}

prism_status status_of(const sycl::exception& e) {
  if (e.code().category() != sycl::sycl_category()) return PRISM_FAILED;
  switch (static_cast<sycl::errc>(e.code().value())) {
    case sycl::errc::nd_range:
    case sycl::errc::kernel_argument:
    case sycl::errc::accessor:
    case sycl::errc::profiling:
    case sycl::errc::event:
    case sycl::errc::backend_mismatch:
    case sycl::errc::invalid: return PRISM_INVALID;
    case sycl::errc::memory_allocation: return PRISM_OUT_OF_MEMORY;
    case sycl::errc::feature_not_supported:
    case sycl::errc::kernel_not_supported: return PRISM_UNSUPPORTED;
    case sycl::errc::platform: return PRISM_UNAVAILABLE;
    default: return PRISM_FAILED;
  }
}

} // namespace

void* add_handle(handle_kind kind, std::shared_ptr<object> what) {
  const std::unique_lock lock(handles().mutex);
  const std::uint64_t number = mark << 48 | std::uint64_t(kind) << number_bits | (handles().last + 1);
  handles().objects.emplace(number, std::move(what));
  ++handles().last;
  return reinterpret_cast<void*>(number);
}

std::shared_ptr<object> find_handle(handle_kind kind, const void* handle, const char* name) {
  const std::uint64_t number = number_of(handle);
  const std::shared_lock lock(handles().mutex);
  if (const auto found = handles().objects.find(number);
      found != handles().objects.end() && kind_in(number) == kind)
    return found->second;
  refuse(number, name_of_kind(kind), name);
}

std::shared_ptr<object> remove_handle(void* handle) {
  const std::uint64_t number = number_of(handle);
  const std::unique_lock lock(handles().mutex);
  const auto found = handles().objects.find(number);
  if (found == handles().objects.end()) refuse(number, "a handle", "handle");
  std::shared_ptr<object> out = std::move(found->second);
  handles().objects.erase(found);
  return out;
}

std::pair<prism_status, std::string> current_failure() noexcept {
  try {
    try {
      throw;
    } catch (const failure& e) {
      return {e.status(), e.what()};
    } catch (const sycl::exception& e) {
      return {status_of(e), e.what()};
    } catch (const std::bad_alloc&) {
      return {PRISM_OUT_OF_MEMORY, "the host has no memory left"};
    } catch (const std::exception& e) {
      return {PRISM_FAILED, e.what()};
    } catch (...) {
      return {PRISM_FAILED, "an exception that is no std::exception"};
    }
  } catch (...) { // copying the text
    return {PRISM_OUT_OF_MEMORY, {}};
  }
}

prism_status report(const char* function, prism_error** error) noexcept {
  auto [status, message] = current_failure();
  // A pointer that cannot hold an error object: the status alone is the answer.
  if (error == nullptr || reinterpret_cast<std::uintptr_t>(error) % alignof(prism_error*) != 0) return status;
  try {
    auto made = std::make_shared<error_object>();
    made->status = status;
    made->message = std::string(function) + ": " + message;
    store(error, std::move(made));
  } catch (...) {
    *error = nullptr;
  }
  return status;
}

void give_text(const std::string& value, char* text, std::size_t capacity, std::size_t* needed) {
  const std::size_t size = value.size() + 1;
  if (needed != nullptr) *required(needed, "needed") = size;
  if (text == nullptr && capacity == 0) return;
  required(text, "text");
  if (capacity < size)
    throw failure(PRISM_TOO_SMALL,
                  "the text needs " + std::to_string(size) + " bytes, not " + std::to_string(capacity));
  std::memcpy(text, value.c_str(), size);
}

} // namespace prism::c_interface

using namespace prism::c_interface;

extern "C" {

prism_status prism_error_code(const prism_error* error) {
  prism_status out = PRISM_BAD_HANDLE;
  guarded("prism_error_code", nullptr, [&] { out = find<error_object>(error, "error")->status; });
  return out;
}

const char* prism_error_message(const prism_error* error) {
  const char* out = "this is not an error object of PRISM, or it was released";
  guarded("prism_error_message", nullptr, [&] { out = find<error_object>(error, "error")->message.c_str(); });
  return out;
}

prism_status prism_release(void* handle, prism_error** error) {
  return guarded("prism_release", error, [&] {
    if (handle != nullptr) remove_handle(handle);
  });
}

const char* prism_version(void) { return PRISM_VERSION; }
int32_t prism_c_version(void) { return PRISM_C_VERSION; }
}
