// What memory an access of a work-group function goes to, as far as its pointer tells.
#pragma once

#include "llvm/IR/Instructions.h"

namespace prism::compiler {

/// Memories that never overlap: what is kept of work-items across barriers, the group's local memory, and
/// memory that a pointer of the captured block leads to.
enum class group_memory : unsigned char { unknown, kept, local, captured };

/// `pointer`: in a function made by form_work_group, before or after host/native.cpp has given it its context
/// argument.
group_memory group_memory_of(const llvm::Value& pointer);

/// Local memory belongs to one group, and one thread runs a whole group: its atomic accesses become plain
/// ones. After mark_parallel_loops, which takes an atomic access as a sign that work-items share what it
/// accesses; nothing may mark the loops later.
void make_local_atomics_plain(llvm::Function& group);

} // namespace prism::compiler
