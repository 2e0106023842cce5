// The synchronization points of a kernel, at which work-items wait for each other. Each becomes the start of
// a block.
#pragma once

#include <vector>

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {

enum class sync_kind : unsigned char {
  entry,     // the start of the kernel
  barrier,   // of the work-group
  iteration, // of an iteration that the group executes together: loop_interchange.hpp
  join,      // where branches of the group merge: no work-item waits, but the code after it exists only once
  sub_group_barrier,   // from here on: points of a sub-group
  sub_group_iteration, // `iteration` in a kernel whose sub-groups have points of their own
  leader,              // in front of code of one work-item alone: leader_order.hpp
  meeting,             // where paths meet that some work-items of the sub-group took: partial_points.hpp
  shuffle,
  ballot,
};

struct sync_point {
  sync_kind kind;
  llvm::BasicBlock* block; // begins with `call`; has no phis
  llvm::CallInst* call;    // null for the entry, a join, a leader and a meeting
  bool partial = false;    // continues although some work-items of the sub-group are elsewhere
  bool of_sub_group() const { return kind >= sync_kind::sub_group_barrier; }
  bool is_iteration() const { return kind == sync_kind::iteration || kind == sync_kind::sub_group_iteration; }
};

/// Splits blocks so that every synchronization point starts a block. The first is the kernel's entry; its
/// allocas move to a block before it.
std::vector<sync_point> isolate_sync_points(llvm::Function& kernel);

/// The code between synchronization points is copied for each of them. In a kernel where that would be much
/// code, the blocks in which the group's branches merge become synchronization points too, so that the copies
/// grow no faster than the kernel. Changes blocks.
void add_joins(llvm::Function& kernel, std::vector<sync_point>& points);

} // namespace prism::compiler
