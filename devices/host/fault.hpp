// A kernel that leaves its memory on the host device ends the process. Before that, one line on standard
// error names the kernel, its line and the address. Then the earlier handler of the signal runs: a
// core file, a sanitizer's report, the program's own handler. Other faults of the process are left to these
// too.
//
// A program that sets a handler of its own later replaces this one. Costs two thread-local stores per piece
// of work.
#pragma once

#include "devices/api/types.hpp"

namespace prism::devices::host {

/// Marks the kernel that this thread runs. The description must live as long as this object.
class running_kernel {
public:
  explicit running_kernel(const host_kernel& kernel) noexcept;
  ~running_kernel();
  running_kernel(const running_kernel&) = delete;
  running_kernel& operator=(const running_kernel&) = delete;

private:
  const host_kernel* m_before;
};

/// Handles SIGSEGV, SIGBUS and SIGFPE from now on; once for each process.
void report_faults_of_kernels();

} // namespace prism::devices::host
