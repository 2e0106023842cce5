// Prepares a kernel command for a device: chooses and builds the image, checks sizes, lays out local memory.
// All errors of a launch are thrown here, before a lock is taken or anything is submitted.
#pragma once

#include "runtime/device/device_state.hpp"
#include "runtime/launch/local_size.hpp"

namespace prism::runtime {

struct token_value {
  std::uint64_t token;
  devices::memory* object; // null: `offset` is the value (local memory)
  std::uint64_t offset;
};

using token_list = small_vector<token_value, 4>;

struct prepared_kernel {
  devices::dispatch_command dispatch;
  const image::kernel_record* record = nullptr;
  const char* name = "";      // the type's name as in sycl::kernel_id; the record may spell it differently
  bool fills_slots = false;   // the image receives pointers as memory object and offset
  bool needs_address = false; // kernels need the addresses of buffers
  bool runs = true;           // false: the range is empty
  bool uses_known = false;    // accesses global memory only through accessors; set by bind_arguments
  token_list locals;

  /// An address in the module with the host device's code of this kernel.
  const void* code() const {
    if (record != nullptr) return record->entry;
    const auto* host = std::get_if<devices::host_kernel>(&dispatch.target);
    if (host == nullptr) return nullptr;
    return host->body.range != nullptr ? reinterpret_cast<const void*>(host->body.range)
                                       : reinterpret_cast<const void*>(host->body.work_item);
  }
};

/// The largest number of work-items in a group such that `available` bytes of local memory suffice for
/// `local_bytes` and for the values that the image stores across barriers. Launches and queries both use it.
std::uint64_t items_that_fit(const images::built_kernel& built, std::uint64_t local_bytes,
                             std::uint64_t available);

/// For the sizes of groups of parts of the range (kernel_part). Builds the kernel. Throws as prepare_kernel
/// does.
local_size_limits limits_of_parts(device_state& device, const kernel_command& kernel);

/// Throws error{kernel_not_supported | nd_range | kernel_argument | ...} and device_error{build}.
prepared_kernel prepare_kernel(device_state& device, kernel_command&& kernel);

/// For a command with `fused`; in prepare_fused.cpp.
prepared_kernel prepare_fused(device_state& device, kernel_command&& kernel);

} // namespace prism::runtime
