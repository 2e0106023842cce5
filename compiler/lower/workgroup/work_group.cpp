#include "compiler/lower/workgroup/work_group.hpp"

#include "compiler/lower/workgroup/builder.hpp"

namespace prism::compiler {
using namespace llvm;

group_result form_work_group(Function& kernel, const group_options& options) {
  const std::vector<cut> cuts = isolate_cuts(kernel);
  const uniform_values uniform(kernel);
  const region_map regions(kernel, cuts, uniform);
  const bool by_sub_group = any_of(cuts, [](const cut& each) { return each.of_sub_group(); });
  kept_values kept(kernel, regions, static_cast<unsigned>(cuts.size()), uniform, !by_sub_group);

  Function* group = Function::Create(kernel.getFunctionType(), kernel.getLinkage(), "", kernel.getParent());
  group->copyAttributesFrom(&kernel);
  group->removeFnAttr(Attribute::Convergent);
  group->setSubprogram(kernel.getSubprogram());
  group_builder(kernel, *group, cuts, regions, kept, options).build();
  group->takeName(&kernel);
  kernel.eraseFromParent();
  const std::uint32_t widest = 16;
  return {(kept.spill_bytes() + widest - 1) / widest * widest};
}

} // namespace prism::compiler
