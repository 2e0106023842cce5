// Binds the arguments of a prepared kernel: writes the addresses of accessors and USM into its captured block
// and its pointer slots.
#pragma once

#include "runtime/launch/prepare_kernel.hpp"

namespace prism::runtime {

/// Writes the addresses of accessors into the captured block and fills the pointer slots. Sets `uses_known`
/// unless the kernel can reach memory that its accessors do not declare: by USM pointers, pointers read from
/// memory, text output, or global variables of the program.
void bind_arguments(device_state& device, prepared_kernel& kernel, const token_list& accessors);

} // namespace prism::runtime
