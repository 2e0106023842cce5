// From a kernel to a function that runs a whole work-group: split at the places where work-items wait for
// each other, each part a loop over the work-items.
//
// The places (cuts.hpp) are barriers and sub-group operations. What runs from one to the next is a region; a
// region is entered by all work-items or none, so the region that follows is decided once. Values and private
// arrays that live across a cut are kept per work-item in memory (kept.hpp); values that are the same for all
// work-items are kept once; values made of nothing but ids, sizes and the captured block are computed again.
// Everything else stays SSA.
//
// With sub-group operations there are two levels: for each part between barriers a loop over the sub-groups,
// and in it the regions between that sub-group's operations, each a loop over its lanes; so sub-groups may
// take different ways.
//
// The result is `void @entry(ptr closure)` as before, now to be called once a work-group. No barrier and no
// sub-group function remains. It may call __prism_group_id, __prism_local_size, __prism_group_count,
// __prism_local_arena,
// __prism_group_scratch, and the functions named below. Control flow of any shape is taken. Cost: each block
// is copied into every region that reaches it.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/support/pass_runner.hpp"
#include "llvm/IR/Module.h"

namespace prism::compiler {

/// ptr (): memory of local size x spill_bytes for what is kept, 128-byte aligned, undefined at the start.
inline constexpr const char* kept_name = "__prism_kept";
/// void (): work-items did not agree on the barrier they wait at. The function returns at once after it.
inline constexpr const char* diverged_name = "__prism_diverged";

/// Work-items of a group in each dimension: more than any CPU driver or the host device takes.
inline constexpr std::uint64_t most_local_items = 65536;

struct group_options {
  std::uint32_t sub_group_size = 0;
  bool keeps_loops = false;      // do not turn loops inside out (loop_cuts.hpp)
  bool widens_guards = false;    // ask once whether all work-items pass a guard (whole_guards.hpp)
  bool check_divergence = false; // call diverged_name; otherwise divergence at barriers is undefined
};

struct group_result {
  std::uint32_t spill_bytes = 0; // per work-item
  bool turns_loops = false;      // some loop was turned inside out
  std::string error;             // a fault of PRISM itself; the module is of no use then
};

/// The function is replaced in its module; `passes` tidy it.
group_result form_work_group(llvm::Module& module, const std::string& entry, const group_options& options,
                             pass_runner& passes);

} // namespace prism::compiler
