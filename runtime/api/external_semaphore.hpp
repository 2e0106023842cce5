// Semaphores of other programs, by the number that programs hold.
#pragma once

#include "devices/api/external.hpp"

#include <sycl/ext/oneapi/experimental/external_semaphore.hpp>

#include <memory>

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {

using shared_semaphore = std::shared_ptr<prism::devices::external_semaphore>;

/// Enters the semaphore into the list; release_external_semaphore removes it.
external_semaphore prism_listed_semaphore(shared_semaphore what, external_semaphore_handle_type type);

}
}
}
}
} // namespace sycl::_V1::ext::oneapi::experimental
