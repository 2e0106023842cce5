#include "compiler/workgroup/row_strips.hpp"

#include <optional>

#include "compiler/device_ir/loop_facts.hpp"
#include "compiler/workgroup/group_range.hpp"
#include "compiler/workgroup/lanes.hpp"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace prism::compiler {
using namespace llvm;
using namespace PatternMatch;

namespace {

constexpr std::uint64_t shortest_row = 32; // work-items of a row; a strip costs about as much as two vectors
constexpr std::size_t most_in_rows = 400;  // instructions of a loop that is split
constexpr std::size_t most_row_loops = 24; // of a kernel; with more of them compilation would take too long
constexpr unsigned most_splits = 2;        // of one loop: `k % (w * h) / w` divides a remainder

/// Part of an id: its quotient or its remainder by a divisor, or the first id of its row.
struct id_part {
  Instruction* operation; // of the id, its first operand
  Value *id, *divisor;
  bool counts_up, is_signed;
};

/// Bit operations stand for powers of two. The divisor is a constant of at least `shortest_row`, or unknown.
std::optional<id_part> part_of_id(Instruction& instruction) {
  Type* type = instruction.getType();
  if (!type->isIntegerTy(32) && !type->isIntegerTy(64)) return std::nullopt;
  Value *id, *divisor;
  const APInt* bits;
  std::optional<id_part> found;
  if (match(&instruction, m_SDiv(m_Value(id), m_Value(divisor))))
    found = {&instruction, id, divisor, false, true};
  else if (match(&instruction, m_UDiv(m_Value(id), m_Value(divisor))))
    found = {&instruction, id, divisor, false, false};
  else if (match(&instruction, m_SRem(m_Value(id), m_Value(divisor))))
    found = {&instruction, id, divisor, true, true};
  else if (match(&instruction, m_URem(m_Value(id), m_Value(divisor))))
    found = {&instruction, id, divisor, true, false};
  else if (match(&instruction, m_Shr(m_Value(id), m_APInt(bits))) && bits->ult(31))
    found = {&instruction, id, ConstantInt::get(type, std::uint64_t(1) << bits->getZExtValue()), false,
             instruction.getOpcode() == Instruction::AShr};
  else if (match(&instruction, m_And(m_Value(id), m_APInt(bits))) && bits->isMask() &&
           bits->countr_one() < 31)
    found = {&instruction, id, ConstantInt::get(type, *bits + 1), true, false};
  else if (match(&instruction, m_And(m_Value(id), m_APInt(bits))) && !bits->isZero() &&
           bits->countr_zero() < 31)
    found = {&instruction, id, ConstantInt::get(type, std::uint64_t(1) << bits->countr_zero()), false, false};
  auto* known = found ? dyn_cast<ConstantInt>(found->divisor) : nullptr;
  if (!found || (known && (known->isNegative() || known->getValue().ult(shortest_row)))) return std::nullopt;
  return found;
}

/// Whether addresses or branches depend on the value.
bool steers_accesses(const Instruction& from) {
  SmallPtrSet<const Instruction*, 16> seen;
  SmallVector<const Instruction*> work{&from};
  while (!work.empty())
    for (const User* user : work.pop_back_val()->users()) {
      if (isa<GetElementPtrInst, ICmpInst, SwitchInst>(user)) return true;
      if (isa<BinaryOperator, CastInst>(user) && seen.insert(cast<Instruction>(user)).second)
        work.push_back(cast<Instruction>(user));
    }
  return false;
}

class row_split {
public:
  row_split(Loop& loop, ScalarEvolution& evolution)
      : m_loop(loop), m_evolution(evolution), m_before(loop.getLoopPreheader()), m_header(loop.getHeader()),
        m_latch(loop.getLoopLatch()), m_after(loop.getUniqueExitBlock()) {}

  bool find() {
    if (!find_counter()) return false;
    SCEVExpander expander = expander_for(m_evolution, *m_header->getModule(), "row");
    std::size_t size = 0;
    bool steers = false;
    for (BasicBlock* block : m_loop.blocks())
      for (Instruction& instruction : *block) {
        auto* call = dyn_cast<CallInst>(&instruction);
        if (++size > most_in_rows || (call && call->cannotDuplicate()) ||
            any_of(instruction.users(),
                   [&](const User* user) { return !m_loop.contains(cast<Instruction>(user)); }))
          return false;
        const auto part = part_of_id(instruction);
        const SCEVAddRecExpr* id = part ? counts_up(*part->id) : nullptr;
        if (!id || !m_loop.isLoopInvariant(part->divisor) ||
            !expander.isSafeToExpandAt(id->getStart(), m_before->getTerminator()))
          continue;
        m_parts.push_back(*part);
        steers |= steers_accesses(instruction);
      }
    return steers;
  }

  /// before: br serves, strip, plain; strip: its end; copy of the loop; strip_end: br strip, after. Returns
  /// the latch of the copy.
  BasicBlock* split() {
    LLVMContext& context = m_header->getContext();
    Function& function = *m_header->getParent();
    BasicBlock* const strip = BasicBlock::Create(context, "strip", &function, m_header);
    BasicBlock* const strip_end = BasicBlock::Create(context, "strip.end", &function, m_header);
    BasicBlock* const plain = BasicBlock::Create(context, "strip.none", &function, m_header);
    Value* begin = m_lane->getIncomingValueForBlock(m_before);
    const SmallVector<Value*> starts = starts_of_ids();
    IRBuilder<> build(m_before->getTerminator());
    build.CreateCondBr(build.CreateFreeze(serves(build, starts, begin)), strip, plain);
    m_before->getTerminator()->eraseFromParent();
    IRBuilder<>(plain).CreateBr(m_header);
    m_header->replacePhiUsesWith(m_before, plain);

    IRBuilder<> outer(strip);
    PHINode* first = outer.CreatePHI(m_lane->getType(), 2, "first");
    first->addIncoming(begin, m_before);
    SmallVector<Value*> results;
    Value* length = outer.CreateSub(m_end, first);
    for (const auto& [part, start] : zip_equal(m_parts, starts)) {
      Type* type = part.id->getType();
      Value* id = outer.CreateAdd(start, outer.CreateTrunc(outer.CreateSub(first, begin), type));
      Instruction* at_first = outer.Insert(part.operation->clone());
      at_first->setOperand(0, id);
      results.push_back(at_first);
      Value* passed = outer.CreateURem(id, part.divisor);
      Value* rest = outer.CreateZExt(outer.CreateSub(part.divisor, passed), m_lane->getType());
      length = outer.CreateBinaryIntrinsic(Intrinsic::umin, length, rest);
    }
    Value* stop = outer.CreateAdd(first, length, "stop", true, true);
    first->addIncoming(stop, strip_end);
    BasicBlock* const latch = copy_loop(*strip, *strip_end, *first, *stop, results);
    IRBuilder<> ends(strip_end);
    ends.CreateCondBr(ends.CreateICmpULT(stop, m_end), strip, m_after);
    return latch;
  }

private:
  bool find_counter() {
    if (!m_before || !m_latch || !m_after || m_loop.getExitingBlock() != m_latch ||
        !m_after->phis().empty() || !hasSingleElement(m_header->phis()) ||
        !isa<BranchInst>(m_before->getTerminator()))
      return false;
    m_lane = &*m_header->phis().begin();
    auto* leaves = dyn_cast<BranchInst>(m_latch->getTerminator());
    auto* test = leaves && leaves->isConditional() ? dyn_cast<ICmpInst>(leaves->getCondition()) : nullptr;
    Value* next = m_lane->getIncomingValueForBlock(m_latch);
    if (!test || !m_lane->getType()->isIntegerTy(64) || !match(next, m_Add(m_Specific(m_lane), m_One())) ||
        test->getOperand(0) != next || !m_loop.isLoopInvariant(test->getOperand(1)) || !test->hasOneUse())
      return false;
    const auto goes_on =
        leaves->getSuccessor(0) == m_header ? test->getPredicate() : test->getInversePredicate();
    m_end = test->getOperand(1);
    return (goes_on == CmpInst::ICMP_ULT || goes_on == CmpInst::ICMP_NE) &&
           all_of(next->users(), [&](const User* user) { return user == m_lane || user == test; });
  }

  const SCEVAddRecExpr* counts_up(Value& id) const {
    auto* counter = dyn_cast<SCEVAddRecExpr>(m_evolution.getSCEV(&id));
    return counter && counter->getLoop() == &m_loop && counter->isAffine() &&
                   counter->getStepRecurrence(m_evolution)->isOne()
               ? counter
               : nullptr;
  }

  SmallVector<Value*> starts_of_ids() {
    SCEVExpander expander = expander_for(m_evolution, *m_header->getModule(), "row");
    SmallVector<Value*> starts;
    for (const id_part& part : m_parts)
      starts.push_back(expander.expandCodeFor(counts_up(*part.id)->getStart(), part.id->getType(),
                                              m_before->getTerminator()->getIterator()));
    return starts;
  }

  /// No id wraps around or is negative, and rows are long enough.
  Value* serves(IRBuilder<>& build, ArrayRef<Value*> starts, Value* begin) {
    Value *all = build.getTrue(),
          *steps = build.CreateSub(build.CreateSub(m_end, begin), ConstantInt::get(m_end->getType(), 1));
    for (const auto& [part, start] : zip_equal(m_parts, starts)) {
      Type* type = part.id->getType();
      Value *last = build.CreateAdd(start, build.CreateTrunc(steps, type)),
            *limit = ConstantInt::get(type, shortest_row);
      all = build.CreateAnd(
          all, build.CreateICmp(part.is_signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE, last, start));
      if (part.is_signed) all = build.CreateAnd(all, build.CreateICmpSGE(start, ConstantInt::get(type, 0)));
      if (type->isIntegerTy(32))
        all = build.CreateAnd(all, build.CreateICmpULE(steps, build.getInt64(INT32_MAX)));
      all = build.CreateAnd(
          all, build.CreateICmp(part.is_signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE, part.divisor, limit));
    }
    return all;
  }

  /// A copy that counts from `first` to `stop`; `results` are the parts' values at the first work-item.
  BasicBlock* copy_loop(BasicBlock& strip, BasicBlock& strip_end, Value& first, Value& stop,
                        ArrayRef<Value*> results) {
    LLVMContext& context = m_header->getContext();
    ValueToValueMapTy map;
    SmallVector<BasicBlock*> copies;
    for (BasicBlock* block : m_loop.blocks()) {
      BasicBlock* copied = CloneBasicBlock(block, map, ".strip", m_header->getParent());
      copied->moveBefore(&strip_end);
      map[block] = copied;
      copies.push_back(copied);
    }
    map[m_after] = &strip_end;
    for (BasicBlock* block : copies)
      for (Instruction& instruction : *block)
        RemapInstruction(&instruction, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    auto* lane = cast<PHINode>(map[m_lane]);
    for (unsigned i : {0u, 1u}) {
      if (is_contained(copies, lane->getIncomingBlock(i))) continue;
      lane->setIncomingBlock(i, &strip);
      lane->setIncomingValue(i, &first);
    }
    auto* leaves = cast<BranchInst>(cast<BasicBlock>(map[m_latch])->getTerminator());
    cast<ICmpInst>(leaves->getCondition())->setOperand(1, &stop);
    for (const auto& [part, at_first] : zip_equal(m_parts, results)) {
      auto* operation = cast<Instruction>(map[part.operation]);
      IRBuilder<> build(operation);
      Value* passed = build.CreateTrunc(build.CreateSub(lane, &first, "", true, true), operation->getType());
      operation->replaceAllUsesWith(part.counts_up ? build.CreateAdd(at_first, passed, "", true, true)
                                                   : at_first);
      operation->eraseFromParent();
    }
    IRBuilder<>(&strip).CreateBr(cast<BasicBlock>(map[m_header]));
    SmallVector<Metadata*> properties{nullptr};
    for (const MDOperand& known : drop_begin(m_loop.getLoopID()->operands())) properties.push_back(known);
    MDNode* name = MDNode::getDistinct(context, properties);
    name->replaceOperandWith(0, name);
    leaves->setMetadata(LLVMContext::MD_loop, name);
    return leaves->getParent();
  }

  Loop& m_loop;
  ScalarEvolution& m_evolution;
  BasicBlock *m_before, *m_header, *m_latch, *m_after;
  PHINode* m_lane = nullptr;
  Value* m_end = nullptr;
  SmallVector<id_part> m_parts;
};

/// `first + t` in 32 bits, then extended to an address. LLVM does not know that the sum does not wrap around
/// within a strip, and gathers: the strip ends where it would, and the sum is extended first.
void widen_sums(Loop& loop, ScalarEvolution& evolution) {
  BasicBlock* const before = loop.getLoopPreheader();
  auto* lane = &*loop.getHeader()->phis().begin();
  auto* leaves = cast<BranchInst>(loop.getLoopLatch()->getTerminator());
  auto* stop = dyn_cast<BinaryOperator>(cast<ICmpInst>(leaves->getCondition())->getOperand(1));
  if (!before || !stop || stop->getParent() != before) return;
  Value* const first = lane->getIncomingValueForBlock(before);
  // behind what the starts of sums are computed of
  stop->moveBefore(*before, before->getTerminator()->getIterator());
  SCEVExpander expander = expander_for(evolution, *before->getModule(), "sum");
  SmallVector<CastInst*> wide;
  for (BasicBlock* block : loop.blocks())
    for (Instruction& instruction : *block)
      if (isa<SExtInst, ZExtInst>(instruction) && instruction.getType()->isIntegerTy(64) &&
          instruction.getOperand(0)->getType()->isIntegerTy(32) && steers_accesses(instruction))
        wide.push_back(cast<CastInst>(&instruction));
  for (CastInst* each : wide) {
    auto* sum = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(each->getOperand(0)));
    if (!sum || sum->getLoop() != &loop || !sum->getStepRecurrence(evolution)->isOne() ||
        !expander.isSafeToExpandAt(sum->getStart(), before->getTerminator()))
      continue;
    IRBuilder<> outside(stop);
    Value *start = expander.expandCodeFor(sum->getStart(), nullptr, stop->getIterator()),
          *greatest = outside.getInt32(isa<SExtInst>(each) ? std::uint32_t(INT32_MAX) : UINT32_MAX),
          *rest = outside.CreateZExt(outside.CreateSub(greatest, start), stop->getType());
    stop->setOperand(1, outside.CreateBinaryIntrinsic(Intrinsic::umin, stop->getOperand(1),
                                                      outside.CreateAdd(rest, outside.getInt64(1))));
    Value* from = outside.CreateCast(each->getOpcode(), start, each->getType());
    IRBuilder<> inside(each);
    each->replaceAllUsesWith(
        inside.CreateAdd(from, inside.CreateSub(lane, first, "", true, true), "", false, true));
    evolution.forgetValue(each);
    each->eraseFromParent();
  }
}

/// A value of the work-item's id, or computed of it by sums and products.
bool is_of_id(Value* value) {
  SmallVector<Value*> open{value};
  SmallPtrSet<Value*, 16> seen;
  while (!open.empty()) {
    auto* instruction = dyn_cast<Instruction>(open.pop_back_val());
    if (!instruction || !seen.insert(instruction).second) continue;
    auto* call = dyn_cast<CallInst>(instruction);
    if (call && call->getCalledFunction() && call->getCalledFunction()->getName() == "__prism_local_id")
      return true;
    if (isa<BinaryOperator, CastInst>(instruction)) append_range(open, instruction->operands());
  }
  return false;
}

} // namespace

bool divides_ids(Function& kernel) {
  return any_of(instructions(kernel), [](Instruction& instruction) {
    const auto part = part_of_id(instruction);
    return part && is_of_id(part->id) && steers_accesses(instruction);
  });
}

bool split_rows(Function& function) {
  SmallPtrSet<BasicBlock*, 8> latches; // of strips
  for (unsigned i = 0; i < most_splits; ++i) {
    loop_facts facts(function);
    SmallVector<std::unique_ptr<row_split>> found;
    for (Loop* loop : facts.loops.getLoopsInPreorder()) {
      if (!is_lane_loop(*loop) || !loop->isInnermost() || (i != 0 && !latches.contains(loop->getLoopLatch())))
        continue;
      auto made = std::make_unique<row_split>(*loop, facts.evolution);
      if (made->find()) found.push_back(std::move(made));
    }
    if (found.empty() || found.size() > most_row_loops) break;
    for (const auto& each : found) latches.insert(each->split()); // loops that share no block
  }
  if (latches.empty()) return false;
  loop_facts facts(function);
  for (Loop* loop : facts.loops.getLoopsInPreorder())
    if (loop->isInnermost() && latches.contains(loop->getLoopLatch())) widen_sums(*loop, facts.evolution);
  return true;
}

} // namespace prism::compiler
