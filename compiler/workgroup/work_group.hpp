// Turns a kernel into a function that runs a whole work-group. The kernel is split at the points where
// work-items wait for each other, and each part becomes a loop over the work-items.
//
// The synchronization points (sync_points.hpp) are barriers and sub-group operations. The code between two of
// them is a region. Either all work-items enter a region or none does, so the next region is determined once
// for the group. Values and private arrays that live across a synchronization point are stored in memory, one
// element per work-item (cross_region_values.hpp). Uniform values are stored once. Values that depend only on
// ids, sizes and the captured block are recomputed. All other values remain SSA values.
//
// Sub-group operations add a level: for each part between barriers a loop over the sub-groups, and in it the
// regions between that sub-group's operations, each a loop over its lanes. Sub-groups may therefore branch
// differently.
//
// The result is `void @entry(ptr closure)` as before, but called once per work-group. No barrier and no
// sub-group function remains. It may call __prism_group_id, __prism_local_size, __prism_group_count,
// __prism_local_arena, __prism_group_scratch, and the functions named below. Control flow may have any shape.
// Cost: each block is copied into every region that reaches it.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/support/pass_runner.hpp"
#include "llvm/IR/Module.h"

namespace prism::compiler {

/// ptr (): the context memory, local size x spill_bytes, 128-byte aligned, undefined at the start.
inline constexpr const char* context_memory_name = "__prism_context_arrays";
/// void (i32 divergence): work-items wait at different barriers. The function returns at once after it.
inline constexpr const char* diverged_name = "__prism_diverged";

/// Which work-items did not reach the same barriers and operations: values of group_context::diverged.
enum class divergence { of_group = 1, of_sub_group = 2 };

/// Metadata of an alloca that holds a private array of the kernel: no contents live from one region to
/// another.
inline constexpr const char* private_array_mark = "prism.private_array";

/// Attribute of a call of a mathematical function that becomes vectors in loops over work-items, and takes
/// several times as long outside of them.
inline constexpr const char* vector_function_mark = "prism-vector-function";

/// The most work-items of a group in each dimension: more than any CPU driver or the host device allows.
inline constexpr std::uint64_t most_local_items = 65536;

struct group_options {
  std::uint32_t sub_group_size = 0;
  bool keeps_loop_order = false; // no loop interchange (loop_interchange.hpp)
  bool widens_guards = false;    // test once whether all work-items pass a guard (whole_guards.hpp)
  bool check_divergence = false; // call diverged_name; otherwise divergence at barriers is undefined
  bool may_refuse = false;       // forms nothing if it would mostly store values (cross_region_values.hpp)
};

struct group_result {
  std::uint32_t spill_bytes = 0;   // per work-item
  bool interchanges_loops = false; // some loop was interchanged
  bool splits_rows = false;        // some loop over work-items was split (row_strips.hpp)
  std::string error = {};          // a fault of PRISM itself; the module is then unusable
  bool mostly_stores = false;      // refused: the module is unusable
};

/// Replaces the function in its module; `passes` simplify it.
group_result form_work_group(llvm::Module& module, const std::string& entry, const group_options& options,
                             pass_runner& passes);

} // namespace prism::compiler
