// Builds the group function: one loop for each region, the transitions between regions, and the values that
// are stored in between.
#pragma once

#include <map>

#include "compiler/workgroup/cross_region_values.hpp"
#include "compiler/workgroup/lanes.hpp"
#include "compiler/workgroup/work_group.hpp"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace prism::compiler {

class group_builder {
public:
  group_builder(llvm::Function& kernel, llvm::Function& group, const std::vector<sync_point>& points,
                const region_map& regions, cross_region_values& cross_region, const group_options& options);
  void build();

private:
  /// The copy of one region in its loop.
  struct copy {
    unsigned point;
    bool partial = false; // only for the work-items that wait at the point: see partial.cpp
    lane_loop lanes;
    llvm::IRBuilder<>* begin = nullptr;                        // at the end of the work-item's first block
    llvm::DenseMap<llvm::Instruction*, llvm::Value*> incoming; // values from before the region
    llvm::DenseMap<const llvm::Value*, llvm::Value*> again;    // recomputed at the region's start
    llvm::ValueToValueMapTy map;                               // kernel -> copy
    llvm::DenseMap<unsigned, llvm::BasicBlock*> exits;
    llvm::PHINode* left_to = nullptr; // the exit's number, where each work-item has one of its own
  };

  llvm::BasicBlock* diverged_block(divergence where);
  llvm::BasicBlock* build_sub_group_frame();
  std::pair<llvm::BasicBlock*, llvm::BasicBlock*> store_rows();
  void build_region(unsigned point, bool partial = false);
  // Values that enter a region or leave it.
  void load_shared(unsigned point, llvm::BasicBlock* head, copy& into);
  void enter_loop(llvm::BasicBlock* head, copy& into, llvm::IRBuilder<>& begin);
  llvm::BasicBlock* stored_before(unsigned point);
  llvm::Value* bring_in(llvm::Instruction& value, copy& into);
  llvm::Value* compute_again(const llvm::Value& value, copy& into);
  llvm::Value* operand_in(llvm::Value* value, copy& into);
  llvm::Value* to_memory(llvm::IRBuilder<>& build, llvm::Instruction& value, llvm::Value* now, copy& in);
  llvm::Value* from_memory(llvm::IRBuilder<>& build, llvm::Instruction& value, llvm::Value* stored, copy& in);
  llvm::Value* address_in(llvm::IRBuilder<>& build, context_array array, llvm::Value* item);
  llvm::Value* answer(const llvm::CallInst& call, copy& into);
  // region_copy.cpp
  void copy_blocks(copy& into);
  void repair(copy& into);
  void build_exits(copy& in);
  void fill_exit(unsigned exit, copy& in);
  void leave(unsigned point, llvm::BasicBlock* after);
  llvm::BasicBlock* target_of(unsigned exit);
  /// Whether the other sub-groups run before the region at this exit.
  bool leaves_sub_group(unsigned exit) const {
    return m_by_sub_group && (exit == m_regions.end() || !m_points[exit].of_sub_group());
  }
  bool must_agree(const region& which) const {
    return (m_options.check_divergence || m_apart) && !which.agrees;
  }
  // partial.cpp
  void prepare_partial_regions();
  void build_partial_regions();
  void skip_others(copy& into, llvm::IRBuilder<>& begin);
  void record_exits(copy& in);
  void to_latch(unsigned exit, llvm::IRBuilder<>& build, copy& in);
  // exchange.cpp
  void exchange(unsigned point, llvm::BasicBlock*& head, copy& into);
  llvm::BasicBlock* shuffle(unsigned point, llvm::BasicBlock* head, bool partial);
  void give(unsigned shuffle, llvm::IRBuilder<>& build, copy& in);
  llvm::BasicBlock* ballot(const llvm::CallInst& call, unsigned point, llvm::BasicBlock* head, bool partial);
  bool votes_on(unsigned exit) const {
    return exit != m_regions.end() && m_points[exit].is_iteration() &&
           !llvm::isa<llvm::Constant>(m_points[exit].call->getArgOperand(0));
  }
  static llvm::Value* distance_of(const llvm::Value& asked, bool& is_back);
  llvm::Value* received(unsigned shuffle, copy& into);
  context_array& exchange_array(unsigned shuffle);

  llvm::Function& m_kernel;
  const std::vector<sync_point>& m_points;
  const region_map& m_regions;
  cross_region_values& m_cross_region;
  group_options m_options;
  bool m_by_sub_group;
  group_frame m_frame;
  llvm::Value* m_memory = nullptr;
  llvm::DenseMap<unsigned, llvm::Value*> m_array_starts; // offset -> start of the context array
  llvm::DenseMap<llvm::Instruction*, llvm::AllocaInst*> m_shared, m_private;
  std::vector<llvm::BasicBlock*> m_heads;
  llvm::DenseMap<unsigned, llvm::BasicBlock*> m_stores; // point -> stored_before
  /// m_left: the block to which a sub-group goes at a barrier. m_diverged: the one for sub-groups that met
  /// different barriers. m_apart: the one for work-items that did. It chooses who continues if some may.
  llvm::BasicBlock *m_done, *m_left = nullptr, *m_diverged = nullptr, *m_apart = nullptr;
  llvm::DenseMap<unsigned, llvm::BasicBlock*> m_partial_heads; // of the points that may be partial
  context_array m_waits_at;                                    // of each work-item: its point's number
  llvm::AllocaInst *m_next, *m_seen, *m_votes = nullptr, *m_any_continues = nullptr,
                                     *m_all_continue = nullptr, *m_phase = nullptr;
  bool m_reads_beside = false;                              // some shuffle reads before or behind its array
  context_array m_given[2][3];                              // by size and number of the exchange
  std::map<std::uint64_t, context_array> m_values_of_items; // by size
  /// By size, and whether it is the sub-group's.
  std::map<std::pair<std::uint64_t, bool>, llvm::AllocaInst*> m_values_of_group;
};

} // namespace prism::compiler
