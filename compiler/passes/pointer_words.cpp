// Drivers without shared addresses need every pointer of the captured block as a slot, at a known offset.
//
// This pass handles two other ways to read pointers. A word of the block that is chosen by an index becomes a
// choice among all the words that it can be. Words that are copied as 64-bit integers into the kernel's own
// memory, from which pointers are loaded, are copied as pointers. A slot that contains no pointer keeps its
// value.
#include <map>
#include <optional>
#include <numeric>

#include "compiler/device_ir/captured.hpp"
#include "compiler/passes/passes.hpp"
#include "compiler/device_ir/pointer_space.hpp"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr unsigned most_words = 32; // of one choice

template <class Map>
Map map_of(bool (GEPOperator::*)(const DataLayout&, unsigned, Map&, APInt&) const);
using index_map = decltype(map_of(&GEPOperator::collectOffset)); // LLVM 19 and 22 have different types

class pointer_words {
public:
  pointer_words(Function& kernel, std::uint32_t closure_bytes)
      : m_kernel(kernel), m_layout(kernel.getParent()->getDataLayout()), m_closure_bytes(closure_bytes),
        m_spaces(kernel) {}

  void run() {
    SmallVector<LoadInst*> chosen;
    SmallVector<StoreInst*> copies;
    SmallVector<IntToPtrInst*> numbers;
    for (Instruction& instruction : instructions(m_kernel)) {
      if (auto* load = dyn_cast<LoadInst>(&instruction); load && load->isSimple() &&
                                                         load->getType()->isPointerTy() &&
                                                         is_captured(*load) && !known_word(*load))
        chosen.push_back(load);
      auto* store = dyn_cast<StoreInst>(&instruction);
      if (store && store->isSimple() && store->getValueOperand()->getType()->isIntegerTy(64) &&
          is_in_kernel_memory(store->getPointerOperand()))
        copies.push_back(store);
      auto* number = dyn_cast<IntToPtrInst>(&instruction);
      auto* word = number ? dyn_cast<LoadInst>(number->getOperand(0)) : nullptr;
      if (word && word->isSimple() && is_in_kernel_memory(word->getPointerOperand()))
        numbers.push_back(number);
    }
    for (LoadInst* load : chosen)
      if (Value* choice = as_pointer(load)) replace(*load, choice);
    for (StoreInst* store : copies)
      if (Value* pointer = as_pointer(store->getValueOperand())) store->setOperand(0, pointer);
    for (IntToPtrInst* number : numbers) {
      auto* word = cast<LoadInst>(number->getOperand(0));
      replace(*number, new LoadInst(number->getType(), word->getPointerOperand(), "", false, word->getAlign(),
                                    word->getIterator()));
    }
  }

private:
  bool is_captured(const LoadInst& load) const {
    return m_spaces.of(load.getPointerOperand()) == pointer_space::captured;
  }
  bool is_in_kernel_memory(const Value* address) const {
    const pointer_space space = m_spaces.of(address);
    return space == pointer_space::private_ || space == pointer_space::local;
  }
  std::optional<std::uint64_t> known_word(const LoadInst& load) const {
    const auto offset = captured_offset(load.getPointerOperand(), m_kernel);
    return offset && *offset % 8 == 0 && *offset + 8 <= m_closure_bytes ? offset : std::nullopt;
  }

  static void replace(Instruction& old, Value* by) {
    old.replaceAllUsesWith(by);
    old.eraseFromParent();
  }

  /// `value`, a word, as a pointer that is loaded from the captured block or selected among such pointers;
  /// null for any other value.
  Value* as_pointer(Value* value) {
    if (const auto found = m_pointers.find(value); found != m_pointers.end()) return found->second;
    if (auto* load = dyn_cast<LoadInst>(value); load && load->isSimple() && is_captured(*load))
      return m_pointers[value] = word_of(*load);
    auto* choice = dyn_cast<SelectInst>(value);
    if (!choice || choice->getType()->isVectorTy()) return nullptr;
    Value *if_true = as_pointer(choice->getTrueValue()), *if_false = as_pointer(choice->getFalseValue());
    return m_pointers[value] = if_true && if_false ? SelectInst::Create(choice->getCondition(), if_true,
                                                                        if_false, "", choice->getIterator())
                                                   : nullptr;
  }

  Value* word_of(LoadInst& load) {
    IRBuilder<> build(&load);
    if (const auto known = known_word(load)) return load_word(build, *known);
    SmallVector<GEPOperator*> path;
    const std::vector<std::uint64_t> words = possible_words(load.getPointerOperand(), path);
    if (words.empty()) return nullptr;
    Value* offset = build.getInt64(0);
    for (GEPOperator* gep : path)
      offset = build.CreateAdd(offset, emitGEPOffset(&build, m_layout, gep, true));
    Value* found = load_word(build, words.front());
    for (std::size_t i = 1; i < words.size(); ++i)
      found = build.CreateSelect(build.CreateICmpEQ(offset, build.getInt64(words[i])),
                                 load_word(build, words[i]), found);
    return found;
  }

  Value* load_word(IRBuilder<>& build, std::uint64_t offset) {
    Value* place = build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), m_kernel.getArg(0), offset);
    LoadInst* load = build.CreateAlignedLoad(build.getPtrTy(), place, Align(8));
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(m_kernel.getContext(), {}));
    return load;
  }

  /// The offsets of the words that an address with indices may have. Empty if they are too many or not whole
  /// words.
  std::vector<std::uint64_t> possible_words(Value* address, SmallVectorImpl<GEPOperator*>& path) const {
    APInt fixed(64, 0);
    // the greatest power of two, or single scale, that divides all steps of the indices
    std::uint64_t stride = 0;
    for (; auto* gep = dyn_cast<GEPOperator>(address); address = gep->getPointerOperand()) {
      index_map indices;
      if (!gep->collectOffset(m_layout, 64, indices, fixed)) return {};
      for (const auto& [index, scale] : indices) {
        const std::uint64_t step =
            scale.abs().getZExtValue()
            << std::min(computeKnownBits(index, m_layout).countMinTrailingZeros(), 16u);
        stride = std::gcd(stride, step);
      }
      path.push_back(gep);
    }
    if (address != m_kernel.getArg(0) || stride == 0 || stride % 8 != 0 || fixed.urem(8) != 0) return {};
    std::vector<std::uint64_t> words;
    for (std::uint64_t at = fixed.urem(stride); at + 8 <= m_closure_bytes; at += stride) words.push_back(at);
    return words.size() <= most_words ? words : std::vector<std::uint64_t>{};
  }

  Function& m_kernel;
  const DataLayout& m_layout;
  std::uint32_t m_closure_bytes;
  pointer_spaces m_spaces;
  std::map<Value*, Value*> m_pointers;
};

} // namespace

void find_pointer_words(Function& kernel, std::uint32_t closure_bytes) {
  pointer_words(kernel, closure_bytes).run();
}

} // namespace prism::compiler
