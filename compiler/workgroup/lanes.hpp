// The loops over work-items that regions are put into, and what a work-item can ask for in them.
#pragma once

#include <map>
#include <string>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {

/// One loop nest; dimension 0 innermost. All work-items of the group, or of the current sub-group.
struct lane_loop {
  llvm::BasicBlock* body = nullptr;  // where a work-item starts; open at its end
  llvm::BasicBlock* latch = nullptr; // where it goes when it is done
  llvm::BasicBlock* after = nullptr; // behind the loop; open
  llvm::Value* id[3] = {};           // local ids, 64 bits
  llvm::Value* item = nullptr;       // linear local id, 64 bits
  llvm::Value* lane = nullptr;       // in the sub-group, 64 bits; null without sub-groups
};

/// Whether it is an innermost loop over work-items: its id (llvm.loop) says so.
bool is_lane_loop(const llvm::Loop& loop);
/// Makes it one: for loops that were not made by group_frame. What its id says already stays.
void mark_lane_loop(llvm::Loop& loop);

/// The sub-group that runs; values of the group function.
struct sub_group_values {
  llvm::Value *id = nullptr, *first = nullptr,
              *size = nullptr; // 64 bits: number, first item, work-items in it
};

class group_frame {
public:
  /// Starts the function: sizes are asked in its entry block, which stays open.
  group_frame(llvm::Function& group, std::uint32_t sub_group_size);

  llvm::Function& function() { return m_group; }
  llvm::IRBuilder<>& entry() { return m_entry; }
  llvm::Value* items() { return m_items; }
  llvm::BasicBlock* block(const char* name);
  llvm::AllocaInst* variable(llvm::Type* type, const char* name);
  /// Of a sub-group when one is set.
  lane_loop loop_from(llvm::BasicBlock* from);
  /// The answer to a query of kernel_abi.hpp in a loop, or null when `call` is none.
  llvm::Value* answer(const llvm::CallInst& call, const lane_loop& lanes, llvm::IRBuilder<>& build);
  llvm::Value* ask(const char* name, llvm::Type* type, llvm::ArrayRef<llvm::Value*> arguments);

  sub_group_values sub_group;

private:
  lane_loop loop_over_group(llvm::BasicBlock* from);
  lane_loop loop_over_sub_group(llvm::BasicBlock* from);
  llvm::Value* sub_group_answer(llvm::StringRef what, const lane_loop& lanes, llvm::IRBuilder<>& build);

  llvm::Function& m_group;
  llvm::IRBuilder<> m_entry;
  std::uint32_t m_sub_group_size;
  unsigned m_dimensions; // used by launches of this kernel
  llvm::Value* m_size[3] = {};
  llvm::Value* m_items = nullptr;
  std::map<std::string, llvm::Value*> m_asked;
};

} // namespace prism::compiler
