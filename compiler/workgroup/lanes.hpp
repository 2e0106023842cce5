// The loops over work-items that contain regions, and the queries that a work-item can make in them.
#pragma once

#include <map>
#include <string>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {

/// One loop nest; dimension 0 innermost. All work-items of the group, or of the current sub-group.
struct lane_loop {
  llvm::BasicBlock* body = nullptr;  // where a work-item starts; its end is open
  llvm::BasicBlock* latch = nullptr; // where it goes at its end
  llvm::BasicBlock* after = nullptr; // after the loop; open
  llvm::Value* id[3] = {};           // local ids, 64 bits
  llvm::Value* item = nullptr;       // linear local id, 64 bits
  llvm::Value* lane = nullptr;       // in the sub-group, 64 bits; null without sub-groups
};

/// Whether it is an innermost loop over work-items. Its id (llvm.loop) marks it.
bool is_lane_loop(const llvm::Loop& loop);
/// Marks a loop that was not made by group_frame. Other marks in its id stay.
void mark_lane_loop(llvm::Loop& loop);
/// Removes the mark of a loop that was made by group_frame: it is not worth the effort.
void leave_scalar(lane_loop& loop);

/// The current sub-group; values of the group function.
struct sub_group_values {
  llvm::Value *id = nullptr, *first = nullptr,
              *size = nullptr; // 64 bits: number, first work-item, number of work-items
};

class group_frame {
public:
  /// Starts the function. Its entry block queries the sizes and stays open.
  group_frame(llvm::Function& group, std::uint32_t sub_group_size);

  llvm::Function& function() { return m_group; }
  llvm::IRBuilder<>& entry() { return m_entry; }
  llvm::Value* items() { return m_items; }
  llvm::BasicBlock* block(const char* name);
  llvm::AllocaInst* variable(llvm::Type* type, const char* name);
  /// A loop over the current sub-group if there is one, else over the group.
  lane_loop loop_from(llvm::BasicBlock* from);
  /// The result of a query of kernel_abi.hpp in a loop; null if `call` is not one.
  llvm::Value* answer(const llvm::CallInst& call, const lane_loop& lanes, llvm::IRBuilder<>& build);
  llvm::Value* ask(const char* name, llvm::Type* type, llvm::ArrayRef<llvm::Value*> arguments);
  unsigned dimensions() const { return m_dimensions; }
  /// Jumps to the block whose number is `value`; the last one needs no test.
  void jump_by(llvm::BasicBlock* from, llvm::Value* value,
               llvm::ArrayRef<std::pair<unsigned, llvm::BasicBlock*>> targets);
  /// Stores the row (ids in x are adjacent in it) and the plane of each work-item in arrays of 32-bit
  /// numbers; null: nothing asks for it. Loops over sub-groups load them from then on, because divisions
  /// would prevent vectors there. Returns the block after it.
  llvm::BasicBlock* store_rows(llvm::BasicBlock* from, llvm::Value* rows, llvm::Value* planes);

  sub_group_values sub_group;

private:
  lane_loop loop_over_group(llvm::BasicBlock* from);
  lane_loop loop_over_sub_group(llvm::BasicBlock* from);
  llvm::Value* quotient(llvm::IRBuilder<>& build, llvm::Value* stored, llvm::Value* item, llvm::Value* number,
                        llvm::Value* divisor);
  llvm::Value* sub_group_answer(llvm::StringRef what, const lane_loop& lanes, llvm::IRBuilder<>& build);

  llvm::Function& m_group;
  llvm::IRBuilder<> m_entry;
  std::uint32_t m_sub_group_size;
  unsigned m_dimensions; // used by launches of this kernel
  llvm::Value* m_size[3] = {};
  llvm::Value *m_rows = nullptr, *m_planes = nullptr; // see store_rows
  llvm::Value* m_items = nullptr;
  std::map<std::string, llvm::Value*> m_asked;
};

} // namespace prism::compiler
