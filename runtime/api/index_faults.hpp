// What kernels compiled with checks found of indices outside of their accessors: from records to messages.
// Each place of a kernel is reported once in a process. Thread-safe.
#pragma once

#include "devices/api/image.hpp"

#include <cstddef>
#include <string>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Whose records a block holds.
struct index_fault_source {
  const prism::image::hidden_argument* checks = nullptr; // of the kernel's table
  std::string kernel, device;
  int dimensions = 1; // of the launch
};

/// One record as text: what is wrong, where, and in which work-item.
std::string index_fault_text(const index_fault_source& source, const prism::image::index_check& check,
                             const prism::image::index_fault& fault);

/// Logs what the block holds.
void report_index_faults(const index_fault_source& source, const void* block);

/// Where this thread's host code called a library last, as far as the plugin has noted it; or null.
const char* current_place() noexcept;

}
}
} // namespace sycl::_V1::detail
