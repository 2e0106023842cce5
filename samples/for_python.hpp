// What the libraries of samples/ share that Python calls by ctypes. A function of theirs returns a
// prism_status and, where that is not PRISM_OK, a text for the user, cut where it does not fit.
#pragma once

#include <prism/provider.h>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <vector>

namespace for_python {

struct message {
  char* to;
  std::size_t capacity;
};

inline int report(const message& out, const char* what, prism_status as) {
  if (out.capacity > 0) {
    const std::size_t size = std::min(std::strlen(what), out.capacity - 1);
    std::memcpy(out.to, what, size);
    out.to[size] = '\0';
  }
  return as;
}

/// Runs the body; its exceptions become a status and a text.
template <typename Body>
int guarded(const message& out, const Body& body) noexcept {
  try {
    body();
    return PRISM_OK;
  } catch (const std::invalid_argument& e) {
    return report(out, e.what(), PRISM_INVALID);
  } catch (const sycl::exception& e) {
    const bool lacks = e.code() == sycl::errc::feature_not_supported;
    const bool is_full = e.code() == sycl::errc::memory_allocation;
    return report(out, e.what(), lacks ? PRISM_UNSUPPORTED : is_full ? PRISM_OUT_OF_MEMORY : PRISM_FAILED);
  } catch (const std::bad_alloc&) {
    return report(out, "the host has no memory left", PRISM_OUT_OF_MEMORY);
  } catch (const std::exception& e) {
    return report(out, e.what(), PRISM_FAILED);
  } catch (...) {
    return report(out, "an exception that is no std::exception", PRISM_FAILED);
  }
}

/// A queue whose errors of running work are thrown by wait_and_throw().
inline sycl::queue queue_of(const sycl::device& device) {
  return sycl::queue(device, [](const sycl::exception_list& errors) {
    for (const std::exception_ptr& each : errors) std::rethrow_exception(each);
  });
}

/// Numbers, or structs of numbers, that the caller owns.
template <typename T>
std::vector<T> copied(const void* from, std::size_t count) {
  std::vector<T> out(count);
  if (count > 0) std::memcpy(static_cast<void*>(out.data()), from, count * sizeof(T));
  return out;
}
template <typename T>
void give(void* to, const std::vector<T>& values) {
  if (!values.empty()) std::memcpy(to, values.data(), values.size() * sizeof(T));
}

} // namespace for_python
