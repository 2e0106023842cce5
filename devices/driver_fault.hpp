// A driver that gets too little memory, threads or files may end the process by abort() or by an access to
// memory that it did not get. Before the process ends, one line on standard error names the driver's library
// and the limits of the process that are lower than usual. If a limit is so low that drivers are known to
// fail, a warning appears before they are opened.
//
// The handler of SIGABRT, SIGSEGV and SIGBUS does nothing but print: the end of the process, its status and
// its core file stay as they are. It takes the place of none but PRISM's own handler for kernels, and those
// of drivers (LLVM in a driver sets some), and calls these. It prints only if the cause is in a library that
// was loaded while a backend was opened, or in that opening. A program that sets a handler of its own later
// replaces this one.
#pragma once

#include <string>

namespace prism::devices {

/// Lives while a backend opens its drivers: the libraries that are loaded in its lifetime are the drivers'.
/// Costs two walks over the list of loaded libraries, some microseconds.
class driver_opening {
public:
  explicit driver_opening(const std::string& backend);
  ~driver_opening();
  driver_opening(const driver_opening&) = delete;
  driver_opening& operator=(const driver_opening&) = delete;

private:
  std::string m_backend;
  const char* m_outer; // one that this thread already opens
};

/// The limits of this process with which drivers are known to fail, as a sentence; empty if there are none.
std::string limits_too_low_for_drivers();

} // namespace prism::devices
