// Pointers whose memory is only known at run time: they are stored in memory, and several kinds of memory
// occur among them. Such pointers become 64-bit numbers that contain the kind, and an access branches over
// the kinds.
//
// A global address, and null, is represented by itself: canonical addresses have equal bits 63 and 62. Any
// other address has the bits 0, 1 and its pointer_space in front of 59 bits of its value. Once a kernel has
// such pointers, all pointers that it stores in memory have this form. Pointers that the host or other
// kernels wrote are global and need no change. All private arrays that such pointers may point to become one
// array, and all constants one constant, so that one base suffices for each kind. The number of a constant is
// its offset in that one constant, which is known at compile time. Constants may therefore hold pointers to
// constants, as numbers, and kernels with such constants get this form too. A kernel that uses such a pointer
// in a way that this pass does not handle stays unchanged.
// The refusal names that use.
#include <map>

#include "compiler/passes/passes.hpp"
#include "compiler/device_ir/pointer_space.hpp"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr unsigned tag_shift = 59, tag_bits = 5;
constexpr std::uint64_t first_tag = 8; // the bits 0, 1 in front of the pointer_space

constexpr std::uint64_t first_place =
    4096; // offset of the first constant: a pointer may temporarily point below its array

std::uint64_t tag_of(pointer_space space) { return first_tag + static_cast<std::uint64_t>(space); }

Use* address_of(Instruction& instruction) {
  if (isa<LoadInst, AtomicRMWInst, AtomicCmpXchgInst>(instruction)) return &instruction.getOperandUse(0);
  return isa<StoreInst>(instruction) ? &instruction.getOperandUse(1) : nullptr;
}

bool is_made_of_pointers(const Instruction& instruction) {
  return isa<PHINode, SelectInst, GetElementPtrInst, FreezeInst>(instruction) &&
         instruction.getType()->isPointerTy();
}

/// The pointers that a pointer of known space derives from; false if null is one of them.
bool roots_of(Value* pointer, SmallPtrSetImpl<Value*>& seen, SmallSetVector<Value*, 4>& roots) {
  if (!seen.insert(pointer).second) return true;
  if (isa<ConstantPointerNull>(pointer)) return false;
  if (auto* gep = dyn_cast<GEPOperator>(pointer)) return roots_of(gep->getPointerOperand(), seen, roots);
  bool never_null = true;
  if (isa<PHINode, SelectInst, FreezeInst>(pointer)) {
    for (Value* operand : cast<Instruction>(pointer)->operands())
      if (operand->getType()->isPointerTy()) never_null &= roots_of(operand, seen, roots);
    return never_null;
  }
  roots.insert(pointer);
  return true;
}

class generic_maker {
public:
  explicit generic_maker(Function& kernel)
      : m_kernel(kernel), m_layout(kernel.getParent()->getDataLayout()), m_spaces(kernel),
        m_has_tables(any_of(named_constants(kernel), [](const GlobalVariable* constant) {
          return has_pointers(*constant->getValueType());
        })) {}

  void run() {
    find_generic();
    if ((m_generic.empty() && !m_has_tables) || has_unknown_use()) return;
    for (Instruction& instruction : instructions(m_kernel))
      if (isa<StoreInst, ICmpInst, PtrToIntInst>(instruction)) m_others.push_back(&instruction);
    find_constants();
    merge_constants();
    make_numbers();
    replace_other_uses();
    merge_arrays();
    split_accesses();
    erase_old();
  }

private:
  void find_generic();
  bool has_unknown_use() const;
  void make_numbers();
  Value* make_number(Instruction& pointer);
  Value* number_of(Value* pointer);
  Value* tagged(Value* pointer, pointer_space space);
  Instruction* position_after(Value* value);
  void replace_other_uses();
  void merge_arrays();
  void find_constants();
  void add_constant(GlobalVariable& constant);
  void merge_constants();
  Constant* constant_number(Constant& pointer) const;
  Constant* with_numbers(Constant& value) const;
  Value* base_of(pointer_space space);
  Value* address_in(IRBuilder<>& build, Value* number, pointer_space space);
  void split_accesses();
  Value* branch_over(Instruction& access, Value* number, ArrayRef<pointer_space> spaces, Instruction* before);
  void erase_old();

  bool is_other_than_global(const Value* pointer) const {
    const pointer_space space = m_spaces.of(pointer);
    return space != pointer_space::none && space != pointer_space::global;
  }

  Function& m_kernel;
  const DataLayout& m_layout;
  pointer_spaces m_spaces; // from before any change
  bool m_has_tables;       // whether constants hold pointers
  SmallSetVector<Instruction*, 16> m_generic;
  SmallVector<Instruction*> m_others; // instructions that may use the pointers for more than an address
  /// The numbers for pointers, generic and converted ones. Some are replaced later.
  std::map<Value*, WeakTrackingVH> m_numbers;
  SmallSetVector<pointer_space, 4> m_met; // the kinds that a number may point to; without global
  SmallSetVector<AllocaInst*, 4> m_arrays;
  SmallSetVector<GlobalVariable*, 4> m_constants;
  std::map<const GlobalVariable*, std::uint64_t> m_offsets; // the offsets of constants in the one constant
  std::map<pointer_space, Value*> m_bases;
};

/// Does something only if mixed pointers remain. It then takes all pointers that are stored in memory, so
/// that each location has one form.
void generic_maker::find_generic() {
  bool needed = m_has_tables;
  for (Instruction& instruction : instructions(m_kernel)) {
    if (!instruction.getType()->isPointerTy()) continue;
    const bool mixed = m_spaces.of(&instruction) == pointer_space::mixed;
    needed |= mixed;
    if (mixed || (isa<LoadInst, IntToPtrInst>(instruction) && is_other_than_global(&instruction)))
      m_generic.insert(&instruction);
  }
  if (!needed) return m_generic.clear();
  for (bool changed = true; changed;) {
    changed = false;
    for (Instruction& instruction : instructions(m_kernel))
      if (is_made_of_pointers(instruction) && any_of(instruction.operands(), [&](const Use& use) {
        auto* operand = dyn_cast<Instruction>(use.get());
        return operand && m_generic.contains(operand);
      }))
        changed |= m_generic.insert(&instruction);
  }
}

bool generic_maker::has_unknown_use() const {
  for (Instruction* pointer : m_generic) {
    if (!is_made_of_pointers(*pointer) && !isa<LoadInst, IntToPtrInst>(pointer)) return true;
    for (const Use& use : pointer->uses()) {
      auto* user = cast<Instruction>(use.getUser());
      const bool known = m_generic.contains(user) || isa<StoreInst, ICmpInst, PtrToIntInst>(user) ||
                         address_of(*user) == &use;
      if (!known) return true;
    }
  }
  return false;
}

Instruction* generic_maker::position_after(Value* value) {
  auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction) return &*m_kernel.getEntryBlock().getFirstInsertionPt();
  if (isa<PHINode>(instruction)) return &*instruction->getParent()->getFirstInsertionPt();
  return instruction->getNextNode();
}

/// Converts a pointer to one kind of memory to a number. Uses shifts instead of a mask, because no later
/// analysis may recognise the result as that pointer.
Value* generic_maker::tagged(Value* pointer, pointer_space space) {
  SmallPtrSet<Value*, 16> seen;
  SmallSetVector<Value*, 4> roots;
  const bool never_null = roots_of(pointer, seen, roots);
  m_met.insert(space);
  for (Value* root : roots)
    if (auto* array = dyn_cast<AllocaInst>(root)) m_arrays.insert(array);
  if (space == pointer_space::constant && isa<Constant>(pointer))
    return constant_number(*cast<Constant>(pointer));
  IRBuilder<> build(position_after(pointer));
  Value* bits = build.CreatePtrToInt(pointer, build.getInt64Ty());
  if (space == pointer_space::constant) {
    Value* begin = build.CreatePtrToInt(m_bases.at(space), build.getInt64Ty());
    bits = build.CreateAdd(build.CreateSub(bits, begin), build.getInt64(first_place));
  }
  bits = build.CreateLShr(build.CreateShl(bits, tag_bits), tag_bits);
  Value* number = build.CreateOr(bits, build.getInt64(tag_of(space) << tag_shift));
  return never_null ? number : build.CreateSelect(build.CreateIsNull(pointer), build.getInt64(0), number);
}

Value* generic_maker::number_of(Value* pointer) {
  if (const auto known = m_numbers.find(pointer); known != m_numbers.end()) return known->second;
  const pointer_space space = m_spaces.of(pointer);
  Value* number = nullptr;
  if (space == pointer_space::none) {
    number = ConstantInt::get(Type::getInt64Ty(m_kernel.getContext()), 0);
  } else if (space == pointer_space::global) {
    IRBuilder<> build(position_after(pointer));
    number = build.CreatePtrToInt(pointer, build.getInt64Ty());
  } else {
    number = tagged(pointer, space);
  }
  m_numbers[pointer] = number;
  return number;
}

Value* generic_maker::make_number(Instruction& pointer) {
  IRBuilder<> build(&pointer);
  Type* word = build.getInt64Ty();
  if (auto* load = dyn_cast<LoadInst>(&pointer)) {
    LoadInst* fresh =
        build.CreateAlignedLoad(word, load->getPointerOperand(), load->getAlign(), load->isVolatile());
    fresh->setAtomic(load->getOrdering(), load->getSyncScopeID());
    return fresh;
  }
  if (auto* cast = dyn_cast<IntToPtrInst>(&pointer))
    return build.CreateZExtOrTrunc(cast->getOperand(0), word);
  if (auto* choice = dyn_cast<SelectInst>(&pointer)) {
    Value *one = number_of(choice->getTrueValue()), *other = number_of(choice->getFalseValue());
    return build.CreateSelect(choice->getCondition(), one, other);
  }
  Value* from = number_of(pointer.getOperand(0));
  if (isa<FreezeInst>(pointer)) return build.CreateFreeze(from);
  return build.CreateAdd(from, emitGEPOffset(&build, m_layout, &pointer, true));
}

void generic_maker::make_numbers() {
  for (Instruction* pointer : m_generic)
    if (auto* phi = dyn_cast<PHINode>(pointer))
      m_numbers[phi] = PHINode::Create(Type::getInt64Ty(m_kernel.getContext()), phi->getNumIncomingValues(),
                                       "", phi->getIterator());
  for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&m_kernel))
    for (Instruction& instruction : make_early_inc_range(*block))
      if (m_generic.contains(&instruction) && !isa<PHINode>(instruction)) {
        m_numbers[&instruction] = make_number(instruction);
      }
  for (Instruction* pointer : m_generic)
    if (auto* phi = dyn_cast<PHINode>(pointer))
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        cast<PHINode>(&*m_numbers[phi])
            ->addIncoming(number_of(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
}

/// Replaces stores, comparisons and conversions to integers. The pointers that are stored here are those that
/// loads read.
void generic_maker::replace_other_uses() {
  for (Instruction* instruction : m_others) {
    IRBuilder<> build(instruction);
    if (auto* store = dyn_cast<StoreInst>(instruction); store &&
                                                        is_other_than_global(store->getValueOperand()) &&
                                                        store->getValueOperand()->getType()->isPointerTy()) {
      StoreInst* fresh =
          build.CreateAlignedStore(number_of(store->getValueOperand()), store->getPointerOperand(),
                                   store->getAlign(), store->isVolatile());
      fresh->setAtomic(store->getOrdering(), store->getSyncScopeID());
      store->eraseFromParent();
    } else if (auto* compare = dyn_cast<ICmpInst>(instruction);
               compare && compare->getOperand(0)->getType()->isPointerTy()) {
      Value *a = compare->getOperand(0), *b = compare->getOperand(1);
      const pointer_space first = m_spaces.of(a), second = m_spaces.of(b);
      const auto is_generic = [&](Value* v) {
        return isa<Instruction>(v) && m_generic.contains(cast<Instruction>(v));
      };
      if (!is_generic(a) && !is_generic(b) &&
          (first == second || first == pointer_space::none || second == pointer_space::none))
        continue;
      compare->replaceAllUsesWith(build.CreateICmp(compare->getPredicate(), number_of(a), number_of(b)));
      compare->eraseFromParent();
    } else if (auto* cast = dyn_cast<PtrToIntInst>(instruction);
               cast && is_other_than_global(cast->getPointerOperand())) {
      cast->replaceAllUsesWith(
          build.CreateZExtOrTrunc(number_of(cast->getPointerOperand()), cast->getType()));
      cast->eraseFromParent();
    }
  }
}

void generic_maker::merge_arrays() {
  if (m_arrays.size() < 2) {
    if (!m_arrays.empty()) m_bases[pointer_space::private_] = m_arrays[0];
    return;
  }
  std::uint64_t size = 0;
  Align widest(16);
  SmallVector<std::uint64_t> places;
  for (AllocaInst* array : m_arrays) {
    size = alignTo(size, array->getAlign());
    widest = std::max(widest, array->getAlign());
    places.push_back(size);
    size += array->getAllocationSize(m_layout)->getFixedValue();
  }
  BasicBlock& entry = m_kernel.getEntryBlock();
  IRBuilder<> build(&entry, entry.begin());
  AllocaInst* whole = build.CreateAlloca(ArrayType::get(build.getInt8Ty(), size));
  whole->setAlignment(widest);
  for (auto [array, place] : zip(m_arrays, places)) {
    array->replaceAllUsesWith(build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), whole, place));
    array->eraseFromParent();
  }
  m_bases[pointer_space::private_] = whole;
}

/// Finds all constants that numbers may point to, before there are any numbers: the constants themselves
/// change.
void generic_maker::find_constants() {
  const auto add_roots = [&](Value* pointer) {
    if (!pointer->getType()->isPointerTy() || m_spaces.of(pointer) != pointer_space::constant) return;
    SmallPtrSet<Value*, 16> seen;
    SmallSetVector<Value*, 4> roots;
    roots_of(pointer, seen, roots);
    for (Value* root : roots)
      if (auto* constant = dyn_cast<GlobalVariable>(root)) add_constant(*constant);
  };
  for (GlobalVariable* constant : named_constants(m_kernel))
    if (has_pointers(*constant->getValueType())) add_constant(*constant);
  for (Instruction* pointer : m_generic)
    if (is_made_of_pointers(*pointer))
      for (Value* operand : pointer->operands()) add_roots(operand);
  for (Instruction* other : m_others)
    for (Value* operand : other->operands()) add_roots(operand);
}

/// Adds a constant and everything that it points to.
void generic_maker::add_constant(GlobalVariable& constant) {
  if (!m_constants.insert(&constant) || !has_pointers(*constant.getValueType())) return;
  SmallVector<Constant*> work{constant.getInitializer()};
  while (!work.empty()) {
    Constant* value = work.pop_back_val();
    if (auto* other = dyn_cast<GlobalVariable>(value)) add_constant(*other);
    else
      for (Use& operand : value->operands()) work.push_back(cast<Constant>(operand.get()));
  }
}

/// The type with numbers in place of pointers; both have the same size.
Type* type_with_numbers(Type& type) {
  if (auto* array = dyn_cast<ArrayType>(&type))
    return ArrayType::get(type_with_numbers(*array->getElementType()), array->getNumElements());
  if (type.isPointerTy()) return Type::getInt64Ty(type.getContext());
  auto* structure = dyn_cast<StructType>(&type);
  if (!structure) return &type;
  SmallVector<Type*> elements;
  for (Type* element : structure->elements()) elements.push_back(type_with_numbers(*element));
  return StructType::get(type.getContext(), elements, structure->isPacked());
}

Constant* generic_maker::constant_number(Constant& pointer) const {
  APInt offset(64, 0);
  Value* base = pointer.stripAndAccumulateConstantOffsets(m_layout, offset, true);
  const auto place = m_offsets.find(dyn_cast<GlobalVariable>(base));
  if (place == m_offsets.end())
    report_fatal_error(
        "PRISM: a constant of '" + m_kernel.getName() + "' points to something other than a constant", false);
  return ConstantInt::get(Type::getInt64Ty(m_kernel.getContext()),
                          (tag_of(pointer_space::constant) << tag_shift) + first_place + place->second +
                              offset.getZExtValue());
}

Constant* generic_maker::with_numbers(Constant& value) const {
  Type* type = type_with_numbers(*value.getType());
  if (type == value.getType()) return &value;
  if (value.isNullValue() || isa<UndefValue>(value)) return Constant::getNullValue(type);
  if (value.getType()->isPointerTy()) return constant_number(value);
  SmallVector<Constant*> elements;
  const unsigned count = type->isStructTy() ? type->getStructNumElements() : type->getArrayNumElements();
  for (unsigned i = 0; i < count; ++i) elements.push_back(with_numbers(*value.getAggregateElement(i)));
  if (auto* structure = dyn_cast<StructType>(type)) return ConstantStruct::get(structure, elements);
  return ConstantArray::get(cast<ArrayType>(type), elements);
}

void generic_maker::merge_constants() {
  if (m_constants.empty()) return;
  if (m_has_tables) m_met.insert(pointer_space::constant);
  LLVMContext& context = m_kernel.getContext();
  Type* byte = Type::getInt8Ty(context);
  std::uint64_t size = 0;
  Align widest(1);
  for (GlobalVariable* constant : m_constants) {
    const Align align = constant->getPointerAlignment(m_layout);
    widest = std::max(widest, align);
    m_offsets[constant] = size = alignTo(size, align);
    size += m_layout.getTypeAllocSize(constant->getValueType());
  }
  SmallVector<Constant*> parts;
  std::uint64_t end = 0;
  for (GlobalVariable* constant : m_constants) {
    if (const std::uint64_t gap = m_offsets[constant] - end)
      parts.push_back(Constant::getNullValue(ArrayType::get(byte, gap)));
    parts.push_back(with_numbers(*constant->getInitializer()));
    end = m_offsets[constant] + m_layout.getTypeAllocSize(constant->getValueType());
  }
  Constant* initial = ConstantStruct::getAnon(context, parts, true);
  auto* whole = new GlobalVariable(*m_kernel.getParent(), initial->getType(), true,
                                   GlobalValue::InternalLinkage, initial, "constants");
  whole->setAlignment(widest);
  for (GlobalVariable* constant : m_constants)
    constant->replaceAllUsesWith(ConstantExpr::getInBoundsGetElementPtr(
        byte, whole, ConstantInt::get(Type::getInt64Ty(context), m_offsets[constant])));
  m_offsets = {{whole, 0}};
  m_bases[pointer_space::constant] = whole;
}

Value* generic_maker::base_of(pointer_space space) {
  Value*& base = m_bases[space];
  if (base) return base;
  if (space == pointer_space::captured) return base = m_kernel.getArg(0);
  for (Instruction& instruction : instructions(m_kernel)) // work-group memory: any address in it
    if (auto* call = dyn_cast<CallInst>(&instruction); call && m_spaces.of(call) == pointer_space::local) {
      Instruction* copy = call->clone();
      copy->insertInto(&m_kernel.getEntryBlock(), m_kernel.getEntryBlock().getFirstInsertionPt());
      return base = copy;
    }
  report_fatal_error("PRISM: a pointer to memory that '" + m_kernel.getName() + "' does not have", false);
}

Value* generic_maker::address_in(IRBuilder<>& build, Value* number, pointer_space space) {
  if (space == pointer_space::global) return build.CreateIntToPtr(number, build.getPtrTy());
  Value* base = base_of(space);
  Value* bits = build.CreateLShr(build.CreateShl(number, tag_bits), tag_bits);
  if (space == pointer_space::constant)
    return build.CreateGEP(build.getInt8Ty(), base, build.CreateSub(bits, build.getInt64(first_place)));
  return build.CreateGEP(build.getInt8Ty(), base,
                         build.CreateSub(bits, build.CreatePtrToInt(base, build.getInt64Ty())));
}

Value* generic_maker::branch_over(Instruction& access, Value* number, ArrayRef<pointer_space> spaces,
                                  Instruction* before) {
  const auto access_in = [&](pointer_space space, Instruction* place) {
    IRBuilder<> build(place);
    Value* address = address_in(build, number, space);
    Instruction* copy = access.clone();
    copy->insertInto(place->getParent(), place->getIterator());
    copy->setOperand(address_of(access)->getOperandNo(), address);
    return copy;
  };
  if (spaces.size() == 1) return access_in(spaces[0], before);
  IRBuilder<> build(before);
  Value* here = build.CreateICmpEQ(build.CreateLShr(number, tag_shift), build.getInt64(tag_of(spaces[0])));
  Instruction *one = nullptr, *other = nullptr;
  SplitBlockAndInsertIfThenElse(here, before->getIterator(), &one, &other);
  Value* first = access_in(spaces[0], one);
  Value* rest = branch_over(access, number, spaces.drop_front(), other);
  if (access.getType()->isVoidTy()) return first;
  PHINode* merged = PHINode::Create(access.getType(), 2, "", before->getParent()->begin());
  merged->addIncoming(first, one->getParent());
  merged->addIncoming(rest, other->getParent());
  return merged;
}

void generic_maker::split_accesses() {
  SmallVector<Instruction*> accesses;
  for (Instruction& instruction : instructions(m_kernel))
    if (Use* address = address_of(instruction); address && !m_generic.contains(&instruction))
      if (auto* pointer = dyn_cast<Instruction>(address->get()); pointer && m_generic.contains(pointer))
        accesses.push_back(&instruction);
  for (pointer_space space : m_met) base_of(space); // must precede the splitting of blocks
  for (Instruction* access : accesses) {
    SmallVector<pointer_space, 5> spaces;
    const bool only_constants = m_spaces.of(address_of(*access)->get()) == pointer_space::constant;
    // a defined program does not write to constants or to the captured block
    for (pointer_space space : m_met)
      if (only_constants ? space == pointer_space::constant
                         : isa<LoadInst>(access) ||
                               (space != pointer_space::constant && space != pointer_space::captured))
        spaces.push_back(space);
    if (!only_constants) spaces.push_back(pointer_space::global);
    Value* result = branch_over(*access, m_numbers.at(address_of(*access)->get()), spaces, access);
    if (!access->getType()->isVoidTy()) access->replaceAllUsesWith(result);
    access->eraseFromParent();
  }
}

void generic_maker::erase_old() {
  for (Instruction* pointer : m_generic) pointer->replaceAllUsesWith(PoisonValue::get(pointer->getType()));
  for (Instruction* pointer : m_generic) pointer->eraseFromParent();
}

} // namespace

void make_generic_pointers(Function& kernel) {
  removeUnreachableBlocks(kernel);
  if (any_of(named_constants(kernel),
             [](const GlobalVariable* constant) { return has_pointers(*constant->getValueType()); }))
    expand_constant_expressions(kernel); // also addresses of constants as integers
  generic_maker(kernel).run();
}

} // namespace prism::compiler
