// The function: blocks in order, then phis (their operands may come from blocks that are translated later),
// the entry point's modes and constants.
#include "compiler/spirv/translator.hpp"
#include "llvm/IR/InstIterator.h"

namespace prism::compiler::spirv {

using namespace llvm;

translator::translator(const Function& kernel, const structured_flow& flow, const kernel_facts& facts)
    : m_kernel(kernel), m_flow(flow), m_facts(facts), m_layout(kernel.getParent()->getDataLayout()),
      m_families(kernel, m_layout), m_element_indices(kernel, m_families, m_layout),
      m_wide_accesses(kernel, [this](const Value* pointer) {
        return !m_families.is_nowhere(pointer) && m_families.of(pointer).space == memory_space::global;
      }, m_layout, wide_numbers::copied) {}

namespace {

bool is_sequential(const Instruction& instruction) {
  constexpr auto strongest = AtomicOrdering::SequentiallyConsistent;
  if (const auto* read = dyn_cast<LoadInst>(&instruction)) return read->getOrdering() == strongest;
  if (const auto* written = dyn_cast<StoreInst>(&instruction)) return written->getOrdering() == strongest;
  if (const auto* changed = dyn_cast<AtomicRMWInst>(&instruction)) return changed->getOrdering() == strongest;
  if (const auto* exchanged = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return exchanged->getSuccessOrdering() == strongest || exchanged->getFailureOrdering() == strongest;
  const auto* call = dyn_cast<CallInst>(&instruction);
  const Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  if (callee == nullptr || callee->getName() != "__prism_fence") return false;
  const auto* order = dyn_cast<ConstantInt>(call->getArgOperand(0));
  return order != nullptr && order->getZExtValue() == 4;
}

} // namespace

void translator::scan() {
  for (const Instruction& instruction : instructions(m_kernel)) {
    if (instruction.isAtomic()) m_shares = true;
    if (is_sequential(instruction)) m_orders_all = true;
    if (const auto* call = dyn_cast<CallInst>(&instruction)) {
      const Function* callee = call->getCalledFunction();
      const StringRef name = callee == nullptr ? "" : callee->getName();
      if (name == "__prism_barrier" || name == "__prism_fence" || name == "__prism_sub_group_barrier")
        m_shares = true;
      if (name.starts_with("__prism_sub_group_") || name.starts_with(matrix_call)) m_has_sub_groups = true;
      if (name == "__prism_sub_group_local_size") m_counts_sub_group = true;
    }
  }
}

std::vector<word> translator::run() {
  scan();
  find_matrices();
  m_builder.capability(spv::CapabilityShader);
  m_builder.capability(spv::CapabilityVulkanMemoryModel);
  need(image::memory_model);
  m_builder.capability(spv::CapabilityPhysicalStorageBufferAddresses);
  const id entry = m_builder.fresh();
  declare_execution();
  for (const BasicBlock* source : m_flow.order) {
    block& made = m_blocks[source];
    made.label = made.last_label = m_builder.fresh();
  }
  declare_arrays();
  write_data();
  for (const BasicBlock* source : m_flow.order) translate(*source);
  const stream body = assemble();
  const id nothing = m_builder.type_void();
  stream function;
  function.op(spv::OpFunction,
              {nothing, entry, spv::FunctionControlMaskNone, m_builder.type_function(nothing)});
  function.append(body);
  function.op(spv::OpFunctionEnd, {});
  function.append(m_functions);
  for (unsigned bits : {16u, 32u, 64u}) {
    if ((m_float_widths & bits) == 0) continue;
    need(image::signed_zero_inf_nan);
    m_builder.capability(spv::CapabilitySignedZeroInfNanPreserve);
    m_builder.execution_mode(spv::ExecutionModeSignedZeroInfNanPreserve, {bits});
  }
  m_builder.name(entry, m_facts.entry);
  return m_builder.finish(entry, m_facts.entry, function);
}

void translator::declare_execution() {
  for (unsigned i = 0; i < 3; ++i) m_sizes[i] = m_builder.spec_constant_u32(i, 1);
  if (m_has_sub_groups) m_flat_size = m_builder.spec_constant_u32(image::flat_size_spec_id, 1);
  const std::vector<id> launched = m_has_sub_groups
                                       ? std::vector<id>{m_flat_size, number(32, 1), number(32, 1)}
                                       : std::vector<id>{m_sizes[0], m_sizes[1], m_sizes[2]};
  const id size = m_builder.spec_constant_composite(m_builder.type_vector(int_type(32), 3), launched);
  m_builder.decorate(size, spv::DecorationBuiltIn, {spv::BuiltInWorkgroupSize});
}

void translator::translate(const BasicBlock& source) {
  m_block = &m_blocks[&source];
  m_code = &m_block->code;
  if (&source == &m_kernel.getEntryBlock()) {
    for (const Argument& argument : m_kernel.args()) {
      if (argument.getArgNo() != 0 || !argument.getType()->isPointerTy())
        throw refused{"internal: a kernel takes one pointer"};
      define(&argument, push_constant(0, int_type(64)));
    }
    if (m_counts_sub_group) count_sub_group();
  }
  for (const Instruction& one : source) {
    if (one.isTerminator()) {
      terminator(one);
      continue;
    }
    instruction(one);
    if (m_element_indices.wants_index(&one)) record_element_index(one);
  }
}

void translator::instruction(const Instruction& at) {
  try {
    if (const auto* phi = dyn_cast<PHINode>(&at)) {
      const id result = m_builder.fresh();
      define(phi, result);
      m_block->phis.emplace_back(phi, result);
    } else if (const wide_access* merged = m_wide_accesses.of(at)) {
      if (merged->place != &at) return;
      isa<LoadInst>(at) ? load_wide(*merged) : store_wide(*merged);
    } else if (const auto* load_at = dyn_cast<LoadInst>(&at)) {
      if (load_at->isAtomic()) return atomic_load(*load_at);
      const access how{load_at->getAlign().value(), load_at->isVolatile(),
                       load_at->hasMetadata(LLVMContext::MD_invariant_load)};
      const id loaded = load(load_at->getPointerOperand(), load_at->getType(), how, at);
      define(load_at,
             how.invariant && load_at->getType()->isIntegerTy() ? replaceable(*load_at, loaded) : loaded);
    } else if (const auto* store_at = dyn_cast<StoreInst>(&at)) {
      if (store_at->isAtomic()) return atomic_store(*store_at);
      store(store_at->getPointerOperand(), store_at->getValueOperand(),
            {store_at->getAlign().value(), store_at->isVolatile(), false}, at);
    } else if (const auto* rmw = dyn_cast<AtomicRMWInst>(&at)) {
      atomic_rmw(*rmw);
    } else if (const auto* exchange = dyn_cast<AtomicCmpXchgInst>(&at)) {
      compare_exchange(*exchange);
    } else if (const auto* part = dyn_cast<ExtractValueInst>(&at)) {
      const auto success = m_exchanged.find(part->getAggregateOperand());
      if (success == m_exchanged.end()) refuse(&at, "a value that is a structure");
      define(part, part->getIndices()[0] == 1 ? success->second : value(part->getAggregateOperand()));
    } else if (isa<AllocaInst>(at)) {
      define(&at, number(32, m_families.of(&at).bias + m_families.offset_of(&at)));
    } else if (const auto* address = dyn_cast<GetElementPtrInst>(&at)) {
      get_element_pointer(*address);
    } else if (const auto* operation = dyn_cast<BinaryOperator>(&at)) {
      binary(*operation);
    } else if (const auto* compare = dyn_cast<ICmpInst>(&at)) {
      compare_integers(*compare);
    } else if (const auto* compare_at = dyn_cast<FCmpInst>(&at)) {
      compare_floats(*compare_at);
    } else if (const auto* conversion = dyn_cast<CastInst>(&at)) {
      convert(*conversion);
    } else if (const auto* choice = dyn_cast<SelectInst>(&at)) {
      const bool address_choice = at.getType()->isPointerTy();
      const auto operand = [&](const Value* v) {
        return address_choice ? pointer(v, m_families.of(&at)) : value(v);
      };
      define(&at, emit(spv::OpSelect, type_of(&at),
                       {value(choice->getCondition()), operand(choice->getTrueValue()),
                        operand(choice->getFalseValue())}));
    } else if (isa<FreezeInst>(at)) {
      const Value* operand = at.getOperand(0);
      const auto held = m_matrices.find(&at);
      define(&at, at.getType()->isPointerTy() ? pointer(operand, m_families.of(&at))
                  : held != m_matrices.end()  ? matrix(operand, held->second)
                                              : value(operand));
    } else if (at.getOpcode() == Instruction::FNeg) {
      // NoContraction prevents drivers from turning it into a subtraction from +0.
      const id negated = emit(spv::OpFNegate, type_of(&at), {value(at.getOperand(0))});
      exact(negated, at);
      define(&at, negated);
    } else if (const auto* call_at = dyn_cast<CallInst>(&at)) {
      call(*call_at);
    } else {
      refuse(&at, std::string("the instruction ") + at.getOpcodeName());
    }
  } catch (const refused& plain) {
    if (plain.text.find('\n') != std::string::npos) throw;
    refuse(&at, plain.text);
  }
}

void translator::terminator(const Instruction& at) {
  if (isa<ReturnInst>(at)) return m_code->op(spv::OpReturn, {});
  const auto* branch = dyn_cast<BranchInst>(&at);
  if (branch == nullptr) refuse(&at, std::string("the instruction ") + at.getOpcodeName());
  const auto header = m_flow.headers.find(at.getParent());
  if (header != m_flow.headers.end()) {
    const id merge = m_blocks[header->second.merge].label;
    if (const BasicBlock* next = header->second.continue_target)
      m_code->op(spv::OpLoopMerge, {merge, m_blocks[next].label, spv::LoopControlMaskNone});
    else m_code->op(spv::OpSelectionMerge, {merge, spv::SelectionControlMaskNone});
  }
  if (branch->isUnconditional()) return m_code->op(spv::OpBranch, {m_blocks[branch->getSuccessor(0)].label});
  m_code->op(spv::OpBranchConditional,
             {value(branch->getCondition()), m_blocks[branch->getSuccessor(0)].label,
              m_blocks[branch->getSuccessor(1)].label});
}

stream translator::assemble() {
  stream body;
  for (const BasicBlock* source : m_flow.order) {
    const block& made = m_blocks[source];
    body.op(spv::OpLabel, {made.label});
    if (source == &m_kernel.getEntryBlock()) {
      body.append(m_variables);
      body.append(m_prologue);
    }
    for (const auto& [phi, result] : made.phis) {
      std::vector<word> all{type_of(phi), result};
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        const Value* incoming = phi->getIncomingValue(i);
        const auto held = m_matrices.find(phi);
        all.push_back(phi->getType()->isPointerTy() ? pointer(incoming, m_families.of(phi))
                      : held != m_matrices.end()    ? matrix(incoming, held->second)
                                                    : value(incoming));
        all.push_back(m_blocks[phi->getIncomingBlock(i)].last_label);
      }
      body.op(spv::OpPhi, all);
    }
    body.append(made.code);
  }
  return body;
}

} // namespace prism::compiler::spirv
