#include "compiler/host/debug_lines.hpp"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace prism::compiler {
using namespace llvm;

std::unique_ptr<Module> clone_with_lines(const Module& module) {
  ValueToValueMapTy map;
  DebugInfoFinder found;
  found.processModule(module);
  for (DICompileUnit* unit : found.compile_units()) map.MD()[unit].reset(unit);
  for (DISubprogram* function : found.subprograms()) map.MD()[function].reset(function);
  for (DIType* type : found.types()) map.MD()[type].reset(type);
  return CloneModule(module, map);
}

bool has_lines(const Module& host) { return !host.debug_compile_units().empty(); }

void describe_lines(Function& group, StringRef name) {
  LLVMContext& context = group.getContext();
  const DISubprogram* kernel = group.getSubprogram();
  DISubprogram* own = DISubprogram::getDistinct(
      context, kernel->getFile(), name, group.getName(), kernel->getFile(), kernel->getLine(),
      kernel->getType(), kernel->getScopeLine(), nullptr, 0, 0, DINode::FlagArtificial,
      DISubprogram::SPFlagDefinition | DISubprogram::SPFlagLocalToUnit | DISubprogram::SPFlagOptimized,
      kernel->getUnit());
  group.setSubprogram(own);
  DenseMap<const MDNode*, MDNode*> known;
  for (Instruction& instruction : instructions(group)) {
    instruction.dropDbgRecords();
    if (const DebugLoc& at = instruction.getDebugLoc())
      instruction.setDebugLoc(DebugLoc::replaceInlinedAtSubprogram(at, *own, context, known));
    else if (isa<CallBase>(instruction)) // a call that may be inlined needs one
      instruction.setDebugLoc(DILocation::get(context, 0, 0, own));
  }
}

} // namespace prism::compiler
