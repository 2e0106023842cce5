// The memory that an access of a work-group function uses, as far as its pointer shows.
#pragma once

#include "llvm/IR/Instructions.h"

namespace prism::compiler {

/// Memories that never overlap: context arrays (values of work-items that live across barriers), the group's
/// local memory, and memory that a pointer of the captured block points to.
enum class group_memory : unsigned char { unknown, context_array, local, captured };

/// `pointer` must be in a function made by form_work_group. host/native.cpp may have given it its context
/// argument already.
group_memory group_memory_of(const llvm::Value& pointer);

/// Local memory belongs to one group, and one thread runs a whole group, so atomic accesses to it become
/// plain ones. Must follow mark_parallel_loops, which concludes from an atomic access that work-items share
/// that memory. No later pass may mark the loops.
void make_local_atomics_plain(llvm::Function& group);

} // namespace prism::compiler
