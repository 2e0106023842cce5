// Blocks, phis and branches of the OpenCL C text. An edge assigns the incoming variable of each phi, and the
// start of the block copies it to the phi. All phis of a block therefore change at once.
#include <algorithm>

#include "compiler/support/diagnose.hpp"
#include "compiler/workgroup/lanes.hpp"
#include "compiler/opencl/writer.hpp"
#include "devices/api/opencl_data.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler {
using namespace llvm;

function_writer::function_writer(const Function& kernel, const kernel_facts& facts, const opencl_form& form,
                                 bool arguments_by_value, std::string end)
    : m_kernel(kernel), m_facts(facts), m_layout(kernel.getParent()->getDataLayout()), m_spaces(kernel),
      m_by_value(arguments_by_value), m_runs_group(form.runs_group), m_has_sub_groups(form.has_sub_groups),
      m_end(std::move(end)) {
  std::uint64_t constants = 0;
  for (const GlobalVariable* constant : named_constants(kernel))
    constants += (m_layout.getTypeAllocSize(constant->getValueType()) + 15) / 16 * 16;
  m_constants_in_memory = constants > image::opencl_data::most_constant_bytes;
  for (const BasicBlock& block : kernel) {
    m_labels[&block] = m_labels.size();
    m_order.push_back(&block);
  }
  order_blocks();
  if (m_runs_group) return;
  find_narrow_choices(); // the driver with that fault never receives a group's text
  find_wide_accesses();  // nor do those that gain from them
}

/// Makes the blocks of each loop that has pragmas contiguous, the head first and the latch last: loops over
/// work-items, and loops that the program keeps from being unrolled.
void function_writer::order_blocks() {
  DominatorTree dominators(const_cast<Function&>(m_kernel));
  LoopInfo loops(dominators);
  for (const Loop* loop : loops.getLoopsInPreorder()) {
    const MDNode* id = loop->getLoopID();
    const BasicBlock* latch = loop->getLoopLatch();
    auto* back = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
    const auto says = [&](const char* what) {
      return id && findOptionMDForLoopID(const_cast<MDNode*>(id), what) != nullptr;
    };
    const bool is_rolled = says("llvm.loop.unroll.disable");
    if (!back || m_loop_ends.count(latch) != 0) continue;
    if (!is_rolled && (!is_lane_loop(*loop) || !back->isConditional())) continue;
    std::vector<const BasicBlock*> others, inside{loop->getHeader()};
    std::size_t at = 0;
    for (const BasicBlock* block : m_order) {
      if (block == loop->getHeader()) at = others.size();
      if (!loop->contains(block)) others.push_back(block);
      else if (block != loop->getHeader() && block != latch) inside.push_back(block);
    }
    if (latch != loop->getHeader()) inside.push_back(latch);
    others.insert(others.begin() + static_cast<std::ptrdiff_t>(at), inside.begin(), inside.end());
    m_order = std::move(others);
    std::string& pragmas = m_loop_heads[loop->getHeader()];
    if (says("llvm.loop.parallel_accesses")) pragmas += "#pragma clang loop vectorize(assume_safety)\n";
    if (is_rolled) pragmas += "#pragma clang loop unroll(disable)\n";
    m_loop_ends[latch] = loop->getHeader();
  }
}

void function_writer::write() {
  for (std::size_t i = 0; i < m_order.size(); ++i) {
    const BasicBlock* block = m_order[i];
    const BasicBlock* next = i + 1 < m_order.size() ? m_order[i + 1] : nullptr;
    if (!block->isEntryBlock()) m_body += label(*block) + ":;\n";
    // Not do ... while: clang considers the pragma's loop to start after its body, and so marks none of the
    // accesses.
    if (const auto head = m_loop_heads.find(block); head != m_loop_heads.end())
      m_body += head->second + "  for (bool again = true; again;) {\n";
    for (const PHINode& phi : block->phis())
      if (!phi.use_empty()) statement(variable(&phi) + " = " + variable(&phi) + "_in");
    for (const Instruction& instruction : *block) {
      record_line(instruction);
      if (instruction.isTerminator() && m_loop_ends.count(block))
        write_loop_end(cast<BranchInst>(instruction), next);
      else if (instruction.isTerminator()) write_terminator(instruction, next);
      else if (!isa<PHINode>(instruction)) write_instruction(instruction);
    }
  }
}

void function_writer::record_line(const Instruction& instruction) {
  const DILocation* at = user_location(instruction);
  if (!at) return;
  m_line += static_cast<std::uint32_t>(
      std::count(m_body.begin() + static_cast<std::ptrdiff_t>(m_counted), m_body.end(), '\n'));
  m_counted = m_body.size();
  std::string place = file_and_line(*at);
  if (!m_lines.empty() && m_lines.back().second == place) return;
  // the instruction produced no text
  if (!m_lines.empty() && m_lines.back().first == m_line) m_lines.pop_back();
  m_lines.emplace_back(m_line, std::move(place));
}

void function_writer::write_loop_end(const BranchInst& branch, const BasicBlock* next) {
  const BasicBlock *from = branch.getParent(), *head = m_loop_ends.lookup(from);
  if (branch.isUnconditional()) { // the loop ends elsewhere
    write_edge(*from, *head, head, "  ");
    m_body += "  }\n";
    return;
  }
  const bool goes_on = branch.getSuccessor(0) == head;
  const std::string condition = use(branch.getCondition());
  write_edge(*from, *head, head, "  ");
  m_body += "  again = " + (goes_on ? condition : "!" + condition) + ";\n  }\n";
  write_edge(*from, *branch.getSuccessor(goes_on ? 1 : 0), next, "  ");
}

std::string function_writer::declarations() const {
  std::string text;
  for (const auto& [type, names] : m_declared) {
    std::string list;
    const bool pointer = type.back() == '*';
    const std::string base = pointer ? type.substr(0, type.size() - 1) : type;
    for (const std::string& name : names) list += (list.empty() ? " " : ", ") + (pointer ? "*" + name : name);
    text += "  " + base + list + ";\n";
  }
  for (const std::string& array : m_arrays) text += "  " + array + ";\n";
  return text;
}

void function_writer::write_edge(const BasicBlock& from, const BasicBlock& to, const BasicBlock* next,
                                 const char* indent) {
  for (const PHINode& phi : to.phis()) {
    if (phi.use_empty()) continue;
    const Value* value = phi.getIncomingValueForBlock(&from);
    const std::string text =
        phi.getType()->isPointerTy() ? use_as(value, m_spaces.of(&phi)) : use_in_choice(phi, value);
    m_body += indent + variable(&phi) + "_in = " + text + ";\n";
  }
  if (&to != next) m_body += indent + ("goto " + label(to)) + ";\n";
}

void function_writer::write_terminator(const Instruction& terminator, const BasicBlock* next) {
  auto* branch = dyn_cast<BranchInst>(&terminator);
  const BasicBlock& from = *terminator.getParent();
  if (!branch) return statement(m_end);
  if (branch->isUnconditional()) return write_edge(from, *branch->getSuccessor(0), next, "  ");
  m_body += "  if (" + use(branch->getCondition()) + ") {\n";
  write_edge(from, *branch->getSuccessor(0), nullptr, "    ");
  m_body += "  }\n";
  write_edge(from, *branch->getSuccessor(1), next, "  ");
}

void function_writer::write_instruction(const Instruction& instruction) {
  if (auto* alloca = dyn_cast<AllocaInst>(&instruction)) return write_alloca(*alloca);
  if (auto* store = dyn_cast<StoreInst>(&instruction)) return write_access(*store);
  if (auto* operation = dyn_cast<AtomicRMWInst>(&instruction)) return write_atomic(*operation);
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) return write_exchange(*exchange);
  if (auto* load = dyn_cast<LoadInst>(&instruction)) {
    if (!load->use_empty() || load->isVolatile() || load->isAtomic() || m_wide.of(*load)) write_access(*load);
    return;
  }
  if (auto* called = dyn_cast<CallInst>(&instruction); called && called->getType()->isVoidTy())
    return statement(call(*called));
  if (instruction.use_empty()) return;
  std::string text;
  if (auto* operation = dyn_cast<BinaryOperator>(&instruction)) text = binary(*operation);
  else if (auto* negation = dyn_cast<UnaryOperator>(&instruction)) text = "-" + use(negation->getOperand(0));
  else if (auto* comparison = dyn_cast<CmpInst>(&instruction)) text = compare(*comparison);
  else if (auto* converted = dyn_cast<CastInst>(&instruction)) text = conversion(*converted);
  else if (auto* gep = dyn_cast<GEPOperator>(&instruction)) text = address(*gep);
  else if (auto* called = dyn_cast<CallInst>(&instruction)) text = call(*called);
  else if (auto* part = dyn_cast<ExtractValueInst>(&instruction)) {
    auto* exchange = cast<AtomicCmpXchgInst>(part->getAggregateOperand());
    text =
        variable(exchange) + (part->getIndices()[0] == 0 ? "" : " == " + use(exchange->getCompareOperand()));
  } else if (auto* choice = dyn_cast<SelectInst>(&instruction)) {
    const bool pointer = choice->getType()->isPointerTy();
    const pointer_space space = pointer ? m_spaces.of(choice) : pointer_space::none;
    const auto side = [&](const Value* value) {
      return pointer ? use_as(value, space) : use_in_choice(*choice, value);
    };
    text = use(choice->getCondition()) + " ? " + side(choice->getTrueValue()) + " : " +
           side(choice->getFalseValue());
  }
  statement(variable(&instruction) + " = " + text);
}

} // namespace prism::compiler
