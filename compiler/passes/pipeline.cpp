#include "compiler/passes/pipeline.hpp"

#include "compiler/passes/builtins.hpp"
#include "compiler/support/pass_timer.hpp"
#include "compiler/device_ir/captured.hpp"
#include "compiler/device_ir/dimensions.hpp"
#include "compiler/device_ir/endless_loops.hpp"
#include "compiler/device_ir/intrinsics.hpp"
#include "compiler/device_ir/legal.hpp"
#include "compiler/passes/passes.hpp"
#include "compiler/support/options.hpp"
#include "llvm/ADT/SmallSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"

namespace prism::compiler {
using namespace llvm;

namespace {

const std::string cfg =
    "simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;no-switch-range-to-icmp;no-switch-to-lookup;"
    "keep-loops;no-hoist-common-insts;no-sink-common-insts>";
const std::string combine = "instcombine<no-verify-fixpoint>";
const std::string expose =
    "always-inline,globaldce,function(sroa<modify-cfg>,early-cse<memssa>," + cfg + "," + combine + ")";
const std::string clean =
    "function(sroa<modify-cfg>,early-cse<memssa>," + cfg + "," + combine + "),globaldce";

std::string optimise(bool unroll) {
  return "function(sroa<modify-cfg>,early-cse<memssa>," + cfg + "," + combine +
         ",loop-simplify,lcssa,loop-mssa(loop-rotate,licm)," + cfg + "," + combine +
         ",loop-simplify,lcssa,loop(prism-indvars,loop-deletion" + (unroll ? ",loop-unroll-full" : "") +
         "),sroa<modify-cfg>,gvn,dse,adce," + combine + "," + cfg + "),globaldce";
}

/// A call that inlining can still remove: the last iteration devirtualised or resolved it.
bool has_call_to_inline(const Function& kernel) {
  for (const Instruction& instruction : instructions(kernel))
    if (auto* call = dyn_cast<CallBase>(&instruction))
      if (const Function* callee = call->getCalledFunction(); callee && !callee->isDeclaration()) return true;
  return false;
}

void inline_everything(Module& module, Function& kernel, pass_runner& passes) {
  constexpr int iterations = 8; // each virtual call inside of a virtual call needs one; recursion never ends
  for (int iteration = 0; iteration < iterations; ++iteration) {
    passes.run(module, expose);
    if (!has_call_to_inline(kernel)) return;
  }
}

/// Calls whose format is known by now.
void write_printed_text(Module& module, Function& kernel, pass_runner& passes) {
  if (!timed<lower_printf>(kernel)) return;
  timed<link_memory_functions>(module, kernel);
  timed<inline_everything>(module, kernel, passes);
}

void replace_entered_groups(Module& module, Function& kernel, pass_runner& passes) {
  if (!enters_groups(kernel)) return;
  if (has_call_to_inline(kernel)) { // a function that is known only after optimisation may ask for its group
    passes.run(module, optimise(true));
    inline_everything(module, kernel, passes);
  }
  lower_entered_groups(kernel);
}

/// Optimises, and leaves values that are neither structures nor vectors. LLVM makes new ones when it
/// optimises, so they are split before and after.
void optimise_scalars(Module& module, Function& kernel, pass_runner& passes) {
  timed<split_aggregates>(kernel);
  timed<split_vector_casts>(kernel);
  passes.run(module, optimise(false));
  timed<split_aggregates>(kernel);
  timed<split_vector_casts>(kernel);
  passes.run(module, "function(prism-scalarize," + combine + ")");
}

bool asks_for_size(const Value* value) {
  auto* call = dyn_cast<CallInst>(value);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && (callee->getName() == "__prism_local_size" || callee->getName() == "__prism_group_count");
}

/// Whether the value is a product of different sizes, which it adds to `factors`.
bool is_product_of_sizes(const Value* value, SmallSet<std::pair<StringRef, const Value*>, 8>& factors) {
  if (asks_for_size(value)) {
    auto* call = cast<CallInst>(value);
    return factors.insert({call->getCalledFunction()->getName(), call->getArgOperand(0)}).second;
  }
  auto* product = dyn_cast<BinaryOperator>(value);
  return product && product->getOpcode() == Instruction::Mul &&
         is_product_of_sizes(product->getOperand(0), factors) &&
         is_product_of_sizes(product->getOperand(1), factors);
}

/// No size of a launch is 0, and `size_t` holds its number of work-items. Otherwise LLVM takes the step of a
/// loop that runs at most once for 0 where it can, and such a loop has no end.
void mark_sizes(Function& kernel) {
  for (Instruction& instruction : instructions(kernel)) {
    if (asks_for_size(&instruction)) {
      const unsigned width = instruction.getType()->getIntegerBitWidth();
      instruction.setMetadata(LLVMContext::MD_range,
                              MDBuilder(kernel.getContext()).createRange(APInt(width, 1), APInt(width, 0)));
    }
    SmallSet<std::pair<StringRef, const Value*>, 8> factors;
    if (instruction.getOpcode() == Instruction::Mul && is_product_of_sizes(&instruction, factors))
      instruction.setHasNoUnsignedWrap();
  }
}

/// Ids and captured numbers are never undefined. Otherwise LLVM freezes them where it moves or joins
/// branches, and then no longer sees that an id counts up. Returns whether it has done so.
bool mark_defined(Function& kernel) {
  bool any = false;
  for (Instruction& instruction : instructions(kernel)) {
    any |= isa<FreezeInst>(instruction);
    if (!instruction.getType()->isIntegerTy()) continue;
    auto* call = dyn_cast<CallInst>(&instruction);
    if (call && call->getCalledFunction() && call->doesNotAccessMemory() &&
        call->getCalledFunction()->getName().starts_with("__prism_"))
      call->addRetAttr(Attribute::NoUndef);
    if (isa<LoadInst>(instruction) && instruction.hasMetadata(LLVMContext::MD_invariant_load))
      instruction.setMetadata(LLVMContext::MD_noundef, MDNode::get(kernel.getContext(), {}));
  }
  return any;
}

} // namespace

void simplify_before_link(Module& module, pass_runner& passes) {
  timed<keep_printf>(module);
  timed<order_group_queries>(module);
  passes.run(module, expose);
}

void run_shared_pipeline(Module& module, Function& kernel, Module& host, kernel_facts& facts,
                         pass_runner& passes) {
  timed<prepare_calls>(module);
  timed<order_group_queries>(module);
  timed<keep_printf>(module);
  timed<link_memory_functions>(module, kernel);
  timed<divide_hierarchical>(module, kernel, passes);
  timed<inline_everything>(module, kernel, passes);
  write_printed_text(module, kernel, passes);
  timed<replace_entered_groups>(module, kernel, passes);
  facts.writes_captures |= timed<copy_written_captures>(kernel, facts.argument_bytes);
  timed<resolve_dimensions>(kernel);
  timed<lower_assertions>(kernel, facts);
  timed<lower_index_checks>(kernel, facts);
  timed<lower_hidden_arguments>(kernel, host, facts);
  timed<lower_group_variables>(kernel);
  timed<end_items_at_traps>(kernel);
  timed<lower_atomics>(kernel);
  passes.run(module, "function(sroa<modify-cfg>,early-cse<memssa>)"); // items are variables until here
  timed<mark_sizes>(kernel);
  const bool ends = endless_blocks(kernel).empty();
  passes.run(module, optimise(true));
  if (ends && timed<drop_endless_loops>(kernel)) passes.run(module, clean);
  if (has_call_to_inline(kernel)) timed<inline_everything>(module, kernel, passes);
  write_printed_text(module, kernel, passes);
  timed<fold_powers>(kernel);
  facts.writes_captures |= timed<copy_written_captures>(kernel, facts.argument_bytes);
  timed<resolve_extents>(kernel);
  timed<resolve_local_bounds>(kernel);
  timed<lower_group_variables>(kernel);
  timed<allocate_group_memory>(kernel);
  timed<lower_pointed_memory>(kernel);
  timed<lower_assertions>(kernel, facts);
  timed<lower_index_checks>(kernel, facts);
  timed<lower_hidden_arguments>(kernel, host, facts);
  timed<end_items_at_traps>(kernel);
  timed<choose_dimensions>(kernel);
  timed<undo_mixed_pointers>(kernel, facts.argument_bytes);
  passes.run(module, "function(sroa<modify-cfg>)");
  timed<expand_memory_operations>(kernel);
  timed<mark_captured_loads>(kernel);
  timed<separate_memories>(kernel);
  optimise_scalars(module, kernel, passes);
  if (ends && timed<drop_endless_loops>(kernel)) passes.run(module, clean);
  if (timed<fold_powers>(kernel))
    // for loops that were unrolled since, and for vectors
    passes.run(module, "function(early-cse," + combine + ")");
  timed<expand_memory_operations>(kernel);
  timed<undo_mixed_pointers>(kernel, facts.argument_bytes);
  timed<expand_memory_operations>(kernel);
  timed<lower_atomics>(kernel);
  timed<choose_dimensions>(kernel);
  timed<mark_captured_loads>(kernel);
  if (timed<mark_defined>(kernel)) passes.run(module, "function(instsimplify)");
  timed<restore_low_halves>(kernel);
}

bool choose_group_form(Module& module, Function& kernel, bool runs_group, pass_runner& passes) {
  if (!timed<resolve_group_form>(kernel, runs_group)) return false;
  passes.run(module, "function(" + cfg + ",early-cse<memssa>,adce," + cfg + "),globaldce");
  return true;
}

void make_matrices_values(Module& module, Function& kernel, pass_runner& passes) {
  timed<unroll_matrix_loops>(kernel);
  passes.run(module, optimise(true));
  timed<split_aggregates>(kernel);
  timed<split_vector_casts>(kernel);
}

void gather_facts(Function& kernel, kernel_facts& facts) {
  for (const Instruction& instruction : instructions(kernel)) {
    auto* call = dyn_cast<CallInst>(&instruction);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee) continue;
    if (callee->getName().starts_with(element_call)) facts.calls_elements = true;
    if (callee->getName() == "__prism_barrier") facts.uses_barrier = facts.uses_group_operation = true;
    if (callee->getName().starts_with("__prism_sub_group_"))
      facts.uses_sub_group = facts.uses_group_operation = true;
    if (callee->getName() == "__prism_local_arena") facts.uses_local_memory = true;
    if (callee->getName() != "__prism_group_scratch") continue;
    facts.uses_local_memory = true;
    if (auto* bytes = dyn_cast<ConstantInt>(call->getArgOperand(0)))
      facts.static_local_bytes = std::max<std::uint32_t>(facts.static_local_bytes, bytes->getZExtValue());
  }
  find_pointer_slots(kernel, facts);
}

namespace {

/// LLVM combines instructions to intrinsics. For example, a fast selection by a comparison becomes a minimum,
/// which only the library has.
void clean_up(Module& module, Function& kernel, target where, number_form form, pass_runner& passes) {
  constexpr int iterations = 3; // the bodies of the library's functions do not combine in this way
  for (int iteration = 0; iteration < iterations; ++iteration) {
    passes.run(module, clean);
    timed<lower_intrinsics>(kernel, where);
    if (!timed<link_builtins>(module, kernel, where, form)) return;
    timed<inline_everything>(module, kernel, passes);
    timed<expand_memory_operations>(kernel);
    timed<split_aggregates>(kernel);
    timed<split_vector_casts>(kernel);
  }
}

} // namespace

void inline_linked_functions(Module& module, Function& kernel, pass_runner& passes) {
  timed<inline_everything>(module, kernel, passes);
  timed<expand_memory_operations>(kernel);
  optimise_scalars(module, kernel, passes);
}

refusal lower_for_target(Module& module, Function& kernel, target where, number_form form,
                         sub_group_form sub_groups, pass_runner& passes) {
  const bool chosen = sub_groups == sub_group_form::single ? timed<make_single_sub_groups>(kernel)
                                                           : timed<make_vector_sub_groups>(kernel);
  if (chosen) passes.run(module, optimise(true));
  timed<lower_intrinsics>(kernel, where);
  bool linked = timed<link_builtins>(module, kernel, where, form);
  if (form == number_form::plain && timed<make_half_bits>(kernel))
    linked |= timed<link_builtins>(module, kernel, where, form);
  if (linked) inline_linked_functions(module, kernel, passes);
  timed<clean_up>(module, kernel, where, form, passes);
  if (where == target::opencl) timed<restore_low_halves>(kernel); // clean-up combines them again
  if (timed<split_aggregates>(kernel))
    // clean-up makes phis of the results of compare-exchanges again
    passes.run(module, "function(instsimplify,dce)");
  timed<split_mixed_accesses>(kernel);
  timed<make_generic_pointers>(kernel); // no optimisation may follow: LLVM would merge the accesses again
  passes.run(module, "function(lower-constant-intrinsics,lower-switch)");
  timed<split_unaligned_accesses>(kernel);
  timed<lower_intrinsics>(kernel, where);
  timed<lower_atomics>(kernel);
  timed<widen_narrow_atomics>(
      kernel, where); // not before accesses through mixed pointers are split: it needs addresses as numbers
  timed<widen_odd_integers>(kernel);
  timed<split_wide_integers>(kernel);
  timed<lower_intrinsics>(kernel, where);
  timed<resolve_fences>(kernel, where);
  timed<keep_zero_operands>(kernel, where);
  timed<keep_integer_operands>(kernel);
  timed<finish_for_emitter>(kernel);
  if (where == target::vulkan) {
    timed<load_captured_values_first>(kernel);
    timed<narrow_small_addresses>(kernel);
  }
  passes.run(module, "function(dce),globaldce,strip-dead-prototypes");
  return find_refusal(kernel, where);
}

} // namespace prism::compiler
