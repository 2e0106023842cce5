#include "compiler/spirv/element_indices.hpp"

#include "compiler/device_ir/pointer_space.hpp"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstIterator.h"

namespace prism::compiler::spirv {

using namespace llvm;

bool element_indices::steps_by_elements(const GEPOperator& address) const {
  const std::uint64_t bytes = m_families.of(&address).element_bytes;
  for (auto index = gep_type_begin(address), end = gep_type_end(address); index != end; ++index) {
    const auto* constant = dyn_cast<ConstantInt>(index.getOperand());
    std::uint64_t step = 0;
    if (StructType* structure = index.getStructTypeOrNull())
      step = m_layout.getStructLayout(structure)->getElementOffset(
          static_cast<unsigned>(constant->getZExtValue()));
    else
      step = index.getSequentialElementStride(m_layout) *
             (constant != nullptr ? static_cast<std::uint64_t>(constant->getSExtValue()) : 1);
    if (step % bytes != 0) return false;
  }
  return true;
}

bool element_indices::takes_whole_elements(const Instruction& access, const Value* pointer) const {
  if (access.isAtomic()) return true;
  const std::uint64_t bytes = m_layout.getTypeStoreSize(getLoadStoreType(const_cast<Instruction*>(&access)));
  return access_piece(bytes, getLoadStoreAlignment(const_cast<Instruction*>(&access)).value()) >=
         m_families.of(pointer).element_bytes;
}

void element_indices::want(const Value* pointer) {
  while (isa<Instruction>(pointer) && m_indexed.insert(pointer).second) {
    const auto* address = dyn_cast<GEPOperator>(pointer);
    if (address == nullptr || !steps_by_elements(*address)) return;
    pointer = address->getPointerOperand();
  }
}

/// Whether a use of a pointer needs its offset in bytes, for a pointer whose own number is made without it.
/// Pointers derived from it may have needs of their own.
bool element_indices::asks_for_bytes(const Use& use) const {
  const auto& user = *cast<Instruction>(use.getUser());
  if (const auto* store = dyn_cast<StoreInst>(&user);
      store != nullptr && store->getValueOperand() == use.get())
    return true;
  if (accessed_pointer(user) == use.get()) return !takes_whole_elements(user, use.get());
  const auto* address = dyn_cast<GEPOperator>(&user);
  return address == nullptr || !m_indexed.contains(address) || !steps_by_elements(*address);
}

element_indices::element_indices(const Function& kernel, const families& all, const DataLayout& layout)
    : m_families(all), m_layout(layout) {
  for (const Instruction& each : instructions(kernel)) {
    const Value* const pointer = accessed_pointer(each);
    const bool is_of_array = pointer != nullptr && !all.is_nowhere(pointer) &&
                             all.of(pointer).space != memory_space::global &&
                             all.of(pointer).space != memory_space::data;
    if (is_of_array && all.of(pointer).element_bytes > 1 && takes_whole_elements(each, pointer))
      want(pointer);
  }
  SmallVector<const Value*> asked;
  const auto ask = [&](const Value* pointer) {
    if (m_indexed.contains(pointer) && m_in_bytes.insert(pointer).second) asked.push_back(pointer);
  };
  for (const Value* each : m_indexed) {
    const auto* address = dyn_cast<GEPOperator>(each);
    const bool is_added_up = address != nullptr && steps_by_elements(*address);
    if (!is_added_up || any_of(each->uses(), [&](const Use& use) { return asks_for_bytes(use); })) ask(each);
  }
  while (!asked.empty()) // the byte offset of an address is computed from that of its base
    if (const auto* address = dyn_cast<GEPOperator>(asked.pop_back_val())) ask(address->getPointerOperand());
}

} // namespace prism::compiler::spirv
