// The places of a kernel where work-items wait for each other, each made the start of a block of its own.
#pragma once

#include <vector>

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {

enum class cut_kind : unsigned char {
  entry,             // the start of the kernel
  barrier,           // of the work-group
  round,             // of a loop of the group: loop_cuts.hpp
  join,              // where ways of the group meet: nobody waits, but what follows is there once
  sub_group_barrier, // from here on: of a sub-group
  shuffle,
  ballot,
};

struct cut {
  cut_kind kind;
  llvm::BasicBlock* block; // begins with `call`; has no phis
  llvm::CallInst* call;    // null: the entry, a join
  bool of_sub_group() const { return kind >= cut_kind::sub_group_barrier; }
};

/// Splits blocks so that every cut starts one. The kernel's entry is the first; its allocas move to a block
/// before it.
std::vector<cut> isolate_cuts(llvm::Function& kernel);

/// What runs between cuts is copied for each of them. In a kernel where that is much, blocks in which the
/// group's ways meet become cuts too, so that the copies grow no faster than the kernel. Changes blocks.
void add_joins(llvm::Function& kernel, std::vector<cut>& cuts);

} // namespace prism::compiler
