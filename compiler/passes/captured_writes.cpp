// Kernels that write to their captures: `mutable` members, const_cast in a function object. Each work-item
// gets a copy of its own, as if the kernel were passed by value. Otherwise the kernel would write to the
// captured block, which all work-items share and which the host device treats as read-only.
//
// Loads that no write can affect still read the captured block, so that pointers in it stay known: a copy
// that is accessed by a variable index is never split into values.
#include "compiler/device_ir/captured.hpp"
#include "compiler/passes/passes.hpp"
#include "compiler/device_ir/pointer_space.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace prism::compiler {
using namespace llvm;

namespace {

struct write {
  std::optional<std::uint64_t> begin, end; // offsets in the captured block; empty if unknown
  bool may_be_pointer;
};

bool may_hold_pointer(const Type* type) {
  const Type* scalar = type->getScalarType();
  return !scalar->isFloatingPointTy() && (!scalar->isIntegerTy() || scalar->getIntegerBitWidth() >= 64);
}

class writer_of_captures {
public:
  explicit writer_of_captures(Function& kernel)
      : m_kernel(kernel), m_layout(kernel.getParent()->getDataLayout()) {
    const pointer_spaces spaces(kernel);
    for (const Instruction& instruction : instructions(kernel)) {
      if (const auto* memory = dyn_cast<MemIntrinsic>(&instruction)) {
        const auto* size = dyn_cast<ConstantInt>(memory->getLength());
        if (spaces.of(memory->getRawDest()) == pointer_space::captured)
          add(memory->getRawDest(), size != nullptr ? std::optional(size->getZExtValue()) : std::nullopt,
              true);
      } else if (const Value* pointer = accessed_pointer(instruction);
                 pointer != nullptr && !isa<LoadInst>(instruction) &&
                 spaces.of(pointer) == pointer_space::captured) {
        const auto* store = dyn_cast<StoreInst>(&instruction);
        const Type* type = store != nullptr ? store->getValueOperand()->getType() : instruction.getType();
        if (isa<AtomicCmpXchgInst>(instruction))
          type = cast<AtomicCmpXchgInst>(instruction).getCompareOperand()->getType();
        add(pointer, m_layout.getTypeStoreSize(const_cast<Type*>(type)).getFixedValue(),
            may_hold_pointer(type));
      }
    }
  }
  bool writes() const { return !m_writes.empty(); }

  void make_copy(std::uint64_t bytes) {
    Argument* captured = m_kernel.getArg(0);
    SmallPtrSet<const User*, 8> unchanged_users;
    for (Instruction& instruction : instructions(m_kernel)) {
      auto* load = dyn_cast<LoadInst>(&instruction);
      const auto offset = load != nullptr && load->isSimple()
                              ? captured_offset(load->getPointerOperand(), m_kernel)
                              : std::nullopt;
      if (!offset || !stays(*load, *offset)) continue;
      auto* place = GetElementPtrInst::CreateInBounds(
          Type::getInt8Ty(m_kernel.getContext()), captured,
          {ConstantInt::get(Type::getInt64Ty(m_kernel.getContext()), *offset)}, "", load->getIterator());
      load->setOperand(LoadInst::getPointerOperandIndex(), place);
      unchanged_users.insert(place);
    }
    BasicBlock& entry = m_kernel.getEntryBlock();
    IRBuilder<> build(&entry, entry.getFirstInsertionPt());
    AllocaInst* own = build.CreateAlloca(ArrayType::get(build.getInt8Ty(), bytes));
    own->setAlignment(Align(16));
    captured->replaceUsesWithIf(own,
                                [&](const Use& use) { return !unchanged_users.contains(use.getUser()); });
    build.CreateMemCpy(own, Align(16), captured, Align(16), bytes);
  }

private:
  void add(const Value* pointer, std::optional<std::uint64_t> bytes, bool may_be_pointer) {
    const auto begin = bytes ? captured_offset(pointer, m_kernel) : std::nullopt;
    m_writes.push_back({begin, begin ? std::optional(*begin + *bytes) : std::nullopt, may_be_pointer});
  }
  bool stays(const LoadInst& load, std::uint64_t begin) const {
    const std::uint64_t end = begin + m_layout.getTypeStoreSize(load.getType()).getFixedValue();
    return all_of(m_writes, [&](const write& each) {
      if (each.begin) return *each.end <= begin || end <= *each.begin;
      return load.getType()->isPointerTy() && !each.may_be_pointer;
    });
  }

  Function& m_kernel;
  const DataLayout& m_layout;
  SmallVector<write> m_writes;
};

} // namespace

bool copy_written_captures(Function& kernel, std::uint32_t argument_bytes) {
  writer_of_captures found(kernel);
  if (found.writes()) found.make_copy(argument_bytes);
  return found.writes();
}

} // namespace prism::compiler
