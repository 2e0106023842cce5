#include "compiler/workgroup/work_group.hpp"

#include "compiler/passes/passes.hpp"
#include "compiler/support/pass_timer.hpp"
#include "compiler/workgroup/builder.hpp"
#include "compiler/workgroup/last_passing.hpp"
#include "compiler/workgroup/leader_order.hpp"
#include "compiler/workgroup/hoist_divisions.hpp"
#include "compiler/workgroup/inner_once.hpp"
#include "compiler/workgroup/lanes.hpp"
#include "compiler/workgroup/local_sums.hpp"
#include "compiler/workgroup/loop_interchange.hpp"
#include "compiler/workgroup/narrow_counters.hpp"
#include "compiler/workgroup/partial_points.hpp"
#include "compiler/workgroup/row_strips.hpp"
#include "compiler/workgroup/single_iteration.hpp"
#include "compiler/workgroup/strip_mine.hpp"
#include "compiler/workgroup/unwritten_loads.hpp"
#include "compiler/workgroup/whole_guards.hpp"
#include <optional>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace prism::compiler {
using namespace llvm;

namespace {

// Values and branches that are the same in all iterations of a loop over work-items move out of it, because
// vectorisation requires that.
const std::string cfg =
    "simplifycfg<bonus-inst-threshold=1;no-switch-range-to-icmp;no-switch-to-lookup;keep-loops;no-hoist-common-insts;no-sink-common-insts>";
const std::string move_out = "instcombine<no-verify-fixpoint>,loop-simplify,lcssa,"
                             "loop-mssa(licm,simple-loop-unswitch<nontrivial;trivial>)," +
                             cfg + ",instcombine<no-verify-fixpoint>";
const std::string tidy = "function(sroa<modify-cfg>,early-cse<memssa>," + cfg + ")";

/// LLVM copies a loop in order to remove an invariant branch if the copy costs less than this limit, which no
/// pass option sets.
class unswitch_limit {
public:
  explicit unswitch_limit(int limit) {
    const auto& options = cl::getRegisteredOptions();
    if (auto found = options.find("unswitch-threshold"); found != options.end())
      m_option = static_cast<cl::opt<int>*>(found->second);
    if (!m_option) return;
    m_before = *m_option;
    *m_option = limit;
  }
  ~unswitch_limit() {
    if (m_option) *m_option = m_before;
  }
  unswitch_limit(const unswitch_limit&) = delete;

private:
  cl::opt<int>* m_option = nullptr;
  int m_before = 0;
};

/// A copy of a function's body outside of the module, which passes do not see.
class saved_body {
public:
  explicit saved_body(Function& of)
      : m_of(of), m_copy(Function::Create(of.getFunctionType(), of.getLinkage(), of.getAddressSpace())) {
    ValueToValueMapTy map;
    for (auto [mine, copy] : zip(of.args(), m_copy->args())) map[&mine] = &copy;
    SmallVector<ReturnInst*> returns;
    CloneFunctionInto(m_copy, &of, map, CloneFunctionChangeType::LocalChangesOnly, returns);
  }
  ~saved_body() {
    m_copy->dropAllReferences();
    delete m_copy;
  }
  saved_body(const saved_body&) = delete;
  /// Once.
  void restore() {
    const auto linkage = m_of.getLinkage();
    m_of.deleteBody(); // makes it a declaration without metadata
    m_of.setLinkage(linkage);
    m_of.setSubprogram(m_copy->getSubprogram()); // the scope of the copy's lines
    m_of.splice(m_of.begin(), m_copy);
    for (auto [mine, copy] : zip(m_of.args(), m_copy->args())) copy.replaceAllUsesWith(&mine);
  }

private:
  Function& m_of;
  Function* m_copy;
};

bool uses_sub_groups(const Function& kernel) {
  return any_of(kernel.getParent()->functions(), [](const Function& each) {
    return each.getName().starts_with("__prism_sub_group_") && !each.use_empty();
  });
}

/// Whether a loop over work-items has a branch on a condition that does not change in it.
bool has_unmoved_branch(Function& group) {
  DominatorTree dominators(group);
  LoopInfo loops(dominators);
  return any_of(loops.getLoopsInPreorder(), [](const Loop* loop) {
    return loop->isInnermost() && is_lane_loop(*loop) && any_of(loop->blocks(), [&](const BasicBlock* block) {
      auto* branch = dyn_cast<BranchInst>(block->getTerminator());
      return branch && branch->isConditional() && loop->isLoopInvariant(branch->getCondition());
    });
  });
}

/// The limits of copied loops. The bodies of kernels' loops exceed LLVM's default of 50, and a branch that
/// stays in such a loop prevents vectorisation. But copies multiply where conditions are many, and drivers
/// take long for large kernels. So the largest limit is taken with which the function grows by `most_added`
/// instructions at most.
void move_out_of_loops(Module& module, const std::string& entry, bool copies_loops, pass_runner& passes) {
  const auto group = [&]() -> Function& { return *module.getFunction(entry); };
  constexpr unsigned most_added = 1000;
  const unsigned most = group().getInstructionCount() + most_added;
  SmallVector<int> limits{300, 100, 50};
  if (copies_loops) limits.insert(limits.begin(), 1500);
  for (const int limit : limits) {
    std::optional<saved_body> before;
    if (limit != limits.back()) before.emplace(group());
    const unswitch_limit larger(limit);
    passes.run(module, "function(" + move_out + ")");
    // Conditions of counters that all work-items share are invariant only after the first run.
    if (timed<has_unmoved_branch>(group())) passes.run(module, "function(" + move_out + ")");
    if (!before || group().getInstructionCount() <= most) return;
    before->restore();
  }
}

/// Whether the module has calls of the reserved function.
bool calls(const Module& module, StringRef name) {
  const Function* function = module.getFunction(name);
  return function && !function->use_empty();
}

} // namespace

group_result form_work_group(Module& module, const std::string& entry, const group_options& options,
                             pass_runner& passes) {
  Function& kernel = *module.getFunction(entry);
  const bool copies_loops = kernel.hasFnAttribute(copies_loops_attribute),
             has_sub_groups = uses_sub_groups(kernel);
  bool interchanges_loops = false;
  timed<mark_unwritten_loads>(kernel);
  timed<narrow_counters>(kernel);
  if (!options.keeps_loop_order && calls(module, "__prism_local_arena")) {
    passes.run(module, "function(loop-simplify)");
    timed<keep_local_sums>(kernel);
  }
  if (!options.keeps_loop_order && timed<may_have_inner_once>(kernel)) {
    passes.run(module, "function(loop-simplify,lcssa)");
    if (timed<copy_inner_once>(kernel)) passes.run(module, "function(early-cse<memssa>," + cfg + ")");
  }
  if (calls(module, "__prism_group_count")) {
    passes.run(module, "function(loop-simplify,lcssa)");
    if (timed<copy_single_iterations>(kernel)) {
      passes.run(module, "function(early-cse<memssa>," + cfg + ")");
      timed<order_ids>(kernel);
      passes.run(module, "function(early-cse<memssa>)");
    }
  }
  if (options.widens_guards &&
      timed<widen_guards>(kernel, has_sub_groups ? guard_form::asked : guard_form::copied))
    passes.run(module, "function(early-cse<memssa>," + cfg + ")");
  if (!options.keeps_loop_order) {
    passes.run(module, "function(loop-simplify,lcssa)");
    timed<sink_unwritten_loads>(kernel);
    timed<hoist_divisions>(kernel);
    interchanges_loops = timed<interchange_loops>(kernel);
    if (options.widens_guards && interchanges_loops) timed<widen_iteration_guards>(kernel);
  }
  std::vector<sync_point> points = timed<isolate_sync_points>(kernel);
  timed<order_leaders>(kernel, points);
  timed<add_meetings>(kernel, points);
  timed<add_joins>(kernel, points);
  // If sub-groups have points of their own, each runs by itself from a barrier of the group to the next.
  const bool by_sub_group = any_of(points, [](const sync_point& each) { return each.of_sub_group(); });
  const uniform_values uniform(kernel, by_sub_group ? uniform_in::sub_group : uniform_in::group);
  timed<order_partial_points>(kernel, points, uniform);
  const region_map regions(kernel, points, uniform);
  cross_region_values cross_region(kernel, regions, points, uniform, by_sub_group);
  if (options.may_refuse && mostly_stores_values(kernel, points, regions, cross_region))
    return {.error = {}, .mostly_stores = true};

  Function* group = Function::Create(kernel.getFunctionType(), kernel.getLinkage(), "", kernel.getParent());
  group->copyAttributesFrom(&kernel);
  group->removeFnAttr(Attribute::Convergent);
  group->setSubprogram(kernel.getSubprogram());
  group_builder(kernel, *group, points, regions, cross_region, options).build();
  group->takeName(&kernel);
  kernel.eraseFromParent();
  std::string error;
  raw_string_ostream stream(error);
  if (verifyModule(module, &stream))
    return {0, false, false, "internal error of the PRISM compiler: " + error};
  passes.run(module, tidy);
  move_out_of_loops(module, entry, copies_loops, passes);
  passes.run(module, "globaldce,strip-dead-prototypes");
  passes.run(module, "function(loop-simplify,lcssa)");
  // Sub-groups would be rows: `id % 32`.
  const bool splits_rows = !has_sub_groups && timed<split_rows>(*module.getFunction(entry));
  if (splits_rows) passes.run(module, "function(early-cse," + move_out + ",loop-simplify,lcssa)");
  if (timed<strip_mine>(*module.getFunction(entry)))
    passes.run(module, "function(early-cse,instcombine<no-verify-fixpoint>)");
  timed<end_at_last_passing>(*module.getFunction(entry));
  const std::uint32_t widest = 16;
  return {(cross_region.spill_bytes() + widest - 1) / widest * widest, interchanges_loops, splits_rows, ""};
}

} // namespace prism::compiler
