// Which memory a pointer points to, as a number next to it (sycl_khr_dynamic_addrspace_cast). Most pointers
// of an inlined kernel point to one kind of memory, which device_ir/pointer_space finds. A pointer that
// several paths choose gets a number that the same paths choose.
#include "compiler/passes/passes.hpp"

#include "compiler/device_ir/pointer_space.hpp"
#include "compiler/passes/hidden.hpp"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler {
using namespace llvm;

namespace {

// Results of __prism_pointed_memory. Any is right for null. The captured block is the kernel object, which
// each work-item has for itself.
std::optional<std::uint32_t> number_of(pointer_space space) {
  switch (space) {
    case pointer_space::none:
    case pointer_space::global:
    case pointer_space::constant: return 1;
    case pointer_space::local: return 2;
    case pointer_space::captured:
    case pointer_space::private_: return 3;
    case pointer_space::mixed: break;
  }
  return std::nullopt;
}

class memory_numbers {
public:
  explicit memory_numbers(const Function& kernel) : m_spaces(kernel) {}

  /// Whether the pointer derives from pointers of known kinds only.
  bool knows(const Value* pointer) {
    if (number_of(m_spaces.of(pointer)) || !m_seen.insert(pointer).second) return true;
    if (auto* gep = dyn_cast<GEPOperator>(pointer)) return knows(gep->getPointerOperand());
    if (!isa<SelectInst, PHINode, FreezeInst>(pointer)) return false;
    return all_of(cast<Instruction>(pointer)->operands(), [&](const Use& operand) {
      return !operand->getType()->isPointerTy() || knows(operand.get());
    });
  }

  /// Only for a known pointer.
  Value* of(Value* pointer) {
    if (const auto made = m_numbers.find(pointer); made != m_numbers.end()) return made->second;
    Type* type = Type::getInt32Ty(pointer->getContext());
    Value* number = nullptr;
    if (const auto same = number_of(m_spaces.of(pointer))) {
      number = ConstantInt::get(type, *same);
    } else if (auto* gep = dyn_cast<GEPOperator>(pointer)) {
      number = of(gep->getPointerOperand());
    } else if (auto* choice = dyn_cast<SelectInst>(pointer)) {
      Value *one = of(choice->getTrueValue()), *other = of(choice->getFalseValue());
      number = IRBuilder<>(choice).CreateSelect(choice->getCondition(), one, other);
    } else if (auto* phi = dyn_cast<PHINode>(pointer)) {
      PHINode* chosen = IRBuilder<>(phi).CreatePHI(type, phi->getNumIncomingValues());
      m_numbers[phi] = chosen; // a loop's pointer derives from itself
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        chosen->addIncoming(of(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
      number = chosen;
    } else {
      number = of(cast<FreezeInst>(pointer)->getOperand(0));
    }
    return m_numbers[pointer] = number;
  }

private:
  pointer_spaces m_spaces; // from before any change
  DenseMap<Value*, Value*> m_numbers;
  SmallPtrSet<const Value*, 16> m_seen;
};

} // namespace

void lower_pointed_memory(Function& kernel) {
  const SmallVector<CallInst*> calls = calls_of(kernel, "__prism_pointed_memory");
  if (calls.empty()) return;
  memory_numbers numbers(kernel);
  if (!all_of(calls, [&](const CallInst* call) { return numbers.knows(call->getArgOperand(0)); }))
    return; // front/check.cpp reports it
  for (CallInst* call : calls) {
    call->replaceAllUsesWith(numbers.of(call->getArgOperand(0)));
    call->eraseFromParent();
  }
}

} // namespace prism::compiler
