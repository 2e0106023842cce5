// Runs several kernels as one launch: in pieces of the range small enough for a cache, each piece through all
// kernels before the next.
#pragma once

#include "devices/api/types.hpp"

#include <functional>

namespace prism::devices::host {

class compiled_kernel;

inline constexpr std::uint64_t piece_width = 256; // of the widest group that piece_function::run_box uses

/// A dispatch whose pieces the caller runs in any order. Each work-item runs the same code as in a separate
/// launch, so the results are bitwise the same.
class piece_function {
public:
  explicit piece_function(const dispatch_command& d);
  /// Runs a box of a range.
  void run_box(const void* closure, const std::uint64_t (&begin)[3], const std::uint64_t (&end)[3]) const;
  /// Runs groups of an nd_range, by linear index.
  void run_groups(const void* closure, std::uint64_t begin, std::uint64_t end) const;

private:
  const dispatch_command& m_dispatch;
  const host_kernel& m_host;
  const compiled_kernel* m_kernel;
  bool m_native, m_whole_groups;
};

/// Calls run(begin, end) over [0, count) on all threads; for a small count on this thread only.
void spread_pieces(std::uint64_t count, unsigned threads,
                   const std::function<void(std::uint64_t, std::uint64_t)>& run);

void execute_fused(const dispatch_command& d, const fused_kernels& kernels, unsigned threads);

} // namespace prism::devices::host
