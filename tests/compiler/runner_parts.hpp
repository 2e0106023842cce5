// Shared by the runner's two files.
#pragma once

#include "tests/compiler/runner.hpp"

namespace prism::test {

void run_on_host(const void* closure, work_item body, const launch& how, std::size_t scratch_bytes);

} // namespace prism::test
