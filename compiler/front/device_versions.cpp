#include "compiler/front/device_versions.hpp"

#include "compiler/front/extract.hpp"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr StringRef query_name = "__prism_target_is_device";

/// Functions that call one of these, directly or through others.
SmallPtrSet<Function*, 16> callers_of(SmallVector<const Function*, 16> left) {
  SmallPtrSet<Function*, 16> found;
  while (!left.empty())
    for (const User* user : left.pop_back_val()->users())
      if (auto* instruction = dyn_cast<Instruction>(user))
        if (auto* function = const_cast<Function*>(instruction->getFunction()); found.insert(function).second)
          left.push_back(function);
  return found;
}

/// A value that clang stored at -O0, `const bool device = query();`, is not followed: the optimiser of device
/// code decides such a branch.
void answer(CallBase& query, bool is_device) {
  Function& function = *query.getFunction();
  if (auto* invoke = dyn_cast<InvokeInst>(&query)) return answer(*changeToCall(invoke), is_device);
  Constant* value = ConstantInt::get(query.getType(), is_device);
  replaceAndRecursivelySimplify(&query, value);
  for (BasicBlock& block : function) ConstantFoldTerminator(&block, /*DeleteDeadConditions=*/true);
  removeUnreachableBlocks(function);
}

void answer_all(Function& query, Function& within, bool is_device) {
  SmallVector<WeakVH> calls;
  for (User* user : query.users())
    if (auto* call = dyn_cast<CallBase>(user); call && call->getFunction() == &within) calls.push_back(call);
  for (const WeakVH& call : calls)
    if (call) answer(*cast<CallBase>(&*call), is_device); // not removed with an unreachable block
}

Function* copy_for_device(Function& function) {
  ValueToValueMapTy map;
  Function* copy = CloneFunction(&function, map);
  copy->setName(function.getName() + ".device");
  copy->setLinkage(GlobalValue::InternalLinkage);
  copy->setVisibility(GlobalValue::DefaultVisibility);
  copy->setComdat(nullptr);
  copy->setDSOLocal(true);
  return copy;
}

/// The copies for the device of one module's functions.
class device_copies {
public:
  device_copies(const std::vector<Function*>& bodies, SmallPtrSet<Function*, 16> wanted)
      : m_bodies(bodies), m_wanted(std::move(wanted)) {}

  void add(Function& root) {
    for (const GlobalValue* each : reachable_from(root)) {
      auto* function = dyn_cast<Function>(const_cast<GlobalValue*>(each));
      if (!function || !m_wanted.contains(function) || is_contained(m_bodies, function) ||
          m_map.count(function))
        continue;
      m_functions.push_back(copy_for_device(*function));
      m_map[function] = m_functions.back();
    }
  }
  Function* of(Function& function) const { return cast_or_null<Function>(m_map.lookup(&function)); }

  /// The copies, and the bodies that call them; they now call only each other.
  const std::vector<Function*>& connect() {
    for (Function* body : m_bodies)
      if (m_wanted.contains(body)) m_functions.push_back(body);
    for (Function* function : m_functions)
      RemapFunction(*function, m_map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    return m_functions;
  }

private:
  const std::vector<Function*>& m_bodies;
  SmallPtrSet<Function*, 16> m_wanted;
  ValueToValueMapTy m_map;
  std::vector<Function*> m_functions;
};

void answer_queries(Function& query, ArrayRef<Function*> device) {
  Module& module = *query.getParent();
  for (Function* function : device) answer_all(query, *function, true);
  for (Function& function : module)
    if (!is_contained(device, &function)) answer_all(query, function, false);
  if (query.use_empty()) query.eraseFromParent();
}

std::string name_of_version(const Function& function) { return function.getName().str() + ".prism_device"; }

/// Calls the version for the device if the program has one: its symbol is weak.
void call_version(CallBase& call, Function& function) {
  Module& module = *call.getModule();
  const std::string name = name_of_version(function);
  Function* version = module.getFunction(name);
  if (!version)
    version = Function::Create(function.getFunctionType(), GlobalValue::ExternalWeakLinkage, name, module);
  IRBuilder<> build(&call);
  call.setCalledOperand(build.CreateSelect(build.CreateIsNotNull(version), version, &function));
}

} // namespace

device_versions decide_target_queries(Module& module, const std::vector<Function*>& bodies,
                                      const std::vector<Function*>& external) {
  device_versions found;
  Function* query = module.getFunction(query_name);
  SmallVector<const Function*, 16> seeds, elsewhere;
  for (const Function* function : external)
    if (function->isDeclaration()) elsewhere.push_back(function);
  seeds = elsewhere;
  if (query) seeds.push_back(query);
  if (seeds.empty()) return found;
  device_copies copies(bodies, callers_of(seeds));
  for (Function* body : bodies) copies.add(*body);
  for (Function* function : external) {
    if (function->isDeclaration()) continue;
    copies.add(*function);
    if (Function* copy = copies.of(*function)) found.external.emplace_back(function, copy);
  }
  const std::vector<Function*>& device = copies.connect();
  const SmallPtrSet<Function*, 16> callers = callers_of(elsewhere);
  for (Function* function : device)
    if (callers.contains(function)) found.callers.push_back(function);
  if (query) answer_queries(*query, device);
  return found;
}

void connect_device_versions(const device_versions& versions, const std::vector<Function*>& external) {
  for (const auto& [function, version] : versions.external) {
    version->setName(name_of_version(*function));
    version->setLinkage(function->isWeakForLinker() ? GlobalValue::WeakAnyLinkage
                                                    : GlobalValue::ExternalLinkage);
    version->setVisibility(function->getVisibility());
    version->setDSOLocal(function->isDSOLocal());
  }
  for (Function* caller : versions.callers)
    for (Instruction& each : make_early_inc_range(instructions(*caller)))
      if (auto* call = dyn_cast<CallBase>(&each))
        if (Function* called = call->getCalledFunction();
            called && called->isDeclaration() && is_contained(external, called))
          call_version(*call, *called);
}

} // namespace prism::compiler
