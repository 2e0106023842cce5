// Buffers made from what the engine's interface asks for.
#pragma once

#include "runtime/coherence/buffer_view.hpp"

namespace prism::runtime {

/// Throws error{invalid} where the bytes are more than there are addresses.
memory::shape shape_of(const buffer_options& options);
/// Throws device_error when memory is short.
std::shared_ptr<buffer_view> make_buffer(device_list& devices, const buffer_options& options);

} // namespace prism::runtime
