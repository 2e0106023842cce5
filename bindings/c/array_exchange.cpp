// Arrays of prism.h over memory that exists: registered memory, and other libraries' tensors by DLPack. No
// function here copies elements, but from_dlpack where the caller lets it.
#include "bindings/c/arrays.hpp"

#include <prism/dlpack.hpp>

#include <algorithm>

namespace prism::c_interface {
namespace {

struct span_of_bytes {
  std::ptrdiff_t lowest = 0, highest = 0;
};

/// The bytes that a view's elements take, counted from the first one.
span_of_bytes bytes_of(const prism_view& view, std::size_t element) {
  span_of_bytes out{0, static_cast<std::ptrdiff_t>(element)};
  for (std::int32_t d = 0; d < view.rank; ++d) {
    std::int64_t reach = 0;
    if (view.extent[d] < 0) throw failure(PRISM_INVALID, "extent has " + std::to_string(view.extent[d]));
    if (view.extent[d] == 0) return {0, 0};
    if (__builtin_mul_overflow(view.extent[d] - 1, view.stride[d], &reach) ||
        __builtin_mul_overflow(reach, std::int64_t(element), &reach) ||
        __builtin_add_overflow(reach < 0 ? out.lowest : out.highest, reach,
                               reach < 0 ? &out.lowest : &out.highest))
      throw failure(PRISM_INVALID, "the view is larger than memory can be");
  }
  return out;
}

/// Calls what the owner of the memory passed when the device no longer uses the memory. Until then prism_free
/// refuses the memory.
std::shared_ptr<void> keeper(const allocation_ref& memory, const sycl::queue& queue, void (*release)(void*),
                             void* data) {
  auto end = [memory = held_by_array(memory), queue = sycl::queue(queue), release, data](void*) mutable {
    try {
      queue.wait();
    } catch (const sycl::exception&) { // a lost device uses no memory
    }
    memory.reset(); // before the owner's function, which may call prism_free
    if (release != nullptr) release(data);
  };
  return {reinterpret_cast<void*>(memory->first), std::move(end)};
}

any_array array_over(const prism_view& view, void (*release)(void*), void* data) {
  if (view.struct_size != sizeof(prism_view))
    throw failure(PRISM_INVALID, "view has a struct_size of " + std::to_string(view.struct_size) +
                                     "; set it to sizeof(prism_view)");
  if (view.rank < 0 || view.rank > max_rank)
    throw failure(PRISM_INVALID, "rank " + std::to_string(view.rank) + ": arrays have 0 to " +
                                     std::to_string(max_rank) + " dimensions");
  if (view.flags != 0) throw failure(PRISM_INVALID, "view has flags, which an array has not");
  const dtype type = dtype_of_type(view.type);
  const span_of_bytes reach = bytes_of(view, size_of(type));
  const std::size_t alignment = is_complex(type) ? size_of(type) / 2 : size_of(type);
  const allocation_ref memory = registered_memory(view.data, reach.lowest, reach.highest, alignment, "data");
  const extents shape(view.extent, std::size_t(view.rank)), apart(view.stride, std::size_t(view.rank));
  const sycl::queue queue = empty({1}, dtype::int8, memory->device).queue();
  for (sycl::event& each : memory->pending()) each.wait();
  return from_usm(view.data, shape, apart, type, queue, keeper(memory, queue, release, data));
}

/// Whether the tensor is a DLManagedTensorVersioned.
bool has_version(std::int32_t versioned) {
  if (versioned != 0 && versioned != 1)
    throw failure(PRISM_INVALID, "versioned is " + std::to_string(versioned) + ", not 0 or 1");
  return versioned == 1;
}

any_array array_of_tensor(void* tensor, std::int32_t versioned, const prism_device* device,
                          std::int32_t copy) {
  if (copy < PRISM_COPY_IF_NEEDED || copy > PRISM_COPY_ALWAYS)
    throw failure(PRISM_INVALID, "copy is " + std::to_string(copy) + ", not one of PRISM_COPY_*");
  const auto how = static_cast<dlpack_copy>(copy);
  const auto taken = [&](auto* given) {
    if (device == nullptr) return from_dlpack(given, how);
    return from_dlpack(given, find<device_object>(device, "device")->device, how);
  };
  return has_version(versioned) ? taken(static_cast<DLManagedTensorVersioned*>(tensor))
                                : taken(static_cast<DLManagedTensor*>(tensor));
}

static_assert(int(dlpack_copy::if_needed) == PRISM_COPY_IF_NEEDED &&
              int(dlpack_copy::never) == PRISM_COPY_NEVER && int(dlpack_copy::always) == PRISM_COPY_ALWAYS);

} // namespace
} // namespace prism::c_interface

using namespace prism::c_interface;

extern "C" {

prism_status prism_array_from_memory(const prism_view* view, void (*release)(void* data), void* data,
                                     prism_array** array, prism_error** error) {
  return guarded("prism_array_from_memory", error, [&] {
    required(view, "view"), required(array, "array");
    store(array, std::make_shared<array_object>(array_over(*view, release, data)));
  });
}

prism_status prism_array_dlpack_device(const prism_array* array, int32_t* type, int32_t* number,
                                       prism_error** error) {
  return guarded("prism_array_dlpack_device", error, [&] {
    const auto what = find<array_object>(array, "array");
    required(type, "type"), required(number, "number");
    const DLDevice device = prism::dlpack_device(what->array);
    *type = device.device_type, *number = device.device_id;
  });
}

prism_status prism_array_to_dlpack(const prism_array* array, int32_t versioned, uint32_t flags, void** tensor,
                                   prism_error** error) {
  return guarded("prism_array_to_dlpack", error, [&] {
    const auto what = find<array_object>(array, "array");
    required(tensor, "tensor");
    if ((flags & ~std::uint32_t(PRISM_DLPACK_READ_ONLY)) != 0)
      throw failure(PRISM_INVALID, "flags has " + std::to_string(flags) + ", not PRISM_DLPACK_READ_ONLY");
    const bool read_only = flags != 0;
    if (!has_version(versioned) && read_only)
      throw failure(PRISM_UNSUPPORTED, "a tensor without a version cannot be read-only");
    *tensor = versioned != 0 ? static_cast<void*>(prism::to_dlpack(what->array, read_only))
                             : prism::to_dlpack_unversioned(what->array);
  });
}

prism_status prism_array_from_dlpack(void* tensor, int32_t versioned, const prism_device* device,
                                     int32_t copy, prism_array** array, prism_error** error) {
  return guarded("prism_array_from_dlpack", error, [&] {
    required(tensor, "tensor"), required(array, "array");
    store(array, std::make_shared<array_object>(array_of_tensor(tensor, versioned, device, copy)));
  });
}
}
