#include "compiler/passes/builtins.hpp"

#include "compiler/support/math_table.hpp"
#include "compiler/passes/passes.hpp"
#include "compiler/front/extract.hpp"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
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
  Expected<std::unique_ptr<Module>> module =
      getLazyBitcodeModule(MemoryBufferRef(bytes, "prism builtins"), context);
  if (!module)
    report_fatal_error("PRISM: the plugin's math library cannot be read: " +
                           llvm::Twine(toString(module.takeError())),
                       false);
  return std::move(*module);
}

/// Names of all functions of the library. Most kernels need none of them, and reading the library takes a
/// millisecond.
const StringSet<>& library_names(LLVMContext& context) {
  static const StringSet<> names = [&] {
    StringSet<> found;
    if (const std::unique_ptr<Module> library = load_library(context))
      for (const Function& function : *library)
        if (!function.isDeclaration()) found.insert(function.getName());
    return found;
  }();
  return names;
}

/// Only fma of floats has two bodies: the shorter one computes in double.
std::string builtin_name(StringRef libm, number_form form) {
  if (form == number_form::plain && libm == "fmaf") return "__prism_builtin_fmaf_nofp64";
  if (libm.starts_with("__prism_")) libm = libm.drop_front(StringRef("__prism_").size());
  return ("__prism_builtin_" + libm).str();
}

/// Which functions of the table are replaced, by their names.
using choice = function_ref<bool(StringRef)>;

/// The library's replacement for a function that is declared and called; empty if there is none.
std::string wanted_builtin(const Function& function, choice replaced, number_form form) {
  if (!function.isDeclaration() || function.use_empty() || !find_math(function.getName()) ||
      !replaced(function.getName()))
    return "";
  std::string name = builtin_name(function.getName(), form);
  return library_names(function.getContext()).contains(name) ? name : "";
}

/// Redirects calls to functions that the library has; true if there were any. The library's functions may
/// call further math functions, so the caller repeats this after linking.
bool redirect_calls(Module& module, const Module& library, choice replaced, number_form form) {
  bool any = false;
  for (Function& function : make_early_inc_range(module)) {
    const std::string name = wanted_builtin(function, replaced, form);
    const Function* body = name.empty() ? nullptr : library.getFunction(name);
    if (!body || body->getFunctionType() != function.getFunctionType()) continue;
    function.replaceAllUsesWith(module.getOrInsertFunction(name, function.getFunctionType()).getCallee());
    any = true;
  }
  return any;
}

void link_needed(Module& module, std::unique_ptr<Module> library) {
  library->setDataLayout(module.getDataLayout());
  library->setTargetTriple(module.getTargetTriple());
  if (Linker::linkModules(module, std::move(library), Linker::LinkOnlyNeeded))
    report_fatal_error("PRISM: the plugin's math library cannot be linked into a kernel", false);
}

bool link_chosen(Module& module, const Function& kernel, choice replaced, number_form form) {
  bool linked = false;
  for (;;) {
    if (none_of(module,
                [&](const Function& function) { return !wanted_builtin(function, replaced, form).empty(); }))
      return linked;
    std::unique_ptr<Module> library = load_library(module.getContext());
    if (!library || !redirect_calls(module, *library, replaced, form)) return linked;
    link_needed(module, std::move(library));
    linked = true;
    make_linked_functions_internal(module, kernel);
    prepare_calls(module);
  }
}

} // namespace

bool library_has(LLVMContext& context, StringRef name) { return library_names(context).contains(name); }

void link_declared(Module& module, StringRef prefix) {
  if (std::unique_ptr<Module> library = load_library(module.getContext()))
    link_needed(module, std::move(library));
  for (Function& function : module)
    if (!function.isDeclaration() && function.getName().starts_with(prefix)) {
      function.setLinkage(GlobalValue::InternalLinkage);
      function.setDSOLocal(true);
    }
}

std::string lane_function(LLVMContext& context, StringRef libm) {
  libm.consume_front("__prism_"); // __prism_exact_sin
  const std::string name = ("__prism_lane_" + libm).str();
  return library_has(context, name) ? name : "";
}

std::string lane_function_without_call(LLVMContext& context, StringRef libm) {
  const std::string any = ("__prism_any_lane_" + libm).str();
  if (library_has(context, any)) return any;
  const bool is_angle_of_double = StringSwitch<bool>(libm)
                                      .Cases("sin", "cos", "tan", true)
                                      .StartsWith("__prism_exact_", true)
                                      .Default(false);
  return is_angle_of_double ? "" : lane_function(context, libm);
}

bool link_lane_functions(Module& module, const Function& kernel) {
  const auto form_of = [&](StringRef name) { return lane_function_without_call(module.getContext(), name); };
  const auto has_form = [&](StringRef name) { return !form_of(name).empty(); };
  bool any = false;
  for (Function& function : make_early_inc_range(module)) {
    if (!function.isDeclaration() || function.use_empty() || !find_math(function.getName()) ||
        !has_form(function.getName()))
      continue;
    const std::string name = form_of(function.getName());
    function.replaceAllUsesWith(module.getOrInsertFunction(name, function.getFunctionType()).getCallee());
    any = true;
  }
  if (!any) return false;
  link_needed(module, load_library(module.getContext()));
  make_linked_functions_internal(module, kernel);
  prepare_calls(module);
  link_chosen(module, kernel, has_form, number_form::native);
  return true;
}

bool link_builtins(Module& module, const Function& kernel, target where, number_form form) {
  const auto replaced = [where, form](StringRef name) {
    return !(form == number_form::fused && is_fused_multiply_add(name)) && !is_native_math(name, where);
  };
  return link_chosen(module, kernel, replaced, form);
}

bool link_memory_functions(Module& module, const Function& kernel) {
  return link_chosen(module, kernel, is_memory_function, number_form::native);
}

} // namespace prism::compiler
