// Kernels' reads of their captured block: marks the loads as invariant, and makes slots of the pointers.
#include <map>
#include <optional>

#include "compiler/device_ir/captured.hpp"
#include "compiler/device_ir/pointer_space.hpp"
#include "llvm/Analysis/Loads.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler {
using namespace llvm;

namespace {

/// The loads and other roots that a pointer may derive from.
void roots_of(const Value* pointer, SmallPtrSetImpl<const Value*>& seen,
              SmallVectorImpl<const Value*>& roots) {
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

bool has_one_root(const Value* pointer) {
  SmallPtrSet<const Value*, 16> seen;
  SmallVector<const Value*> roots;
  roots_of(pointer, seen, roots);
  return roots.size() == 1;
}

std::uint32_t contents_of(const Type* type) {
  const Type* scalar = type->getScalarType();
  return scalar->isHalfTy()     ? image::slot_has_half
         : scalar->isFloatTy()  ? image::slot_has_float
         : scalar->isDoubleTy() ? image::slot_has_double
                                : image::slot_has_integers;
}

/// The kinds of values that a stored value may contain: integer words may carry floating-point numbers. 0 if
/// the value is only copied.
std::uint32_t contents_of_value(const Value* value, unsigned depth = 0) {
  constexpr unsigned most_steps = 8;
  if (value->getType()->getScalarType()->isFloatingPointTy()) return contents_of(value->getType());
  if (auto* cast = dyn_cast<BitCastInst>(value);
      cast && cast->getOperand(0)->getType()->getScalarType()->isFloatingPointTy())
    return contents_of(cast->getOperand(0)->getType());
  if (isa<Constant, LoadInst>(value)) return 0;
  const auto* made = dyn_cast<Instruction>(value);
  const bool is_logic = made && (made->getOpcode() == Instruction::And ||
                                 made->getOpcode() == Instruction::Xor); // a number's sign or fields
  const bool moves = made && (is_logic ||
                              isa<BitCastInst, InsertElementInst, ExtractElementInst, ShuffleVectorInst,
                                  ZExtInst, TruncInst, SelectInst>(made) ||
                              made->getOpcode() == Instruction::Or || made->getOpcode() == Instruction::Shl ||
                              made->getOpcode() == Instruction::LShr);
  if (!moves || depth == most_steps) return image::slot_has_integers;
  const unsigned first = isa<SelectInst>(made) ? 1 : 0; // conditions and indices are not part of the value
  const unsigned end = isa<InsertElementInst>(made)    ? 2
                       : isa<ExtractElementInst>(made) ? 1
                                                       : made->getNumOperands();
  std::uint32_t found = is_logic ? std::uint32_t(image::slot_has_integers) : 0u;
  for (unsigned i = first; i < end; ++i) found |= contents_of_value(made->getOperand(i), depth + 1);
  return found;
}

/// The kinds of values that a load reads, judged by their uses.
std::uint32_t contents_of_load(const LoadInst& load) {
  if (load.getType()->getScalarType()->isFloatingPointTy()) return contents_of(load.getType());
  std::uint32_t found = 0;
  for (const User* user : load.users()) {
    if (auto* cast = dyn_cast<BitCastInst>(user);
        cast && cast->getType()->getScalarType()->isFloatingPointTy())
      found |= contents_of(cast->getType());
    else if (!isa<StoreInst>(user)) found |= image::slot_has_integers;
  }
  return found;
}

/// Flags of a slot: the accesses through a pointer and through all pointers derived from it. If the pointer
/// is one of several alternatives, or is stored in memory, it may not be a valid address. `slot_is_address`
/// is then not set.
std::uint32_t accesses_through(const Value* pointer, SmallPtrSetImpl<const Value*>& seen) {
  constexpr std::uint32_t read = image::slot_is_read, written = image::slot_is_written,
                          address = image::slot_is_address;
  if (!seen.insert(pointer).second) return 0;
  std::uint32_t found = 0;
  for (const User* user : pointer->users()) {
    if (auto* load = dyn_cast<LoadInst>(user)) found |= read | address | contents_of_load(*load);
    else if (auto* store = dyn_cast<StoreInst>(user))
      found |= store->getValueOperand() == pointer
                   ? read | written
                   : written | address | contents_of_value(store->getValueOperand());
    else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(user))
      found |= accessed_pointer(*cast<Instruction>(user)) == pointer
                   ? read | written | address | contents_of(user->getOperand(1)->getType())
                   : read | written;
    else if (isa<GetElementPtrInst, FreezeInst>(user)) found |= accesses_through(user, seen);
    else if (isa<PHINode, SelectInst>(user))
      found |= accesses_through(user, seen) & (has_one_root(user) ? ~0u : ~address);
    else if (!isa<ICmpInst>(user)) found |= read | written;
  }
  return found;
}

/// True if every address that `pointer` may select is known. A load through it becomes a choice between
/// loads, which are always valid. Pointers in the captured block can then still be recognised as slots.
bool selects_known_offsets(const Value* pointer, const Function& kernel, unsigned depth = 0) {
  constexpr unsigned most_levels = 3;
  if (depth > most_levels) return false;
  if (captured_offset(pointer, kernel)) return true;
  if (auto* gep = dyn_cast<GetElementPtrInst>(pointer))
    return gep->hasAllConstantIndices() && selects_known_offsets(gep->getPointerOperand(), kernel, depth);
  auto* choice = dyn_cast<SelectInst>(pointer);
  return choice && selects_known_offsets(choice->getTrueValue(), kernel, depth + 1) &&
         selects_known_offsets(choice->getFalseValue(), kernel, depth + 1);
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

/// LLVM writes a selected address as one address with a selected offset. This restores the selection of
/// addresses.
void choose_addresses(Function& kernel) {
  for (Instruction& instruction : make_early_inc_range(instructions(kernel))) {
    auto* gep = dyn_cast<GetElementPtrInst>(&instruction);
    if (!gep || gep->getNumIndices() != 1 || !captured_offset(gep->getPointerOperand(), kernel)) continue;
    auto* index = dyn_cast<SelectInst>(gep->getOperand(1));
    if (!index || !isa<ConstantInt>(index->getTrueValue()) || !isa<ConstantInt>(index->getFalseValue()))
      continue;
    IRBuilder<> build(gep);
    Value* if_true =
        build.CreateInBoundsGEP(gep->getSourceElementType(), gep->getPointerOperand(), index->getTrueValue());
    Value* if_false = build.CreateInBoundsGEP(gep->getSourceElementType(), gep->getPointerOperand(),
                                              index->getFalseValue());
    gep->replaceAllUsesWith(build.CreateSelect(index->getCondition(), if_true, if_false));
    gep->eraseFromParent();
  }
}

void split_chosen_loads(Function& kernel) {
  choose_addresses(kernel);
  SmallVector<LoadInst*> found;
  for (Instruction& instruction : instructions(kernel)) {
    auto* load = dyn_cast<LoadInst>(&instruction);
    if (load && load->isSimple() && !captured_offset(load->getPointerOperand(), kernel) &&
        selects_known_offsets(load->getPointerOperand(), kernel))
      found.push_back(load);
  }
  for (LoadInst* load : found) {
    IRBuilder<> build(load);
    load->replaceAllUsesWith(load_chosen(build, load->getPointerOperand(), APInt(64, 0), *load));
    load->eraseFromParent();
  }
}

/// Whether a 64-bit integer may be an address that the host or another kernel wrote.
bool may_come_from_outside(const Value* integer, const pointer_spaces& spaces,
                           SmallPtrSetImpl<const Value*>& seen) {
  if (!seen.insert(integer).second || !isa<Instruction>(integer)) return false;
  if (auto* load = dyn_cast<LoadInst>(integer)) {
    const pointer_space space = spaces.of(load->getPointerOperand());
    return space != pointer_space::private_ && space != pointer_space::local &&
           space != pointer_space::constant;
  }
  switch (cast<Instruction>(integer)->getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::PHI:
    case Instruction::Select:
    case Instruction::Freeze:
      return any_of(cast<Instruction>(integer)->operands(), [&](const Use& use) {
        return use->getType()->isIntegerTy(64) && may_come_from_outside(use.get(), spaces, seen);
      });
    default: return false;
  }
}

/// The origins of a kernel's pointers, as far as devices without shared addresses need them.
class pointer_sources {
public:
  explicit pointer_sources(const Function& kernel) : m_kernel(kernel), m_spaces(kernel) {
    for (const Instruction& instruction : instructions(kernel)) {
      auto* store = dyn_cast<StoreInst>(&instruction);
      if (!store) continue;
      const Value* value = store->getValueOperand();
      SmallPtrSet<const Value*, 16> seen;
      if (value->getType()->isPointerTy()) m_stores_known &= comes_from_slots(value, true);
      else if (value->getType()->isIntegerTy(64))
        m_stores_known &= !may_come_from_outside(value, m_spaces, seen);
    }
  }

  const pointer_spaces& spaces() const { return m_spaces; }
  bool is_known(const Value* address) const { return comes_from_slots(address, m_stores_known); }

private:
  /// `stored_are_known`: whether the kernel stores only such pointers in private and work-group memory.
  bool comes_from_slots(const Value* address, bool stored_are_known) const {
    SmallPtrSet<const Value*, 16> seen;
    SmallVector<const Value*> roots;
    roots_of(address, seen, roots);
    return all_of(roots, [&](const Value* root) {
      if (isa<ConstantPointerNull, UndefValue>(root)) return true;
      auto* load = dyn_cast<LoadInst>(root);
      if (!load) return m_spaces.of(root) != pointer_space::global;
      const pointer_space where = m_spaces.of(load->getPointerOperand());
      if (where == pointer_space::constant) return true; // pointers in constants point to constants
      if (where == pointer_space::private_ || where == pointer_space::local) return stored_are_known;
      return captured_offset(load->getPointerOperand(), m_kernel).value_or(1) % 8 == 0;
    });
  }

  const Function& m_kernel;
  pointer_spaces m_spaces;
  bool m_stores_known = true;
};

} // namespace

bool reads_captured(const Instruction& instruction, const Function& kernel) {
  auto* load = dyn_cast<LoadInst>(&instruction);
  return load && !load->isVolatile() && isa<Argument>(getUnderlyingObject(load->getPointerOperand())) &&
         isDereferenceableAndAlignedPointer(load->getPointerOperand(), load->getType(), Align(1),
                                            kernel.getParent()->getDataLayout());
}

bool is_query(const Instruction& instruction) {
  auto* call = dyn_cast<CallInst>(&instruction);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->doesNotAccessMemory() && callee->getName().starts_with("__prism_");
}

void mark_captured_loads(Function& kernel) {
  split_chosen_loads(kernel);
  SmallVector<LoadInst*> words;
  const pointer_spaces spaces(kernel);
  for (Instruction& instruction : instructions(kernel)) {
    auto* load = dyn_cast<LoadInst>(&instruction);
    if (!load || spaces.of(load->getPointerOperand()) != pointer_space::captured) continue;
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(kernel.getContext(), {}));
    if (load->getType()->isIntegerTy(64) && captured_offset(load->getPointerOperand(), kernel))
      words.push_back(load);
  }
  for (LoadInst* word : words)
    for (User* user : make_early_inc_range(word->users())) {
      auto* cast = dyn_cast<IntToPtrInst>(user);
      if (!cast) continue;
      auto* load = new LoadInst(cast->getType(), word->getPointerOperand(), "", false, word->getAlign(),
                                word->getIterator());
      load->copyMetadata(*word);
      cast->replaceAllUsesWith(load);
      cast->eraseFromParent();
    }
}

void load_captured_values_first(Function& kernel) {
  constexpr std::size_t most = 32; // values that stay live from the entry on
  // A load in a branch that is never taken may read beyond the block.
  const std::uint64_t end = kernel.getArg(0)->getDereferenceableBytes();
  SmallVector<LoadInst*> loads;
  for (Instruction& instruction : instructions(kernel)) {
    auto* load = dyn_cast<LoadInst>(&instruction);
    if (!load || !load->hasMetadata(LLVMContext::MD_invariant_load)) continue;
    const std::optional<std::uint64_t> offset = captured_offset(load->getPointerOperand(), kernel);
    if (offset && *offset < end && kernel.getDataLayout().getTypeStoreSize(load->getType()) <= end - *offset)
      loads.push_back(load);
    if (loads.size() == most) break;
  }
  BasicBlock& entry = kernel.getEntryBlock();
  const auto begin = find_if(entry, [](const Instruction& each) { return !isa<AllocaInst>(each); });
  IRBuilder<> build(&entry, begin);
  Instruction* const place = build.Insert(new FreezeInst(
      build.getTrue())); // marks the place for the loads; one of them may be the first instruction
  std::map<std::pair<std::uint64_t, Type*>, LoadInst*> first;
  for (LoadInst* load : loads) {
    const std::uint64_t offset = *captured_offset(load->getPointerOperand(), kernel);
    LoadInst*& same = first[{offset, load->getType()}];
    if (same != nullptr) {
      load->replaceAllUsesWith(same);
      load->eraseFromParent();
      continue;
    }
    build.SetInsertPoint(place);
    load->setOperand(0, build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), kernel.getArg(0), offset));
    load->moveBefore(place);
    same = load;
  }
  place->eraseFromParent();
}

void find_pointer_slots(Function& kernel, kernel_facts& facts) {
  std::map<std::uint32_t, std::uint32_t> found; // offset -> flags
  const pointer_sources sources(kernel);
  for (Instruction& instruction : instructions(kernel)) {
    if (auto* load = dyn_cast<LoadInst>(&instruction); load && load->getType()->isPointerTy()) {
      const std::optional<std::uint64_t> offset = captured_offset(load->getPointerOperand(), kernel);
      SmallPtrSet<const Value*, 16> seen;
      if (offset && *offset % 8 == 0) found[*offset] |= accesses_through(load, seen);
    }
    const Value* address = accessed_pointer(instruction);
    if (!address) continue;
    const pointer_space space = sources.spaces().of(address);
    if ((space == pointer_space::global || space == pointer_space::mixed) && !sources.is_known(address))
      facts.needs_addresses = true;
  }
  for (auto [offset, flags] : found) facts.slots.push_back({offset, flags});
}

} // namespace prism::compiler
