#include "compiler/front/find_kernels.hpp"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"

#include "compiler/support/diagnose.hpp"
#include "compiler/front/kernel_label.hpp"

namespace prism::compiler {
using namespace llvm;

namespace {

StringRef annotation_text(const Constant* pointer) {
  auto* global = dyn_cast<GlobalVariable>(pointer->stripPointerCasts());
  if (!global || !global->hasInitializer()) return {};
  auto* data = dyn_cast<ConstantDataSequential>(global->getInitializer());
  return data && data->isCString() ? data->getAsCString() : StringRef();
}

/// "void f<A, B>(…)" -> "A": the kernel's name as the user wrote it.
std::string first_template_argument(StringRef demangled) {
  const size_t marker = demangled.find("kernel_entry<");
  if (marker == StringRef::npos) return demangled.str();
  const size_t begin = marker + StringRef("kernel_entry<").size();
  int depth = 0;
  for (size_t i = begin; i < demangled.size(); ++i) {
    const char c = demangled[i];
    if (c == '(' || c == '<' || c == '{' || c == '[') ++depth;
    if (depth == 0 && (c == ',' || c == '>')) return demangled.slice(begin, i).str();
    if (c == ')' || c == '>' || c == '}' || c == ']') --depth;
  }
  return demangled.str();
}

/// Calls `visit(function, entry)` for every function with an annotation that `is_wanted`.
template <class Wanted, class Visit>
void for_each_annotation(Module& module, Wanted is_wanted, Visit visit) {
  const GlobalVariable* annotations = module.getNamedGlobal("llvm.global.annotations");
  if (!annotations || !annotations->hasInitializer()) return;
  for (const Use& operand : annotations->getInitializer()->operands()) {
    auto* entry = dyn_cast<ConstantStruct>(operand.get());
    if (!entry || entry->getNumOperands() < 5 || !is_wanted(annotation_text(entry->getOperand(1)))) continue;
    if (auto* function = dyn_cast<Function>(entry->getOperand(0)->stripPointerCasts()))
      visit(*function, *entry);
  }
}

auto equal_to(StringRef text) {
  return [text](StringRef found) { return found == text; };
}

} // namespace

std::vector<stable_body> find_stable_bodies(Module& module) {
  constexpr StringRef mark = "prism.stable:";
  std::vector<stable_body> found;
  for_each_annotation(module, [&](StringRef text) { return text.starts_with(mark); },
                      [&](Function& function, const ConstantStruct& entry) {
    const auto [name, captures] = annotation_text(entry.getOperand(1)).drop_front(mark.size()).split('\n');
    if (!function.isDeclaration()) found.push_back({&function, name.str(), captures.str()});
  });
  return found;
}

std::vector<Function*> find_external_functions(Module& module) {
  std::vector<Function*> found;
  for (Function& function : module)
    if (function.hasFnAttribute(external_attribute)) found.push_back(&function);
  for_each_annotation(module, equal_to("prism.external"), [&](Function& function, const ConstantStruct&) {
    if (!is_contained(found, &function)) found.push_back(&function);
  });
  return found;
}

std::vector<kernel_entry> find_kernels(Module& module) {
  std::vector<kernel_entry> kernels;
  SmallPtrSet<const Function*, 16> seen;
  for_each_annotation(module, equal_to("prism.kernel"), [&](Function& function, const ConstantStruct& entry) {
    auto* arguments = dyn_cast<GlobalVariable>(entry.getOperand(4)->stripPointerCasts());
    if (function.isDeclaration() || !arguments || !arguments->hasInitializer() ||
        !seen.insert(&function).second)
      return;
    auto* values = dyn_cast<ConstantStruct>(arguments->getInitializer());
    if (!values || values->getNumOperands() < 2) return;
    auto* slot = dyn_cast<GlobalVariable>(values->getOperand(0)->stripPointerCasts());
    auto* size = dyn_cast<ConstantInt>(values->getOperand(1));
    if (!slot || slot->isDeclaration() || !size) return;
    kernels.push_back({&function, slot, static_cast<std::uint32_t>(size->getZExtValue()),
                       kernel_label(first_template_argument(readable_name(function.getName())), function)});
  });
  return kernels;
}

} // namespace prism::compiler
