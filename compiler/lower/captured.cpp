// What a kernel reads from its captured block: loads made invariant, pointers found there made slots.
#include <map>
#include <optional>

#include "compiler/lower/passes.hpp"
#include "compiler/lower/pointer_space.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler {
using namespace llvm;

namespace {

/// Offset of a pointer into the captured block, when it is a constant.
std::optional<std::uint64_t> captured_offset(const Value* pointer, const Function& kernel) {
  const DataLayout& layout = kernel.getParent()->getDataLayout();
  APInt offset(64, 0);
  const Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
  if (base != kernel.getArg(0) || offset.isNegative()) return std::nullopt;
  return offset.getZExtValue();
}

/// Marks what is done through a pointer and all pointers made from it.
std::uint32_t accesses_through(const Value* pointer, SmallPtrSetImpl<const Value*>& seen) {
  constexpr std::uint32_t read = 1, written = 2;
  if (!seen.insert(pointer).second) return 0;
  std::uint32_t found = 0;
  for (const User* user : pointer->users()) {
    if (isa<LoadInst>(user)) found |= read;
    else if (auto* store = dyn_cast<StoreInst>(user)) found |= store->getPointerOperand() == pointer && store->getValueOperand() != pointer ? written : read | written;
    else if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst>(user)) found |= accesses_through(user, seen);
    else if (!isa<ICmpInst>(user)) found |= read | written;
  }
  return found;
}

/// The loads and other roots that a pointer may come from.
void roots_of(const Value* pointer, SmallPtrSetImpl<const Value*>& seen, SmallVectorImpl<const Value*>& roots) {
  if (!seen.insert(pointer).second) return;
  if (auto* gep = dyn_cast<GEPOperator>(pointer)) return roots_of(gep->getPointerOperand(), seen, roots);
  if (auto* phi = dyn_cast<PHINode>(pointer)) {
    for (const Value* incoming : phi->incoming_values()) roots_of(incoming, seen, roots);
    return;
  }
  if (auto* choice = dyn_cast<SelectInst>(pointer)) {
    roots_of(choice->getTrueValue(), seen, roots);
    return roots_of(choice->getFalseValue(), seen, roots);
  }
  if (auto* freeze = dyn_cast<FreezeInst>(pointer)) return roots_of(freeze->getOperand(0), seen, roots);
  roots.push_back(pointer);
}

const Value* accessed(const Instruction& instruction) {
  if (auto* operation = dyn_cast<AtomicRMWInst>(&instruction)) return operation->getPointerOperand();
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) return exchange->getPointerOperand();
  return getLoadStorePointerOperand(&instruction);
}

/// True when every place that `pointer` may select is known: such a load is a choice between loads, which are always
/// safe. Keeps pointers in the captured block findable as slots.
bool selects_known_places(const Value* pointer, const Function& kernel, unsigned depth = 0) {
  constexpr unsigned most_levels = 3;
  if (depth > most_levels) return false;
  if (captured_offset(pointer, kernel)) return true;
  if (auto* gep = dyn_cast<GetElementPtrInst>(pointer)) return gep->hasAllConstantIndices() && selects_known_places(gep->getPointerOperand(), kernel, depth);
  auto* choice = dyn_cast<SelectInst>(pointer);
  return choice && selects_known_places(choice->getTrueValue(), kernel, depth + 1) && selects_known_places(choice->getFalseValue(), kernel, depth + 1);
}

Value* load_chosen(IRBuilder<>& build, Value* pointer, const APInt& offset, LoadInst& load) {
  const DataLayout& layout = load.getModule()->getDataLayout();
  APInt whole = offset;
  Value* base = pointer->stripAndAccumulateConstantOffsets(layout, whole, true);
  if (auto* choice = dyn_cast<SelectInst>(base)) {
    Value* if_true = load_chosen(build, choice->getTrueValue(), whole, load);
    Value* if_false = load_chosen(build, choice->getFalseValue(), whole, load);
    return build.CreateSelect(choice->getCondition(), if_true, if_false);
  }
  Value* place = build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), base, whole.getZExtValue());
  return build.CreateAlignedLoad(load.getType(), place, load.getAlign());
}

/// LLVM's form of a chosen place is an address with a chosen offset: back to a choice of addresses.
void choose_addresses(Function& kernel) {
  for (Instruction& instruction : make_early_inc_range(instructions(kernel))) {
    auto* gep = dyn_cast<GetElementPtrInst>(&instruction);
    if (!gep || gep->getNumIndices() != 1 || !captured_offset(gep->getPointerOperand(), kernel)) continue;
    auto* index = dyn_cast<SelectInst>(gep->getOperand(1));
    if (!index || !isa<ConstantInt>(index->getTrueValue()) || !isa<ConstantInt>(index->getFalseValue())) continue;
    IRBuilder<> build(gep);
    Value* if_true = build.CreateInBoundsGEP(gep->getSourceElementType(), gep->getPointerOperand(), index->getTrueValue());
    Value* if_false = build.CreateInBoundsGEP(gep->getSourceElementType(), gep->getPointerOperand(), index->getFalseValue());
    gep->replaceAllUsesWith(build.CreateSelect(index->getCondition(), if_true, if_false));
    gep->eraseFromParent();
  }
}

void split_chosen_loads(Function& kernel) {
  choose_addresses(kernel);
  SmallVector<LoadInst*> found;
  for (Instruction& instruction : instructions(kernel)) {
    auto* load = dyn_cast<LoadInst>(&instruction);
    if (load && load->isSimple() && !captured_offset(load->getPointerOperand(), kernel) && selects_known_places(load->getPointerOperand(), kernel))
      found.push_back(load);
  }
  for (LoadInst* load : found) {
    IRBuilder<> build(load);
    load->replaceAllUsesWith(load_chosen(build, load->getPointerOperand(), APInt(64, 0), *load));
    load->eraseFromParent();
  }
}

} // namespace

void mark_captured_loads(Function& kernel) {
  split_chosen_loads(kernel);
  SmallVector<LoadInst*> words;
  const pointer_spaces spaces(kernel);
  for (Instruction& instruction : instructions(kernel)) {
    auto* load = dyn_cast<LoadInst>(&instruction);
    if (!load || spaces.of(load->getPointerOperand()) != pointer_space::captured) continue;
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(kernel.getContext(), {}));
    if (load->getType()->isIntegerTy(64) && captured_offset(load->getPointerOperand(), kernel)) words.push_back(load);
  }
  for (LoadInst* word : words)
    for (User* user : make_early_inc_range(word->users())) {
      auto* cast = dyn_cast<IntToPtrInst>(user);
      if (!cast) continue;
      auto* load = new LoadInst(cast->getType(), word->getPointerOperand(), "", false, word->getAlign(), word->getIterator());
      load->copyMetadata(*word);
      cast->replaceAllUsesWith(load);
      cast->eraseFromParent();
    }
}

void find_pointer_slots(Function& kernel, kernel_facts& facts) {
  std::map<std::uint32_t, std::uint32_t> found; // offset -> flags
  const pointer_spaces spaces(kernel);
  for (Instruction& instruction : instructions(kernel)) {
    if (auto* load = dyn_cast<LoadInst>(&instruction); load && load->getType()->isPointerTy()) {
      const std::optional<std::uint64_t> offset = captured_offset(load->getPointerOperand(), kernel);
      SmallPtrSet<const Value*, 16> seen;
      if (offset && *offset % 8 == 0) found[*offset] |= accesses_through(load, seen);
    }
    const Value* address = accessed(instruction);
    if (!address || spaces.of(address) != pointer_space::global) continue;
    SmallPtrSet<const Value*, 16> seen;
    SmallVector<const Value*> roots;
    roots_of(address, seen, roots);
    for (const Value* root : roots) {
      auto* load = dyn_cast<LoadInst>(root);
      const bool from_slot = load && captured_offset(load->getPointerOperand(), kernel).value_or(1) % 8 == 0;
      if (!from_slot && !isa<ConstantPointerNull, UndefValue>(root)) facts.needs_addresses = true;
    }
  }
  for (auto [offset, flags] : found) facts.slots.push_back({offset, flags});
}

} // namespace prism::compiler
