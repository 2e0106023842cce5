#include "compiler/spirv/emit.hpp"

#include "compiler/device_ir/loop_limit.hpp"
#include "compiler/device_ir/dimensions.hpp"
#include "compiler/device_ir/intrinsics.hpp"
#include "compiler/device_ir/structured.hpp"
#include "compiler/support/diagnose.hpp"
#include "compiler/spirv/absent_items.hpp"
#include "compiler/spirv/refused.hpp"
#include "compiler/spirv/simplify.hpp"
#include "compiler/spirv/translator.hpp"

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

spirv_result emit_spirv(llvm::Module&, llvm::Function& kernel, const kernel_facts& facts,
                        const element_facts* elements, bool float_adds) {
  spirv_result result;
  try {
    spirv::simplify(kernel, float_adds);
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
