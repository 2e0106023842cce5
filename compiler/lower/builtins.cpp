#include "compiler/lower/builtins.hpp"

#include "compiler/lower/math_table.hpp"
#include "compiler/lower/passes.hpp"
#include "compiler/outline/extract.hpp"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"

extern "C" const char prism_builtins_begin[]; // builtins_blob.cpp.in
extern "C" const char prism_builtins_end[];

namespace prism::compiler {
using namespace llvm;

namespace {

std::unique_ptr<Module> load_library(LLVMContext& context) {
  const StringRef bytes(prism_builtins_begin, prism_builtins_end - prism_builtins_begin);
  if (bytes.empty()) return nullptr;
  Expected<std::unique_ptr<Module>> module = getLazyBitcodeModule(MemoryBufferRef(bytes, "prism builtins"), context);
  if (!module) report_fatal_error("PRISM: the plugin's math library cannot be read: " + llvm::Twine(toString(module.takeError())), false);
  return std::move(*module);
}

std::string builtin_name(StringRef libm) {
  if (libm.starts_with("__prism_")) libm = libm.drop_front(StringRef("__prism_").size());
  return ("__prism_builtin_" + libm).str();
}

/// Redirects calls to functions that the library has; true when there are any. The library itself may call further
/// math functions, so this is repeated after linking.
bool redirect_calls(Module& module, const Module& library, target where) {
  bool any = false;
  for (Function& function : make_early_inc_range(module)) {
    if (!function.isDeclaration() || function.use_empty() || !find_math(function.getName())) continue;
    if (is_native_math(function.getName(), where)) continue;
    const std::string name = builtin_name(function.getName());
    const Function* body = library.getFunction(name);
    if (!body || body->isDeclaration() || body->getFunctionType() != function.getFunctionType()) continue;
    function.replaceAllUsesWith(module.getOrInsertFunction(name, function.getFunctionType()).getCallee());
    any = true;
  }
  return any;
}

} // namespace

bool link_builtins(Module& module, const Function& kernel, target where) {
  bool linked = false;
  for (;;) {
    std::unique_ptr<Module> library = load_library(module.getContext());
    if (!library || !redirect_calls(module, *library, where)) return linked;
    library->setDataLayout(module.getDataLayout());
    library->setTargetTriple(module.getTargetTriple());
    if (Linker::linkModules(module, std::move(library), Linker::LinkOnlyNeeded))
      report_fatal_error("PRISM: the plugin's math library cannot be linked into a kernel", false);
    linked = true;
    make_linked_functions_internal(module, kernel);
    prepare_calls(module);
  }
}

} // namespace prism::compiler
