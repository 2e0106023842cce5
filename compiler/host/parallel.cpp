#include "compiler/host/parallel.hpp"

#include "compiler/host/separate_regions.hpp"

#include <optional>

#include "compiler/device_ir/access_order.hpp"
#include "compiler/host/memory_kinds.hpp"
#include "compiler/workgroup/lanes.hpp"
#include "compiler/device_ir/loop_facts.hpp"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"

namespace prism::compiler {
using namespace llvm;

namespace {

// larger bodies are skipped, because the cost grows with the square
constexpr std::size_t most_accesses = 400;
// For the address in a loop ScalarEvolution looks at all loops that precede it. OpenCL C of more loops over
// work-items stays unmarked: a kernel of 876 shuffles took minutes. On the host each is a function of its
// own.
constexpr std::size_t most_loops = 500;

/// Whether an extended sum of 32 bits counts as one that does not wrap.
enum class wrapping { may_happen, excluded };

/// The distance between the addresses of adjacent iterations of `loop`; empty if it is not constant.
std::optional<std::int64_t> step_of(const SCEV* address, const Loop& loop, ScalarEvolution& evolution,
                                    wrapping how = wrapping::may_happen) {
  if (evolution.isLoopInvariant(address, &loop)) return 0;
  if (auto* recurrence = dyn_cast<SCEVAddRecExpr>(address)) {
    if (!recurrence->isAffine()) return std::nullopt;
    if (recurrence->getLoop() == &loop) {
      auto* step = dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(evolution));
      return step ? std::optional(step->getAPInt().getSExtValue()) : std::nullopt;
    }
    if (!evolution.isLoopInvariant(recurrence->getStepRecurrence(evolution), &loop)) return std::nullopt;
    return step_of(recurrence->getStart(), loop, evolution, how);
  }
  if (how == wrapping::excluded) {
    if (isa<SCEVSignExtendExpr, SCEVZeroExtendExpr>(address))
      return step_of(cast<SCEVIntegralCastExpr>(address)->getOperand(), loop, evolution, how);
    auto* product = dyn_cast<SCEVMulExpr>(address);
    auto* factor =
        product && product->getNumOperands() == 2 ? dyn_cast<SCEVConstant>(product->getOperand(0)) : nullptr;
    if (factor && factor->getAPInt().getSignificantBits() <= 32)
      if (const auto step = step_of(product->getOperand(1), loop, evolution, how))
        return *step * factor->getAPInt().getSExtValue();
  }
  if (auto* sum = dyn_cast<SCEVAddExpr>(address)) {
    std::int64_t total = 0;
    for (const SCEV* part : sum->operands()) {
      const auto step = step_of(part, loop, evolution, how);
      if (!step) return std::nullopt;
      total += *step;
    }
    return total;
  }
  return std::nullopt;
}

class body {
public:
  body(Loop& loop, ScalarEvolution& evolution)
      : m_loop(loop), m_evolution(evolution), m_accesses(evolution, loop.getHeader()) {}

  /// False if the loop must stay unmarked.
  bool gather() {
    for (BasicBlock* block : m_loop.blocks())
      for (Instruction& instruction : *block) {
        if (!instruction.mayReadOrWriteMemory()) continue;
        if (!isa<LoadInst, StoreInst>(instruction) || instruction.isAtomic() || instruction.isVolatile())
          return false;
        Value* pointer = getLoadStorePointerOperand(&instruction);
        if (is_private(pointer)) return false;
        m_marked.push_back(&instruction);
        if (instruction.hasMetadata(LLVMContext::MD_invariant_load)) continue;
        const SCEV* address = m_evolution.getSCEV(pointer);
        const std::uint64_t bytes =
            instruction.getDataLayout().getTypeStoreSize(getLoadStoreType(&instruction));
        const auto step = step_of(address, m_loop, m_evolution);
        const auto distance = step_of(address, m_loop, m_evolution, wrapping::excluded);
        const bool strided = !distance || (*distance != 0 && std::uint64_t(std::abs(*distance)) != bytes);
        m_accesses.add({.instruction = &instruction,
                        .address = address,
                        .bytes = bytes,
                        .memory = static_cast<unsigned>(group_memory_of(*pointer)),
                        .writes = isa<StoreInst>(instruction),
                        .step = step,
                        .strided = strided,
                        .repeats = false});
      }
    return !m_marked.empty() && m_accesses.size() <= most_accesses && m_accesses.moved(1).empty();
  }

  void mark() {
    LLVMContext& context = m_loop.getHeader()->getContext();
    MDNode* group = MDNode::getDistinct(context, {});
    for (Instruction* instruction : m_marked) instruction->setMetadata(LLVMContext::MD_access_group, group);
    MDNode* parallel = MDNode::get(context, {MDString::get(context, "llvm.loop.parallel_accesses"), group});
    SmallVector<Metadata*> properties{nullptr, parallel};
    for (const MDOperand& known : drop_begin(m_loop.getLoopID()->operands())) properties.push_back(known);
    MDNode* id = MDNode::getDistinct(context, properties);
    id->replaceOperandWith(0, id);
    m_loop.setLoopID(id);
  }

private:
  static bool is_private(const Value* pointer) {
    SmallVector<const Value*> objects;
    getUnderlyingObjects(pointer, objects, nullptr, 0);
    return any_of(objects, [](const Value* object) {
      auto* parameter = dyn_cast<Argument>(object);
      return isa<AllocaInst>(object) || (parameter && parameter->getParent()->getAttributes().hasParamAttr(
                                                          parameter->getArgNo(), on_callers_stack));
    });
  }

  Loop& m_loop;
  ScalarEvolution& m_evolution;
  SmallVector<Instruction*> m_marked;
  access_order m_accesses;
};

} // namespace

void mark_parallel_loops(Function& group) {
  loop_facts facts(group);
  SmallVector<Loop*> unmarked;
  for (Loop* loop : facts.loops.getLoopsInPreorder())
    if (is_lane_loop(*loop) && !findOptionMDForLoop(loop, "llvm.loop.parallel_accesses"))
      unmarked.push_back(loop);
  if (unmarked.size() > most_loops) return;
  for (Loop* loop : unmarked) {
    body found(*loop, facts.evolution);
    if (found.gather()) found.mark();
  }
}

} // namespace prism::compiler
