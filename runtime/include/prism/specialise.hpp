// Kernels built again, while the program runs, for what they are launched with: sizes, radii, counts, strides
// and specialisation constants become constants, and what pointers are multiples of is known where a driver
// can be told (OpenCL). A build is kept where it is measured to be faster. See docs/specialising.md.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/device.hpp>
#include <sycl/kernel_bundle.hpp>

#include <string>
#include <vector>

namespace prism {

/// What became of a kernel for one set of values on a device.
struct specialisation {
  enum class state {
    building,  // in the background; launches run the general build
    measuring, // the two builds run by turns
    kept,      // launches with the values run it
    rejected,  // it was not faster
    refused,   // there can be none, or the driver refused it
  };
  std::string kernel;
  std::string device; // "opencl:0"
  state what;
  std::string values; // "24:4=5": the integer of 4 bytes at offset 24 of what the kernel captures is 5;
                      // "32:align=64": the pointer at offset 32 is a multiple of 64 bytes; or which text was
                      // measured (PoCL)
  std::string reason; // of what was rejected or refused
  double ratio;       // of the general build's time; 0 where none was measured
};

/// From now on every kernel is watched on every device: after so many launches with the same integers (in
/// OpenCL alignments of pointers too) it is built for them. 0 ends it for kernels that were not launched
/// since, as PRISM_SPECIALISE=off. Results are the same to the last bit (a NaN stays one, though not always
/// with the same payload); where that cannot be promised the kernel is refused by name. Thread-safe.
void specialise_after(unsigned launches);

/// The named kernels on this device only, as soon as values come a second time. Throws sycl::exception with
/// errc::kernel_not_supported where the device cannot run one.
void specialise(const sycl::device& device, const std::vector<sycl::kernel_id>& kernels);

/// All that was watched and launched since, with what it came to.
std::vector<specialisation> specialisations();

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
