// The kernel image format: what the compiler writes into an object file and the runtime reads from it.
//
// The runtime and compiler/ share it. Plain data with C layout: the plugin emits these structs as
// LLVM constants (pointers become relocations), so a change here is a change of `format_version` and of
// compiler/link/embed.cpp. Nothing is allocated or locked to register a module; see kernel_abi.hpp for how a
// kernel finds its record.
//
// Calling convention of the OpenCL C image. Arguments in this order:
//   0      captured block: `struct { ulong w[ceil(argument_bytes / 8)]; }` by value when flag
//   `arguments_by_value`,
//          otherwise `__global const uchar*`
//   then   `__local uchar*` local arena, present when flag `uses_local_memory`
//   then   for each pointer slot: `__global uchar*` base, `ulong` byte offset from that base. The kernel uses
//          base + offset in place of the captured word.
//   last, in texts with loops that may be long and only where PRISM_LOOP_LIMIT is defined (a driver that cuts
//   loops short):
//          `__global uint*` fault, `uint` mark. The kernel stores mark there when a work-item's loops were
//          cut short.
// Calling convention of the OpenCL C group image: as above, then `uint lx, uint ly, uint lz`, the size of the
// work-group,
//   and `__local uchar*` of lx * ly * lz * spill_bytes bytes when spill_bytes != 0: values that live across
//   barriers. It is enqueued with local size 1, one OpenCL work-group for each SYCL work-group.
// Calling convention of the Vulkan SPIR-V image (GLCompute, Vulkan 1.2 memory model,
// PhysicalStorageBuffer64):
//   push constants (push_constants below); specialisation constants 0,1,2 = local size x,y,z and
//   3 = number of elements of the workgroup arena (element size: local_element_bytes), in modules with loops
//   that may be long 4 = whether to store 1 to push_constants::fault when a work-item's loops were cut short;
//   5 = whether addresses in [window_base, window_base + window_bytes) of the push constants are the host's,
//   to which window_delta is added at each access; in modules with loops 6 = whether the driver fills vectors
//   row by row and leaves the last one of each row unfilled (see compiler/spirv/absent_items.hpp). No
//   descriptor sets. Modules with sub-groups have constant flat_size_spec_id too: their work-groups are
//   launched as one row of that many work-items, from whose number the kernel computes its local id, so that
//   sub-groups consist of consecutive linear ids whatever the shape of the local range. A module may carry
//   constant data (spirv_data.hpp), which the kernel reads at push_constants::constants.
// Dimension 0 is x, the fastest, in everything below the SYCL headers.
#pragma once

#include <cstdint>

namespace prism::image {

inline constexpr std::uint32_t magic = 0x4d535250; // "PRSM"
inline constexpr std::uint32_t format_version = 7;

enum class kind : std::uint32_t {
  opencl_c = 1,     // text, zero-terminated (size excludes the zero)
  vulkan_spirv = 2, // SPIR-V words; kernels with half have two, the second does without fp16
  host_group = 3,   // pointer to a native work-group function (see host_group_function)
  host_whole_groups =
      6,              // of ranges, beside host_group where it is faster: does not look where the range ends
  opencl_c_group = 4, // text for CPU drivers: one OpenCL work-item runs a whole work-group, see below
};

/// Sub-group sizes that work-group functions are written for, on the host device and in opencl_c_group; the
/// size is default_group_sub_group_size unless the kernel requires another. The default is the largest:
/// programs size memory by the largest that a device lists. Not 64: most programs that do not ask for a size
/// were written for sub-groups of 32.
inline constexpr std::uint32_t group_sub_group_sizes[] = {4, 8, 16, 32};
inline constexpr std::uint32_t default_group_sub_group_size = 32;

/// SPIR-V, modules with sub-groups: the number of work-items of a work-group.
inline constexpr std::uint32_t flat_size_spec_id = 8;

/// What a kernel needs beyond 32-bit integers and floats, and what a device offers. The same bits serve both.
enum feature : std::uint64_t {
  fp16 = 1u << 0, // half arithmetic in the image
  fp64 = 1u << 1,
  int8 = 1u << 2, // 8-bit loads and stores
  int16 = 1u << 3,
  int64 = 1u << 4,
  int64_atomics = 1u << 5,
  float_atomic_add = 1u << 6, // native 32-bit float add on global memory
  addresses = 1u << 7,        // finds pointers otherwise than through pointer slots: needs shared addresses
  memory_model = 1u << 8,     // acquire/release with device scope
  sub_groups = 1u << 9,
  signed_zero_inf_nan = 1u << 10, // SPIR-V float controls, 32 bit
  fp16_storage = 1u << 11,        // half in memory only
};
const char* feature_name(feature f); // defined in devices/registry.cpp: "fp64", "int64_atomics", ...

enum flag : std::uint32_t {
  arguments_by_value = 1u << 0,
  uses_local_memory = 1u << 1, // the dynamic arena or static_local_bytes
  uses_barrier = 1u << 2,
  uses_group_operation = 1u << 3, // never round such a kernel's range up
  uses_printf = 1u << 4,
  uses_sub_group = 1u << 5,   // any __prism_sub_group_* function
  leaves_out_host = 1u << 6,  // the host device may not run the kernel's body either
  reaches_by_slots = 1u << 7, // global memory only through the pointer slots and hidden arguments: no pointer
                              // is read from memory
  any_group_size =
      1u
      << 8, // work-items know their number in the whole range only: they may be grouped otherwise than asked
};

/// Kinds from this number on are data about the kernel, which no device accepts: kernel_counts.hpp,
/// element_wise.hpp, image_format/source_places.hpp.
inline constexpr std::uint32_t first_data_kind = 100;
inline constexpr kind source_places_kind = static_cast<kind>(103);

/// Which copies of the host's kernels run. prism++ compiles each host kernel for several levels of the x86-64
/// processor supplement, or for ARM's scalable vectors (unless the command line asks for what has them
/// already, or does not optimise); the word picks one at each call.
namespace host_isa {
inline constexpr int baseline = 0, sve = 1, v3 = 3, v4 = 4; // sve: AArch64; v3: AVX2, FMA; v4: AVX-512
/// `int`, one of the levels, written by the runtime before main.
inline constexpr const char* word_name = "__prism_host_isa";
} // namespace host_isa

/// The refusal of an image that nobody asked for.
inline constexpr const char* left_out = "left out by --targets when the program was compiled";

struct kernel_image {
  kind image_kind;
  std::uint32_t
      sub_group_size;        // compiled into a group image; 0: the device's own, or the kernel asks for none
  std::uint64_t features;    // needed by this image
  const void* data;          // null when there is none: then `refusal` says why
  std::uint64_t size;        // bytes
  const char* refusal;       // null when there is an image
  std::uint32_t spill_bytes; // opencl_c_group: per work-item, of the last argument
  std::uint32_t reserved;
};

/// What the runtime appends to the captured block, at submission.
enum class hidden_kind : std::uint32_t {
  specialization_constant = 1, // its current value; key = address of the specialization_id object
  output = 2,                  // 8 bytes, a global pointer (also one of the pointer slots): see output_header
  device_global = 3, // 8 bytes, a global pointer as `output`; key = address of the object, whose first `size`
                     // bytes are its initial value
  index_faults = 4,  // 8 bytes, a global pointer as `output`, to `size` bytes; key = the index_check of each
                     // place, `count` of them
};
struct hidden_argument {
  hidden_kind what;
  std::uint32_t offset; // in the captured block, >= closure_bytes, aligned for its type (at most 16)
  std::uint32_t size;   // bytes of the value
  std::uint32_t count;
  const void* key;
};

/// A place in a kernel's source where indices of accessors are checked.
struct index_check {
  std::uint32_t offset; // of its index_fault in the block
  std::uint32_t what; // byte 0: 0 accessor, 1 local_accessor, 2 host_accessor; byte 1: dimension; byte 2: the
                      // accessor's dimensions
  const char* place;  // file:line:column
};
/// What happened there. All zero at first; the rest of the block is a scratch in place of the elements that
/// are not there.
struct index_fault {
  std::uint32_t count; // modulo 2^32; the first one leaves the rest
  std::uint32_t reserved;
  std::uint64_t index, extent;
  std::uint64_t item[3]; // the work-item, dimension 0 = x
};

/// Start of the block of text for people that kernels write. `used` grows by atomic add and may pass
/// `capacity`: what did not fit is lost, and said so. A writer asks for whole 32-bit words, aligned, and
/// fills them up with zero bytes, which whoever prints the text leaves out (anywhere). A failed assertion is
/// such a text too ("file:line: function: Assertion ..."), with `failed` set.
struct output_header {
  std::uint32_t capacity; // bytes after the header
  std::uint32_t used;     // bytes asked for so far
  std::uint32_t failed;   // 1 once an assertion failed
  std::uint32_t reserved;
};

enum slot_flag : std::uint32_t {
  slot_is_read = 1,
  slot_is_written = 2,
  slot_is_address =
      4, // of an access of its own; without it a word of any meaning, among those that are chosen from
  // What is read and written there, for those who compare results; none of them: not known.
  slot_has_half = 8,
  slot_has_float = 16,
  slot_has_double = 32,
  slot_has_integers = 64, // and everything else
};

struct pointer_slot {
  std::uint32_t offset; // of the 8-byte word in the captured block
  std::uint32_t flags;  // slot_flag
};

struct kernel_record {
  const char* entry;            // function name inside the images
  const char* display_name;     // demangled, for people
  std::uint32_t argument_bytes; // of the captured block: the closure, then the hidden arguments
  std::uint32_t closure_bytes;  // sizeof the kernel object
  std::uint32_t flags;
  std::uint32_t
      static_local_bytes; // at the start of the local arena; dynamic memory follows, 128-byte aligned
  std::uint32_t local_element_bytes;    // of the SPIR-V arena array; 1 when no local memory
  std::uint32_t required_local_size[3]; // zero: none
  std::uint32_t required_sub_group_size;
  std::uint64_t content_hash; // of all images and this table; the disk cache's key, stable across processes
  const pointer_slot* slots;
  const kernel_image* images;
  const hidden_argument* hidden;
  std::uint32_t slot_count;
  std::uint32_t image_count;
  std::uint32_t hidden_count;
  std::uint32_t padding;
  std::uint64_t required_aspects; // [[sycl::device_has(...)]]: bit n is the sycl::aspect of value n
};

/// The hidden object every kernel type has; see runtime/include/sycl/detail/kernel_abi.hpp.
struct kernel_slot {
  const kernel_record* record; // null: the file was compiled without the plugin
};

/// One a translation unit, static in the object, linked into a list by the plugin's constructor.
struct module_node {
  std::uint32_t magic_word;
  std::uint32_t version;
  std::uint64_t kernel_count;
  kernel_slot* const* slots;    // kernel_count entries
  const kernel_record* records; // kernel_count entries
  module_node* next;            // written by __prism_register_module
};

/// Vulkan push constants, at offset 0. Groups beyond the device's limit per dimension are dispatched in
/// several parts; group id = WorkgroupId + group_base.
struct push_constants {
  std::uint64_t arguments;      // device address of the captured block, 16-byte aligned
  std::uint32_t group_count[3]; // of the whole nd_range
  std::uint32_t group_base[3];
  std::uint64_t fault; // device address of a 32-bit word; 0 where specialisation constant 4 is false
  std::uint64_t window_base, window_bytes, window_delta; // all 0 where specialisation constant 5 is false
  std::uint64_t order;     // device address of a 32-bit word, one a device; only modules with
                           // memory_order::seq_cst have the member
  std::uint64_t constants; // device address of the module's constant data, 64-byte aligned; only modules that
                           // carry some have the member
};

} // namespace prism::image
