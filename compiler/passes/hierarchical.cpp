// Hierarchical kernels (sycl/hierarchical.hpp) for work-groups of real work-items.
//
// The kernel is divided into code of group scope and code of work-item scope (item_scopes.hpp). Every
// work-item executes the code of the group, with the same values, except for operations that may only happen
// once (leader_code.hpp). Variables of the group that work-items write, or that the leader passes on, are in
// local memory. Each work-item has a copy of all others. Barriers separate accesses of different work-items
// to the same memory (group_barriers.hpp).
//
// This must come first, after inlining: LLVM does not know the scope of variables and would turn them into
// values. This pass resolves variables itself. It begins with those that work-items certainly do not write,
// which also shows what references refer to.
//
// A kernel is not divided, and the first work-item executes all of it, if calls remain after inlining, marks
// are nested or can be reached on several paths, work-items call a barrier, the kernel writes to its
// captures, the size of a variable is not known, or the variables in local memory are too large.
#include "compiler/passes/group_barriers.hpp"
#include "compiler/passes/hidden.hpp"
#include "compiler/passes/passes.hpp"
#include "compiler/support/pass_runner.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr std::uint64_t most_local_bytes = 32768;       // OpenCL's full profile has this much
constexpr std::uint64_t first_key = 0x6869657261726368; // of __prism_group_memory
constexpr StringRef variable_mark = "__prism_group_variable";

template <typename Answer>
void answer_calls(Function& kernel, StringRef name, const Answer& answer) {
  for (CallInst* call : calls_of(kernel, name)) {
    if (Value* value = answer(*call)) call->replaceAllUsesWith(value);
    call->eraseFromParent();
  }
}

void erase_calls(Function& kernel, std::initializer_list<StringRef> names) {
  for (StringRef name : names) answer_calls(kernel, name, [](CallInst&) -> Value* { return nullptr; });
}

void answer_with(Function& kernel, StringRef name, std::uint64_t value) {
  answer_calls(kernel, name, [&](CallInst& call) { return ConstantInt::get(call.getType(), value); });
}

Value* ask(IRBuilder<>& build, StringRef name, Value* dimension) {
  Module& module = *build.GetInsertBlock()->getModule();
  FunctionCallee query = module.getOrInsertFunction(name, build.getInt64Ty(), build.getInt32Ty());
  if (auto* function = dyn_cast<Function>(query.getCallee())) {
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    function->setWillReturn();
  }
  return build.CreateCall(query, {dimension});
}

/// Distributes a kernel's work to work-items by their local ids.
void share_among_items(Function& kernel) {
  const auto by = [&](StringRef name, StringRef query) {
    answer_calls(kernel, name, [&](CallInst& call) {
      IRBuilder<> build(&call);
      return ask(build, query, call.getArgOperand(0));
    });
  };
  by("__prism_first_item", "__prism_local_id");
  by("__prism_item_step", "__prism_local_size");
}

/// Makes the group a single work-item, at work-group scope and for everything that belongs to it.
void make_single_item(Function& kernel) {
  make_single_sub_groups(kernel);
  answer_with(kernel, "__prism_local_id", 0);
  answer_with(kernel, "__prism_local_size", 1);
  answer_with(kernel, "__prism_runs_group", 0);
  answer_with(kernel, "__prism_runs_items_in_loops", 0);
}

Value* make_leader(Function& kernel) {
  BasicBlock& entry = kernel.getEntryBlock();
  IRBuilder<> build(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  Value* id = nullptr;
  for (unsigned d = 0; d < 3; ++d) {
    Value* own = ask(build, "__prism_local_id", build.getInt32(d));
    id = id ? build.CreateOr(id, own) : own;
  }
  return build.CreateICmpEQ(id, build.getInt64(0));
}

/// Makes the form that one work-item executes.
void resolve_single_form(Function& function) {
  erase_calls(function, {"__prism_items_begin", "__prism_items_end", "__prism_hierarchical",
                         "__prism_private_memory", "__prism_barrier"});
  answer_with(function, "__prism_one_item_runs_all", 1);
  answer_with(function, "__prism_first_item", 0);
  answer_with(function, "__prism_item_step", 1);
  answer_calls(function, "__prism_private_place", [](CallInst& call) { return call.getArgOperand(0); });
  make_single_item(function);
}

void run_by_leader(Module& module, Function& kernel) {
  for (Function& function : module)
    if (!function.isDeclaration()) resolve_single_form(function);
  Value* leader = make_leader(kernel);
  auto* last = cast<Instruction>(leader);
  BasicBlock* head = last->getParent();
  BasicBlock* body = head->splitBasicBlock(last->getNextNode());
  BasicBlock* out = BasicBlock::Create(kernel.getContext(), "", &kernel);
  ReturnInst::Create(kernel.getContext(), nullptr, out);
  Instruction* jump = head->getTerminator();
  IRBuilder<>(jump).CreateCondBr(leader, body, out);
  jump->eraseFromParent();
}

/// Whether all called functions have been inlined, and the size of every variable is known.
bool is_flat(const Function& kernel) {
  for (const Instruction& instruction : instructions(kernel)) {
    if (auto* variable = dyn_cast<AllocaInst>(&instruction); variable && !variable->isStaticAlloca())
      return false;
    auto* call = dyn_cast<CallBase>(&instruction);
    if (!call) continue;
    const Function* callee = call->getCalledFunction();
    if (!callee || !callee->isDeclaration() || !isa<CallInst>(call)) return false;
  }
  return true;
}

class divider {
public:
  divider(Module& module, Function& kernel, pass_runner& passes)
      : m_module(module), m_kernel(kernel), m_passes(passes) {}

  /// False if the kernel cannot be divided; the kernel is then unusable.
  bool run() {
    answer_with(m_kernel, "__prism_one_item_runs_all", 0);
    answer_with(m_kernel, "__prism_private_place", 0);
    make_single_item(m_kernel);
    removeUnreachableBlocks(m_kernel);
    if (!find_scopes() || writes_captures() || !resolve_variables()) return false;
    m_passes.run(
        m_module,
        "function(loop-simplify,lcssa,loop(loop-rotate,prism-indvars,loop-unroll-full),sroa<preserve-cfg>,instsimplify,dce)");
    removeUnreachableBlocks(m_kernel);
    m_passes.run(m_module, "function(loop-simplify,lcssa)");
    if (!find_scopes()) return false;
    Value* leader = make_leader(m_kernel);
    if (!make_loops_leader_code(m_kernel, *m_scopes, *leader)) return false;
    find_shared();
    make_effects_leader_code(m_kernel, *m_scopes, m_shared, *leader);
    find_shared();
    put_barriers(m_kernel, *m_scopes, m_shared);
    if (!move_shared()) return false;
    keep_one_private_value();
    erase_calls(m_kernel, {"__prism_items_begin", "__prism_items_end", "__prism_hierarchical",
                           "__prism_private_memory", variable_mark});
    share_among_items(m_kernel);
    return true;
  }

private:
  bool find_scopes() {
    m_scopes = item_scopes::find(m_kernel);
    return m_scopes.has_value();
  }

  bool writes_captures() const {
    bool found = false;
    for (const Instruction& instruction : instructions(m_kernel))
      for_each_access(instruction, [&](const memory_access& access) {
        if (access.writes && access.pointer)
          for (const Value* base : bases_of(access.pointer)) found |= base && isa<Argument>(base);
      });
    return found;
  }

  /// Variables whose lifetime begins in the work-items' scope belong to each work-item.
  bool is_of_items(const AllocaInst& variable) const {
    bool begins = false;
    for (const User* user : variable.users()) {
      auto* intrinsic = dyn_cast<IntrinsicInst>(user);
      if (!intrinsic || intrinsic->getIntrinsicID() != Intrinsic::lifetime_start) continue;
      if (m_scopes->of(*intrinsic) != item_scope::item) return false;
      begins = true;
    }
    return begins;
  }

  SmallVector<CallInst*> marks() { return calls_of(m_kernel, variable_mark); }

  /// Marks the variables of the group. Then removes the marks of those that work-items certainly do not
  /// write, until no more are found. A mark keeps LLVM from turning a variable into a value.
  bool resolve_variables() {
    SmallVector<AllocaInst*> variables;
    for (Instruction& instruction : instructions(m_kernel))
      if (auto* variable = dyn_cast<AllocaInst>(&instruction); variable && !is_of_items(*variable))
        variables.push_back(variable);
    for (AllocaInst* variable : variables) {
      IRBuilder<> build(variable->getNextNode());
      FunctionCallee mark = m_module.getOrInsertFunction(variable_mark, build.getVoidTy(), build.getPtrTy());
      build.CreateCall(mark, {variable});
    }
    for (bool changed = true; changed;) {
      m_passes.run(m_module, "function(sroa<preserve-cfg>,instsimplify)");
      if (!find_scopes()) return false;
      changed = false;
      const SmallPtrSet<const Value*, 16> written = written_by_items();
      for (CallInst* mark : marks()) {
        auto* variable = dyn_cast<AllocaInst>(mark->getArgOperand(0));
        if (!variable || is_private(*variable) ||
            (!written.contains(variable) && !escapes(*variable, variable_mark))) {
          mark->eraseFromParent();
          changed = true;
        }
      }
    }
    for (CallInst* call : calls_of(m_kernel, "__prism_private_memory"))
      if (!isa<AllocaInst>(call->getArgOperand(0))) return false;
    for (Instruction& instruction : instructions(m_kernel))
      if (auto* variable = dyn_cast<AllocaInst>(&instruction); variable && is_private(*variable))
        m_private.insert(variable);
    return true;
  }

  static bool is_private(const AllocaInst& variable) {
    return any_of(variable.users(), [](const User* user) {
      return isa<Instruction>(user) && calls(*cast<Instruction>(user), "__prism_private_memory");
    });
  }

  SmallPtrSet<const Value*, 16> written_by_items() const {
    SmallPtrSet<const Value*, 16> written;
    for (const Instruction& instruction : instructions(m_kernel))
      if (m_scopes->of(instruction) == item_scope::item)
        for_each_access(instruction, [&](const memory_access& access) {
          if (access.writes)
            for (const Value* base : bases_of(access.pointer))
              if (base) written.insert(base);
        });
    return written;
  }

  /// Variables that exist once per group: written by work-items, or by the leader for others to read.
  void find_shared() {
    SmallPtrSet<const AllocaInst*, 16> marked, led, read;
    for (CallInst* mark : marks()) marked.insert(cast<AllocaInst>(mark->getArgOperand(0)));
    for (const Instruction& instruction : instructions(m_kernel)) {
      const bool leads = m_scopes->of(instruction) == item_scope::leader,
                 is_item = m_scopes->of(instruction) == item_scope::item;
      for_each_access(instruction, [&](const memory_access& access) {
        const auto bases = bases_of(access.pointer);
        for (const Value* base : bases) {
          auto* variable = dyn_cast_or_null<AllocaInst>(base);
          if (!variable) continue;
          if (access.writes && (leads || (!is_item && bases.size() > 1))) led.insert(variable);
          if (access.reads && !leads) read.insert(variable);
        }
      });
    }
    m_shared.clear();
    for (const Instruction& instruction : instructions(m_kernel))
      if (auto* variable = dyn_cast<AllocaInst>(&instruction); variable && !m_private.contains(variable))
        if (marked.contains(variable) || (led.contains(variable) && read.contains(variable)))
          m_shared.insert(variable);
  }

  bool move_shared() {
    const DataLayout& layout = m_module.getDataLayout();
    std::uint64_t all = 0, key = first_key;
    SmallVector<AllocaInst*> variables;
    for (Instruction& instruction : instructions(m_kernel))
      if (auto* variable = dyn_cast<AllocaInst>(&instruction); variable && m_shared.contains(variable))
        variables.push_back(variable);
    erase_calls(m_kernel, {variable_mark});
    for (AllocaInst* variable : variables) {
      const std::uint64_t bytes =
          std::max<std::uint64_t>(variable->getAllocationSize(layout)->getFixedValue(), 1);
      all += alignTo(bytes, 16);
      limit_alignment(*variable);
      IRBuilder<> build(variable);
      FunctionCallee memory = m_module.getOrInsertFunction("__prism_group_memory", build.getPtrTy(),
                                                           build.getInt64Ty(), build.getInt64Ty());
      if (auto* function = dyn_cast<Function>(memory.getCallee())) {
        function->setDoesNotAccessMemory();
        function->setDoesNotThrow();
        function->addRetAttr(Attribute::NonNull);
      }
      variable->replaceAllUsesWith(build.CreateCall(memory, {build.getInt64(key++), build.getInt64(bytes)}));
      variable->eraseFromParent();
    }
    m_shared.clear();
    return all <= most_local_bytes;
  }

  /// Variables in local memory have no end of lifetime. They are aligned to at most 16 bytes.
  static void limit_alignment(AllocaInst& variable) {
    SmallVector<Value*> open{&variable};
    SmallPtrSet<Value*, 8> seen;
    const Align most(16);
    while (!open.empty()) {
      Value* value = open.pop_back_val();
      if (!seen.insert(value).second) continue;
      for (User* user : make_early_inc_range(value->users())) {
        if (auto* intrinsic = dyn_cast<IntrinsicInst>(user); intrinsic && intrinsic->isLifetimeStartOrEnd())
          intrinsic->eraseFromParent();
        else if (auto* load = dyn_cast<LoadInst>(user)) load->setAlignment(std::min(load->getAlign(), most));
        else if (auto* store = dyn_cast<StoreInst>(user))
          store->setAlignment(std::min(store->getAlign(), most));
        else if (auto* transfer = dyn_cast<MemTransferInst>(user))
          transfer->setDestAlignment(std::min(transfer->getDestAlign().valueOrOne(), most)),
              transfer->setSourceAlignment(std::min(transfer->getSourceAlign().valueOrOne(), most));
        else if (auto* set = dyn_cast<MemSetInst>(user))
          set->setDestAlignment(std::min(set->getDestAlign().valueOrOne(), most));
        else if (isa<GetElementPtrInst>(user) || isa<PHINode>(user) || isa<SelectInst>(user))
          open.push_back(user);
      }
    }
  }

  void keep_one_private_value() {
    for (CallInst* call : calls_of(m_kernel, "__prism_private_memory")) {
      auto* values = cast<AllocaInst>(call->getArgOperand(0));
      auto* bytes = dyn_cast<ConstantInt>(call->getArgOperand(1));
      if (!bytes) continue;
      IRBuilder<> build(values);
      AllocaInst* one = build.CreateAlloca(ArrayType::get(build.getInt8Ty(), bytes->getZExtValue()));
      one->setAlignment(values->getAlign());
      for (User* user : make_early_inc_range(values->users()))
        if (auto* intrinsic = dyn_cast<IntrinsicInst>(user); intrinsic && intrinsic->isLifetimeStartOrEnd())
          intrinsic->eraseFromParent();
      values->replaceAllUsesWith(one);
      values->eraseFromParent();
    }
  }

  Module& m_module;
  Function& m_kernel;
  pass_runner& m_passes;
  std::optional<item_scopes> m_scopes;
  SmallPtrSet<const AllocaInst*, 8> m_private;
  group_variables m_shared;
};

/// Replaces the body of `kernel` by that of `from`.
void take_body(Function& kernel, Function& from) {
  const GlobalValue::LinkageTypes linkage = kernel.getLinkage();
  kernel.deleteBody();
  kernel.setLinkage(linkage);
  kernel.splice(kernel.begin(), &from);
  for (unsigned k = 0; k < kernel.arg_size(); ++k) from.getArg(k)->replaceAllUsesWith(kernel.getArg(k));
  kernel.setSubprogram(from.getSubprogram());
  from.setSubprogram(nullptr);
}

bool is_called(const Module& module, StringRef name) {
  const Function* function = module.getFunction(name);
  return function && !function->use_empty();
}

} // namespace

void divide_hierarchical(Module& module, Function& kernel, pass_runner& passes) {
  if (!is_called(module, "__prism_hierarchical")) {
    for (Function& function : module)
      if (!function.isDeclaration()) {
        erase_calls(function, {"__prism_items_begin", "__prism_items_end"});
        share_among_items(function);
      }
    return;
  }
  passes.run(module, "always-inline,globaldce");
  removeUnreachableBlocks(kernel);
  if (is_flat(kernel)) {
    ValueToValueMapTy values;
    Function* before = CloneFunction(&kernel, values);
    const bool is_divided = divider(module, kernel, passes).run();
    if (!is_divided) take_body(kernel, *before);
    before->eraseFromParent();
    if (is_divided) return;
  }
  run_by_leader(module, kernel);
}

} // namespace prism::compiler
