#include "compiler/spirv/emit.hpp"

#include "compiler/device_ir/loop_limit.hpp"
#include "compiler/device_ir/dimensions.hpp"
#include "compiler/device_ir/intrinsics.hpp"
#include "compiler/device_ir/matrix_kind.hpp"
#include "compiler/device_ir/structured.hpp"
#include "compiler/support/diagnose.hpp"
#include "compiler/spirv/absent_items.hpp"
#include "compiler/spirv/refused.hpp"
#include "compiler/spirv/simplify.hpp"
#include "compiler/spirv/translator.hpp"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <optional>

namespace prism::compiler {

namespace spirv {

void refuse(const llvm::Instruction* at, const std::string& what) {
  std::string text = what;
  if (at != nullptr) {
    std::string instruction;
    llvm::raw_string_ostream(instruction) << *at;
    text += "\n " + instruction;
  }
  throw refused{text, at != nullptr ? user_location(*at) : nullptr};
}

} // namespace spirv

namespace {

/// Stores 2 to the word for faults where the kernel finds that a matrix is not aligned.
void report_misaligned_matrices(llvm::Function& kernel) {
  llvm::Function* const report = kernel.getParent()->getFunction(matrix_misaligned);
  if (report == nullptr) return;
  for (llvm::User* user : llvm::make_early_inc_range(report->users())) {
    auto* const call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call == nullptr) continue;
    llvm::IRBuilder<> at(call);
    llvm::Value* const word =
        at.CreateCall(kernel.getParent()->getOrInsertFunction(fault_name, at.getInt64Ty()));
    at.CreateAlignedStore(at.getInt32(2), at.CreateIntToPtr(word, at.getPtrTy()), llvm::Align(4));
    call->eraseFromParent();
  }
}

} // namespace

spirv_result emit_spirv(llvm::Module&, llvm::Function& kernel, const kernel_facts& facts,
                        const element_facts* elements, bool float_adds) {
  spirv_result result;
  try {
    spirv::simplify(kernel, float_adds);
    report_misaligned_matrices(kernel);
    if (may_loop_long(kernel)) report_spent_loops(kernel);
    spirv::keep_absent_items_out(kernel);
    const structured_flow flow = make_structured(kernel);
    lower_intrinsics(kernel, target::vulkan); // LLVM makes minimums of loop bounds, also of counters
    if (!flow.failure.empty()) throw spirv::refused{"internal: " + flow.failure};
    spirv::translator translation(kernel, flow, facts);
    std::optional<element_places> places;
    if (elements) translation.record_places(&places.emplace(kernel, facts, *elements));
    result.words = translation.run();
    if (elements) result.places = translation.places(result.words);
    result.features = translation.features();
    result.local_element_bytes = translation.local_element_bytes();
  } catch (const spirv::refused& why) {
    result = {};
    result.refused_at = why.at;
    result.refusal = "kernel '" + facts.display_name + "' has no Vulkan image: " + why.text;
  }
  return result;
}

} // namespace prism::compiler
