// Copies and fills in host memory.
#pragma once

#include "devices/api/types.hpp"

namespace prism::devices::host {

/// The box may overlap its destination only where it is one row. Large ones run on several threads.
void execute_copy(const copy_command& copy);
void execute_fill(const fill_command& fill);

} // namespace prism::devices::host
