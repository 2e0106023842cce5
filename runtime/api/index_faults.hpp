// Reports indices outside of accessors, which kernels compiled with checks record: converts records to
// messages. Each source location of a kernel is reported once per process. Thread-safe.
#pragma once

#include "devices/api/image.hpp"

#include <cstddef>
#include <string>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// The kernel launch whose records a block holds.
struct index_fault_source {
  const prism::image::hidden_argument* checks = nullptr; // in the kernel's table of hidden arguments
  std::string kernel, device;
  int dimensions = 1; // of the launch
};

/// Returns a record as text: the error, its source location and the work-item.
std::string index_fault_text(const index_fault_source& source, const prism::image::index_check& check,
                             const prism::image::index_fault& fault);

/// Logs the records of the block.
void report_index_faults(const index_fault_source& source, const void* block);

/// Returns the source location of this thread's last call from host code into a library, if the plugin
/// recorded it; else null.
const char* current_location() noexcept;

}
}
} // namespace sycl::_V1::detail
