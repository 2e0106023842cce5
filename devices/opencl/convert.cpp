#include "devices/opencl/convert.hpp"

#include "devices/opencl/device_addresses.hpp"
#include "devices/opencl/identity.hpp"
#include "devices/opencl/usm.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <sstream>

namespace prism::devices::opencl {
namespace {

struct error_row {
  cl_int code;
  const char* name;
  error_category category;
  const char* meaning;
};

using enum error_category;
#define ROW(name, category, meaning) {name, #name, category, meaning}
constexpr error_row errors[] = {
    ROW(CL_DEVICE_NOT_FOUND, other, "no such device"),
    ROW(CL_DEVICE_NOT_AVAILABLE, lost, "the device is not available"),
    ROW(CL_COMPILER_NOT_AVAILABLE, unsupported, "the driver has no compiler"),
    ROW(CL_MEM_OBJECT_ALLOCATION_FAILURE, out_of_memory, "the device has not enough memory"),
    ROW(CL_OUT_OF_RESOURCES, out_of_memory, "the device is out of resources"),
    ROW(CL_OUT_OF_HOST_MEMORY, out_of_memory, "the host has not enough memory"),
    ROW(CL_PROFILING_INFO_NOT_AVAILABLE, unsupported, "no execution times were recorded"),
    ROW(CL_MEM_COPY_OVERLAP, invalid, "source and target of the copy overlap"),
    ROW(CL_BUILD_PROGRAM_FAILURE, build, "the program does not compile"),
    ROW(CL_MAP_FAILURE, other, "mapping failed"),
    ROW(CL_MISALIGNED_SUB_BUFFER_OFFSET, invalid, "the sub-buffer's offset is not aligned"),
    ROW(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, other, "a command that this one waited for has failed"),
    ROW(CL_COMPILE_PROGRAM_FAILURE, build, "the program does not compile"),
    ROW(CL_LINKER_NOT_AVAILABLE, unsupported, "the driver has no linker"),
    ROW(CL_LINK_PROGRAM_FAILURE, build, "the program does not link"),
    ROW(CL_DEVICE_PARTITION_FAILED, unsupported, "the device cannot be divided so"),
    ROW(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, unsupported, "no argument information"),
    ROW(CL_INVALID_VALUE, invalid, "a value is out of range"),
    ROW(CL_INVALID_DEVICE, invalid, "not a device of this context"),
    ROW(CL_INVALID_CONTEXT, invalid, "objects of different contexts"),
    ROW(CL_INVALID_QUEUE_PROPERTIES, unsupported, "the device lacks these queue properties"),
    ROW(CL_INVALID_COMMAND_QUEUE, lost, "the command queue is no longer valid"),
    ROW(CL_INVALID_HOST_PTR, invalid, "the host pointer does not fit the request"),
    ROW(CL_INVALID_MEM_OBJECT, invalid, "not a live memory object"),
    ROW(CL_INVALID_BINARY, invalid, "the binary is not accepted"),
    ROW(CL_INVALID_BUILD_OPTIONS, build, "the build options are not accepted"),
    ROW(CL_INVALID_PROGRAM, invalid, "not a program"),
    ROW(CL_INVALID_PROGRAM_EXECUTABLE, build, "the program was not built for this device"),
    ROW(CL_INVALID_KERNEL_NAME, invalid, "the program has no kernel of this name"),
    ROW(CL_INVALID_KERNEL_DEFINITION, invalid, "the kernel differs between devices"),
    ROW(CL_INVALID_KERNEL, invalid, "not a kernel"),
    ROW(CL_INVALID_ARG_INDEX, invalid, "the kernel has no argument of this index"),
    ROW(CL_INVALID_ARG_VALUE, invalid, "the argument's value does not fit"),
    ROW(CL_INVALID_ARG_SIZE, invalid, "the argument's size differs from the kernel's declaration"),
    ROW(CL_INVALID_KERNEL_ARGS, invalid, "not all arguments of the kernel are set"),
    ROW(CL_INVALID_WORK_DIMENSION, invalid, "the number of dimensions is not 1 to 3"),
    ROW(CL_INVALID_WORK_GROUP_SIZE, invalid, "the device or the kernel does not allow this work-group size"),
    ROW(CL_INVALID_WORK_ITEM_SIZE, invalid, "the work-group is too large in one dimension"),
    ROW(CL_INVALID_GLOBAL_OFFSET, invalid, "the offset is out of range"),
    ROW(CL_INVALID_EVENT_WAIT_LIST, invalid, "the events waited for are not valid"),
    ROW(CL_INVALID_EVENT, invalid, "not an event"),
    ROW(CL_INVALID_OPERATION, unsupported, "the driver does not allow this operation"),
    ROW(CL_INVALID_BUFFER_SIZE, out_of_memory,
        "the size is zero or larger than the device's largest allocation"),
    ROW(CL_INVALID_GLOBAL_WORK_SIZE, invalid, "the number of work-items is out of range"),
    ROW(CL_INVALID_PROPERTY, invalid, "a property is not known"),
    ROW(CL_INVALID_COMPILER_OPTIONS, build, "the compiler options are not accepted"),
    ROW(CL_INVALID_LINKER_OPTIONS, build, "the linker options are not accepted"),
    ROW(CL_INVALID_DEVICE_PARTITION_COUNT, invalid, "the device has fewer compute units"),
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR", other, "no OpenCL platform is installed"},
    {stopped_command, "NVIDIA: illegal access or watchdog", lost, "the device is lost: it stopped a command"},
};
#undef ROW

const error_row* find_row(cl_int code) {
  const auto found =
      std::find_if(std::begin(errors), std::end(errors), [code](auto& row) { return row.code == code; });
  return found == std::end(errors) ? nullptr : found;
}

bool has(const capabilities& found, const char* extension) {
  return std::find(found.extensions.begin(), found.extensions.end(), extension) != found.extensions.end();
}

std::string trimmed(std::string text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

/// Intel's GPUs state a version of their design, NVIDIA's a compute capability; AMD's have theirs as name.
std::string architecture_of(const entry_points& api, cl_device_id device, const capabilities& found) {
  constexpr cl_device_info ip_version_intel = 0x4250, major_nv = 0x4000, minor_nv = 0x4001;
  if (found.type == device_type::cpu) return processor_architecture;
  char text[48] = "";
  if (has(found, "cl_nv_device_attribute_query")) {
    if (const auto major = device_property<cl_uint>(api, device, major_nv))
      std::snprintf(text, sizeof text, "nvidia_gpu_sm_%u",
                    major * 10 + device_property<cl_uint>(api, device, minor_nv));
  } else if (has(found, "cl_intel_device_attribute_query") && found.type == device_type::gpu) {
    if (const auto version = device_property<cl_uint>(api, device, ip_version_intel))
      std::snprintf(text, sizeof text, "intel_gpu_%u_%u_%u", version >> 22, version >> 14 & 0xff,
                    version & 0x3f);
  } else if (found.name.compare(0, 3, "gfx") == 0) { // "gfx90a:sramecc+:xnack-"
    return "amd_gpu_" + found.name.substr(0, found.name.find(':'));
  }
  return text;
}

std::uint64_t features_of(const entry_points& api, cl_device_id device, const device_traits& traits,
                          const capabilities& found) {
  std::uint64_t bits = image::int8 | image::int16 | image::fp16_storage; // OpenCL C 1.1 core
  const bool full = device_text(api, device, CL_DEVICE_PROFILE) == "FULL_PROFILE";
  if (full || has(found, "cles_khr_int64")) bits |= image::int64;
  if (has(found, "cl_khr_fp64") &&
      device_property<cl_device_fp_config>(api, device, CL_DEVICE_DOUBLE_FP_CONFIG))
    bits |= image::fp64;
  if (has(found, "cl_khr_fp16")) bits |= image::fp16;
  if (has(found, "cl_khr_int64_base_atomics") && has(found, "cl_khr_int64_extended_atomics"))
    bits |= image::int64_atomics;
  if (traits.has_opencl_c_3 && has(found, "cl_khr_kernel_clock")) {
    constexpr cl_device_info capabilities = 0x1076; // CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR
    constexpr cl_bitfield of_device = 1, of_sub_group = 4;
    const auto scopes = device_property<cl_bitfield>(api, device, capabilities);
    if (scopes & of_sub_group) bits |= image::clock_sub_group;
    if (scopes & of_device) bits |= image::clock_device;
  }
  if (traits.has_addresses()) bits |= image::addresses;
  if (device_property<cl_device_fp_config>(api, device, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_INF_NAN)
    bits |= image::signed_zero_inf_nan;
  if (traits.has_memory_model) bits |= image::memory_model;
  if (traits.sub_group_size != 0) bits |= image::sub_groups;
  // As of its version 2026.2 the vectoriser of Intel's driver for processors computes private arrays wrong,
  // and kernels with sub-groups are always vectorised.
  if (traits.sub_group_size != 0 && !traits.is_intel_cpu) bits |= image::sub_group_arrays;
  return bits;
}

/// Orders and scopes as numbered by __prism_fence. OpenCL C 1.2 has relaxed atomics of device scope, and
/// mem_fence, which is acquire-release within the work-group. The rest needs the OpenCL 3.0 memory model.
void read_memory_model(const entry_points& api, cl_device_id device, capabilities& found) {
  found.atomic_orders = {0};
  found.atomic_scopes = {0, 1, 2, 3};
  found.fence_orders = {0, 1, 2, 3};
  found.fence_scopes = {0, 1, 2};
  if (!(found.features & image::memory_model)) return;
  const auto atomics =
      device_property<cl_device_atomic_capabilities>(api, device, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES);
  const auto fences =
      device_property<cl_device_atomic_capabilities>(api, device, CL_DEVICE_ATOMIC_FENCE_CAPABILITIES);
  found.atomic_orders = {0, 1, 2, 3};
  if (atomics & CL_DEVICE_ATOMIC_ORDER_SEQ_CST) found.atomic_orders.push_back(4);
  if (fences & CL_DEVICE_ATOMIC_ORDER_SEQ_CST) found.fence_orders.push_back(4);
  found.fence_scopes.push_back(3);
}

void read_identity(const entry_points& api, cl_platform_id platform, cl_device_id device,
                   capabilities& found) {
  found.name = device_text(api, device, CL_DEVICE_NAME);
  found.vendor = device_text(api, device, CL_DEVICE_VENDOR);
  found.version = device_text(api, device, CL_DEVICE_VERSION);
  found.driver_version = device_text(api, device, CL_DRIVER_VERSION);
  found.platform_name = platform_text(api, platform, CL_PLATFORM_NAME);
  found.platform_vendor = platform_text(api, platform, CL_PLATFORM_VENDOR);
  found.platform_version = platform_text(api, platform, CL_PLATFORM_VERSION);
  std::istringstream words(device_text(api, device, CL_DEVICE_EXTENSIONS));
  for (std::string word; words >> word;) found.extensions.push_back(word);
  const auto type = device_property<cl_device_type>(api, device, CL_DEVICE_TYPE);
  found.type = type & CL_DEVICE_TYPE_CPU           ? device_type::cpu
               : type & CL_DEVICE_TYPE_GPU         ? device_type::gpu
               : type & CL_DEVICE_TYPE_ACCELERATOR ? device_type::accelerator
                                                   : device_type::custom;
  found.software = found.type == device_type::cpu;
  found.vendor_id = device_property<cl_uint>(api, device, CL_DEVICE_VENDOR_ID);
  found.physical_id = physical_id_of(api, platform, device);
  found.architecture = architecture_of(api, device, found);
  found.uuid = uuid_of(api, device);
}

constexpr struct {
  affinity_domain domain;
  cl_device_affinity_domain bit;
} affinity_bits[] = {{affinity_domain::numa, CL_DEVICE_AFFINITY_DOMAIN_NUMA},
                     {affinity_domain::l4_cache, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE},
                     {affinity_domain::l3_cache, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE},
                     {affinity_domain::l2_cache, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE},
                     {affinity_domain::l1_cache, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE},
                     {affinity_domain::next, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE}};

partition_support read_partition_support(const entry_points& api, cl_device_id device) {
  partition_support found;
  found.max_sub_devices = device_property<cl_uint>(api, device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES);
  cl_device_partition_property ways[8] = {};
  if (found.max_sub_devices == 0 ||
      api.clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof ways, ways, nullptr) != CL_SUCCESS)
    return {};
  const auto has = [&](cl_device_partition_property way) {
    return std::find(std::begin(ways), std::end(ways), way) != std::end(ways);
  };
  found.equally = has(CL_DEVICE_PARTITION_EQUALLY);
  found.by_counts = has(CL_DEVICE_PARTITION_BY_COUNTS);
  if (has(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN)) {
    const auto bits =
        device_property<cl_device_affinity_domain>(api, device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN);
    for (const auto& row : affinity_bits)
      if (bits & row.bit) found.domains.push_back(row.domain);
  }
  // NVIDIA's driver counts one sub-device although it has no way to make it.
  if (!found.equally && !found.by_counts && found.domains.empty()) return {};
  return found;
}

void read_limits(const entry_points& api, cl_device_id device, capabilities& found) {
  const auto number = [&](cl_device_info what) { return device_property<cl_uint>(api, device, what); };
  const auto large = [&](cl_device_info what) { return device_property<cl_ulong>(api, device, what); };
  found.compute_units = std::max(1u, number(CL_DEVICE_MAX_COMPUTE_UNITS));
  found.partitions = read_partition_support(api, device);
  found.max_clock_mhz = number(CL_DEVICE_MAX_CLOCK_FREQUENCY);
  found.global_memory = large(CL_DEVICE_GLOBAL_MEM_SIZE);
  found.max_allocation = large(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  found.local_memory = large(CL_DEVICE_LOCAL_MEM_SIZE);
  found.global_cache = large(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
  found.cache_line = number(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE);
  found.base_alignment = std::max(1u, number(CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8);
  found.address_bits = number(CL_DEVICE_ADDRESS_BITS);
  found.max_argument_bytes = device_property<std::size_t>(api, device, CL_DEVICE_MAX_PARAMETER_SIZE, 1024);
  found.max_group_size =
      std::max<std::size_t>(1, device_property<std::size_t>(api, device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  std::size_t sizes[16] = {1, 1, 1}; // at least three dimensions; more are not used
  if (api.clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, nullptr) == CL_SUCCESS)
    found.max_local_size = {sizes[0], sizes[1], sizes[2]};
  found.timer_resolution_ns = std::max<std::size_t>(
      1, device_property<std::size_t>(api, device, CL_DEVICE_PROFILING_TIMER_RESOLUTION));
  const auto queue = device_property<cl_command_queue_properties>(api, device, CL_DEVICE_QUEUE_PROPERTIES);
  found.profiling = queue & CL_QUEUE_PROFILING_ENABLE;
  found.out_of_order = queue & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  constexpr cl_device_info native[] = {
      CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR,  CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT,
      CL_DEVICE_NATIVE_VECTOR_WIDTH_INT,   CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG,
      CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE,
      CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF};
  constexpr cl_device_info preferred[] = {
      CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR,  CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT,
      CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT,   CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG,
      CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE,
      CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF};
  for (int i = 0; i < 7; ++i) {
    found.vector_widths_native[i] = number(native[i]);
    found.vector_widths_preferred[i] = number(preferred[i]);
  }
}

} // namespace

std::string error_name(cl_int code) {
  const error_row* row = find_row(code);
  return row ? row->name : "CL error " + std::to_string(code);
}

error_category category_of(cl_int code) {
  const error_row* row = find_row(code);
  return row ? row->category : error_category::other;
}

device_error make_error(cl_int code, const std::string& asked) {
  const error_row* row = find_row(code);
  return device_error(
      category_of(code), error_name(code),
      asked + ": " + (row ? row->meaning : "the driver reports an error code that OpenCL does not define"));
}

void check(cl_int code, const char* asked) {
  if (code != CL_SUCCESS) throw make_error(code, asked);
}

std::string device_text(const entry_points& api, cl_device_id device, cl_device_info what) {
  std::size_t bytes = 0;
  if (api.clGetDeviceInfo(device, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return {};
  std::string text(bytes, '\0');
  if (api.clGetDeviceInfo(device, what, bytes, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(text.find('\0') == std::string::npos ? bytes : text.find('\0'));
  return trimmed(text);
}

std::string platform_text(const entry_points& api, cl_platform_id platform, cl_platform_info what) {
  std::size_t bytes = 0;
  if (api.clGetPlatformInfo(platform, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return {};
  std::string text(bytes, '\0');
  if (api.clGetPlatformInfo(platform, what, bytes, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(text.find('\0') == std::string::npos ? bytes : text.find('\0'));
  return trimmed(text);
}

namespace {

/// CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT and CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT as
/// image::float_adds_bit. Drivers need not define the macros of cl_ext_float_atomics (Intel's does not).
bool multiplies_packed_bytes(const entry_points& api, cl_device_id device) {
  constexpr cl_device_info dot_products = 0x1073; // CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR
  constexpr cl_bitfield packed = 1;
  return device_text(api, device, CL_DEVICE_EXTENSIONS).find("cl_khr_integer_dot_product") !=
             std::string::npos &&
         (device_property<cl_bitfield>(api, device, dot_products) & packed) != 0;
}

std::uint32_t float_adds_of(const entry_points& api, cl_device_id device) {
  constexpr cl_device_info of_floats = 0x4231, of_doubles = 0x4232;
  constexpr cl_bitfield adds_in_global = 1u << 1, adds_in_local = 1u << 17;
  if (device_text(api, device, CL_DEVICE_EXTENSIONS).find("cl_ext_float_atomics") == std::string::npos)
    return 0;
  std::uint32_t bits = 0;
  for (const bool wide : {false, true}) {
    const auto found = device_property<cl_bitfield>(api, device, wide ? of_doubles : of_floats);
    if (found & adds_in_global) bits |= image::float_adds_bit(wide, false);
    if (found & adds_in_local) bits |= image::float_adds_bit(wide, true);
  }
  return bits;
}

/// Denormalized halves must not become zero, as they do on Intel's driver for processors.
bool computes_in_half(const entry_points& api, cl_device_id device) {
  constexpr cl_device_info half_config = 0x1033; // CL_DEVICE_HALF_FP_CONFIG
  constexpr cl_device_fp_config needed = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST;
  return device_text(api, device, CL_DEVICE_EXTENSIONS).find("cl_khr_fp16") != std::string::npos &&
         (device_property<cl_device_fp_config>(api, device, half_config) & needed) == needed;
}

/// The kinds of cl_intel_unified_shared_memory by which the device does what it cannot by SVM.
void read_usm(const entry_points& api, cl_platform_id platform, cl_device_id device, device_traits& traits) {
  if (traits.fine_svm() ||
      device_text(api, device, CL_DEVICE_EXTENSIONS).find("cl_intel_unified_shared_memory") ==
          std::string::npos)
    return;
  if (!find_usm_calls(api, platform)) return;
  const auto kind = [&](cl_device_info what) {
    const auto found = device_property<cl_bitfield>(api, device, what);
    return found & usm_access ? found : 0;
  };
  traits.usm_host = kind(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL);
  traits.usm_shared = kind(CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL);
  if (!traits.coarse_svm()) traits.usm_device = kind(CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL);
}

/// The sizes of sub-groups that a kernel can require, if the driver has the functions that texts with
/// sub-groups call. Without them the sizes that kernels get are not known before they are built.
std::vector<std::uint32_t> sub_group_sizes_of(const entry_points& api, cl_device_id device, bool is_cpu) {
  constexpr cl_device_info sizes_intel = 0x4108; // CL_DEVICE_SUB_GROUP_SIZES_INTEL
  const std::string extensions = device_text(api, device, CL_DEVICE_EXTENSIONS);
  for (const char* needed :
       {"cl_intel_required_subgroup_size", "cl_khr_subgroup_shuffle", "cl_khr_subgroup_ballot"})
    if ((extensions + " ").find(std::string(needed) + " ") == std::string::npos) return {};
  std::size_t sizes[16], bytes = 0;
  if (device_property<cl_uint>(api, device, CL_DEVICE_MAX_NUM_SUB_GROUPS) == 0 ||
      api.clGetDeviceInfo(device, sizes_intel, sizeof sizes, sizes, &bytes) != CL_SUCCESS)
    return {};
  // 32 as on the host: image::group_sub_group_sizes. On processors no more than a register has: with AVX-512
  // Intel's driver took 90 times as long for shuffles in sub-groups of 32 as in those of 16.
  const std::uint32_t lanes = device_property<cl_uint>(api, device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT),
                      largest = is_cpu ? std::min(lanes, 32u) : 32;
  std::vector<std::uint32_t> found;
  for (std::size_t i = 0; i < std::min(bytes / sizeof sizes[0], std::size(sizes)); ++i)
    if (std::has_single_bit(sizes[i]) && sizes[i] > 1 && sizes[i] <= largest)
      found.push_back(static_cast<std::uint32_t>(sizes[i]));
  return found;
}

/// Sub-groups need work-groups that are launched as one row.
bool takes_rows(const entry_points& api, cl_device_id device) {
  std::size_t sizes[16] = {};
  return api.clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, nullptr) ==
             CL_SUCCESS &&
         sizes[0] >= device_property<std::size_t>(api, device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
}

void read_sub_groups(const entry_points& api, cl_device_id device, device_traits& traits) {
  if (!traits.has_opencl_c_3 || traits.is_pocl_cpu || !takes_rows(api, device)) return;
  const std::vector<std::uint32_t> sizes = sub_group_sizes_of(api, device, traits.is_cpu);
  if (!sizes.empty()) traits.sub_group_size = *std::max_element(sizes.begin(), sizes.end());
}

} // namespace

device_traits read_traits(const entry_points& api, cl_platform_id platform, cl_device_id device) {
  device_traits traits;
  if (api.has_svm_calls())
    traits.svm = device_property<cl_device_svm_capabilities>(api, device, CL_DEVICE_SVM_CAPABILITIES);
  read_usm(api, platform, device, traits);
  if (!traits.has_addresses())
    traits.has_device_addresses = find_device_addresses(api, platform, device) != nullptr;
  traits.computes_in_half = computes_in_half(api, device);
  traits.is_cpu = device_property<cl_device_type>(api, device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU;
  traits.is_oclgrind = platform_text(api, platform, CL_PLATFORM_NAME) == "Oclgrind";
  traits.cuts_loops_short = platform_text(api, platform, CL_PLATFORM_NAME) == "rusticl" &&
                            device_text(api, device, CL_DEVICE_NAME).find("llvmpipe") != std::string::npos;
  traits.is_pocl_cpu =
      traits.is_cpu && platform_text(api, platform, CL_PLATFORM_NAME) == "Portable Computing Language";
  traits.is_nvidia = platform_text(api, platform, CL_PLATFORM_NAME) == nvidia_platform;
  traits.is_intel_cpu =
      traits.is_cpu &&
      device_text(api, device, CL_DEVICE_EXTENSIONS).find("cl_intel_vec_len_hint") != std::string::npos;
  traits.rounds_on_request =
      !traits.is_cpu && device_property<cl_device_fp_config>(api, device, CL_DEVICE_SINGLE_FP_CONFIG) &
                            CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  std::size_t bytes = 0;
  if (api.clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, 0, nullptr, &bytes) == CL_SUCCESS &&
      bytes) {
    std::vector<cl_name_version> versions(bytes / sizeof(cl_name_version));
    api.clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, bytes, versions.data(), nullptr);
    for (const auto& version : versions) traits.has_opencl_c_3 |= CL_VERSION_MAJOR(version.version) == 3;
  }
  read_sub_groups(api, device, traits);
  if (traits.has_opencl_c_3) traits.float_adds = float_adds_of(api, device);
  traits.has_dot_products = traits.has_opencl_c_3 && multiplies_packed_bytes(api, device);
  constexpr cl_device_atomic_capabilities wanted =
      CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_DEVICE;
  for (const cl_device_info what :
       {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, CL_DEVICE_ATOMIC_FENCE_CAPABILITIES})
    if ((device_property<cl_device_atomic_capabilities>(api, device, what) & wanted) != wanted) return traits;
  traits.has_memory_model = traits.has_opencl_c_3;
  return traits;
}

std::vector<cl_device_partition_property> partition_of(const partition& how) {
  if (const auto* equal = std::get_if<partition_equally>(&how))
    return {CL_DEVICE_PARTITION_EQUALLY, cl_device_partition_property(equal->units), 0};
  std::vector<cl_device_partition_property> out;
  if (const auto* counted = std::get_if<partition_by_counts>(&how)) {
    out.push_back(CL_DEVICE_PARTITION_BY_COUNTS);
    out.insert(out.end(), counted->units.begin(), counted->units.end());
    out.push_back(CL_DEVICE_PARTITION_BY_COUNTS_LIST_END);
  } else {
    out.push_back(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
    for (const auto& row : affinity_bits)
      if (row.domain == std::get<affinity_domain>(how)) out.push_back(cl_device_partition_property(row.bit));
  }
  out.push_back(0);
  return out;
}

capabilities read_capabilities(const entry_points& api, cl_platform_id platform, cl_device_id device,
                               const device_traits& traits) {
  capabilities found;
  read_identity(api, platform, device, found);
  read_limits(api, device, found);
  if (traits.is_intel_cpu)
    found.partitions = {}; // whose sub-devices are not devices of their parent's context
  // NVIDIA's driver (580.159) puts a byte of its own in front of a kernel's local memory, which begins at the
  // next multiple of its alignment, 128.
  if (traits.is_nvidia) found.local_memory -= std::min<std::uint64_t>(found.local_memory, 256);
  found.features = features_of(api, device, traits, found);
  read_memory_model(api, device, found);
  found.image_kinds = {image::kind::opencl_c};
  if (traits.is_pocl_cpu) {
    found.binaries_take_a_build = true; // for any group size, in addition to the sizes of launches
    found.starts_without_flush =
        true; // at clEnqueue, or when the events waited for complete; clFlush does nothing
    found.long_range_group =
        1024; // its cost for each group is then a twentieth of the time of a simple kernel
    found.image_kinds.insert(found.image_kinds.begin(), image::kind::opencl_c_group);
    found.sub_group_sizes.assign(std::begin(image::group_sub_group_sizes),
                                 std::end(image::group_sub_group_sizes));
  }
  if (traits.sub_group_size != 0) {
    found.image_kinds.insert(found.image_kinds.begin(), image::kind::opencl_c_sub_groups);
    found.sub_group_sizes = sub_group_sizes_of(api, device, traits.is_cpu);
    // the plain image runs the kernels that have no other
    if (traits.is_intel_cpu) found.sub_group_sizes.insert(found.sub_group_sizes.begin(), 1);
  }
  found.addresses = found.usm_device = traits.has_addresses();
  const bool has_svm_atomics = traits.fine_svm() && (traits.svm & CL_DEVICE_SVM_ATOMICS);
  found.usm_host = traits.fine_svm() || traits.usm_host != 0;
  found.usm_shared = traits.fine_svm() || traits.usm_shared != 0;
  found.usm_atomic_host = has_svm_atomics || (traits.usm_host & usm_concurrent_atomics);
  found.usm_atomic_shared = has_svm_atomics || (traits.usm_shared & usm_concurrent_atomics);
  found.usm_system = traits.svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
  return found;
}

box_copy shape_of(const copy_command& command) {
  box_copy shape;
  std::uint64_t rows = command.rows, slices = command.slices;
  std::uint64_t from_row = command.from.row_pitch, to_row = command.to.row_pitch;
  if (rows == 1) { // one row a slice: treat the slices as rows
    rows = slices;
    slices = 1;
    from_row = command.from.slice_pitch;
    to_row = command.to.slice_pitch;
  }
  if (from_row == 0 || rows == 1) from_row = command.row_bytes;
  if (to_row == 0 || rows == 1) to_row = command.row_bytes;
  const auto slice_of = [&](const location& side, std::uint64_t row) {
    return side.slice_pitch == 0 || slices == 1 ? row * rows : side.slice_pitch;
  };
  const std::uint64_t from_slice = slice_of(command.from, from_row), to_slice = slice_of(command.to, to_row);
  shape.bytes = command.row_bytes * rows * slices;
  const std::uint64_t packed = command.row_bytes * rows;
  shape.linear = rows * slices <= 1 || (from_row == command.row_bytes && to_row == command.row_bytes &&
                                        (slices == 1 || (from_slice == packed && to_slice == packed)));
  if (shape.linear) return shape;
  const bool whole = from_slice % from_row == 0 && to_slice % to_row == 0;
  shape.parts = whole ? 1 : slices;
  shape.region[0] = command.row_bytes;
  shape.region[1] = rows;
  shape.region[2] = whole ? slices : 1;
  shape.from_row_pitch = from_row;
  shape.to_row_pitch = to_row;
  shape.from_slice_pitch = whole ? from_slice : 0; // 0: rows × row pitch
  shape.to_slice_pitch = whole ? to_slice : 0;
  shape.from_step = from_slice;
  shape.to_step = to_slice;
  return shape;
}

} // namespace prism::devices::opencl
