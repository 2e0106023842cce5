// Specialisation: while the program runs, kernels are built again for the values with which they are
// launched. Sizes, radii, counts, strides and specialisation constants become constants, and the alignment of
// pointers is declared if the driver supports that (OpenCL). A specialised build is used if it is measured to
// be faster. See docs/specialising.md.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/device.hpp>
#include <sycl/kernel_bundle.hpp>

#include <string>
#include <vector>

namespace prism {

/// The state of a kernel's specialisation for one set of values on a device.
struct specialisation {
  enum class state {
    building,  // in the background; launches run the general build
    measuring, // the two builds run alternately
    kept,      // launches with the values run it; words: quoted (a public name)
    rejected,  // it was not faster
    refused,   // the kernel cannot be specialised, or the driver rejected the build
  };
  std::string kernel;
  std::string device; // "opencl:0"
  state what;
  std::string values; // "24:4=5": the integer of 4 bytes at offset 24 of the captured block is 5;
                      // "32:align=64": the pointer at offset 32 is a multiple of 64 bytes; or which text was
                      // measured (PoCL)
  std::string reason; // set for rejected and refused
  double ratio;       // time divided by the general build's time; 0: not measured
};

/// Specialises every kernel on every device after `launches` launches with the same integers (on OpenCL also
/// the same alignments of pointers). 0 ends this for kernels that were not launched since, as
/// PRISM_SPECIALISE=off does. Results are the same to the last bit (a NaN stays a NaN, but its payload may
/// differ); a kernel for which that cannot be guaranteed is not specialised and is listed as `refused`.
/// Thread-safe.
void specialise_after(unsigned launches);

/// Specialises the named kernels on this device as soon as the same values occur a second time. Throws
/// sycl::exception with errc::kernel_not_supported if the device cannot run one of them. Thread-safe.
void specialise(const sycl::device& device, const std::vector<sycl::kernel_id>& kernels);

/// Returns the state of all kernels that were launched since specialisation was enabled for them.
/// Thread-safe.
std::vector<specialisation> specialisations();

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
