// Copies and fills in host memory.
#pragma once

#include "devices/api/types.hpp"

namespace prism::devices::host {

/// Source and destination may overlap only if the box is one row. Large copies and fills run on several
/// threads.
void execute_copy(const copy_command& copy);
void execute_fill(const fill_command& fill);

} // namespace prism::devices::host
