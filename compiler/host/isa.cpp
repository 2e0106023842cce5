#include "compiler/host/isa.hpp"

#include "devices/api/image.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace prism::compiler {
using namespace llvm;

namespace {

struct level {
  int number;
  const char *processor, *suffix, *telling_feature; // a function that has the feature needs no copy
};
constexpr level levels[] = {{image::host_isa::v3, "x86-64-v3", ".v3", "+avx2"}, {image::host_isa::v4, "x86-64-v4", ".v4", "+avx512vl"}};

bool has(const Function& function, StringRef feature) {
  return function.getFnAttribute("target-features").getValueAsString().contains(feature);
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
  if (has(function, levels[1].telling_feature)) return;
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
    if (function.hasFnAttribute(wants_isa_copies)) all.push_back(&function);
  for (Function* function : all) {
    function->removeFnAttr(wants_isa_copies);
    if (!function->hasOptNone() && !function->hasOptSize()) add_copies(*function);
  }
}

} // namespace prism::compiler
