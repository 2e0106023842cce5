#include "compiler/opencl/item_order.hpp"

#include "compiler/device_ir/access_order.hpp"
#include "compiler/device_ir/dimensions.hpp"
#include "compiler/device_ir/loop_facts.hpp"
#include "compiler/device_ir/uniform.hpp"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr std::size_t most_compared = 400;
constexpr unsigned most_unrolled = 32; // iterations of a loop that a driver may unroll

bool is_local_id(const Value* value) {
  auto* call = dyn_cast<CallInst>(value);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == "__prism_local_id";
}

class finder {
public:
  finder(Function& kernel, const pointer_spaces& spaces)
      : m_kernel(kernel), m_spaces(spaces), m_facts(kernel), m_uniform(kernel),
        m_one_row(used_dimensions(kernel) == 1), m_order(m_facts.evolution, nullptr) {}

  moved_accesses find() {
    moved_accesses found;
    for (Instruction& instruction : instructions(m_kernel))
      if (isa<LoadInst, StoreInst>(instruction)) add(instruction);
    if (m_order.size() > most_compared) {
      for (Instruction& instruction : instructions(m_kernel))
        if (isa<StoreInst>(instruction)) found.all.insert(&instruction);
      return found;
    }
    for (const Instruction* each : m_order.moved(most_compared)) {
      found.all.insert(each);
      found.beyond_private |= m_spaces.of(getLoadStorePointerOperand(each)) != pointer_space::private_;
    }
    return found;
  }

private:
  void add(Instruction& instruction) {
    Value* pointer = getLoadStorePointerOperand(&instruction);
    const pointer_space space = m_spaces.of(pointer);
    if (space == pointer_space::captured || space == pointer_space::constant) return;
    const SCEV* address = m_facts.evolution.getSCEV(pointer);
    const std::uint64_t bytes = instruction.getDataLayout().getTypeStoreSize(getLoadStoreType(&instruction));
    const Value* object = getUnderlyingObject(pointer, 0);
    const bool scattered = is_scattered(address);
    std::optional<std::int64_t> step = step_of(address);
    if (auto* array = dyn_cast<AllocaInst>(object); array && step)
      *step += static_cast<std::int64_t>(
          array->getAllocationSize(instruction.getDataLayout()).value_or(TypeSize::getFixed(8)));
    const bool adjacent = step && (*step == 0 || std::uint64_t(std::abs(*step)) == bytes);
    m_order.add({.instruction = &instruction,
                 .address = address,
                 .bytes = bytes,
                 .memory = memory_of(space, *object),
                 .writes = isa<StoreInst>(instruction),
                 .step = step,
                 .strided = !scattered && !adjacent,
                 .repeats = !scattered && (!m_one_row || is_unrolled(instruction))});
  }

  unsigned memory_of(pointer_space space, const Value& object) {
    switch (space) {
      case pointer_space::global: return 1;
      case pointer_space::local: return 2;
      case pointer_space::private_:
        return isa<AllocaInst>(object)
                   ? 3 + static_cast<unsigned>(m_arrays.insert({&object, m_arrays.size()}).first->second)
                   : 0;
      default: return 0;
    }
  }

  /// Whether the address differs between work-items by a value that is no function of their ids. LLVM puts
  /// only addresses into a group that a loop's counter determines.
  bool is_scattered(const SCEV* address) const {
    return SCEVExprContains(address, [&](const SCEV* part) {
      auto* leaf = dyn_cast<SCEVUnknown>(part);
      auto* made = leaf ? dyn_cast<Instruction>(leaf->getValue()) : nullptr;
      return made && !is_local_id(made) && !isa<AllocaInst>(made) && !m_uniform.is_uniform(*made);
    });
  }

  static bool varies(const SCEV* address) {
    return SCEVExprContains(address, [](const SCEV* part) {
      auto* leaf = dyn_cast<SCEVUnknown>(part);
      return leaf && is_local_id(leaf->getValue());
    });
  }

  /// The distance between the addresses of work-items that are adjacent in x; empty if it is not constant.
  std::optional<std::int64_t> step_of(const SCEV* address) {
    if (!varies(address)) return 0;
    if (auto* leaf = dyn_cast<SCEVUnknown>(address))
      return cast<ConstantInt>(cast<CallInst>(leaf->getValue())->getArgOperand(0))->isZero() ? 1 : 0;
    if (isa<SCEVSignExtendExpr, SCEVZeroExtendExpr, SCEVTruncateExpr>(address))
      return step_of(cast<SCEVIntegralCastExpr>(address)->getOperand());
    if (auto* counter = dyn_cast<SCEVAddRecExpr>(address))
      return counter->isAffine() && !varies(counter->getStepRecurrence(m_facts.evolution))
                 ? step_of(counter->getStart())
                 : std::nullopt;
    if (auto* product = dyn_cast<SCEVMulExpr>(address)) {
      auto* factor =
          product->getNumOperands() == 2 ? dyn_cast<SCEVConstant>(product->getOperand(0)) : nullptr;
      if (!factor || factor->getAPInt().getSignificantBits() > 32) return std::nullopt;
      const auto step = step_of(product->getOperand(1));
      return step ? std::optional(*step * factor->getAPInt().getSExtValue()) : std::nullopt;
    }
    auto* sum = dyn_cast<SCEVAddExpr>(address);
    if (!sum) return std::nullopt;
    std::int64_t total = 0;
    for (const SCEV* part : sum->operands()) {
      const auto step = step_of(part);
      if (!step) return std::nullopt;
      total += *step;
    }
    return total;
  }

  bool is_unrolled(const Instruction& instruction) {
    for (const Loop* loop = m_facts.loops.getLoopFor(instruction.getParent()); loop;
         loop = loop->getParentLoop())
      if (const unsigned trips = m_facts.evolution.getSmallConstantMaxTripCount(loop);
          trips != 0 && trips <= most_unrolled)
        return true;
    return false;
  }

  Function& m_kernel;
  const pointer_spaces& m_spaces;
  loop_facts m_facts;
  uniform_values m_uniform;
  bool m_one_row; // launches have one dimension
  access_order m_order;
  DenseMap<const Value*, std::size_t> m_arrays;
};

} // namespace

moved_accesses find_moved_accesses(Function& kernel, const pointer_spaces& spaces) {
  return finder(kernel, spaces).find();
}

} // namespace prism::compiler
