#include "compiler/host/isa.hpp"

#include "devices/api/image.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr StringRef group_prefix = "prism.group.", range_prefix = "_ZN4sycl3_V16detail7run_boxI";
constexpr std::size_t most_instructions = 20'000; // of a copy before it is optimised

struct level {
  int number;
  const char *processor, *suffix, *telling_feature; // a function that has the feature needs no copy
};
constexpr level levels[] = {{image::host_isa::v3, "x86-64-v3", ".v3", "+avx2"}, {image::host_isa::v4, "x86-64-v4", ".v4", "+avx512vl"}};

bool loops_over_items(const Function& function) {
  if (function.isDeclaration() || function.hasOptNone() || function.hasOptSize()) return false;
  return function.getName().starts_with(group_prefix) || function.getName().starts_with(range_prefix);
}

bool has(const Function& function, StringRef feature) {
  return function.getFnAttribute("target-features").getValueAsString().contains(feature);
}

Function* inlinable_callee(const CallBase& call, const Function& into) {
  Function* callee = call.getCalledFunction();
  const bool possible = callee && callee != &into && !callee->isDeclaration() && !callee->hasFnAttribute(Attribute::NoInline) &&
                        !call.hasFnAttr(Attribute::NoInline) && !callee->isVarArg() && !callee->isInterposable();
  return possible ? callee : nullptr;
}

/// The kernel's own code, so that each copy has all of it: LLVM would not repeat large functions for three callers. False
/// when it is too large or calls itself.
bool inline_kernel(Function& function) {
  constexpr int deepest = 64;
  SmallVector<std::pair<CallBase*, int>> calls;
  const auto gather = [&](Instruction& instruction, int depth) {
    if (auto* call = dyn_cast<CallBase>(&instruction); call && inlinable_callee(*call, function)) calls.push_back({call, depth});
  };
  for (Instruction& instruction : instructions(function)) gather(instruction, 0);
  while (!calls.empty()) {
    const auto [call, depth] = calls.pop_back_val();
    if (depth > deepest || function.getInstructionCount() > most_instructions) return false;
    InlineFunctionInfo info;
    if (!InlineFunction(*call, info).isSuccess()) continue;
    for (CallBase* inner : info.InlinedCallSites) gather(*inner, depth + 1);
  }
  return true;
}

Function* copy_of(Function& function, const char* suffix) {
  ValueToValueMapTy map;
  Function* copy = CloneFunction(&function, map);
  copy->setName(function.getName() + suffix);
  copy->setLinkage(GlobalValue::InternalLinkage);
  copy->setVisibility(GlobalValue::DefaultVisibility);
  copy->setComdat(nullptr);
  copy->setDSOLocal(true);
  return copy;
}

/// function(...) { return level >= 4 ? v4(...) : level >= 3 ? v3(...) : plain(...); }
void choose_at_call(Function& function, ArrayRef<std::pair<int, Function*>> copies, Function& plain) {
  LLVMContext& context = function.getContext();
  Module& module = *function.getParent();
  auto* word = cast<GlobalVariable>(module.getOrInsertGlobal(image::host_isa::word_name, Type::getInt32Ty(context)));
  SmallVector<Value*> arguments;
  for (Argument& argument : function.args()) arguments.push_back(&argument);
  IRBuilder<> build(BasicBlock::Create(context, "entry", &function));
  Value* level = build.CreateLoad(build.getInt32Ty(), word);
  const auto call = [&](Function& callee) {
    CallInst* made = build.CreateCall(&callee, arguments);
    made->setTailCall();
    made->addFnAttr(Attribute::NoInline); // three copies in one function would share its registers' fate
    build.CreateRetVoid();
  };
  for (const auto& [number, copy] : copies) {
    auto* yes = BasicBlock::Create(context, "", &function);
    auto* no = BasicBlock::Create(context, "", &function);
    build.CreateCondBr(build.CreateICmpSGE(level, build.getInt32(number)), yes, no);
    build.SetInsertPoint(yes);
    call(*copy);
    build.SetInsertPoint(no);
  }
  call(plain);
}

void add_copies(Function& function) {
  SmallVector<std::pair<int, Function*>> copies;
  if (has(function, levels[1].telling_feature) || !inline_kernel(function)) return;
  for (const level& target : reverse(levels))
    if (!has(function, target.telling_feature)) {
      copies.push_back({target.number, copy_of(function, target.suffix)});
      copies.back().second->addFnAttr("target-cpu", target.processor);
    }
  Function* plain = copy_of(function, ".plain");
  const auto linkage = function.getLinkage();
  Comdat* comdat = function.getComdat();
  function.deleteBody();
  function.setLinkage(linkage);
  function.setComdat(comdat);
  choose_at_call(function, copies, *plain);
}

} // namespace

void add_isa_copies(Module& host) {
  if (Triple(host.getTargetTriple()).getArch() != Triple::x86_64) return;
  SmallVector<Function*> all;
  for (Function& function : host)
    if (loops_over_items(function)) all.push_back(&function);
  for (Function* function : all) add_copies(*function);
}

} // namespace prism::compiler
