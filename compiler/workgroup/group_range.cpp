#include "compiler/workgroup/group_range.hpp"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr std::int64_t farthest_neighbour =
    64; // limit of the factor of a local id; for any work-group the product stays far below 2^31

bool is_call_of(const Value* value, StringRef name) {
  auto* call = dyn_cast<CallInst>(value);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == name;
}

/// Whether the work-items at `place` are always in the same iteration of the loop.
bool runs_together(const Loop& loop, const Instruction& place, const uniform_values& uniform) {
  if (!loop.contains(&place)) return false;
  SmallVector<BasicBlock*> exits;
  loop.getExitingBlocks(exits);
  return all_of(exits, [&](const BasicBlock* block) { return uniform.branches_uniformly(*block); });
}

/// Values of the form `uniform value + sum of factor * local id`, with small factors that are not negative,
/// or with sizes of the group's other dimensions as factors, as in a linear id: no such product exceeds the
/// group. Also the low half of such a sum, which wraps at most once between two work-items. In a loop whose
/// iterations the work-items execute together, the iteration's number is uniform.
class id_sum {
public:
  id_sum(const SCEV* value, const Instruction& place, const uniform_values& uniform)
      : m_place(place), m_uniform(uniform) {
    m_is_known = gather(value);
  }
  bool is_known() const { return m_is_known; }
  const SmallVector<std::pair<CallInst*, std::int64_t>>& ids() const { return m_ids; }
  const SmallVector<CallInst*>& times_sizes() const { return m_times_sizes; }

private:
  bool gather(const SCEV* part) {
    if (auto* sum = dyn_cast<SCEVAddExpr>(part))
      return all_of(sum->operands(), [&](const SCEV* each) { return gather(each); });
    if (is_same_for_all(part, m_uniform)) return true;
    if (auto* recurrence = dyn_cast<SCEVAddRecExpr>(part))
      return recurrence->isAffine() && runs_together(*recurrence->getLoop(), m_place, m_uniform) &&
             gather(recurrence->getStart()) && is_same_for_all(recurrence->getOperand(1), m_uniform);
    if (auto* narrow = dyn_cast<SCEVTruncateExpr>(part);
        narrow && part->getType()->getIntegerBitWidth() >= 32)
      return gather(narrow->getOperand());
    if (auto* product = dyn_cast<SCEVMulExpr>(part)) {
      if (gather_times_sizes(*product)) return true;
      auto* factor =
          product->getNumOperands() == 2 ? dyn_cast<SCEVConstant>(product->getOperand(0)) : nullptr;
      return factor && factor->getAPInt().isNonNegative() && factor->getAPInt().ule(farthest_neighbour) &&
             gather_id(product->getOperand(1), factor->getAPInt().getZExtValue());
    }
    return gather_id(part, 1);
  }

  bool gather_id(const SCEV* part, std::uint64_t factor) {
    if (auto* narrow = dyn_cast<SCEVTruncateExpr>(part))
      part = narrow->getOperand(); // as a factor: ids are far smaller than any integer type
    auto* leaf = dyn_cast<SCEVUnknown>(part);
    if (!leaf || !is_call_of(leaf->getValue(), "__prism_local_id") ||
        part->getType()->getIntegerBitWidth() < 32)
      return false;
    m_ids.emplace_back(cast<CallInst>(leaf->getValue()), static_cast<std::int64_t>(factor));
    return true;
  }

  static CallInst* query_in(const SCEV* part, StringRef name) {
    if (auto* narrow = dyn_cast<SCEVTruncateExpr>(part)) part = narrow->getOperand();
    auto* leaf = dyn_cast<SCEVUnknown>(part);
    return leaf && is_call_of(leaf->getValue(), name) ? cast<CallInst>(leaf->getValue()) : nullptr;
  }

  /// One id times one size of another dimension each.
  bool gather_times_sizes(const SCEVMulExpr& product) {
    if (product.getType()->getIntegerBitWidth() < 32) return false;
    CallInst* id = nullptr;
    SmallVector<const Value*> dimensions;
    for (const SCEV* part : product.operands()) {
      CallInst* query = query_in(part, "__prism_local_size");
      if (!query) {
        query = query_in(part, "__prism_local_id");
        if (!query || id) return false;
        id = query;
      }
      if (is_contained(dimensions, query->getArgOperand(0))) return false;
      dimensions.push_back(query->getArgOperand(0));
    }
    if (id) m_times_sizes.push_back(id);
    return id;
  }

  const Instruction& m_place;
  const uniform_values& m_uniform;
  SmallVector<std::pair<CallInst*, std::int64_t>> m_ids;
  SmallVector<CallInst*> m_times_sizes;
  bool m_is_known = false;
};

/// The value in front of `place`. In a loop it is a number that the loop counts already, plus one that does
/// not change in the loop, if there is such a number: Intel's compiler for processors (as of its version
/// 2026.2) crashes on some loops with two counters.
Value* expand(const SCEV* value, Type* type, Instruction& place, SCEVExpander& expander,
              ScalarEvolution& evolution) {
  const auto* recurrence = dyn_cast<SCEVAddRecExpr>(value);
  if (recurrence && recurrence->isAffine() && recurrence->getLoop()->contains(&place))
    for (PHINode& phi : recurrence->getLoop()->getHeader()->phis()) {
      const auto* counter =
          phi.getType() == type ? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi)) : nullptr;
      if (!counter || counter->getLoop() != recurrence->getLoop() ||
          counter->getStepRecurrence(evolution) != recurrence->getStepRecurrence(evolution))
        continue;
      const SCEV* distance = evolution.getMinusSCEV(recurrence->getStart(), counter->getStart());
      if (isa<SCEVCouldNotCompute>(distance) || !expander.isSafeToExpandAt(distance, &place)) continue;
      Value* fixed = expander.expandCodeFor(distance, type, place.getIterator());
      return IRBuilder<>(&place).CreateAdd(fixed, &phi);
    }
  return expander.expandCodeFor(value, type, place.getIterator());
}

} // namespace

SCEVExpander expander_for(ScalarEvolution& evolution, [[maybe_unused]] const Module& module,
                          const char* name) {
#if LLVM_VERSION_MAJOR >= 22
  return SCEVExpander(evolution, name);
#else
  return SCEVExpander(evolution, module.getDataLayout(), name);
#endif
}

bool is_same_for_all(const SCEV* part, const uniform_values& uniform) {
  return !SCEVExprContains(part, [&](const SCEV* each) {
    auto* leaf = dyn_cast<SCEVUnknown>(each);
    if (isa<SCEVAddRecExpr>(each)) return true;
    auto* instruction = leaf ? dyn_cast<Instruction>(leaf->getValue()) : nullptr;
    return instruction && !uniform.is_uniform(*instruction);
  });
}

std::optional<group_range> range_in_group(Value& value, bool is_signed, Instruction& place,
                                          ScalarEvolution& evolution, const uniform_values& uniform) {
  if (!value.getType()->isIntegerTy(32) && !value.getType()->isIntegerTy(64)) return std::nullopt;
  const SCEV* sum = evolution.getSCEV(&value);
  const id_sum ids(sum, place, uniform);
  if (!ids.is_known()) return std::nullopt;
  Module& module = *place.getModule();
  // In front of all loops, because their recurrences contain the sizes.
  BasicBlock& entry = place.getFunction()->getEntryBlock();
  IRBuilder<> build(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  DenseMap<const Value*, const SCEV*> none, all;
  SCEVExpander expander = expander_for(evolution, module, "start");
  FunctionCallee size = module.getOrInsertFunction(
      "__prism_local_size", FunctionType::get(build.getInt64Ty(), {build.getInt32Ty()}, false));
  SmallVector<CallInst*> all_ids(ids.times_sizes());
  for (const auto& [id, factor] : ids.ids()) all_ids.push_back(id);
  for (CallInst* id : all_ids) {
    if (none.contains(id)) continue;
    CallInst* sizes = build.CreateCall(size, {id->getArgOperand(0)});
    sizes->setDoesNotAccessMemory();
    sizes->setDoesNotThrow();
    sizes->addFnAttr(Attribute::WillReturn);
    none[id] = evolution.getZero(id->getType());
    all[id] = evolution.getSCEV(build.CreateSub(sizes, build.getInt64(1)));
  }
  const SCEV *least = SCEVParameterRewriter::rewrite(sum, evolution, none),
             *greatest = SCEVParameterRewriter::rewrite(sum, evolution, all);
  if (!expander.isSafeToExpandAt(least, &place) || !expander.isSafeToExpandAt(greatest, &place))
    return std::nullopt;
  group_range found{};
  found.least = expand(least, value.getType(), place, expander, evolution);
  found.greatest = expand(greatest, value.getType(), place, expander, evolution);
  build.SetInsertPoint(&place);
  found.in_order =
      build.CreateICmp(is_signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE, found.least, found.greatest);
  found.ids = ids.ids();
  found.multiplies_sizes = !ids.times_sizes().empty();
  found.of_global_id = !all_ids.empty() && SCEVExprContains(sum, [](const SCEV* each) {
    auto* leaf = dyn_cast<SCEVUnknown>(each);
    return leaf && is_call_of(leaf->getValue(), "__prism_group_id");
  });
  return found;
}

} // namespace prism::compiler
