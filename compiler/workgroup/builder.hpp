// Puts the group function together: one loop for each region, the way from region to region, what is kept
// between.
#pragma once

#include <map>

#include "compiler/workgroup/kept.hpp"
#include "compiler/workgroup/lanes.hpp"
#include "compiler/workgroup/work_group.hpp"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace prism::compiler {

class group_builder {
public:
  group_builder(llvm::Function& kernel, llvm::Function& group, const std::vector<cut>& cuts,
                const region_map& regions, kept_values& kept, const group_options& options);
  void build();

private:
  /// A copy of one region in its loop.
  struct copy {
    unsigned cut;
    lane_loop lanes;
    llvm::IRBuilder<>* begin = nullptr;                        // at the end of the work-item's first block
    llvm::DenseMap<llvm::Instruction*, llvm::Value*> incoming; // values from before the region
    llvm::DenseMap<const llvm::Value*, llvm::Value*> again;    // computed again at its start
    llvm::ValueToValueMapTy map;                               // kernel -> copy
    llvm::DenseMap<unsigned, llvm::BasicBlock*> exits;
  };

  llvm::BasicBlock* build_sub_group_frame();
  void build_region(unsigned cut);
  // values that come into a region or leave it
  void load_shared(unsigned cut, llvm::BasicBlock* head, copy& into);
  llvm::Value* bring_in(llvm::Instruction& value, copy& into);
  llvm::Value* compute_again(const llvm::Value& value, copy& into);
  llvm::Value* operand_in(llvm::Value* value, copy& into);
  llvm::Value* to_memory(llvm::IRBuilder<>& build, llvm::Instruction& value, llvm::Value* now, copy& in);
  llvm::Value* from_memory(llvm::IRBuilder<>& build, llvm::Instruction& value, llvm::Value* stored, copy& in);
  llvm::Value* place_of(llvm::IRBuilder<>& build, kept_place place, llvm::Value* item);
  llvm::Value* answer(const llvm::CallInst& call, copy& into);
  // region_copy.cpp
  void copy_blocks(copy& into);
  void repair(copy& into);
  void build_exits(copy& in);
  void fill_exit(unsigned exit, copy& in);
  void leave(unsigned cut, llvm::BasicBlock* after);
  llvm::BasicBlock* target_of(unsigned exit);
  bool must_agree(const region& which) const { return m_options.check_divergence && !which.agrees; }
  // exchange.cpp
  void exchange(unsigned cut, llvm::BasicBlock*& head, copy& into);
  llvm::BasicBlock* shuffle(const llvm::CallInst& call, unsigned cut, llvm::BasicBlock* head);
  llvm::BasicBlock* ballot(const llvm::CallInst& call, unsigned cut, llvm::BasicBlock* head);
  bool votes_on(unsigned exit) const {
    return exit != m_regions.end() && m_cuts[exit].kind == cut_kind::round &&
           !llvm::isa<llvm::Constant>(m_cuts[exit].call->getArgOperand(0));
  }
  llvm::Value* received(const llvm::CallInst& call, copy& into);
  kept_place& exchange_place(llvm::Type* type);

  llvm::Function& m_kernel;
  const std::vector<cut>& m_cuts;
  const region_map& m_regions;
  kept_values& m_kept;
  group_options m_options;
  bool m_by_sub_group;
  group_frame m_frame;
  llvm::Value* m_memory = nullptr;
  llvm::DenseMap<unsigned, llvm::Value*> m_places; // offset -> start of the array of all items
  llvm::DenseMap<llvm::Instruction*, llvm::AllocaInst*> m_shared, m_private;
  std::vector<llvm::BasicBlock*> m_heads;
  llvm::BasicBlock *m_done, *m_left = nullptr,
                            *m_diverged = nullptr; // m_left: where a sub-group goes at a barrier
  llvm::AllocaInst *m_next, *m_seen, *m_votes = nullptr, *m_runs = nullptr, *m_all_run = nullptr,
                                     *m_phase = nullptr;
  kept_place m_given[2];
  std::map<std::uint64_t, kept_place> m_values_of_items; // by size
  std::map<std::pair<std::uint64_t, bool>, llvm::AllocaInst*>
      m_values_of_group; // and whether it is the sub-group's
};

} // namespace prism::compiler
