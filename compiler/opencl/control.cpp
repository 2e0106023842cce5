// Blocks, phis and branches of the OpenCL C text. An edge assigns to each phi's incoming variable, the block's head
// copies it: so the phis of a block change all at once.
#include "compiler/opencl/writer.hpp"
#include "llvm/IR/Operator.h"

namespace prism::compiler {
using namespace llvm;

function_writer::function_writer(const Function& kernel, const kernel_facts& facts, bool arguments_by_value, std::string end)
    : m_kernel(kernel), m_facts(facts), m_layout(kernel.getParent()->getDataLayout()), m_spaces(kernel), m_by_value(arguments_by_value),
      m_end(std::move(end)) {
  for (const BasicBlock& block : kernel) m_labels[&block] = m_labels.size();
}

void function_writer::write() {
  for (auto block = m_kernel.begin(); block != m_kernel.end(); ++block) {
    const auto following = std::next(block);
    const BasicBlock* next = following == m_kernel.end() ? nullptr : &*following;
    if (!block->isEntryBlock()) m_body += label(*block) + ":;\n";
    for (const PHINode& phi : block->phis())
      if (!phi.use_empty()) statement(variable(&phi) + " = " + variable(&phi) + "_in");
    for (const Instruction& instruction : *block) {
      if (instruction.isTerminator()) write_terminator(instruction, next);
      else if (!isa<PHINode>(instruction)) write_instruction(instruction);
    }
  }
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

void function_writer::write_edge(const BasicBlock& from, const BasicBlock& to, const BasicBlock* next, const char* indent) {
  for (const PHINode& phi : to.phis()) {
    if (phi.use_empty()) continue;
    const Value* value = phi.getIncomingValueForBlock(&from);
    const std::string text = phi.getType()->isPointerTy() ? use_as(value, m_spaces.of(&phi)) : use(value);
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
  if (auto* store = dyn_cast<StoreInst>(&instruction)) return write_store(*store);
  if (auto* operation = dyn_cast<AtomicRMWInst>(&instruction)) return write_atomic(*operation);
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) return write_exchange(*exchange);
  if (auto* load = dyn_cast<LoadInst>(&instruction)) {
    if (!load->use_empty() || load->isVolatile() || load->isAtomic()) write_load(*load);
    return;
  }
  if (auto* called = dyn_cast<CallInst>(&instruction); called && called->getType()->isVoidTy()) return statement(call(*called));
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
    text = variable(exchange) + (part->getIndices()[0] == 0 ? "" : " == " + use(exchange->getCompareOperand()));
  } else if (auto* choice = dyn_cast<SelectInst>(&instruction)) {
    const bool pointer = choice->getType()->isPointerTy();
    const pointer_space space = pointer ? m_spaces.of(choice) : pointer_space::none;
    const auto side = [&](const Value* value) { return pointer ? use_as(value, space) : use(value); };
    text = use(choice->getCondition()) + " ? " + side(choice->getTrueValue()) + " : " + side(choice->getFalseValue());
  }
  statement(variable(&instruction) + " = " + text);
}

} // namespace prism::compiler
