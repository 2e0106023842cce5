// The part of sycl_ext_oneapi_bindless_images that imports semaphores of other programs and orders a queue's
// commands by them. <prism/export_memory.hpp> makes semaphores for other programs. Without
// aspect::ext_oneapi_external_semaphore_import, or for a kind that the driver does not share,
// import_external_semaphore throws errc::feature_not_supported with the names of the driver and of what it
// lacks. Waits for timelines are host tasks of the queue; the device makes the others. Any thread.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/ext/oneapi/experimental/external_memory.hpp>

#include <cstdint>

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {

/// opaque_fd: each signal lets one wait pass, and must be submitted before it. timeline_fd: counts up.
enum class external_semaphore_handle_type { opaque_fd = 0, timeline_fd = 9 };

template <typename Resource>
struct external_semaphore_descriptor {
  Resource external_resource;
  external_semaphore_handle_type handle_type;
};

struct external_semaphore {
  using raw_handle_type = std::uint64_t;
  raw_handle_type raw_handle = 0;
  external_semaphore_handle_type handle_type = external_semaphore_handle_type::opaque_fd;
};

/// PRISM closes the descriptor, unless this throws: errc::invalid if the driver does not accept it.
external_semaphore import_external_semaphore(external_semaphore_descriptor<resource_fd> from,
                                             const device& on, const context& in);
/// Commands that wait for it, or signal it, keep it until they are complete. Throws errc::invalid for a
/// semaphore that was released.
void release_external_semaphore(external_semaphore what, const device& on, const context& in);

inline external_semaphore import_external_semaphore(external_semaphore_descriptor<resource_fd> from,
                                                    const queue& on) {
  return import_external_semaphore(from, on.get_device(), on.get_context());
}
inline void release_external_semaphore(external_semaphore what, const queue& on) {
  release_external_semaphore(what, on.get_device(), on.get_context());
}

/// Makes the wait or the signal the command of the group. Throws errc::invalid for a semaphore that was
/// released, if `has_value` does not fit its type, and for a binary one of another device.
void prism_use_semaphore(handler& group, external_semaphore what, bool waits, bool has_value,
                         std::uint64_t value);

}
}
}
}
} // namespace sycl::_V1::ext::oneapi::experimental

#include <sycl/detail/user_macros_restore.hpp>
