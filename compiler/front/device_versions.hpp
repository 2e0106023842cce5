// Functions whose code on a device differs from that on the host: by __prism_if_target_device and
// __prism_if_target_host (runtime/include/sycl/detail/target_query.hpp), or by the two passes of
// `prism++ --device-pass` (link/device_pass.hpp).
#pragma once

#include <utility>
#include <vector>

#include "compiler/front/find_kernels.hpp"

namespace prism::compiler {

/// A SYCL_EXTERNAL function that this file defines, and the function that other files' kernels call for it.
using device_version = std::pair<llvm::Function*, llvm::Function*>;

struct device_versions {
  std::vector<device_version> external;
  /// Functions that run only as device code and call SYCL_EXTERNAL functions of other files, directly or not.
  std::vector<llvm::Function*> callers;
};

/// Decides every target query of the module. `bodies` run only as device code (kernels, and the loops over
/// ranges on the host device): there, and in all that they call, the target is the device. A function that
/// both sides call gets a copy for the device. Everywhere else the target is the host. Branches that a
/// constant decides are removed at once, so that the other branch is not checked as device code. `external`:
/// the SYCL_EXTERNAL functions.
device_versions decide_target_queries(llvm::Module& module, const std::vector<llvm::Function*>& bodies,
                                      const std::vector<llvm::Function*>& external);

/// Connects the host device's code of several files: exports the versions for the device under names of their
/// own, and makes `callers` call the version of another file's function where that file has one. Must follow
/// the embedding of device code, which links by the functions' own names.
void connect_device_versions(const device_versions& versions, const std::vector<llvm::Function*>& external);

} // namespace prism::compiler
