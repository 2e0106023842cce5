// Converts between OpenCL's terms and PRISM's: errors, device properties, shapes of copies. Reads from
// drivers, changes nothing.
#pragma once

#include "devices/api/types.hpp"
#include "devices/opencl/loader.hpp"

namespace prism::devices::opencl {

/// NVIDIA's code for a command that it stopped: an illegal access, or the watchdog. The context is then dead.
inline constexpr cl_int stopped_command = -9999;

inline constexpr const char* nvidia_platform = "NVIDIA CUDA"; // CL_PLATFORM_NAME

/// "CL_OUT_OF_RESOURCES"; "CL error -1234" for a code without a name in the table.
std::string error_name(cl_int code);
error_category category_of(cl_int code);
/// what() = "<asked>: <meaning> (<name>)".
device_error make_error(cl_int code, const std::string& asked);
/// Throws make_error unless `code` is CL_SUCCESS.
void check(cl_int code, const char* asked);

/// One property of a device, or `missing` if the driver does not know it.
template <typename T>
T device_property(const entry_points& api, cl_device_id device, cl_device_info what, T missing = T{}) {
  T value{};
  return api.clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : missing;
}
std::string device_text(const entry_points& api, cl_device_id device, cl_device_info what);
std::string platform_text(const entry_points& api, cl_platform_id platform, cl_platform_info what);

/// What the backend needs to know about a device besides its capabilities.
struct device_traits {
  cl_device_svm_capabilities svm = 0; // 0 also if the loader lacks the functions
  bool is_cpu = false;
  bool is_oclgrind = false;      // its checks need unoptimised IR: -cl-opt-disable
  bool cuts_loops_short = false; // llvmpipe: 65,535 iterations in total, see devices/api/image.hpp
  bool is_pocl_cpu = false; // barriers are slow, one work-item that runs a whole group is fast; starts work
                            // without a flush
  bool is_nvidia = false;
  bool is_intel_cpu = false;        // its vectoriser computes kernels with private arrays wrong
  bool has_opencl_c_3 = false;      // -cl-std=CL3.0 is accepted
  std::uint32_t float_adds = 0;     // image::float_adds_bit of what it has, in OpenCL C 3.0
  bool has_dot_products = false;    // of packed bytes, in OpenCL C 3.0
  bool has_memory_model = false;    // OpenCL C 3.0 with acquire-release of device scope
  bool computes_in_half = false;    // as IEEE 754 says, by cl_khr_fp16
  std::uint32_t sub_group_size = 0; // of kernels that require none; 0: the device has no sub-groups
  bool rounds_on_request = false; // -cl-fp32-correctly-rounded-divide-sqrt makes the float's / and sqrt exact
  std::size_t driver_queues = 1;  // at most so many for one queue, whose submissions may then overlap
  /// Of each kind of cl_intel_unified_shared_memory that the device uses: usm.hpp. 0 with fine-grained SVM.
  cl_bitfield usm_host = 0, usm_shared = 0, usm_device = 0;
  bool has_device_addresses = false; // memory objects have addresses; used where nothing else gives them
  bool has_addresses() const noexcept { return coarse_svm() || usm_device != 0 || has_device_addresses; }
  bool uses_usm() const noexcept { return (usm_host | usm_shared | usm_device) != 0; }
  bool coarse_svm() const noexcept { return svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER; }
  bool fine_svm() const noexcept { return svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER; }
};
device_traits read_traits(const entry_points& api, cl_platform_id platform, cl_device_id device);

/// Everything but host_visible and adopt_host_memory, which need a trial on the open device.
capabilities read_capabilities(const entry_points& api, cl_platform_id platform, cl_device_id device,
                               const device_traits& traits);

/// The properties for which clCreateSubDevices makes a partition.
std::vector<cl_device_partition_property> partition_of(const partition& how);

/// A copy for OpenCL's rectangle functions. `linear`: one contiguous copy of `bytes`. Otherwise `parts`
/// rectangles, each `*_step` bytes after the one before (OpenCL requires slice pitches that are multiples of
/// row pitches; parts > 1 if they are not).
struct box_copy {
  bool linear = true;
  std::uint64_t bytes = 0;
  std::size_t region[3] = {0, 1, 1};
  std::size_t from_row_pitch = 0, from_slice_pitch = 0, to_row_pitch = 0, to_slice_pitch = 0;
  std::uint64_t parts = 1, from_step = 0, to_step = 0;
};
box_copy shape_of(const copy_command& command);

} // namespace prism::devices::opencl
