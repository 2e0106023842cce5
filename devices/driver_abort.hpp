// A driver that gets too little memory, threads or files may end the process by abort(). Before the process
// ends, one line on standard error names the driver's library and the limits that are lower than usual.
//
// The handler of SIGABRT is installed only where the program has none, and does nothing but print: the end of
// the process, its status and its core file stay those of abort(). It prints only if the call of abort() came
// from a library that was loaded while a backend was opened, or from the opening itself. A program that sets
// a handler of its own replaces this one.
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

} // namespace prism::devices
