// The passes of the shared pipeline, one per file. pipeline.cpp has their order.
#pragma once

#include "compiler/device_ir/contract.hpp"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace prism::compiler {

class pass_runner;
class reporter;

/// calls.cpp: library calls get the attributes that they have on a device (math sets no errno);
/// instrumentation is removed.
void prepare_calls(llvm::Module& module);
/// calls.cpp: a failed assertion or a trap ends the work-item. `kernel` must be inlined.
void end_items_at_traps(llvm::Function& kernel);

/// hierarchical.cpp: hierarchical kernels become kernels of work-groups. Must come first after preparation.
void divide_hierarchical(llvm::Module& module, llvm::Function& kernel, pass_runner& passes);

/// memory.cpp: memcpy, memmove, memset -> loads and stores, or a loop above 128 bytes.
void expand_memory_operations(llvm::Function& kernel);
/// memory.cpp: loads and stores with less than their type's alignment -> pieces that are aligned
void split_unaligned_accesses(llvm::Function& kernel);

/// aggregates.cpp: removes SSA values of structure or array type, except results of cmpxchg and of overflow
/// arithmetic.
bool split_aggregates(llvm::Function& kernel);
/// aggregates.cpp: bit casts between vectors and scalars -> operations on elements.
void split_vector_casts(llvm::Function& kernel);

/// atomics.cpp: produces the forms that contract.hpp allows. Atomics on private memory become plain accesses.
void lower_atomics(llvm::Function& kernel);
/// atomics.cpp: a fence with variable order or scope becomes the strongest fence of the target.
void resolve_fences(llvm::Function& kernel, target where);
/// narrow_atomics.cpp: atomics of 8 and 16 bits -> 32 bits. For Vulkan, work-group memory with 64-bit atomics
/// has only such atomics. Must follow split_aggregates: only extractvalue uses the results of a
/// compare-exchange.
void widen_narrow_atomics(llvm::Function& kernel, target where);

/// powers.cpp: pow and related functions with known exponents or bases become products, roots and cheaper
/// functions, within SYCL's error limits. For host code too. Runs where exponents have become constants.
/// Returns whether it changed anything.
bool fold_powers(llvm::Function& function);

/// States in metadata that accesses to the work-group's memory and to global memory do not overlap. Changes
/// no results, as long as later passes insert no access of one kind with the metadata of the other.
void separate_memories(llvm::Function& kernel);

/// entered_groups.cpp: in modules with __prism_enter_group no optimisation may move a query of the group over
/// a call that changes its answer.
void order_group_queries(llvm::Module& module);
/// entered_groups.cpp: whether the kernel has such calls, and what becomes of them. All queries must be
/// inlined.
bool enters_groups(llvm::Function& kernel);
void lower_entered_groups(llvm::Function& kernel);

/// group_memory.cpp: __prism_group_variable becomes __prism_group_memory. `kernel` must be inlined.
void lower_group_variables(llvm::Function& kernel);
/// group_memory.cpp: each key of __prism_group_memory gets an offset behind the scratch. `kernel` must be
/// inlined.
void allocate_group_memory(llvm::Function& kernel);

/// sub_groups.cpp: for images without sub-groups; returns whether it changed anything.
bool make_single_sub_groups(llvm::Function& kernel);
/// sub_groups.cpp: for images whose sub-groups are vectors; returns whether the kernel uses sub-groups.
bool make_vector_sub_groups(llvm::Function& kernel);

/// matrix_units.cpp: whether the module has matrices that a sub-group holds (sycl/detail/matrix_unit.hpp).
bool asks_for_matrix_units(const llvm::Module& module);
/// matrix_units.cpp: __prism_matrix_unit becomes this constant, in all functions.
void resolve_matrix_units(llvm::Module& module, bool has_units);
/// matrix_units.cpp: asks that loops of a known number of iterations are unrolled where they use matrices, so
/// that each matrix of an array is a value.
void unroll_matrix_loops(llvm::Function& kernel);

/// range_guard.cpp: resolves comparisons of a local id with the local size of its dimension.
void resolve_local_bounds(llvm::Function& kernel);

/// range_guard.cpp: __prism_extent becomes the number with which the range's guard compares, or the product
/// of the work-groups' number and size. Loops over dimensions must be unrolled.
void resolve_extents(llvm::Function& kernel);
/// any_group_size.cpp: whether the kernel's results cannot depend on the size of its work-groups.
bool takes_any_group_size(llvm::Function& kernel);
/// Of a kernel whose loops over work-items are worth a copy for each value of what is the same for all of
/// them.
inline constexpr const char* copies_loops_attribute = "prism-copies-loops";
/// group_memory.cpp: whether the form in which one thread runs the group may differ from the one with a
/// thread for each item.
bool asks_for_group_form(const llvm::Module& module);
/// group_memory.cpp: __prism_runs_group and __prism_runs_items_in_loops become this constant. Returns whether
/// one occurred.
bool resolve_group_form(llvm::Function& kernel, bool runs_group);
/// group_memory.cpp: __prism_runs_items_in_loops is true in the host's code, after the kernels were made of
/// it.
void resolve_loops_of_host(llvm::Module& host);
/// range_guard.cpp: __prism_outside becomes a comparison, or false where only whole groups run. Returns
/// whether it occurred.
bool lower_range_guards(llvm::Function& kernel, bool whole_groups_only);

/// narrow_addresses.cpp: for targets whose work-group and private memory has 32-bit addresses. No pass that
/// combines instructions may follow, because LLVM's indices have 64 bits.
void narrow_small_addresses(llvm::Function& kernel);

/// odd_integers.cpp: i2..i127 other than 8, 16, 32, 64 become the next larger width.
void widen_odd_integers(llvm::Function& kernel);
/// wide_integers.cpp: i128 becomes two i64. Must follow widen_odd_integers.
void split_wide_integers(llvm::Function& kernel);

/// pointer_mixing.cpp: pointers that may point to the captured block, constants or private memory point to
/// private copies instead.
void undo_mixed_pointers(llvm::Function& kernel, std::uint32_t argument_bytes);

/// pointer_split.cpp: an access through a pointer that may point to several kinds of memory becomes a branch
/// over them.
void split_mixed_accesses(llvm::Function& kernel);

/// generic_pointers.cpp: pointers stored in memory that may point to several kinds of memory become numbers
/// that contain the kind.
void make_generic_pointers(llvm::Function& kernel);

/// printf.cpp: LLVM must not make other functions of printf before it is lowered.
void keep_printf(llvm::Module& module);
/// printf.cpp: C's printf becomes a record in the output block. The functions that write it have to be linked
/// then. True when there was any. `kernel` is inlined.
bool lower_printf(llvm::Function& kernel);

/// pointed_memory.cpp: __prism_pointed_memory becomes a constant, or is computed next to the pointer. The
/// calls stay, and are refused, where a pointer was loaded and its kind is not known. `kernel` must be
/// inlined.
void lower_pointed_memory(llvm::Function& kernel);

/// hidden.cpp: a failed assertion of glibc's <cassert> becomes a record in the output block and ends the
/// work-item.
void lower_assertions(llvm::Function& kernel, kernel_facts& facts);
/// hidden.cpp: specialisation constants and the output block get offsets at the end of the captured block.
/// The ids of specialisation constants are looked up by name in `host`.
void lower_hidden_arguments(llvm::Function& kernel, llvm::Module& host, kernel_facts& facts);

/// index_checks.cpp: checked indices of accessors become comparisons, and code that records wrong indices.
/// `kernel` must be inlined.
void lower_index_checks(llvm::Function& kernel, kernel_facts& facts);

/// captured_writes.cpp: where the kernel writes its captured block, each work-item writes a copy of its own.
/// True where it does.
bool copy_written_captures(llvm::Function& kernel, std::uint32_t argument_bytes);

/// pointer_words.cpp: pointers of the captured block that are read by an index, or copied as integers, become
/// slots.
void find_pointer_words(llvm::Function& kernel, std::uint32_t closure_bytes);

/// half_bits.cpp: half becomes 16-bit integers and calls of __prism_half_to_float and __prism_float_to_half.
/// Returns false and changes nothing if the kernel has no half, or uses it in a way that has no such form.
bool make_half_bits(llvm::Function& kernel);

/// low_halves.cpp: sums and comparisons of low halves that LLVM has written as operations on bits.
void restore_low_halves(llvm::Function& kernel);

/// zero_operands.cpp: arithmetic with the constant +0 keeps NaN, infinities and the sign of zero on llvmpipe.
/// No pass that combines instructions may follow.
void keep_zero_operands(llvm::Function& kernel, target where);

/// atomic_operands.cpp: operands of atomic operations that derive from floating-point numbers stay integers
/// on llvmpipe. No pass that combines instructions may follow.
void keep_integer_operands(llvm::Function& kernel);

/// finish.cpp: constant expressions other than addresses in constants become instructions; undef and poison
/// become zero.
void expand_constant_expressions(llvm::Function& kernel);
/// finish.cpp: removes freeze, undef and constant expressions, see contract.hpp.
void finish_for_emitter(llvm::Function& kernel);

} // namespace prism::compiler
