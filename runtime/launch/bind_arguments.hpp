// The arguments of a prepared kernel: the places of accessors and USM, written into its captured block and
// its pointer slots.
#pragma once

#include "runtime/launch/prepare_kernel.hpp"

namespace prism::runtime {

/// Writes accessors' places into the captured block and fills the pointer slots. Uses are known unless
/// something else finds memory, which any other command may use unseen: USM pointers, pointers read from
/// memory, text output, global variables of the program.
void bind_arguments(device_state& device, prepared_kernel& kernel, const token_list& accessors);

} // namespace prism::runtime
