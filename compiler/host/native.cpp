#include "compiler/host/native.hpp"

#include "compiler/host/debug_lines.hpp"
#include "compiler/host/isa.hpp"
#include "compiler/host/lane_functions.hpp"
#include "compiler/host/local_indices.hpp"
#include "compiler/host/math_calls.hpp"
#include "compiler/host/memory_kinds.hpp"
#include "compiler/host/separate_regions.hpp"
#include "compiler/host/parallel.hpp"
#include "compiler/passes/builtins.hpp"
#include "compiler/support/diagnose.hpp"
#include "compiler/support/pass_timer.hpp"
#include "compiler/passes/passes.hpp"
#include "compiler/workgroup/hoist_divisions.hpp"
#include "compiler/workgroup/one_column.hpp"
#include "compiler/workgroup/work_group.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace prism::compiler {
using namespace llvm;

namespace {

LoadInst* context_word(IRBuilder<>& build, Value* context, std::uint64_t offset, Type* type) {
  auto* load = build.CreateAlignedLoad(
      type, build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), context, offset), Align(8));
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(build.getContext(), {}));
  load->setMetadata(LLVMContext::MD_noundef, MDNode::get(build.getContext(), {}));
  return load;
}

/// With its bounds, which show LLVM that ids computed in 32 bits do not wrap.
Value* local_size(IRBuilder<>& build, Value* context, std::uint64_t dimension, Type* type) {
  LoadInst* load = context_word(build, context, context_layout::local_size + 8 * dimension, type);
  if (type->isIntegerTy(64))
    load->setMetadata(
        LLVMContext::MD_range,
        MDBuilder(build.getContext()).createRange(APInt(64, 1), APInt(64, most_local_items + 1)));
  return load;
}

AtomicOrdering order_of(std::uint64_t order) {
  constexpr AtomicOrdering orders[] = {AtomicOrdering::Monotonic, AtomicOrdering::Acquire,
                                       AtomicOrdering::Release, AtomicOrdering::AcquireRelease};
  return order < 4 ? orders[order] : AtomicOrdering::SequentiallyConsistent;
}

std::uint64_t dimension_of(const CallInst& call) {
  return cast<ConstantInt>(call.getArgOperand(0))->getZExtValue();
}

/// The instruction that reads a counter which all cores share; empty if none is known. On AArch64 LLVM moves
/// its own intrinsic for it out of loops, so only x86 uses that.
StringRef clock_instruction(const Triple& processor) {
  if (processor.isX86()) return "rdtsc";
  if (processor.isAArch64()) return "mrs $0, cntvct_el0";
  return processor.isRISCV64() ? "rdtime $0" : "";
}

Value* clock_of_processor(IRBuilder<>& build, const Triple& processor) {
  if (processor.isX86()) return build.CreateIntrinsic(Intrinsic::readcyclecounter, {}, {});
  auto* type = FunctionType::get(build.getInt64Ty(), false);
  return build.CreateCall(type, InlineAsm::get(type, clock_instruction(processor), "=r", true));
}

/// Why the host's processor cannot run the kernel as a work-group function.
refusal missing_clock(const Function& kernel) {
  const Triple processor(kernel.getParent()->getTargetTriple());
  if (!clock_instruction(processor).empty()) return {};
  for (const Instruction& instruction : instructions(kernel))
    if (auto* call = dyn_cast<CallInst>(&instruction))
      if (const Function* callee = call->getCalledFunction(); callee && callee->getName() == "__prism_clock")
        return {
            "it reads a clock (sycl_ext_oneapi_clock), and PRISM has an instruction for that on x86, "
            "AArch64 and "
            "RISC-V of 64 bits, none on " +
                processor.getArchName().str() +
                "; the host device runs its work-items one by one, with the system's steady clock. Read no "
                "clock "
                "in this kernel, or compile for one of these processors",
            user_location(*call)};
  return {};
}

/// __prism_dot4_*.
Value* sum_of_products(IRBuilder<>& build, CallInst& call, StringRef name) {
  Value* sum = nullptr;
  const auto byte = [&](unsigned argument, unsigned index, bool is_signed) {
    Value* const shifted =
        build.CreateTrunc(build.CreateLShr(call.getArgOperand(argument), 8 * index), build.getInt8Ty());
    return build.CreateIntCast(shifted, build.getInt32Ty(), is_signed);
  };
  for (unsigned i = 0; i < 4; ++i) {
    Value* const product =
        build.CreateMul(byte(0, i, !name.ends_with("_uu")), byte(1, i, name.ends_with("_ss")));
    sum = sum ? build.CreateAdd(sum, product) : product;
  }
  return sum;
}

/// Replaces a call of a reserved function; false if `call` is not one.
bool lower_reserved(CallInst& call, Value* context) {
  const Function* callee = call.getCalledFunction();
  const StringRef name = callee ? callee->getName() : StringRef();
  IRBuilder<> build(&call);
  Value* result = nullptr;
  if (name == "__prism_group_id")
    result = context_word(build, context, context_layout::group_id + 8 * dimension_of(call), call.getType());
  else if (name == "__prism_group_count")
    result =
        context_word(build, context, context_layout::group_count + 8 * dimension_of(call), call.getType());
  else if (name == "__prism_local_size")
    result = local_size(build, context, dimension_of(call), call.getType());
  else if (name == "__prism_local_arena" || name == "__prism_group_scratch")
    result = context_word(build, context, context_layout::arena, call.getType());
  else if (name == context_memory_name)
    result = context_word(build, context, context_layout::context_memory, call.getType());
  else if (name == diverged_name)
    build.CreateAlignedStore(
        build.getInt64(dimension_of(call)),
        build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), context, context_layout::diverged), Align(8));
  else if (name == "__prism_fence") {
    const AtomicOrdering order = order_of(dimension_of(call));
    if (order != AtomicOrdering::Monotonic) build.CreateFence(order);
  } else if (name == "__prism_clock") {
    result = clock_of_processor(build, Triple(call.getModule()->getTargetTriple()));
  } else if (name.starts_with(element_call)) { // the host runs no kernel that has such a call
    result = Constant::getNullValue(call.getType());
  } else if (name.starts_with(dot_product_call)) {
    result = sum_of_products(build, call, name);
  } else return false;
  if (result) call.replaceAllUsesWith(result);
  call.eraseFromParent();
  return true;
}

/// Gives the function its second argument, the group's context.
Function* with_context(Function& group, const kernel_facts& facts) {
  LLVMContext& context = group.getContext();
  Type* pointer = PointerType::getUnqual(context);
  auto* type = FunctionType::get(Type::getVoidTy(context), {pointer, pointer}, false);
  Function* native =
      Function::Create(type, GlobalValue::ExternalLinkage, "prism.group." + facts.entry, group.getParent());
  native->splice(native->begin(), &group);
  group.getArg(0)->replaceAllUsesWith(native->getArg(0));
  native->addParamAttrs(0, AttrBuilder(context)
                               .addDereferenceableAttr(facts.argument_bytes)
                               .addAttribute(Attribute::ReadOnly)
                               .addAttribute(Attribute::NoAlias)
                               .addAlignmentAttr(Align(16)));
  native->addParamAttrs(
      1, AttrBuilder(context).addDereferenceableAttr(context_layout::bytes).addAttribute(Attribute::NoAlias));
  native->addParamAttr(1, Attribute::get(context, context_parameter));
  group.eraseFromParent();
  SmallVector<CallInst*> calls;
  for (Instruction& instruction : instructions(*native))
    if (auto* call = dyn_cast<CallInst>(&instruction)) calls.push_back(call);
  for (CallInst* call : calls) lower_reserved(*call, native->getArg(1));
  return native;
}

/// Whether a wider instruction set than the program's own helps: much arithmetic, or accesses by only some
/// work-items, for which the baseline has no masks; and no call prevents vectors.
bool gains_by_isa(const Function& function) {
  constexpr unsigned much = 16;
  unsigned arithmetic = 0; // a function for vectors is much
  bool masks = false;
  for (const Instruction& instruction : instructions(function)) {
    if (auto* call = dyn_cast<CallInst>(&instruction)) {
      const Function* callee = call->getCalledFunction();
      const bool passes = callee && (callee->isIntrinsic() || callee->getName().starts_with("__prism_") ||
                                     is_exact_instruction(callee->getName()));
      if (callee && calls_lane_function(*call)) arithmetic += much;
      else if (!passes) return false;
    }
    arithmetic += isa<FPMathOperator>(instruction) && !isa<PHINode, SelectInst, FCmpInst>(instruction);
    const bool accesses =
        isa<LoadInst, StoreInst>(instruction) && !instruction.hasMetadata(LLVMContext::MD_invariant_load);
    masks |= accesses && instruction.getParent() != &function.getEntryBlock();
  }
  return arithmetic >= much || masks;
}

/// Sanitizers run later, on functions that have their attribute.
void take_options(Function& group, const Function& original) {
  const bool is_region = group.hasFnAttribute(separate_region);
  group.setAttributes(group.getAttributes().removeFnAttributes(group.getContext()));
  for (Attribute::AttrKind watched : {Attribute::SanitizeAddress, Attribute::SanitizeThread})
    if (original.hasFnAttribute(watched)) group.addFnAttr(watched);
  for (const Attribute& attribute : original.getAttributes().getFnAttrs())
    if (attribute.isStringAttribute() && !attribute.getKindAsString().starts_with("prism"))
      group.addFnAttr(attribute);
  group.setUWTableKind(original.getUWTableKind());
  group.addFnAttr(Attribute::NoUnwind);
  if (is_region) {
    group.addFnAttr(separate_region);
    group.addFnAttr(Attribute::NoInline);
  }
}

struct form_request {
  Module& module; // a copy of the kernel with the host's builtins
  const Function& original;
  const kernel_facts& facts;
  pass_runner& passes;
  native_use use;
  std::uint32_t sub_group_size;
  bool is_column; // after drop_column
};

struct formed_group {
  Function* function = nullptr; // null: not worth it, or `error`
  std::uint32_t spill_bytes = 0;
  std::string error = {};
};

/// Replaces the kernel in its module by its group function.
formed_group form(const form_request& asked) {
  Module& module = asked.module;
  const kernel_facts& facts = asked.facts;
  Function& kernel = *module.getFunction(facts.entry);
  DISubprogram* const lines = kernel.getSubprogram();
  const bool computes = gains_by_isa(kernel);
  group_result group = form_work_group(module, facts.entry,
                                       {.sub_group_size = asked.sub_group_size,
                                        .keeps_loop_order = facts.is_alone(),
                                        .widens_guards = asked.use != native_use::guarded,
                                        .check_divergence = true},
                                       asked.passes);
  formed_group made{nullptr, group.spill_bytes, std::move(group.error)};
  if (!made.error.empty() ||
      (asked.use == native_use::whole_groups && !group.interchanges_loops && !computes))
    return made;
  if (asked.is_column) ask_launch_sizes(*module.getFunction(facts.entry));
  Function* native = made.function = with_context(*module.getFunction(facts.entry), facts);
  asked.passes.run(
      module,
      "function(early-cse,instcombine<no-verify-fixpoint>,loop-simplify,lcssa,loop-mssa(licm)),strip-dead-prototypes");
  if (timed<hoist_divisions>(*native))
    asked.passes.run(module, "function(early-cse,loop-simplify,lcssa,loop-mssa(licm))");
  native->setSubprogram(lines); // separate regions take their lines from it
  std::vector<Function*> functions = timed<separate_regions>(*native);
  functions.push_back(native);
  if (count_if(functions, [](Function* each) { return widen_local_indices(*each); }) != 0)
    asked.passes.run(module, "function(early-cse,instcombine<no-verify-fixpoint>,loop-simplify,lcssa)");
  for (Function* each : functions) {
    mark_parallel_loops(*each);
    make_local_atomics_plain(*each);
    take_options(*each, asked.original);
    // Two functions may not share a description.
    if (lines) describe_lines(*each, facts.display_name);
    if (asked.use == native_use::whole_groups || asked.use == native_use::any_group)
      ask_for_isa_copies(*each);
  }
  SmallVector<NamedMDNode*> named;
  for (NamedMDNode& node : module.named_metadata()) named.push_back(&node);
  for (NamedMDNode* node : named) node->eraseFromParent();
  return made;
}

/// Lets `column`, of another module, run the groups that are one work-item wide.
void leave_columns_to(Function& group, StringRef column) {
  BasicBlock& entry = group.getEntryBlock();
  const auto after_variables = find_if(entry, [](const Instruction& each) { return !isa<AllocaInst>(each); });
  BasicBlock* rest = entry.splitBasicBlock(after_variables, "wide");
  auto* narrow = BasicBlock::Create(group.getContext(), "narrow", &group, rest);
  IRBuilder<> build(entry.getTerminator());
  Value* width = local_size(build, group.getArg(1), 0, build.getInt64Ty());
  build.CreateCondBr(build.CreateICmpEQ(width, build.getInt64(1)), narrow, rest);
  entry.getTerminator()->eraseFromParent();
  build.SetInsertPoint(narrow);
  FunctionCallee callee = group.getParent()->getOrInsertFunction(column, group.getFunctionType());
  build.CreateCall(callee, {group.getArg(0), group.getArg(1)})->addFnAttr(Attribute::NoInline);
  build.CreateRetVoid();
}

void add(native_groups& groups, std::unique_ptr<Module> module, const kernel_facts& facts) {
  if (!groups.add(std::move(module)))
    report_fatal_error("PRISM: the work-group function of '" + Twine(facts.display_name) +
                           "' cannot be linked into the program",
                       false);
}

} // namespace

native_groups::native_groups(Module& host)
    : m_host(host), m_linked(std::make_unique<Module>("prism work-group functions", host.getContext())),
      m_linker(*m_linked) {
  m_linked->setDataLayout(host.getDataLayout());
  m_linked->setTargetTriple(host.getTargetTriple());
}

void native_groups::link() {
  SmallVector<std::string> names;
  for (Function& function : *m_linked)
    if (!function.isDeclaration() && !function.hasLocalLinkage()) names.push_back(function.getName().str());
  if (Linker::linkModules(m_host, std::move(m_linked)))
    report_fatal_error("PRISM: the work-group functions of kernels cannot be linked into the program", false);
  for (const std::string& name : names) {
    Function* function = m_host.getFunction(name);
    function->setLinkage(GlobalValue::InternalLinkage);
    function->setDSOLocal(true);
  }
}

void native_groups::print(raw_ostream& out, StringRef name) const {
  for (const Function& function : *m_linked)
    if (StringRef rest = function.getName();
        rest.consume_front(name) &&
        (rest.empty() || rest.starts_with(".region") || rest.starts_with(".column")))
      out << function;
}

bool may_use_vectors(Function& kernel) {
  DominatorTree dominators(kernel);
  if (!LoopInfo(dominators).empty() || gains_by_isa(kernel)) return true;
  return any_of(instructions(kernel), [](const Instruction& instruction) {
    auto* call = dyn_cast<CallInst>(&instruction);
    return call && call->getCalledFunction() && call->getCalledFunction()->getName() == "__prism_barrier";
  });
}

native_group add_native_group(native_groups& groups, const Function& original, std::unique_ptr<Module> module,
                              const kernel_facts& facts, pass_runner& passes, native_use use) {
  native_group made;
  made.refusal = missing_clock(*module->getFunction(facts.entry));
  if (!made.refusal.empty()) return made;
  if (!has_lines(groups.host())) StripDebugInfo(*module);
  Function* kernel = module->getFunction(facts.entry);
  if (link_builtins(*module, *kernel, target::host)) passes.run(*module, "always-inline,globaldce");
  made.sub_group_size =
      facts.required_sub_group_size ? facts.required_sub_group_size : image::default_group_sub_group_size;
  kernel = module->getFunction(facts.entry);
  free_math_calls(*kernel);
  mark_lane_functions(*kernel);
  resolve_fences(*kernel, target::host);
  std::unique_ptr<Module> column;
  if (use == native_use::any_group && expects_one_column(*kernel)) {
    column = CloneModule(*module);
    drop_column(*column->getFunction(facts.entry));
  }
  formed_group all = form({*module, original, facts, passes, use, made.sub_group_size, false});
  made.spill_bytes = all.spill_bytes;
  made.refusal.why = all.error;
  if (!all.function) return made;
  if (use == native_use::whole_groups) all.function->setName(all.function->getName() + ".whole");
  made.function = all.function->getName().str();
  if (column) {
    passes.run(*column, "function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg)");
    const formed_group one = form({*column, original, facts, passes, use, made.sub_group_size, true});
    if (one.function) {
      one.function->setName(one.function->getName() + ".column");
      made.spill_bytes = std::max(made.spill_bytes, one.spill_bytes);
      leave_columns_to(*all.function, one.function->getName());
      add(groups, std::move(column), facts);
    }
  }
  add(groups, std::move(module), facts);
  return made;
}

} // namespace prism::compiler
