// A kernel command made ready for a device: the image chosen and built, sizes checked, local memory laid out.
// All that can be refused is refused here, before any lock is taken and anything is submitted.
#pragma once

#include "runtime/device/device_state.hpp"

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
  const char* name = "";    // the type's, as sycl::kernel_id has it; the record's may say the same otherwise
  bool fills_slots = false; // the image takes pointer slots as memory and offset
  bool needs_address = false; // buffers must have addresses in kernels
  bool runs = true;           // false: the range is empty
  bool uses_known = false;    // global memory only through accessors: set by bind_arguments
  token_list locals;

  /// Where the host device's code of this kernel lies.
  const void* code() const {
    if (record != nullptr) return record;
    const auto* host = std::get_if<devices::host_kernel>(&dispatch.target);
    if (host == nullptr) return nullptr;
    return host->body.range != nullptr ? reinterpret_cast<const void*>(host->body.range)
                                       : reinterpret_cast<const void*>(host->body.work_item);
  }
};

/// Work-items of a group for which `available` bytes of local memory hold what the image keeps across
/// barriers, besides `local_bytes`. What decides a launch decides the query, too.
std::uint64_t items_that_fit(const images::built_kernel& built, std::uint64_t local_bytes,
                             std::uint64_t available);

/// Throws error{kernel_not_supported | nd_range | kernel_argument | ...} and device_error{build}.
prepared_kernel prepare_kernel(device_state& device, kernel_command&& kernel);

/// prepare_fused.cpp: of a command with `joined`.
prepared_kernel prepare_fused(device_state& device, kernel_command&& kernel);

} // namespace prism::runtime
