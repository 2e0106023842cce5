// Arrays from and for other libraries without a copy, by DLPack (https://dmlc.github.io/dlpack), versions 0
// and 1.
//
//   DLManagedTensorVersioned* tensor = prism::to_dlpack(a);   // the receiver calls tensor->deleter(tensor)
//   prism::any_array b = prism::from_dlpack(tensor, queue);   // b calls it, with its last use
//
// Devices: kDLCPU is the host device, kDLOpenCL and kDLVulkan are devices of these backends; the number is
// the place among all devices of the backend that this process sees. `data` of kDLOpenCL is a cl_mem of the
// context that PRISM uses (CL_MEM_CONTEXT); one that arrives is copied if its bytes are not USM of this
// process. `data` of kDLVulkan is USM.
//
// Order: without a queue of the receiver, to_dlpack waits until the elements are in memory. With one,
// commands that it is given later run behind those that write the elements, and no thread waits. from_dlpack
// expects elements that are in memory, or takes events.
//
// A deleter may be called on any thread, and after the array was assigned. If from_dlpack throws, the tensor
// still belongs to the caller.
#pragma once

#include <prism/array/functions.hpp>
#include <prism/dlpack.h>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

namespace prism {

/// Whether from_dlpack may copy. A tensor is copied if it is read-only, which an any_array is not, or if its
/// memory is of another device than the wanted one. Only memory of kDLCPU, and of devices whose memory is
/// shared or host USM, can be copied to another device.
enum class dlpack_copy : std::uint8_t {
  if_needed,
  never, ///< refused with errc::invalid if it would be needed
  always
};

/// The device of the array's memory, as DLPack names it. errc::feature_not_supported for backends without a
/// name there.
DLDevice dlpack_device(const any_array& a);
/// The device that DLPack's name means. errc::invalid if there is none.
sycl::device device_of_dlpack(DLDevice device);

/// The elements of `a`, which stay in memory until the receiver calls the deleter. With `read_only` the
/// tensor says that its elements must not be written.
DLManagedTensorVersioned* to_dlpack(const any_array& a, bool read_only = false);
DLManagedTensorVersioned* to_dlpack(const any_array& a, sycl::queue& receiver, bool read_only = false);
/// As version 0 of the standard has it, for libraries that know no version. It cannot say that elements are
/// read-only.
DLManagedTensor* to_dlpack_unversioned(const any_array& a);
DLManagedTensor* to_dlpack_unversioned(const any_array& a, sycl::queue& receiver);

/// An array over the tensor's memory, on its own device, or on `device`. Commands on the array run behind
/// `ready`. errc::invalid, with the reason, for tensors that no array can be: more than max_rank dimensions,
/// types without a dtype, several lanes, misaligned or null data, a version of the standard that is not
/// known.
any_array from_dlpack(DLManagedTensorVersioned* tensor, dlpack_copy copy = dlpack_copy::if_needed,
                      const std::vector<sycl::event>& ready = {});
any_array from_dlpack(DLManagedTensorVersioned* tensor, const sycl::device& device,
                      dlpack_copy copy = dlpack_copy::if_needed, const std::vector<sycl::event>& ready = {});
any_array from_dlpack(DLManagedTensor* tensor, dlpack_copy copy = dlpack_copy::if_needed,
                      const std::vector<sycl::event>& ready = {});
any_array from_dlpack(DLManagedTensor* tensor, const sycl::device& device,
                      dlpack_copy copy = dlpack_copy::if_needed, const std::vector<sycl::event>& ready = {});

} // namespace prism
