// The default device that somebody asked for: of the innermost scope of this thread, else set_default's, else PRISM_POLICY's.
#pragma once

#include <memory>

namespace sycl { inline namespace _V1 { namespace detail {

class device_impl;

/// Null: nobody asked. Throws what a wrong PRISM_POLICY deserves, at every call.
std::shared_ptr<device_impl> asked_default();

}}} // namespace sycl::_V1::detail
