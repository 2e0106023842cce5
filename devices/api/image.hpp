// The kernel image format: what the compiler writes into an object file and the runtime reads from it.
//
// The runtime and compiler/ share it. Plain data with C layout: the plugin emits these structs as LLVM
// constants (pointers become relocations), so a change here requires a new `format_version` and a change of
// compiler/link/embed.cpp. Registering a module neither allocates nor locks; see kernel_abi.hpp for how a
// kernel finds its record. Below the SYCL headers dimension 0 is always x, the fastest.
//
// OpenCL C image: the arguments in order.
// - The captured block: `struct { ulong w[ceil(argument_bytes / 8)]; }` by value if the kernel has the flag
//   `arguments_by_value`, otherwise `__global const uchar*`.
// - If the kernel has the flag `uses_local_memory`: `__local ulong16*`, the local arena. (Drivers align local
// memory as
//   the parameter's type requires.)
// - For each pointer slot: `__global uchar*` base, `ulong` byte offset from that base. The kernel uses
//   base + offset in place of the captured word.
// - If the text has constant data (opencl_data.hpp): `__global uchar*`, where the backend has copied it.
// If PRISM_FIXED_ORDER is defined as 1, sums over work-groups have the fixed order, and nothing is
// contracted.
// The bits of PRISM_FLOAT_ADDS (float_adds_bit) are the atomic additions of floats that the device has; the
// others are loops. If PRISM_DOT_PRODUCTS is defined as 1, sums of products of packed bytes are the device's.
// - If PRISM_LOOP_LIMIT is defined (the driver cuts loops short) and loops of the text may be long:
//   `__global uint*` fault, `uint` mark. The kernel stores mark there if it cut a work-item's loops short.
//
// OpenCL C group image: the same arguments, then
// - `uint lx, uint ly, uint lz`, the size of the work-group.
// - If spill_bytes != 0: `__local ulong16*` of lx * ly * lz * spill_bytes bytes, for values that live across
//   barriers.
// It is enqueued with local size 1: one OpenCL work-group, of one work-item, for each SYCL work-group.
//
// OpenCL C sub-group image: the same arguments as the OpenCL C image, then
// - `uint lx, uint ly, uint lz`, the size of the work-group.
// Its work-groups are launched as one row of lx * ly * lz work-items, and the kernel computes its local id
// from the index in the row. So sub-groups consist of consecutive linear ids for every shape of the local
// range. PRISM_SUB_GROUP_SIZE is their size.
//
// Vulkan SPIR-V image (GLCompute, Vulkan 1.2 memory model, PhysicalStorageBuffer64). It has no descriptor
// sets, but push constants (push_constants below) and these specialisation constants:
// - 0, 1, 2: local size x, y, z.
// - 3: number of elements of the workgroup arena (element size: local_element_bytes).
// - 4, in modules with loops that may be long: whether to store 1 to push_constants::fault when a work-item's
//   loops were cut short.
// - 5: whether addresses in [window_base, window_base + window_bytes) of the push constants are the host's;
//   each access then adds window_delta to them.
// - 6, in modules with loops: whether the driver fills vectors row by row, which leaves the last vector of
//   each row incomplete (see compiler/spirv/absent_items.hpp).
// - flat_size_spec_id, in modules with sub-groups: their work-groups are launched as one row of that many
//   work-items, and the kernel computes its local id from the index in the row. So sub-groups consist of
//   consecutive linear ids for every shape of the local range.
// - fixed_order_spec_id, in modules whose sums have several orders: whether to use the fixed one.
// A module may contain constant data (spirv_data.hpp), which the kernel reads at push_constants::constants.
#pragma once

#include <cstdint>

namespace prism::image {

inline constexpr std::uint32_t magic = 0x4d535250; // "PRSM"
inline constexpr std::uint32_t format_version = 8;

enum class kind : std::uint32_t {
  opencl_c = 1,     // text, zero-terminated (size excludes the zero)
  vulkan_spirv = 2, // SPIR-V words; with half or fma several: for a device that fuses, for one with fp16 and
                    // fp64, and for one without
  host_group = 3,   // pointer to a native work-group function (see host_group_function)
  host_whole_groups =
      6, // like host_group, for groups that lie wholly within a range: no bounds check; present where faster
  opencl_c_group = 4,      // text for CPU drivers: one OpenCL work-item runs a whole work-group, see above
  opencl_c_sub_groups = 5, // text that calls the driver's functions for sub-groups; only of kernels with them
};

constexpr bool is_opencl_c(kind which) {
  return which == kind::opencl_c || which == kind::opencl_c_group || which == kind::opencl_c_sub_groups;
}

/// Sub-group sizes for which work-group functions are compiled, on the host device and in opencl_c_group. The
/// size is default_group_sub_group_size unless the kernel requires another. The default is the largest,
/// because programs size memory by the largest size that a device lists. It is not 64, because most programs
/// that require no size were written for sub-groups of 32.
inline constexpr std::uint32_t group_sub_group_sizes[] = {4, 8, 16, 32};
inline constexpr std::uint32_t default_group_sub_group_size = 32;

/// SPIR-V modules with sub-groups: the number of work-items in a work-group.
inline constexpr std::uint32_t flat_size_spec_id = 8;
/// SPIR-V modules whose sums over work-groups have several orders: whether to use the fixed one.
inline constexpr std::uint32_t fixed_order_spec_id = 9;

/// What a kernel needs beyond 32-bit integers and floats, and what a device supports. Both use the same bits.
enum feature : std::uint64_t {
  fp16 = 1u << 0, // half arithmetic in the image
  fp64 = 1u << 1,
  int8 = 1u << 2, // 8-bit loads and stores
  int16 = 1u << 3,
  int64 = 1u << 4,
  int64_atomics = 1u << 5,
  float_atomic_add = 1u << 6, // native 32-bit float add on global memory
  addresses = 1u << 7,        // derives pointers from more than its pointer slots: needs shared addresses
  memory_model = 1u << 8,     // acquire/release with device scope
  sub_groups = 1u << 9,
  signed_zero_inf_nan = 1u << 10, // SPIR-V float controls, 32 bit
  fp16_storage = 1u << 11,        // half in memory only
  fused_multiply_add = 1u << 12,  // fma of SPIR-V rounds once
  clock_sub_group = 1u << 13,     // reads a clock that a sub-group shares
  clock_device = 1u << 14,        // reads a clock that all work-items share
  sub_group_arrays = 1u << 15,    // arrays of a work-item's own in a kernel whose sub-groups are vectors
  cooperative_matrix = 1u << 16,  // matrices that a sub-group holds, of the types and sizes in the kernel
};
const char* feature_name(feature f); // defined in devices/registry.cpp: "fp64", "int64_atomics", ...

enum flag : std::uint32_t {
  arguments_by_value = 1u << 0,
  uses_local_memory = 1u << 1, // the dynamic arena or static_local_bytes
  uses_barrier = 1u << 2,
  uses_group_operation = 1u << 3, // never round up the range of such a kernel
  uses_printf = 1u << 4,
  uses_sub_group = 1u << 5, // any __prism_sub_group_* function
  leaves_out_host =
      1u << 6, // compiled without the host target, or never ends: the host must not run the body either
  reaches_by_slots = 1u << 7, // accesses global memory only through pointer slots and hidden arguments, reads
                              // no pointer from memory
  any_group_size = 1u << 8, // work-items use only their index in the whole range: any work-group size will do
  for_debugger =
      1u << 9, // compiled with -g and -O0: the host device runs the kernel's body, which has its lines
               // and variables, and not its work-group function, unless PRISM_HOST_KERNELS chooses
  // The order of floating-point sums (docs/reproducible.md). `has_fixed_order`: the images can sum in an
  // order that does not depend on the device, but for what the four flags after it say.
  has_fixed_order = 1u << 10,
  sums_by_sub_group = 1u << 11, // sums or scans over sub-groups, whose sizes depend on the device
  sums_atomically = 1u << 12,   // in any order
  is_reassociated = 1u << 13,   // compiled with -ffast-math
  contracts_on_host = 1u << 14, // the host's code is for processors with fused multiply-adds and uses them
  asks_fixed_order = 1u << 15,  // the runtime's copy of a record, whose programs sum in the fixed order
  calls_elements = 1u << 16,    // computes elements of other kernels: runs only in a launch fused with these
};

/// OpenCL C with sub-groups: their size, a power of two.
inline constexpr const char* sub_group_size_macro = "PRISM_SUB_GROUP_SIZE";
/// How many sub-groups a work-group may have for group algorithms that combine the values of each by shuffles
/// (sycl/detail/vector_sub_groups.hpp).
inline constexpr std::uint32_t most_vector_sub_groups = 256;

/// OpenCL C: if defined, the text computes halves by cl_khr_fp16, otherwise in float with rounding.
inline constexpr const char* half_macro = "PRISM_HALF";

/// OpenCL C: 1 where the device sums the products of packed bytes (cl_khr_integer_dot_product).
inline constexpr const char* dot_products_macro = "PRISM_DOT_PRODUCTS";

/// OpenCL C: which atomic additions of floats are the device's own.
inline constexpr const char* float_adds_macro = "PRISM_FLOAT_ADDS";
constexpr std::uint32_t float_adds_bit(bool of_doubles, bool in_local_memory) {
  return 1u << (2 * of_doubles + in_local_memory);
}

/// Kinds from this number on are data about the kernel, which no device accepts: kernel_counts.hpp,
/// element_wise.hpp, image_format/source_places.hpp.
inline constexpr std::uint32_t first_data_kind = 100;
inline constexpr kind source_places_kind = static_cast<kind>(103);

/// Versions of the host's kernels for several instruction sets. prism++ compiles each host kernel for several
/// levels of the x86-64 processor supplement, or for ARM's scalable vectors, unless the command line already
/// selects them or does not optimise. At each call the word selects a version.
namespace host_isa {
inline constexpr int baseline = 0, sve = 1, v3 = 3, v4 = 4; // sve: AArch64; v3: AVX2, FMA; v4: AVX-512
/// An `int`, one of the levels. The runtime writes it before main.
inline constexpr const char* word_name = "__prism_host_isa";
} // namespace host_isa

/// The refusal of an image whose target --targets did not list.
inline constexpr const char* left_out = "left out by --targets when the program was compiled";

struct kernel_image {
  kind image_kind;
  std::uint32_t
      sub_group_size; // what a group image was compiled for; 0: the device's own, or the kernel does not care
  std::uint64_t features;    // needed by this image
  const void* data;          // null if there is no image: then `refusal` is the reason
  std::uint64_t size;        // bytes
  const char* refusal;       // null if there is an image
  std::uint32_t spill_bytes; // opencl_c_group: bytes for each work-item of the last argument
  std::uint32_t reserved;
};

/// What the runtime appends to the captured block at submission.
enum class hidden_kind : std::uint32_t {
  specialization_constant = 1, // its current value; key = address of the specialization_id object
  output = 2,                  // 8 bytes, a global pointer (also one of the pointer slots): see output_header
  device_global = 3, // 8 bytes, a global pointer as `output`; key = address of the object, whose first `size`
                     // bytes are the initial value
  index_faults = 4,  // 8 bytes, a global pointer as `output`, to `size` bytes; key = array of `count`
                     // index_check, one for each check
};
struct hidden_argument {
  hidden_kind what;
  std::uint32_t offset; // in the captured block, >= closure_bytes, aligned for its type (at most 16)
  std::uint32_t size;   // bytes of the value
  std::uint32_t count;
  const void* key;
};

/// A source location where the kernel checks an accessor's index.
struct index_check {
  std::uint32_t offset; // of its index_fault in the block
  std::uint32_t what; // byte 0: 0 accessor, 1 local_accessor, 2 host_accessor; byte 1: dimension; byte 2: the
                      // number of dimensions of the accessor
  const char* place;  // file:line:column
};
/// The fault found by one check. All zero at first. The rest of the block is scratch memory: an access with a
/// wrong index goes there.
struct index_fault {
  std::uint32_t count; // modulo 2^32; the first fault fills in the other members
  std::uint32_t reserved;
  std::uint64_t index, extent;
  std::uint64_t item[3]; // the work-item, dimension 0 = x
};

/// Header of the block of text that kernels write. `used` grows by atomic add and may exceed `capacity`: text
/// that did not fit is lost, and the runtime reports that. A writer reserves whole aligned 32-bit words and
/// pads with zero bytes, which the reader drops (anywhere in the text). A failed assertion also writes a text
/// ("file:line: function: Assertion ...") and sets `failed`.
struct output_header {
  std::uint32_t capacity; // bytes after the header
  std::uint32_t used;     // bytes reserved so far
  std::uint32_t failed;   // 1 once an assertion failed
  std::uint32_t reserved;
};

enum slot_flag : std::uint32_t {
  slot_is_read = 1,
  slot_is_written = 2,
  slot_is_address = 4, // an access uses this word as its address; otherwise it is one of several words that
                       // the kernel selects from, of any meaning
  // Types of the values read and written through it, for comparing results; none of these bits: unknown.
  slot_has_half = 8,
  slot_has_float = 16,
  slot_has_double = 32,
  slot_has_integers = 64, // and all other types
};

struct pointer_slot {
  std::uint32_t offset; // of the 8-byte word in the captured block
  std::uint32_t flags;  // slot_flag
};

struct kernel_record {
  const char* entry;            // function name inside the images
  const char* display_name;     // demangled, for display
  std::uint32_t argument_bytes; // of the captured block: the closure, then the hidden arguments
  std::uint32_t closure_bytes;  // sizeof the kernel object
  std::uint32_t flags;
  std::uint32_t
      static_local_bytes; // at the start of the local arena; dynamic memory follows, 128-byte aligned
  std::uint32_t local_element_bytes;    // of the SPIR-V arena array; 1 without local memory
  std::uint32_t required_local_size[3]; // zero: none
  std::uint32_t required_sub_group_size;
  std::uint64_t content_hash; // of all images and this table; the disk cache's key, the same in every process
  const pointer_slot* slots;
  const kernel_image* images;
  const hidden_argument* hidden;
  std::uint32_t slot_count;
  std::uint32_t image_count;
  std::uint32_t hidden_count;
  std::uint32_t padding;
  std::uint64_t required_aspects; // [[sycl::device_has(...)]]: bit n is the sycl::aspect of value n
};

/// The hidden object that every kernel type has; see runtime/include/sycl/detail/kernel_abi.hpp.
struct kernel_slot {
  const kernel_record* record; // null: the file was compiled without the plugin
};

/// One for each translation unit, a static object; the plugin's constructor links it into a list.
struct module_node {
  std::uint32_t magic_word;
  std::uint32_t version;
  std::uint64_t kernel_count;
  kernel_slot* const* slots;    // kernel_count entries
  const kernel_record* records; // kernel_count entries
  module_node* next;            // written by __prism_register_module
};

/// Vulkan push constants, at offset 0. If the number of groups exceeds the device's limit in a dimension, the
/// backend splits the dispatch; group id = WorkgroupId + group_base.
struct push_constants {
  std::uint64_t arguments;      // device address of the captured block, 16-byte aligned
  std::uint32_t group_count[3]; // of the whole nd_range
  std::uint32_t group_base[3];
  std::uint64_t fault; // device address of a 32-bit word; 0 if specialisation constant 4 is false
  std::uint64_t window_base, window_bytes, window_delta; // all 0 if specialisation constant 5 is false
  std::uint64_t order;     // device address of a 32-bit word, one for each device; only modules
                           // with memory_order::seq_cst have the member
  std::uint64_t constants; // device address of the module's constant data, 64-byte aligned; only modules
                           // with constant data have the member
};

} // namespace prism::image
