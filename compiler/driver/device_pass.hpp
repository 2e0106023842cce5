// The first pass of `prism++ --device-pass`: compiles each source with __SYCL_DEVICE_ONLY__ and collects the
// code of its kernels in memory, for the second pass (compiler/link/device_pass.hpp).
#pragma once

#include <string>
#include <vector>

#include "compiler/driver/command_line.hpp"

namespace prism::driver {

/// The user's options without inputs, outputs and lists of dependencies. A pure function.
std::vector<std::string> options_of_device_pass(const std::vector<std::string>& rest);

/// The files of a make rule, "a.o: a.cpp b\ c.hpp \", without the first one, which is the source. A pure
/// function.
std::vector<std::string> dependencies_of(const std::string& rule);

struct device_pass {
  int status = 0; // of the first compilation that failed
  /// For the second pass, which inherits the files that they name.
  std::vector<std::string> options;
};

/// Compiles the request's sources. Throws std::runtime_error if the system refuses memory or processes, and
/// std::invalid_argument for a source that cannot be read twice.
device_pass run_device_pass(const request& asked, const places& where);

/// For -E: runs `host_command`, then appends the text of the device's pass between "#if 0" and "#endif". A
/// cache of objects hashes this text, so it sees changes that only the device's pass reads. Returns the exit
/// status.
int preprocess_both(const request& asked, const places& where, std::vector<std::string> host_command);

} // namespace prism::driver
