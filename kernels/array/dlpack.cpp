// DLPack both ways (prism/dlpack.hpp): arrays as tensors, and tensors, checked, as arrays.
#include <prism/dlpack.hpp>

#include <prism/native_memory.hpp>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>

namespace prism {
namespace {

[[noreturn]] void refuse_tensor(const std::string& why, sycl::errc code = sycl::errc::invalid) {
  throw sycl::exception(sycl::make_error_code(code), "DLPack: " + why);
}

/// The backends that DLPack has names for.
struct named_backend {
  DLDeviceType type;
  sycl::backend backend;
  const char* name;
};
constexpr named_backend named_backends[] = {{kDLCPU, sycl::backend::ext_prism_host, "kDLCPU"},
                                            {kDLOpenCL, sycl::backend::opencl, "kDLOpenCL"},
                                            {kDLVulkan, sycl::backend::ext_prism_vulkan, "kDLVulkan"}};

std::vector<sycl::device> devices_of(sycl::backend backend) {
  std::vector<sycl::device> found;
  for (const sycl::device& each : sycl::device::get_devices())
    if (each.get_backend() == backend) found.push_back(each);
  return found;
}

DLDataType type_for_dlpack(dtype t) {
  const auto bits = static_cast<std::uint8_t>(size_of(t) * 8);
  const DLDataTypeCode code = t == dtype::boolean ? kDLBool
                              : is_complex(t)     ? kDLComplex
                              : is_floating(t)    ? kDLFloat
                              : is_unsigned(t)    ? kDLUInt
                                                  : kDLInt;
  return {static_cast<std::uint8_t>(code), bits, 1};
}
dtype type_of_dlpack(DLDataType t) {
  if (t.lanes != 1) refuse_tensor("an element has " + std::to_string(t.lanes) + " lanes; an array's has one");
  for (int i = 0; i < dtype_count; ++i) {
    const DLDataType each = type_for_dlpack(static_cast<dtype>(i));
    if (each.code == t.code && each.bits == t.bits) return static_cast<dtype>(i);
  }
  refuse_tensor("no array has elements of type code " + std::to_string(t.code) + " with " +
                std::to_string(t.bits) + " bits");
}

/// What a tensor that leaves refers to.
struct exported {
  any_array array;
  std::int64_t shape[max_rank] = {}, strides[max_rank] = {};
};

DLTensor described(exported& of) {
  const any_array& a = of.array;
  std::copy(a.shape().begin(), a.shape().end(), of.shape);
  std::copy(a.strides().begin(), a.strides().end(), of.strides);
  DLTensor t{};
  t.device = dlpack_device(a);
  t.data = a.size() == 0 ? nullptr : a.data();
  if (t.data != nullptr && t.device.device_type != kDLCPU) {
    const native_memory memory = native_memory_of(t.data, a.queue());
    t.data = memory.object;
    t.byte_offset = memory.offset;
  }
  t.ndim = a.ndim();
  t.dtype = type_for_dlpack(a.type());
  t.shape = of.shape;
  t.strides = of.strides;
  return t;
}

template <typename Tensor>
void drop(Tensor* tensor) {
  delete static_cast<exported*>(tensor->manager_ctx);
  delete tensor;
}

template <typename Tensor>
Tensor* made(const any_array& a) {
  a.evaluate();
  auto owned = std::make_unique<exported>();
  owned->array = a;
  auto tensor = std::make_unique<Tensor>();
  tensor->dl_tensor = described(*owned);
  tensor->deleter = drop<Tensor>;
  tensor->manager_ctx = owned.release();
  return tensor.release();
}

/// The receiver may write the memory: what is recorded on it runs before.
void run_readers(const any_array& a, bool read_only) {
  if (!read_only) array_detail::queue_for_write(a);
}

void order_behind(const any_array& a, sycl::queue& receiver, bool read_only) {
  a.evaluate();
  run_readers(a, read_only);
  receiver.ext_oneapi_submit_barrier({a.queue().ext_oneapi_submit_barrier()});
}

DLManagedTensorVersioned* versioned(const any_array& a, bool read_only) {
  DLManagedTensorVersioned* tensor = made<DLManagedTensorVersioned>(a);
  tensor->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  tensor->flags = read_only ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
  return tensor;
}

/// A tensor that arrives, checked.
struct arrived {
  dtype type;
  extents shape, strides;
  char* data = nullptr;              // of no elements: null
  std::int64_t below = 0, above = 0; // the bytes of elements before `data`, and from it on
};

/// All but `data`, which the memory of a tensor may not have yet.
arrived checked(const DLTensor& t) {
  arrived a;
  a.type = type_of_dlpack(t.dtype);
  if (t.ndim < 0 || t.ndim > max_rank)
    refuse_tensor("the tensor has " + std::to_string(t.ndim) + " dimensions; an array has at most " +
                  std::to_string(max_rank));
  if (t.ndim > 0 && t.shape == nullptr) refuse_tensor("the tensor has no shape");
  const auto element = static_cast<std::int64_t>(size_of(a.type));
  std::int64_t count = 1;
  bool is_empty = false, overflows = false;
  for (int d = 0; d < t.ndim; ++d) {
    if (t.shape[d] < 0)
      refuse_tensor("dimension " + std::to_string(d) + " has " + std::to_string(t.shape[d]) + " elements");
    is_empty = is_empty || t.shape[d] == 0;
    a.shape.push_back(t.shape[d]);
  }
  if (!is_addressable(a.shape, size_of(a.type))) refuse_tensor("the tensor is larger than memory can be");
  // The farthest elements from the first one must have an address.
  a.above = element;
  a.strides = a.shape;
  for (int d = t.ndim - 1; d >= 0; --d) {
    a.strides[d] = t.strides ? t.strides[d] : count;
    std::int64_t reach = 0;
    if (is_empty) continue;
    count *= a.shape[d];
    overflows |= a.strides[d] == std::numeric_limits<std::int64_t>::min();
    if (overflows) break;
    overflows |=
        __builtin_mul_overflow(a.strides[d] < 0 ? -a.strides[d] : a.strides[d], a.shape[d] - 1, &reach);
    overflows |= __builtin_mul_overflow(reach, element, &reach);
    std::int64_t& side = a.strides[d] < 0 ? a.below : a.above;
    overflows |= __builtin_add_overflow(side, reach, &side);
  }
  if (overflows || __builtin_add_overflow(a.below, a.above, &count))
    refuse_tensor("the tensor is larger than memory can be");
  if (!is_empty && t.data == nullptr) refuse_tensor("the tensor has elements, and its data is null");
  return a;
}

/// Sets `data`, which the tensor has now.
void find_data(arrived& a, const DLTensor& t) {
  if (a.shape.product() == 0) return;
  const auto first = reinterpret_cast<std::uintptr_t>(t.data),
             most = std::numeric_limits<std::uintptr_t>::max();
  if (t.byte_offset > most - first || std::uintptr_t(a.above) > most - (first + t.byte_offset) ||
      std::uintptr_t(a.below) > first + t.byte_offset)
    refuse_tensor("the elements at byte_offset " + std::to_string(t.byte_offset) + " reach beyond memory");
  a.data = static_cast<char*>(t.data) + t.byte_offset;
  const std::size_t alignment = is_complex(a.type) ? size_of(a.type) / 2 : size_of(a.type);
  if (reinterpret_cast<std::uintptr_t>(a.data) % alignment != 0)
    refuse_tensor(std::string("the data is not aligned to ") + std::to_string(alignment) +
                  " bytes, which elements of type " + name_of(a.type) + " need");
}

/// The array's own queue on a device.
sycl::queue queue_on(const sycl::device& device) { return empty({1}, dtype::int8, device).queue(); }

bool host_can_read(const void* data, const sycl::queue& queue) {
  if (queue.get_device().get_backend() == sycl::backend::ext_prism_host) return true;
  const sycl::usm::alloc kind = sycl::get_pointer_type(data, queue.get_context());
  return kind == sycl::usm::alloc::shared || kind == sycl::usm::alloc::host;
}

/// A copy in row-major order.
std::vector<char> packed_bytes(const arrived& a) {
  const auto element = static_cast<std::int64_t>(size_of(a.type));
  std::vector<char> bytes(static_cast<std::size_t>(a.shape.product() * element));
  extents at = a.shape;
  for (int d = 0; d < at.size(); ++d) at[d] = 0;
  std::int64_t offset = 0;
  for (std::size_t to = 0; to < bytes.size(); to += static_cast<std::size_t>(element)) {
    std::copy_n(a.data + offset * element, element, bytes.data() + to);
    for (int d = at.size() - 1; d >= 0; --d) {
      offset += a.strides[d];
      if (++at[d] < a.shape[d]) break;
      offset -= a.strides[d] * a.shape[d];
      at[d] = 0;
    }
  }
  return bytes;
}

/// A tensor of kDLVulkan has a VkBuffer of PRISM. Its data becomes the USM that the VkBuffer has.
void find_in_buffer(DLTensor& tensor, const sycl::queue& queue) {
  if (tensor.data == nullptr) return;
  if (void* const usm = usm_of_native_memory({tensor.data, tensor.byte_offset}, queue)) {
    tensor.data = usm;
    tensor.byte_offset = 0;
  } else if (sycl::get_pointer_type(tensor.data, queue.get_context()) == sycl::usm::alloc::unknown)
    refuse_tensor(
        "the tensor's VkBuffer has no memory of PRISM; prism::vulkan::map_buffer makes it USM, whose "
        "pointer may be the tensor's data");
}

/// A tensor of kDLOpenCL has a cl_mem. Its data becomes the USM that the cl_mem has, or else a copy of its
/// bytes, which this returns.
std::vector<char> read_memory_object(DLTensor& tensor, const sycl::queue& queue, dlpack_copy copy,
                                     const std::vector<sycl::event>& ready) {
  if (tensor.data == nullptr ||
      sycl::get_pointer_type(tensor.data, queue.get_context()) != sycl::usm::alloc::unknown)
    return {}; // USM of this process
  auto* const object = static_cast<_cl_mem*>(tensor.data);
  if (void* const usm = usm_of_native_memory(object, queue)) {
    tensor.data = usm;
    return {};
  }
  if (copy == dlpack_copy::never)
    refuse_tensor("the tensor's cl_mem is not shared virtual memory, and a copy is not allowed");
  for (sycl::event each : ready) each.wait();
  sycl::buffer<char> elements = sycl::make_buffer<sycl::backend::opencl, char>(object, queue.get_context());
  std::vector<char> bytes(elements.size());
  sycl::queue(queue)
      .submit([&](sycl::handler& h) {
    const sycl::accessor from(elements, h, sycl::read_only);
    h.copy(from, bytes.data());
  }).wait_and_throw();
  tensor.data = bytes.data();
  return bytes;
}

void check_bounds(const arrived& a, const DLTensor& tensor, std::size_t bytes) {
  if (a.data == nullptr) return;
  const auto first = static_cast<std::int64_t>(tensor.byte_offset), all = static_cast<std::int64_t>(bytes);
  if (first < a.below || first > all || a.above > all - first)
    refuse_tensor("the elements reach beyond the " + std::to_string(bytes) + " bytes of the memory object");
}

/// `release` gives the tensor back to its library.
any_array taken(DLTensor tensor, bool read_only, const sycl::device& device, dlpack_copy copy,
                const std::vector<sycl::event>& ready, const std::function<void()>& release) {
  // PRISM_DEVICE_SELECTOR may leave out the host device; the host's memory is there all the same.
  const bool is_of_host = tensor.device.device_type == kDLCPU && tensor.device.device_id == 0;
  const bool is_wanted_host = device.get_backend() == sycl::backend::ext_prism_host;
  const sycl::device own = is_of_host && !is_wanted_host ? device : device_of_dlpack(tensor.device);
  sycl::queue queue = queue_on(own);
  arrived a = checked(tensor); // before the memory is read
  const std::vector<char> read = tensor.device.device_type == kDLOpenCL
                                     ? read_memory_object(tensor, queue, copy, ready)
                                     : std::vector<char>();
  if (tensor.device.device_type == kDLVulkan) find_in_buffer(tensor, queue);
  find_data(a, tensor);
  if (!read.empty()) check_bounds(a, tensor, read.size());
  const bool is_elsewhere = own != device || (is_of_host && !is_wanted_host);
  if (copy == dlpack_copy::never && (is_elsewhere || read_only))
    refuse_tensor(read_only ? "the tensor is read-only, and a copy is not allowed; an array can be written"
                            : "the tensor is on another device, and a copy is not allowed");
  if (a.shape.product() == 0) {
    const any_array none = empty(a.shape, a.type, device);
    release();
    return none;
  }
  if (copy != dlpack_copy::always && !is_elsewhere && !read_only && read.empty()) {
    if (!ready.empty()) queue.ext_oneapi_submit_barrier(ready);
    // The last array of the memory may go before the commands that use it have ended.
    const std::shared_ptr<void> owner(a.data, [queue, release](void*) mutable {
      queue.wait();
      release();
    });
    return from_usm(a.data, a.shape, a.strides, a.type, queue, owner);
  }
  if (!is_of_host && read.empty() && !host_can_read(a.data, queue))
    refuse_tensor("a copy of this tensor is needed, and the host cannot read its memory");
  for (sycl::event each : ready) each.wait();
  const std::vector<char> bytes = packed_bytes(a);
  const any_array copied = from_host(bytes.data(), a.shape, a.type, device);
  release();
  return copied;
}

template <typename Tensor>
std::function<void()> releaser(Tensor* tensor) {
  return [tensor] {
    if (tensor->deleter) tensor->deleter(tensor);
  };
}
any_array taken_versioned(DLManagedTensorVersioned* tensor, const sycl::device* device, dlpack_copy copy,
                          const std::vector<sycl::event>& ready) {
  if (tensor == nullptr) refuse_tensor("the tensor is null");
  if (tensor->version.major != DLPACK_MAJOR_VERSION)
    refuse_tensor("the tensor has version " + std::to_string(tensor->version.major) + "." +
                  std::to_string(tensor->version.minor) + " of the standard; versions 1 are known");
  return taken(tensor->dl_tensor, (tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0,
               device ? *device : device_of_dlpack(tensor->dl_tensor.device), copy, ready, releaser(tensor));
}
any_array taken_unversioned(DLManagedTensor* tensor, const sycl::device* device, dlpack_copy copy,
                            const std::vector<sycl::event>& ready) {
  if (tensor == nullptr) refuse_tensor("the tensor is null");
  return taken(tensor->dl_tensor, false, device ? *device : device_of_dlpack(tensor->dl_tensor.device), copy,
               ready, releaser(tensor));
}

} // namespace

DLDevice dlpack_device(const any_array& a) {
  const sycl::device device = a.device();
  for (const named_backend& each : named_backends) {
    if (each.backend != device.get_backend()) continue;
    const std::vector<sycl::device> all = devices_of(each.backend);
    const auto found = std::find(all.begin(), all.end(), device);
    if (found != all.end()) return {each.type, static_cast<std::int32_t>(found - all.begin())};
  }
  refuse_tensor("it has no name for " + device.get_info<sycl::info::device::name>(),
                sycl::errc::feature_not_supported);
}

sycl::device device_of_dlpack(DLDevice wanted) {
  for (const named_backend& each : named_backends) {
    if (each.type != wanted.device_type) continue;
    const std::vector<sycl::device> all = devices_of(each.backend);
    if (wanted.device_id >= 0 && static_cast<std::size_t>(wanted.device_id) < all.size())
      return all[static_cast<std::size_t>(wanted.device_id)];
    refuse_tensor("the tensor is on device " + std::to_string(wanted.device_id) + " of " + each.name +
                  "; there are " + std::to_string(all.size()));
  }
  refuse_tensor("the tensor is on a device of type " + std::to_string(wanted.device_type) +
                "; arrays are on kDLCPU, kDLOpenCL and kDLVulkan");
}

DLManagedTensorVersioned* to_dlpack(const any_array& a, bool read_only) {
  run_readers(a, read_only);
  a.wait();
  return versioned(a, read_only);
}
DLManagedTensorVersioned* to_dlpack(const any_array& a, sycl::queue& receiver, bool read_only) {
  order_behind(a, receiver, read_only);
  return versioned(a, read_only);
}
DLManagedTensor* to_dlpack_unversioned(const any_array& a) {
  run_readers(a, false);
  a.wait();
  return made<DLManagedTensor>(a);
}
DLManagedTensor* to_dlpack_unversioned(const any_array& a, sycl::queue& receiver) {
  order_behind(a, receiver, false);
  return made<DLManagedTensor>(a);
}

any_array from_dlpack(DLManagedTensorVersioned* tensor, dlpack_copy copy,
                      const std::vector<sycl::event>& ready) {
  return taken_versioned(tensor, nullptr, copy, ready);
}
any_array from_dlpack(DLManagedTensorVersioned* tensor, const sycl::device& device, dlpack_copy copy,
                      const std::vector<sycl::event>& ready) {
  return taken_versioned(tensor, &device, copy, ready);
}
any_array from_dlpack(DLManagedTensor* tensor, dlpack_copy copy, const std::vector<sycl::event>& ready) {
  return taken_unversioned(tensor, nullptr, copy, ready);
}
any_array from_dlpack(DLManagedTensor* tensor, const sycl::device& device, dlpack_copy copy,
                      const std::vector<sycl::event>& ready) {
  return taken_unversioned(tensor, &device, copy, ready);
}

} // namespace prism
