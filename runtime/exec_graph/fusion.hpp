// Which kernels of a graph run as one launch, and which memory between them is then not needed: a pure
// decision on what the compiler proved of each kernel. Kernels are joined when they have the same work-items,
// when no way through other commands leads from one to the other, and when each work-item meets only what it
// wrote itself: a conflict between two of them is allowed only where both access the own element of the same
// elements. Every edge between kernels that stay apart is explained.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace prism::graph {

/// Bytes that a command uses.
struct fusion_access {
  static constexpr std::uint64_t anywhere = 0; // as `space`: it may overlap with all memory
  std::uint64_t space = anywhere;              // memories of different spaces do not overlap
  std::uint64_t begin = 0, end = 0;
  std::uint64_t stride =
      0; // each work-item accesses its own element of so many bytes from `begin` on; 0: any bytes
  bool reads = false, writes = false;
  bool writes_always = false; // the whole element, whatever the work-item does, and before it reads it
  bool promoted = false;      // the program does not need what is there when the graph has run
  std::uint64_t key = 0;      // the caller's: the same for accesses through one argument
};

struct fusion_node {
  std::string name; // "2 (kernel scale)"
  bool is_kernel = false;
  std::string obstacle; // of a kernel: why it stays alone, after "node 2 ..."; empty: it may be joined
  std::array<std::uint64_t, 3> items{1, 1, 1}, local{0, 0, 0}; // local: of nd_ranges
  std::uint64_t argument_bytes = 0, arguments = 0;
  std::vector<fusion_access> accesses;
  std::vector<std::size_t> after;
};

struct fusion_limits {
  std::size_t kernels = 16; // of one launch
  std::uint64_t argument_bytes = 768, arguments = 40;
  bool removes_memory = false; // whether the device can do without promoted memory
  std::string why_not;         // when it cannot
};

struct fused_memory {
  std::uint64_t space = 0, begin = 0, stride = 0;
};
struct fused_launch {
  std::vector<std::size_t> nodes; // two or more, in the order in which a work-item runs them
  std::vector<fused_memory> removed;
};
struct fusion_plan {
  std::vector<fused_launch> launches;
  std::vector<std::string> notes; // why the others stay apart and why promoted memory stays
};

fusion_plan plan_fusion(std::span<const fusion_node> nodes, const fusion_limits& limits);

} // namespace prism::graph
