// The two passes of `prism++ --device-pass`. The first compiles the source with __SYCL_DEVICE_ONLY__ and
// writes the bodies of its kernels, with all that they call, to a file. The second compiles it without that
// macro, and first replaces its own bodies by those of the file. Images, work-group functions and the loops
// over ranges on the host device are then made from the code of the device pass.
//
// Bodies are found by the names of front/clang/stable_names.cpp. A body that only the second pass has, or
// whose captured values differ, is an error of the compilation.
#pragma once

#include <string>
#include <vector>

#include "compiler/front/device_versions.hpp"

namespace prism::compiler {

/// Writes the file and empties the module, so that clang's remaining work on it is nothing.
void write_device_pass(llvm::Module& module, const std::string& file);

/// Returns the SYCL_EXTERNAL functions of this file with their functions of the device pass.
std::vector<device_version> use_device_pass(llvm::Module& host, const std::string& file);

} // namespace prism::compiler
