// Makes buffers from buffer_options.
#pragma once

#include "runtime/coherence/buffer_view.hpp"

namespace prism::runtime {

/// Throws error{invalid} if the size exceeds the address space.
memory::shape shape_of(const buffer_options& options);
/// Throws device_error when out of memory.
std::shared_ptr<buffer_view> make_buffer(device_list& devices, const buffer_options& options);

} // namespace prism::runtime
