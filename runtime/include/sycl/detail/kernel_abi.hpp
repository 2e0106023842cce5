// The contract between the SYCL headers, the compiler plugin and the host device: the mark of a kernel, and
// the reserved functions that its body may call.
//
// A kernel is an instantiation of `kernel_entry<Name, F>`. The plugin finds it by its annotation
// "prism.kernel", whose arguments are the address of the kernel's slot and the size of the captured block.
// The slot, not the function, identifies the kernel, because linkers merge identical functions, but not
// slots. The plugin clones the entry and all functions that it calls, and lowers the reserved functions below
// for each target. libprism defines them for the host device (devices/host/work_item.cpp), for kernels that
// run as ordinary C++.
//
// In all reserved functions dimension 0 is x, which varies fastest: SYCL dimension d of D is D - 1 - d. A
// rule for headers: after inlining, a kernel may only call these functions, math functions of libm and
// `std::`, and `__prism_*` math functions.
#pragma once

#include <sycl/detail/target_query.hpp>

#include <cstddef>
#include <cstdint>

#if defined(__clang__)
#define PRISM_KERNEL_ENTRY(...) __attribute__((annotate("prism.kernel", __VA_ARGS__), noinline))
#define PRISM_CONVERGENT __attribute__((convergent))
#define PRISM_NOT_MERGED __attribute__((nomerge))
#else // any other compiler: host device only
#define PRISM_KERNEL_ENTRY(...) __attribute__((noinline))
#define PRISM_CONVERGENT
#define PRISM_NOT_MERGED
#endif

namespace prism::image {
struct kernel_record;
struct module_node;
}

extern "C" {
// Work-item queries. 0 <= dimension < 3; unused dimensions are 0 (ids) or 1 (sizes).
std::uint64_t __prism_local_id(std::uint32_t dimension) noexcept __attribute__((const));
std::uint64_t __prism_group_id(std::uint32_t dimension) noexcept __attribute__((const));
std::uint64_t __prism_local_size(std::uint32_t dimension) noexcept __attribute__((const));
std::uint64_t __prism_group_count(std::uint32_t dimension) noexcept __attribute__((const));

// The number of work-items of the launch: the extent of a range, which the work-groups may exceed, or the
// global range of an nd_range. `dimension` must be a constant.
std::uint64_t __prism_extent(std::uint32_t dimension) noexcept __attribute__((const));

// Called at the start of a kernel: in all of its launches, the work-group size and the number of work-groups
// are 1 in the dimensions from `used` on.
void __prism_dimensions(std::uint32_t used) noexcept;

// Whether a work-item is outside of the range in one dimension, because the range was rounded up to whole
// work-groups. Images of the kind host_whole_groups assume false.
bool __prism_outside(std::uint64_t index, std::uint64_t extent) noexcept __attribute__((const));

// For loops in which a work-group stands for several groups of a larger launch, one after the other
// (sycl/reduction.hpp): from the first call to the second one the queries above answer as in that group. All
// work-items of the group must call them together. What follows the second call may write the local memory
// that the code between them used: it is a barrier if there was one between them.
PRISM_CONVERGENT void __prism_enter_group(std::uint64_t id_x, std::uint64_t id_y, std::uint64_t id_z,
                                          std::uint64_t count_x, std::uint64_t count_y,
                                          std::uint64_t count_z) noexcept;
PRISM_CONVERGENT void __prism_leave_group() noexcept;

// The start of the work-group's local memory. Submission replaces a local_accessor's token by its byte offset
// from here.
void* __prism_local_arena() noexcept __attribute__((const));

// Scratch memory of the work-group for group algorithms. All calls in a kernel return the same block, which
// has the largest requested size, so barriers are needed between two uses. `bytes` must be a constant.
// Aligned to 16 bytes.
void* __prism_group_scratch(std::uint64_t bytes) noexcept __attribute__((const));

// Local memory of the work-group with a key: a kernel has one block for each key, separate from the scratch
// memory. The initial contents are undefined. Both arguments must be constants. Aligned to 16 bytes.
void* __prism_group_memory(std::uint64_t key, std::uint64_t bytes) noexcept __attribute__((const));

// Local memory of the work-group for a variable, a work_group_static (separate from all other memory). Its
// name identifies a variable with static storage; `place` identifies an automatic one, and must be constant.
// The initial contents are undefined. `bytes` must be a constant. Aligned to 16 bytes.
void* __prism_group_variable(const void* variable, std::uint64_t place, std::uint64_t bytes) noexcept
    __attribute__((const));
// A number of the function that this call is in, or of the one that passes it as a default argument.
// Different for all functions, also for instances of one template; 0 without the plugin.
std::uint64_t __prism_enclosing_function() noexcept __attribute__((const));

// Which memory a pointer points to, that the calling work-item can access: 1 global memory (and constants), 2
// local memory, 3 private memory. Any of these if it is null.
std::uint32_t __prism_pointed_memory(const void* pointer) noexcept __attribute__((const));

// Whether one thread runs all work-items of the group, in loops between barriers. It is a constant in every
// image, and true in work-group functions. Only there the three functions below may be called. `bytes` must
// be a constant.
bool __prism_runs_group() noexcept __attribute__((const));
// The same for code that the host runs too, where it is true. Drivers vectorise code without branches better,
// and LLVM copies a loop for a branch that is the same for all work-items.
bool __prism_runs_items_in_loops() noexcept __attribute__((const));
// Whether sums over the work-group must have the order that does not depend on the device. The same in a
// whole launch. Not called where one thread runs the group: its order is the fixed one.
bool __prism_fixed_order() noexcept __attribute__((const));
// Called where floating-point numbers are combined in an order that cannot be fixed. 1: over a sub-group; 2:
// by atomic operations.
void __prism_order_varies(std::uint32_t why) noexcept;
// Memory of `bytes` for each work-item of the group, by linear id. There is one block for each size, so
// barriers are needed between two uses.
void* __prism_values_of_items(std::uint64_t bytes) noexcept __attribute__((const));
// Memory of `bytes` that the group shares. One work-item writes it between two barriers; then all read it.
void* __prism_value_of_group(std::uint64_t bytes) noexcept __attribute__((const));
// The same for a sub-group, between its barriers.
void* __prism_value_of_sub_group(std::uint64_t bytes) noexcept __attribute__((const));

// Work-group barrier; fence: bit 0 local memory, bit 1 global memory.
PRISM_CONVERGENT void __prism_barrier(std::uint32_t fence) noexcept;

// Fence. order: 0 relaxed, 1 acquire, 2 release, 3 acq_rel, 4 seq_cst.
// scope: 0 work_item, 1 sub_group, 2 work_group, 3 device, 4 system.
void __prism_fence(std::uint32_t order, std::uint32_t scope) noexcept;

// A counter that increases, which may wrap. scope: 1 the sub-group's, 2 the work-group's, 3 the device's; a
// constant.
std::uint64_t __prism_clock(std::uint32_t scope) noexcept;

// The sum of the products of the four bytes of each word, modulo 2^32. ss: of signed bytes; uu: of unsigned
// ones; su: of the signed ones of `a` and the unsigned ones of `b`.
std::uint32_t __prism_dot4_ss(std::uint32_t a, std::uint32_t b) noexcept __attribute__((const));
std::uint32_t __prism_dot4_su(std::uint32_t a, std::uint32_t b) noexcept __attribute__((const));
std::uint32_t __prism_dot4_uu(std::uint32_t a, std::uint32_t b) noexcept __attribute__((const));

// A number of element `index` that other kernels of a graph compute (prism/detail/computed_elements.hpp):
// `part` counts the numbers of an element, such as the parts of a complex number; a constant. A kernel that
// calls one runs only in a launch that is fused with these kernels, where the call computes the element.
float __prism_element_f32(std::uint32_t index, std::uint32_t part) noexcept __attribute__((pure));
double __prism_element_f64(std::uint32_t index, std::uint32_t part) noexcept __attribute__((pure));
std::uint64_t __prism_element_i64(std::uint32_t index, std::uint32_t part) noexcept __attribute__((pure));

// Sub-groups. On a device without them, and in the plain OpenCL C image, a sub-group has one work-item. In
// work-group functions the size is image::default_group_sub_group_size or the required one; consecutive
// work-items of the linear local id (x fastest) form a sub-group, and the last one may be smaller. `size` is
// the maximum in the kernel, `local_size` the size of this sub-group.
std::uint32_t __prism_sub_group_local_id() noexcept __attribute__((const));
std::uint32_t __prism_sub_group_id() noexcept __attribute__((const));
std::uint32_t __prism_sub_group_count() noexcept __attribute__((const));
std::uint32_t __prism_sub_group_size() noexcept __attribute__((const));
std::uint32_t __prism_sub_group_local_size() noexcept __attribute__((const));
// Whether sub-groups are SIMD vectors of the device, and a work-group has at most 256 of them: true in Vulkan
// images, false where a sub-group is one work-item. Constant in every image.
bool __prism_sub_group_is_vector() noexcept __attribute__((const));
// Whether work-items of the sub-group may be missing where it is called, because they are in other iterations
// or on the other side of a branch. False where the device masks them itself. Constant for each call in every
// image.
PRISM_CONVERGENT PRISM_NOT_MERGED bool __prism_sub_group_may_be_partial() noexcept;
// All work-items of a sub-group must call this and the functions below together, but for those that are
// missing as above: the others then wait for each other alone, get unspecified values of those that are
// missing, and 0 in a ballot. fence as in __prism_barrier, but 1 if no work-item may be missing.
PRISM_CONVERGENT void __prism_sub_group_barrier(std::uint32_t fence) noexcept;
// Returns the value that the given work-item of the sub-group passed; unspecified if it does not exist.
PRISM_CONVERGENT std::uint32_t __prism_sub_group_shuffle_i32(std::uint32_t value,
                                                             std::uint32_t lane) noexcept;
PRISM_CONVERGENT std::uint64_t __prism_sub_group_shuffle_i64(std::uint64_t value,
                                                             std::uint32_t lane) noexcept;
// Bit i is the predicate of work-item i, or 0 if it does not exist. Sub-groups have at most 64 work-items.
PRISM_CONVERGENT std::uint64_t __prism_sub_group_ballot(bool predicate) noexcept;
// A reduction or scan over the sub-group, only called where __prism_sub_group_is_vector. `operation`, a
// constant: 0 add, 1 multiply, 2 minimum, 3 maximum (of signed integers or floating-point numbers), 4
// minimum, 5 maximum of unsigned integers, 6 and, 7 or, 8 exclusive or; plus 16 for an inclusive scan, 32 for
// an exclusive one. The order of floating-point operations is the device's own.
PRISM_CONVERGENT std::uint32_t __prism_sub_group_combine_i32(std::uint32_t operation,
                                                             std::uint32_t value) noexcept
    __attribute__((const));
PRISM_CONVERGENT std::uint64_t __prism_sub_group_combine_i64(std::uint32_t operation,
                                                             std::uint64_t value) noexcept
    __attribute__((const));
PRISM_CONVERGENT float __prism_sub_group_combine_f32(std::uint32_t operation, float value) noexcept
    __attribute__((const));
PRISM_CONVERGENT double __prism_sub_group_combine_f64(std::uint32_t operation, double value) noexcept
    __attribute__((const));

// Matrices that a sub-group holds, each a number here (sycl/detail/matrix_unit.hpp). A type is the number
// that matrix_kind_of makes; it and each layout (0 rows, 1 columns) are constants. Whether the device
// computes with them: constant in every image, and false but in one of the Vulkan images. Only where it is
// true may the functions below be called, by all work-items of a sub-group together.
bool __prism_matrix_unit() noexcept __attribute__((const));
PRISM_CONVERGENT std::uint64_t __prism_matrix_fill(std::uint32_t type, std::uint64_t bits) noexcept
    __attribute__((const));
// `stride`: elements between the starts of two rows or columns.
PRISM_CONVERGENT std::uint64_t __prism_matrix_load(std::uint32_t type, const void* from, std::uint64_t stride,
                                                   std::uint32_t layout) noexcept;
PRISM_CONVERGENT void __prism_matrix_store(std::uint64_t matrix, std::uint32_t type, void* to,
                                           std::uint64_t stride, std::uint32_t layout) noexcept;
// a * b + c, of type `type`.
PRISM_CONVERGENT std::uint64_t __prism_matrix_mad(std::uint32_t type, std::uint32_t type_a,
                                                  std::uint32_t type_b, std::uint32_t type_c, std::uint64_t a,
                                                  std::uint64_t b, std::uint64_t c) noexcept
    __attribute__((const));
PRISM_CONVERGENT std::uint64_t __prism_matrix_convert(std::uint64_t matrix, std::uint32_t from,
                                                      std::uint32_t to) noexcept __attribute__((const));
// The number of elements that this work-item has, and the bits of one.
std::uint32_t __prism_matrix_length(std::uint32_t type) noexcept __attribute__((const));
PRISM_CONVERGENT std::uint64_t __prism_matrix_element(std::uint64_t matrix, std::uint32_t type,
                                                      std::uint32_t index) noexcept __attribute__((const));
PRISM_CONVERGENT std::uint64_t __prism_matrix_with_element(std::uint64_t matrix, std::uint32_t type,
                                                           std::uint32_t index, std::uint64_t bits) noexcept
    __attribute__((const));
// Reports a matrix in memory whose address or stride is not aligned as the device's own operations need it.
void __prism_matrix_misaligned() noexcept;
// Marks an operation that devices do not have: there is no image with matrix units of a kernel that calls it.
void __prism_matrix_missing() noexcept;

// Hierarchical kernels (sycl/hierarchical.hpp) are launched with work-groups and have one of two forms, which
// the plugin chooses (compiler/passes/hierarchical.cpp): divided among the work-items of the group, or run
// completely by the first work-item. As ordinary C++ they always have the second form. Called at the start of
// such a kernel.
void __prism_hierarchical() noexcept;
// Whether the first work-item runs everything.
bool __prism_one_item_runs_all() noexcept __attribute__((const));
// These enclose code that every work-item of the group runs; code outside of them runs once per group. In
// other kernels they have no effect.
PRISM_CONVERGENT void __prism_items_begin() noexcept;
PRISM_CONVERGENT void __prism_items_end() noexcept;
// The index of this work-item among the work-items that share the work, and their number: 0 and 1 if one runs
// everything.
std::uint64_t __prism_first_item(std::uint32_t dimension) noexcept __attribute__((const));
std::uint64_t __prism_item_step(std::uint32_t dimension) noexcept __attribute__((const));
// Declares the array at `values`, with elements of `bytes`, as private to each work-item. The divided form
// uses only its first element.
void __prism_private_memory(void* values, std::uint64_t bytes) noexcept;
// The index of the element for `item`: 0 in the divided form.
std::uint64_t __prism_private_place(std::uint64_t item) noexcept __attribute__((const));
// For host code only: if the current work-item is the first of its group, runs `body` as the only work-item
// of a group.
void __prism_run_alone(void (*body)(const void*), const void* closure);

// The current value of a specialisation constant. `id` is the address of its specialization_id object,
// `bytes` the size of the value; both must be constants. It is lowered to an offset in the captured block
// (image::hidden_argument), even if the value is not used, because a kernel bundle has the constants that its
// kernels name.
const void* __prism_specialization_constant(const void* id, std::uint64_t bytes) noexcept;

// The address of a device_global's value on this device. `object` is its address, `bytes` the size of the
// value; both must be constants. Lowered like the above. Outside of kernels, and in kernels that were not
// compiled by prism++, it ends the program.
void* __prism_device_global(const void* object, std::uint64_t bytes) noexcept __attribute__((const));

// sin, cos and tan for arguments of any size. libprism has versions that correct the C library's; devices
// have their own.
double __prism_exact_sin(double x) noexcept __attribute__((const));
double __prism_exact_cos(double x) noexcept __attribute__((const));
double __prism_exact_tan(double x) noexcept __attribute__((const));

// The block for text and failed assertions of this command (image::output_header, then bytes), in global
// memory. Never null. A call of __assert_fail (assert) is lowered to a record in the block and the end of the
// work-item.
void* __prism_output() noexcept __attribute__((const));

// Only in programs compiled by `prism++ --check=access` (sycl/detail/index_check.hpp). Returns whether an
// index is inside of its accessor in one dimension, and reports it if not. `what`: image::index_check. In
// kernels it is lowered to a record in the command's block for such reports
// (image::hidden_kind::index_faults); elsewhere it writes to the log immediately.
bool __prism_index_is_inside(std::uint64_t index, std::uint64_t extent, std::uint32_t what) noexcept;
// Memory to use in place of an element that does not exist; the same for all elements. `bytes` must be a
// constant. Initially zero.
void* __prism_index_scratch(std::uint64_t bytes) noexcept;
// The plugin inserts a call before each call of host code that checks indices. `place` is the source location
// for the report.
void __prism_at(const char* place) noexcept;

// Kernel attributes: the plugin converts [[sycl::reqd_work_group_size(...)]] and similar attributes to calls
// of these at the start of the function's body, and removes the calls from host code. Sizes are in SYCL's
// order and must be constants.
#define PRISM_KERNEL_ATTRIBUTES 1
void __prism_reqd_work_group_size(std::uint64_t first, std::uint64_t second = ~std::uint64_t{0},
                                  std::uint64_t third = ~std::uint64_t{0}) noexcept;
void __prism_reqd_sub_group_size(std::uint64_t size) noexcept;
void __prism_device_has(int aspect) noexcept; // a value of sycl::aspect; one call for each aspect

// Whether this is device code (sycl/detail/target_query.hpp). The plugin decides every call before it checks
// device code, so no library defines it.
bool __prism_target_is_device() noexcept __attribute__((const));

void __prism_register_module(prism::image::module_node*) noexcept;
void __prism_unregister_module(prism::image::module_node*) noexcept;
}
// Atomics are the compiler's built-ins: __atomic_load_n, __atomic_fetch_add, __atomic_compare_exchange_n, ...
// on global or local addresses. The plugin sees them as LLVM atomic instructions (load/store atomic,
// atomicrmw, cmpxchg). A floating-point add is __atomic_fetch_add on float or double with clang, and a
// compare-exchange loop elsewhere.

namespace sycl {
inline namespace _V1 {
namespace detail {

struct kernel_slot {
  const prism::image::kernel_record* record = nullptr;
};

template <typename Name, typename F>
struct kernel_slot_of {
  __attribute__((visibility("hidden"))) inline static kernel_slot value{};
};

/// Runs one work-item. `closure` points to the captured block, which is read-only and may be shared by all
/// work-items.
template <typename Name, typename F>
PRISM_KERNEL_ENTRY(&kernel_slot_of<Name, F>::value, sizeof(F))
void kernel_entry(const F* closure) {
  (*closure)();
}

/// The functions with which the host device runs a kernel without a native work-group function. Both take the
/// captured block.
struct host_body {
  void (*work_item)(const void* closure); // reads its ids by the reserved functions
  // Only for kernels over a range, else null: runs all items of [begin, end) (dimension 0 = x) without a
  // work-item context.
  void (*range)(const void* closure, const std::uint64_t begin[3], const std::uint64_t end[3]);
};

}
}
} // namespace sycl::_V1::detail
