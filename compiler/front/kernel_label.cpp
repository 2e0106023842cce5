#include "compiler/front/kernel_label.hpp"

#include "compiler/support/diagnose.hpp"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Path.h"

#include <optional>

namespace prism::compiler {
using namespace llvm;

namespace {

/// "f(int)::g<h>" -> "f(int)", "g<h>": the components of a qualified name, which may begin with a type and a
/// space.
SmallVector<StringRef, 8> split_scopes(StringRef name) {
  SmallVector<StringRef, 8> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    depth += (c == '(' || c == '<' || c == '{' || c == '[') - (c == ')' || c == '>' || c == '}' || c == ']');
    if (depth != 0) continue;
    if (c == ' ' && parts.empty()) begin = i + 1; // after the result type of a function template
    if (c == ' ' && name.substr(i).starts_with(" const")) i += StringRef(" const").size() - 1;
    if (!name.substr(i).starts_with("::")) continue;
    parts.push_back(name.slice(begin, i));
    begin = ++i + 1;
  }
  parts.push_back(name.drop_front(begin));
  return parts;
}

/// The demangler's names for a lambda: "$_0" in clang's functions, "'lambda'(int)" elsewhere.
bool is_lambda(StringRef part) { return part.starts_with("$_") || part.starts_with("'lambda"); }
bool names_lambda(StringRef text) { return text.contains("$_") || text.contains("'lambda"); }

/// Without parameters, and without template arguments that only the compiler can name.
StringRef brief(StringRef part) {
  int depth = 0;
  for (size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '(' && depth == 0) part = part.take_front(i);
    else depth += (part[i] == '<') - (part[i] == '>');
  }
  return names_lambda(part) ? part.take_front(part.find('<')) : part;
}

/// The scopes around the first lambda of a name: "main::$_0::operator()" -> "main".
std::string function_around_lambda(StringRef name) {
  std::string function;
  for (StringRef part : split_scopes(name)) {
    if (is_lambda(part)) break;
    if (part != "_V1") function += (function.empty() ? "" : "::") + brief(part).str();
  }
  return function;
}

/// The first function that the entry calls, directly or through others, and that `is_wanted` accepts.
const Function* find_callee(const Function& entry, function_ref<bool(const Function&)> is_wanted) {
  SmallVector<const Function*, 16> left{&entry};
  SmallPtrSet<const Function*, 16> seen{&entry};
  while (!left.empty()) {
    const Function& function = *left.pop_back_val();
    if (&function != &entry && function.getSubprogram() && is_wanted(function)) return &function;
    for (const Instruction& instruction : instructions(function)) {
      auto* call = dyn_cast<CallBase>(&instruction);
      const Function* callee = call ? call->getCalledFunction() : nullptr;
      if (callee && !callee->isDeclaration() && seen.insert(callee).second) left.push_back(callee);
    }
  }
  return nullptr;
}

/// The second kernel of a reduction (sycl/reduction.hpp), which all reductions of one type and operation
/// share.
std::optional<std::string> reduction_label(StringRef type) {
  if (!type.contains("::detail::reduction_end<")) return std::nullopt;
  StringRef values = type.substr(type.find("reduction_description<"));
  values = values.drop_front(std::min(values.size(), values.find('<') + 1));
  int depth = 0;
  std::size_t end = 0;
  for (; end < values.size() && (depth != 0 || values[end] != ','); ++end)
    depth += (values[end] == '<') - (values[end] == '>');
  return "a reduction of " + values.take_front(end).str() + ": combines partial results";
}

bool is_users(const Function& function) { return !is_system_header(function.getSubprogram()->getFilename()); }

} // namespace

std::string kernel_label(StringRef type, const Function& entry) {
  if (std::optional<std::string> label = reduction_label(type)) return *label;
  const bool is_mangled = type.starts_with("_Z"); // LLVM cannot read the names of lambdas in generic lambdas
  const SmallVector<StringRef, 8> scopes = split_scopes(type);
  if (!is_mangled && none_of(scopes, is_lambda)) return type.str();
  if (!is_mangled && !is_lambda(scopes.back())) return scopes.back().str(); // a class that a lambda declares
  const Function* body = is_mangled
                             ? find_callee(entry, is_users)
                             : find_callee(entry, [name = type.str() + "::operator()"](const Function& f) {
    return StringRef(readable_name(f.getName())).contains(name);
  });
  // a library kernel that calls a lambda of the program, for example in a reduction
  if (body && !is_users(*body))
    if (const Function* inner = find_callee(*body, [](const Function& f) {
      return is_users(f) && any_of(split_scopes(readable_name(f.getName())), is_lambda);
    }))
      body = inner;
  std::string function = function_around_lambda(is_mangled ? ""
                                                : body     ? readable_name(body->getName())
                                                           : type.str());
  if (function.empty()) function = "a lambda";
  if (!body) return function;
  const DISubprogram& source = *body->getSubprogram();
  return function + " (" + sys::path::filename(source.getFilename()).str() + ":" +
         std::to_string(source.getLine()) + ")";
}

} // namespace prism::compiler
