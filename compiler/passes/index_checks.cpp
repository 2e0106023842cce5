// Checked indices of accessors (sycl/detail/index_check.hpp). Each source location has a record in a block
// that the runtime appends as a hidden argument. The first work-item with a wrong index there writes its
// details to the record; later ones are counted. Accesses to elements that do not exist go to a scratch in
// the same block.
#include <cstddef>

#include "compiler/passes/hidden.hpp"
#include "compiler/passes/passes.hpp"
#include "compiler/support/diagnose.hpp"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr std::uint32_t scratch_alignment = 128; // alignment of the widest vector

/// The used part of the block. A second lowering finds the block of the first and appends to it.
class fault_block {
public:
  fault_block(Function& kernel, kernel_facts& facts) : m_kernel(kernel), m_facts(facts) {
    m_place = offset_for(facts, image::hidden_kind::index_faults, sizeof(void*), nullptr);
    for (const hidden_fact& fact : facts.hidden)
      if (fact.offset == m_place && !facts.index_sites.empty()) m_bytes = fact.size;
  }

  Value* at(IRBuilder<>& build, std::uint32_t offset) {
    Value* block =
        build.CreateAlignedLoad(build.getPtrTy(), address_in_block(build, m_kernel, m_place), Align(8));
    return build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), block, offset);
  }

  std::uint32_t take(std::uint32_t bytes, std::uint32_t alignment) {
    const std::uint32_t offset = aligned(m_bytes, alignment);
    m_bytes = offset + bytes;
    set_pointed_bytes(m_facts, m_place, m_bytes);
    return offset;
  }

  /// The offset of the record of this source location. Copies of the call, made by inlining or unrolling,
  /// share it.
  std::uint32_t record_of(const CallInst& call, std::uint32_t what) {
    std::string location = source_location(user_location(call));
    if (location.empty()) location = "an unknown line";
    for (const index_site& site : m_facts.index_sites)
      if (site.what == what && site.location == location) return site.offset;
    const std::uint32_t offset = take(sizeof(image::index_fault), alignof(image::index_fault));
    m_facts.index_sites.push_back({offset, what, std::move(location)});
    return offset;
  }

private:
  Function& m_kernel;
  kernel_facts& m_facts;
  std::uint32_t m_place, m_bytes = 0;
};

void store_word_at(IRBuilder<>& build, Value* word, Value* record, std::size_t offset) {
  build.CreateAlignedStore(word, build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), record, offset),
                           Align(8));
}

/// Replaces the call by its comparison. The code that records a wrong index is not on the path of correct
/// work-items.
void lower_check(CallInst& call, fault_block& block) {
  Function& kernel = *call.getFunction();
  const auto what = static_cast<std::uint32_t>(cast<ConstantInt>(call.getArgOperand(2))->getZExtValue());
  Value *index = call.getArgOperand(0), *extent = call.getArgOperand(1);
  IRBuilder<> build(&call);
  Value* inside = build.CreateICmpULT(index, extent, "inside");
  const std::uint32_t offset = block.record_of(call, what);
  MDNode* rarely = MDBuilder(kernel.getContext()).createBranchWeights(1, 1 << 20);
  Instruction* end_of_fault = SplitBlockAndInsertIfThen(build.CreateNot(inside), &call, false, rarely);
  build.SetInsertPoint(end_of_fault);
  Value* record = block.at(build, offset);
  Value* before = build.CreateAtomicRMW(AtomicRMWInst::Add, record, build.getInt32(1), Align(4),
                                        AtomicOrdering::Monotonic);
  Instruction* end_of_first =
      SplitBlockAndInsertIfThen(build.CreateICmpEQ(before, build.getInt32(0)), end_of_fault, false);
  build.SetInsertPoint(end_of_first);
  store_word_at(build, index, record, offsetof(image::index_fault, index));
  store_word_at(build, extent, record, offsetof(image::index_fault, extent));
  for (unsigned dimension = 0; dimension < 3; ++dimension)
    store_word_at(build, global_id(build, *kernel.getParent(), dimension), record,
                  offsetof(image::index_fault, item) + dimension * sizeof(std::uint64_t));
  call.replaceAllUsesWith(inside);
  call.eraseFromParent();
}

} // namespace

void lower_index_checks(Function& kernel, kernel_facts& facts) {
  const SmallVector<CallInst*> checks = calls_of(kernel, "__prism_index_is_inside");
  const SmallVector<CallInst*> scratches = calls_of(kernel, "__prism_index_scratch");
  if (checks.empty() && scratches.empty()) return;
  fault_block block(kernel, facts);
  for (CallInst* call : checks)
    if (isa<ConstantInt>(call->getArgOperand(2)))
      lower_check(*call, block); // front/check.cpp reports the other calls
  std::uint64_t bytes = 0;
  for (const CallInst* call : scratches)
    if (auto* size = dyn_cast<ConstantInt>(call->getArgOperand(0)))
      bytes = std::max(bytes, size->getZExtValue());
  if (bytes == 0) return;
  const std::uint32_t offset = block.take(static_cast<std::uint32_t>(bytes), scratch_alignment);
  for (CallInst* call : scratches) {
    IRBuilder<> build(call);
    call->replaceAllUsesWith(block.at(build, offset));
    call->eraseFromParent();
  }
}

} // namespace prism::compiler
