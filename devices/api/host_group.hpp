// Calling convention of images of kind host_group: native functions in the program that run one whole
// work-group. Used by every backend that executes on processors: the host device, and modules such as
// samples/remote.
#pragma once

#include <cstdint>

namespace prism::image {

/// What a work-group function gets to know about its group. The compiler reads these fields by offset: the
/// layout is part of the image format (all 64-bit words, dimension 0 is x).
struct group_context {
  std::uint64_t group_id[3];
  std::uint64_t group_count[3];
  std::uint64_t local_size[3];
  void* local_arena; // 128-byte aligned; dispatch_command::local_bytes long
  void* spill; // 128-byte aligned; items x kernel_image::spill_bytes, for values that live across barriers
  std::uint64_t
      diverged; // set, then a return: work-items met different barriers, in a group (1), in a sub-group (2)
  std::uint64_t
      exact; // not 0: x * y + z must be rounded twice, as on processors without a fused multiply-add
};

/// Runs all work-items of one group. `closure` is the captured block, 128-byte aligned; every pointer in it
/// is an address that the process can use. program_source::data of a host_group image is such a function.
using host_group_function = void (*)(const void* closure, group_context* group);

} // namespace prism::image
