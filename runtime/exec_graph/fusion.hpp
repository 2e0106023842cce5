// Decides which kernels of a graph are fused into one launch, and which memory between them need not exist. A
// pure function of what the compiler proved about each kernel.
//
// Kernels are fused if they have the same work-items, if no path through other commands leads from one to the
// other, and if each work-item only uses results that it wrote itself: two kernels may conflict only where
// each work-item accesses the same element, the one at its own index. For every edge between kernels that are
// not fused, the plan states the reason.
//
// A kernel that calls elements (sycl/detail/kernel_abi.hpp) has work-items of its own. It is fused with the
// launch of the kernels that compute them, if these write only promoted memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace prism::runtime {

/// Bytes that a command accesses.
struct fusion_access {
  static constexpr std::uint64_t anywhere = 0; // as `space`: may overlap with all memory
  std::uint64_t space = anywhere;              // memory in different spaces does not overlap
  std::uint64_t begin = 0, end = 0;
  // if not 0, each work-item only accesses its own element, of this size, counted from `begin`; 0: any bytes
  std::uint64_t stride = 0;
  bool reads = false, writes = false;
  bool writes_always = false; // each work-item writes its whole element unconditionally, before it reads it
  bool promoted = false;      // the program does not need the contents after the graph was executed
  std::uint64_t key = 0;      // supplied by the caller; the same for accesses through one argument
};

struct fusion_node {
  std::string name; // "2 (kernel scale)"
  bool is_kernel = false;
  bool calls_elements = false;
  std::string obstacle; // reason why the kernel cannot be fused, to follow "node 2 ..."; empty: it can
  std::array<std::uint64_t, 3> items{1, 1, 1}, local{0, 0, 0}; // local: only for nd_ranges
  std::uint64_t argument_bytes = 0, arguments = 0;
  std::vector<fusion_access> accesses;
  std::vector<std::size_t> after;
};

struct fusion_limits {
  std::size_t kernels = 16; // in one launch
  std::uint64_t argument_bytes = 768, arguments = 40;
  bool removes_memory = false; // whether the device can remove promoted memory
  std::string why_not;         // if it cannot
  bool computes_elements = false;
};

struct fused_memory {
  std::uint64_t space = 0, begin = 0, stride = 0;
};
struct fused_launch {
  // At least two, in the order in which each work-item executes them. If the last one calls elements, each
  // call executes the others, and `element` is the index in `removed` of what they compute.
  std::vector<std::size_t> nodes;
  std::vector<fused_memory> removed;
  std::optional<std::size_t> element;
};
struct fusion_plan {
  std::vector<fused_launch> launches;
  std::vector<std::string> notes; // why kernels are not fused and why promoted memory is not removed
};

fusion_plan plan_fusion(std::span<const fusion_node> nodes, const fusion_limits& limits);

} // namespace prism::runtime
