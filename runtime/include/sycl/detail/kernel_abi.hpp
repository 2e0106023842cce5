// The contract between the SYCL headers, the compiler plugin and the host device: how a kernel is marked and
// which reserved functions its body may call.
//
// A kernel is an instantiation of `kernel_entry<Name, F>`: the plugin finds it by its annotation
// "prism.kernel", whose arguments are the address of the kernel's slot and the size of the captured block;
// the slot, not the function, is the key (linkers merge identical bodies, not slots). The plugin clones the
// entry and all it calls, and lowers the reserved functions below to each target. The host device defines
// them in libprism (devices/host/work_item.cpp) for bodies run as ordinary C++.
//
// In all reserved functions dimension 0 is x, the fastest varying: SYCL dimension d of D is D - 1 - d.
// Conventions for headers: only these functions, libm/`std::` math and `__prism_*` math may stay as calls in
// a kernel.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__clang__)
#define PRISM_KERNEL_ENTRY(...) __attribute__((annotate("prism.kernel", __VA_ARGS__), noinline))
#define PRISM_CONVERGENT __attribute__((convergent))
#else // any other compiler: host device only
#define PRISM_KERNEL_ENTRY(...) __attribute__((noinline))
#define PRISM_CONVERGENT
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

// Work-items of the whole launch: the extent of a range, which its work-groups may reach beyond, or the
// global range of an nd_range. `dimension` is a constant.
std::uint64_t __prism_extent(std::uint32_t dimension) noexcept __attribute__((const));

// At the begin of a kernel: every launch of it has work-groups and group counts of 1 in the dimensions from
// `used` on.
void __prism_dimensions(std::uint32_t used) noexcept;

// Whether a work-item of a range that was rounded up to whole work-groups lies beyond it, in one dimension.
// Images of the kind host_whole_groups take it for false.
bool __prism_outside(std::uint64_t index, std::uint64_t extent) noexcept __attribute__((const));

// Base of the work-group's local memory; a local_accessor's token is patched with its byte offset from here.
void* __prism_local_arena() noexcept __attribute__((const));

// Scratch of the work-group for group algorithms: one block, the same for every call in a kernel (its size is
// the largest asked for). `bytes` is a constant; aligned to 16. Calls overlap: put barriers between two uses.
void* __prism_group_scratch(std::uint64_t bytes) noexcept __attribute__((const));

// Local memory of the work-group under a name: one block for each key of a kernel, beside the scratch;
// contents undefined at the start. Both arguments are constants; aligned to 16.
void* __prism_group_memory(std::uint64_t key, std::uint64_t bytes) noexcept __attribute__((const));

// Whether one thread runs all work-items of the group, in loops from barrier to barrier: constant in every
// image, true in work-group functions. Only there the three below may be asked. `bytes` is a constant.
bool __prism_runs_group() noexcept __attribute__((const));
// Memory of `bytes` for each work-item of the group, by linear id; one block for each size. Put barriers
// between two uses.
void* __prism_values_of_items(std::uint64_t bytes) noexcept __attribute__((const));
// Memory of `bytes` that the group has once. One work-item writes it between two barriers, and all read the
// same.
void* __prism_value_of_group(std::uint64_t bytes) noexcept __attribute__((const));
// The same of a sub-group, between its barriers.
void* __prism_value_of_sub_group(std::uint64_t bytes) noexcept __attribute__((const));

// Work-group barrier; fence: bit 0 local memory, bit 1 global memory.
PRISM_CONVERGENT void __prism_barrier(std::uint32_t fence) noexcept;

// Fence. order: 0 relaxed, 1 acquire, 2 release, 3 acq_rel, 4 seq_cst.
// scope: 0 work_item, 1 sub_group, 2 work_group, 3 device, 4 system.
void __prism_fence(std::uint32_t order, std::uint32_t scope) noexcept;

// Sub-groups. A device without them, and the plain OpenCL C image, has sub-groups of one work-item. In
// work-group functions the size is image::default_group_sub_group_size or the required one, consecutive
// work-items of the linear (x fastest) local id form a sub-group and the last one may be smaller. `size` is
// the kernel's maximum, `local_size` that of this sub-group.
std::uint32_t __prism_sub_group_local_id() noexcept __attribute__((const));
std::uint32_t __prism_sub_group_id() noexcept __attribute__((const));
std::uint32_t __prism_sub_group_count() noexcept __attribute__((const));
std::uint32_t __prism_sub_group_size() noexcept __attribute__((const));
std::uint32_t __prism_sub_group_local_size() noexcept __attribute__((const));
// Whether sub-groups are vectors of the device's lanes, and a work-group has at most 256 of them: true in
// Vulkan images, false where a sub-group is one work-item. Constant in every image.
bool __prism_sub_group_is_vector() noexcept __attribute__((const));
// To be met by all work-items of a sub-group, like everything below. fence as in __prism_barrier.
PRISM_CONVERGENT void __prism_sub_group_barrier(std::uint32_t fence) noexcept;
// The value that the work-item `lane` of the sub-group gave; unspecified when there is no such work-item.
PRISM_CONVERGENT std::uint32_t __prism_sub_group_shuffle_i32(std::uint32_t value,
                                                             std::uint32_t lane) noexcept;
PRISM_CONVERGENT std::uint64_t __prism_sub_group_shuffle_i64(std::uint64_t value,
                                                             std::uint32_t lane) noexcept;
// Bit i: the predicate of work-item i; 0 where there is none. Sub-groups larger than 64 are not used.
PRISM_CONVERGENT std::uint64_t __prism_sub_group_ballot(bool predicate) noexcept;

// Hierarchical kernels (sycl/hierarchical.hpp) are launched with real work-groups and take one of two forms,
// which the plugin chooses (compiler/passes/hierarchical.cpp): divided among the work-items of the group, or
// all by the first work-item. As ordinary C++ they always have the second form. At the begin of such a
// kernel.
void __prism_hierarchical() noexcept;
// Whether the first work-item runs all of them.
bool __prism_one_item_runs_all() noexcept __attribute__((const));
// Around code that every work-item of the group runs for itself; what is outside of these two, the group runs
// once. Other kernels may have them, too: they mean nothing there.
PRISM_CONVERGENT void __prism_items_begin() noexcept;
PRISM_CONVERGENT void __prism_items_end() noexcept;
// The place of this work-item among those of the group that share work, and their number: 0 and 1 where one
// runs all.
std::uint64_t __prism_first_item(std::uint32_t dimension) noexcept __attribute__((const));
std::uint64_t __prism_item_step(std::uint32_t dimension) noexcept __attribute__((const));
// Each work-item has an object at `values` of its own: an array of elements of `bytes`, of which the divided
// form keeps the first.
void __prism_private_memory(void* values, std::uint64_t bytes) noexcept;
// The element for `item`: 0 in the divided form.
std::uint64_t __prism_private_place(std::uint64_t item) noexcept __attribute__((const));
// For host code only: `body` as the only work-item of its group, where the current one is the first of its
// own; else nothing.
void __prism_run_alone(void (*body)(const void*), const void* closure);

// Current value of a specialisation constant: `id` is the address of its specialization_id object, `bytes`
// the size of the value, both constant. Lowered to a place in the captured block (image::hidden_argument),
// whether or not the value is used: a kernel bundle has the constants that its kernels name.
const void* __prism_specialization_constant(const void* id, std::uint64_t bytes) noexcept;

// Where a device_global's value is on this device: `object` is its address, `bytes` the size of the value,
// both constant. Lowered like the above. Ends the program outside of kernels, and in kernels that no prism++
// compiled.
void* __prism_device_global(const void* object, std::uint64_t bytes) noexcept __attribute__((const));

// sin, cos and tan for arguments of any size: libprism's correct the C library's, devices have their own.
double __prism_exact_sin(double x) noexcept __attribute__((const));
double __prism_exact_cos(double x) noexcept __attribute__((const));
double __prism_exact_tan(double x) noexcept __attribute__((const));

// The block for text and failed assertions of this command (image::output_header, then bytes), in global
// memory. Never null. assert's __assert_fail is lowered to a record in it and the end of the work-item.
void* __prism_output() noexcept __attribute__((const));

// Only in programs compiled by `prism++ --check=access` (sycl/detail/index_check.hpp). Whether an index is
// inside of its accessor in one dimension; when not it is reported. `what`: image::index_check. In kernels
// lowered to a record in the command's block for such reports (image::hidden_kind::index_faults), elsewhere
// written to the log at once.
bool __prism_index_is_inside(std::uint64_t index, std::uint64_t extent, std::uint32_t what) noexcept;
// Memory in place of an element that is not there; the same for all. `bytes` is a constant. Zero at first.
void* __prism_index_scratch(std::uint64_t bytes) noexcept;
// The plugin puts a call before each call of host code that checks indices: where in the source, for the
// report.
void __prism_at(const char* place) noexcept;

// Kernel attributes: the plugin makes [[sycl::reqd_work_group_size(...)]] and its like calls of these at the
// begin of the function's body, and removes them from host code. Sizes in SYCL's order, all constant.
#define PRISM_KERNEL_ATTRIBUTES 1
void __prism_reqd_work_group_size(std::uint64_t first, std::uint64_t second = ~std::uint64_t{0},
                                  std::uint64_t third = ~std::uint64_t{0}) noexcept;
void __prism_reqd_sub_group_size(std::uint64_t size) noexcept;
void __prism_device_has(int aspect) noexcept; // a value of sycl::aspect, one call for each

void __prism_register_module(prism::image::module_node*) noexcept;
void __prism_unregister_module(prism::image::module_node*) noexcept;
}
// Atomics are the compiler's own: __atomic_load_n, __atomic_fetch_add, __atomic_compare_exchange_n, ... on
// global or local addresses; they reach the plugin as LLVM atomic instructions (load/store atomic, atomicrmw,
// cmpxchg). Floating add: __atomic_fetch_add on float/double under clang, a compare-exchange loop elsewhere.

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

/// One work-item. `closure` points to the captured block (read-only, may be shared by all work-items).
template <typename Name, typename F>
PRISM_KERNEL_ENTRY(&kernel_slot_of<Name, F>::value, sizeof(F))
void kernel_entry(const F* closure) {
  (*closure)();
}

/// How the host device runs a kernel that has no native work-group function. Both take the captured block.
struct host_body {
  void (*work_item)(const void* closure); // ids come from the reserved functions
  // Range kernels only, else null: all items of [begin, end) (dimension 0 = x); needs no work-item context.
  void (*range)(const void* closure, const std::uint64_t begin[3], const std::uint64_t end[3]);
};

}
}
} // namespace sycl::_V1::detail
