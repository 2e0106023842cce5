// Calls of <prism/blas.hpp> without a command, for PRISM's libraries. Programs use <prism/blas.hpp>.
#pragma once

namespace prism::blas::detail {

/// While it exists, one call on this thread whose operands are in USM runs on this thread before it returns
/// where that is possible: on the host device, by a provider, if nothing observes commands. Then no command
/// is submitted. For PRISM's libraries, which know that no command of the queue is unfinished.
class direct_call {
public:
  direct_call();
  ~direct_call();
  direct_call(const direct_call&) = delete;
  direct_call& operator=(const direct_call&) = delete;
  /// Whether the call has run.
  bool ran() const;
};

} // namespace prism::blas::detail
