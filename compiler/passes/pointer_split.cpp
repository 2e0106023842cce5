// An access through a pointer that may point to several kinds of memory becomes a branch over these kinds.
//
// Each such phi, select, offset or freeze becomes one pointer per kind of memory, and a tag that selects the
// one with the address. An access compares the tag. No access moves and no path gets an additional one, so
// order and faults stay the same. Two cases stay unchanged, and the refusal names them: pointers read from
// memory that mixes kinds, and kernels that use a mixed pointer otherwise (calls, comparisons, cmpxchg,
// accesses to values that are pointers themselves).
#include <array>
#include <map>

#include "compiler/passes/passes.hpp"
#include "compiler/device_ir/pointer_space.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace prism::compiler {
using namespace llvm;

namespace {

using space_set = std::uint32_t; // one bit for each pointer_space

constexpr std::array real_spaces{pointer_space::captured, pointer_space::global, pointer_space::local,
                                 pointer_space::constant, pointer_space::private_};

constexpr space_set bit_of(pointer_space space) { return 1u << static_cast<unsigned>(space); }

/// A mixed pointer, split: one pointer per space, and the tag (a pointer_space as i32).
struct split_pointer {
  std::map<pointer_space, Value*> parts;
  Value* tag = nullptr;
};

SmallVector<Value*, 4> pointers_into(Instruction& instruction) {
  if (auto* phi = dyn_cast<PHINode>(&instruction)) return SmallVector<Value*, 4>(phi->incoming_values());
  if (auto* choice = dyn_cast<SelectInst>(&instruction))
    return {choice->getTrueValue(), choice->getFalseValue()};
  return {instruction.getOperand(0)};
}

Use* split_address_of(Instruction& instruction) {
  const auto splits = [](Type* type) { return !type->getScalarType()->isPointerTy(); };
  if (auto* load = dyn_cast<LoadInst>(&instruction))
    return splits(load->getType()) ? &load->getOperandUse(0) : nullptr;
  if (auto* store = dyn_cast<StoreInst>(&instruction))
    return splits(store->getValueOperand()->getType()) ? &store->getOperandUse(1) : nullptr;
  if (auto* operation = dyn_cast<AtomicRMWInst>(&instruction))
    return splits(operation->getType()) ? &operation->getOperandUse(0) : nullptr;
  return nullptr;
}

class pointer_splitter {
public:
  explicit pointer_splitter(Function& kernel) : m_kernel(kernel), m_spaces(kernel) {
    find_splittable();
    find_sets();
  }

  bool run() {
    if (has_other_use()) return false;
    SmallVector<Instruction*> accesses;
    for (Instruction& instruction : instructions(m_kernel))
      if (Use* address = split_address_of(instruction); address && m_sets.count(address->get()))
        accesses.push_back(&instruction);
    for (Instruction* access : accesses) split_access(*access);
    fill_phis();
    erase_unused();
    return !accesses.empty();
  }

private:
  bool has_other_use() const;
  void find_splittable();
  void find_sets();
  void split_access(Instruction& access);
  Value* branch_over(Instruction& access, const split_pointer& pointer, ArrayRef<pointer_space> spaces,
                     Instruction* before);
  const split_pointer& split(Value* pointer);
  Value* part_of(Value* pointer, pointer_space space);
  Value* tag_of(Value* pointer);
  void fill_phis();
  void erase_unused();

  Function& m_kernel;
  pointer_spaces m_spaces; // from before any change
  // the mixed pointers that can be split, and the spaces that they may point to
  MapVector<Value*, space_set> m_sets;
  std::map<Value*, split_pointer> m_split;
  SmallVector<PHINode*> m_to_fill;
};

/// A comparison or a store of a mixed pointer would remain, and the refusal would not find it.
bool pointer_splitter::has_other_use() const {
  for (const auto& [pointer, set] : m_sets)
    for (Use& use : pointer->uses()) {
      auto* user = cast<Instruction>(use.getUser());
      if (!m_sets.count(user) && split_address_of(*user) != &use) return true;
    }
  return false;
}

void pointer_splitter::find_splittable() {
  for (Instruction& instruction : instructions(m_kernel))
    if (isa<PHINode, SelectInst, GetElementPtrInst, FreezeInst>(instruction) &&
        instruction.getType()->isPointerTy() && m_spaces.of(&instruction) == pointer_space::mixed)
      m_sets.insert({&instruction, 0});
  const auto stays_mixed = [&](const auto& entry) {
    return any_of(pointers_into(cast<Instruction>(*entry.first)), [&](Value* operand) {
      return m_spaces.of(operand) == pointer_space::mixed && !m_sets.count(operand);
    });
  };
  for (bool changed = true; changed;) {
    const std::size_t before = m_sets.size();
    m_sets.remove_if(stays_mixed);
    changed = m_sets.size() != before;
  }
}

void pointer_splitter::find_sets() {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [pointer, set] : m_sets) {
      const space_set before = set;
      for (Value* operand : pointers_into(*cast<Instruction>(pointer))) {
        const auto mixed = m_sets.find(operand);
        if (mixed != m_sets.end()) set |= mixed->second;
        else if (const pointer_space space = m_spaces.of(operand); space != pointer_space::none)
          set |= bit_of(space);
      }
      changed |= set != before;
    }
  }
}

Value* pointer_splitter::part_of(Value* pointer, pointer_space space) {
  if (!m_sets.count(pointer))
    return m_spaces.of(pointer) == space ? pointer
                                         : ConstantPointerNull::get(cast<PointerType>(pointer->getType()));
  const split_pointer& known = split(pointer);
  const auto found = known.parts.find(space);
  return found != known.parts.end() ? found->second
                                    : ConstantPointerNull::get(cast<PointerType>(pointer->getType()));
}

Value* pointer_splitter::tag_of(Value* pointer) {
  if (m_sets.count(pointer)) return split(pointer).tag;
  return ConstantInt::get(Type::getInt32Ty(m_kernel.getContext()),
                          static_cast<unsigned>(m_spaces.of(pointer)));
}

const split_pointer& pointer_splitter::split(Value* pointer) {
  if (const auto found = m_split.find(pointer); found != m_split.end()) return found->second;
  auto& instruction = *cast<Instruction>(pointer);
  split_pointer made;
  IRBuilder<> build(&instruction);
  const auto each_part = [&](auto make) {
    for (pointer_space space : real_spaces)
      if (m_sets[pointer] & bit_of(space)) made.parts[space] = make(space);
  };
  if (auto* phi = dyn_cast<PHINode>(pointer)) {
    each_part([&](pointer_space) { return build.CreatePHI(phi->getType(), phi->getNumIncomingValues()); });
    made.tag = build.CreatePHI(build.getInt32Ty(), phi->getNumIncomingValues());
    m_to_fill.push_back(phi);
  } else if (auto* choice = dyn_cast<SelectInst>(pointer)) {
    Value *one = choice->getTrueValue(), *other = choice->getFalseValue();
    each_part([&](pointer_space space) {
      return build.CreateSelect(choice->getCondition(), part_of(one, space), part_of(other, space));
    });
    made.tag = build.CreateSelect(choice->getCondition(), tag_of(one), tag_of(other));
  } else {
    each_part([&](pointer_space space) {
      Instruction* copy = instruction.clone();
      copy->setOperand(0, part_of(instruction.getOperand(0), space));
      if (auto* gep = dyn_cast<GetElementPtrInst>(copy))
        // of null, if another pointer of the split is the valid one
        gep->setNoWrapFlags(GEPNoWrapFlags::none());
      return build.Insert(copy);
    });
    made.tag = tag_of(instruction.getOperand(0));
  }
  return m_split[pointer] = std::move(made);
}

void pointer_splitter::fill_phis() {
  while (!m_to_fill.empty()) {
    PHINode* phi = m_to_fill.pop_back_val();
    const split_pointer made = m_split[phi];
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      Value* incoming = phi->getIncomingValue(i);
      for (auto [space, part] : made.parts)
        cast<PHINode>(part)->addIncoming(part_of(incoming, space), phi->getIncomingBlock(i));
      cast<PHINode>(made.tag)->addIncoming(tag_of(incoming), phi->getIncomingBlock(i));
    }
  }
}

Value* pointer_splitter::branch_over(Instruction& access, const split_pointer& pointer,
                                     ArrayRef<pointer_space> spaces, Instruction* before) {
  const auto access_in = [&](pointer_space space, Instruction* place) -> Instruction* {
    Instruction* copy = access.clone();
    copy->insertInto(place->getParent(), place->getIterator());
    copy->setOperand(split_address_of(access)->getOperandNo(), pointer.parts.at(space));
    return copy;
  };
  if (spaces.size() == 1) return access_in(spaces[0], before);
  IRBuilder<> build(before);
  Value* here = build.CreateICmpEQ(pointer.tag, build.getInt32(static_cast<unsigned>(spaces[0])));
  Instruction *one = nullptr, *other = nullptr;
  SplitBlockAndInsertIfThenElse(here, before->getIterator(), &one, &other);
  Value* first = access_in(spaces[0], one);
  Value* rest = branch_over(access, pointer, spaces.drop_front(), other);
  if (access.getType()->isVoidTy()) return first;
  PHINode* merged = PHINode::Create(access.getType(), 2, "", before->getParent()->begin());
  merged->addIncoming(first, one->getParent());
  merged->addIncoming(rest, other->getParent());
  return merged;
}

void pointer_splitter::split_access(Instruction& access) {
  Value* address = split_address_of(access)->get();
  const split_pointer pointer = split(address);
  fill_phis(); // before blocks change: phis refer to the original predecessors
  const bool writes = !isa<LoadInst>(access);
  SmallVector<pointer_space, 5> spaces;
  for (auto [space, part] : pointer.parts)
    if (!writes || space != pointer_space::constant || pointer.parts.size() == 1)
      spaces.push_back(space); // a defined program does not write to constants
  Value* result = branch_over(access, pointer, spaces, &access);
  if (!access.getType()->isVoidTy()) access.replaceAllUsesWith(result);
  access.eraseFromParent();
}

void pointer_splitter::erase_unused() {
  SmallPtrSet<Value*, 16> used;
  SmallVector<Value*> work;
  for (auto& [pointer, set] : m_sets)
    if (any_of(pointer->users(), [&](User* user) { return !m_sets.count(user); })) work.push_back(pointer);
  while (!work.empty()) {
    Value* pointer = work.pop_back_val();
    if (!m_sets.count(pointer) || !used.insert(pointer).second) continue;
    append_range(work, pointers_into(*cast<Instruction>(pointer)));
  }
  SmallVector<Instruction*> unused;
  for (auto& [pointer, set] : m_sets)
    if (!used.count(pointer)) unused.push_back(cast<Instruction>(pointer));
  for (Instruction* instruction : unused)
    instruction->replaceAllUsesWith(PoisonValue::get(instruction->getType()));
  for (Instruction* instruction : unused) instruction->eraseFromParent();
}

} // namespace

void split_mixed_accesses(Function& kernel) {
  // After a split the pointers that are stored through the pointer are known, which may reveal further ones.
  // Each iteration removes accesses.
  constexpr int iterations = 4;
  for (int iteration = 0; iteration < iterations; ++iteration)
    if (!pointer_splitter(kernel).run()) return;
}

} // namespace prism::compiler
