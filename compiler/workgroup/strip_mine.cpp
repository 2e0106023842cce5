#include "compiler/workgroup/strip_mine.hpp"

#include <optional>

#include "compiler/workgroup/lanes.hpp"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace prism::compiler {
using namespace llvm;
using namespace PatternMatch;

namespace {

constexpr std::uint64_t vector = 8; // work-items of a strip: vectors of this many floats
/// A smaller strip that is one vector. A strip of two would become a loop that LLVM does not vectorise.
constexpr std::uint64_t half = 4;
constexpr std::size_t most_in_strips = 400; // instructions of a loop that is copied

/// A bit operation on the id: and, or, xor with `bits`, which is the same for all work-items.
struct masked_id {
  BinaryOperator* operation;
  Value* bits;
  // `bits` seems to end in ones, so the result counts up in a strip; otherwise it ends in zeros
  bool keeps_low;
};

class lane_strips {
public:
  explicit lane_strips(Loop& loop) : m_loop(loop) {}

  bool find() {
    m_before = m_loop.getLoopPreheader();
    m_header = m_loop.getHeader();
    m_latch = m_loop.getLoopLatch();
    m_after = m_loop.getUniqueExitBlock();
    m_lane = m_loop.getCanonicalInductionVariable();
    if (!m_before || !m_latch || !m_after || !m_lane || m_loop.getExitingBlock() != m_latch ||
        !m_lane->getType()->isIntegerTy(64))
      return false;
    if (!m_after->phis().empty() || !hasSingleElement(m_header->phis()) ||
        !isa<BranchInst>(m_before->getTerminator()))
      return false;
    m_next = cast<Instruction>(m_lane->getIncomingValueForBlock(m_latch));
    auto* leaves = cast<BranchInst>(m_latch->getTerminator());
    auto* test = dyn_cast<ICmpInst>(leaves->getCondition());
    if (!test || test->getOperand(0) != m_next || !m_loop.isLoopInvariant(test->getOperand(1))) return false;
    const auto goes_on =
        leaves->getSuccessor(0) == m_header ? test->getPredicate() : test->getInversePredicate();
    if (goes_on != CmpInst::ICMP_ULT && goes_on != CmpInst::ICMP_NE) return false;
    m_count = test->getOperand(1);
    if (!all_of(m_next->users(), [&](const User* user) { return user == m_lane || user == test; }) ||
        !test->hasOneUse())
      return false;
    std::size_t size = 0;
    for (BasicBlock* block : m_loop.blocks())
      for (Instruction& instruction : *block) {
        if (++size > most_in_strips ||
            (isa<CallInst>(instruction) && cast<CallInst>(instruction).cannotDuplicate()))
          return false;
        if (const auto found = masked(instruction); found && makes_address(instruction))
          m_masked.push_back(*found);
        if (any_of(instruction.users(),
                   [&](const User* user) { return !m_loop.contains(cast<Instruction>(user)); }))
          return false;
      }
    return !m_masked.empty();
  }

  void split() {
    LLVMContext& context = m_header->getContext();
    BasicBlock* const plain = BasicBlock::Create(context, "runs.none", m_header->getParent(), m_header);
    // The length of the strips, and whether it is suitable.
    IRBuilder<> build(m_before->getTerminator());
    Value* length = nullptr;
    for (const masked_id& each : m_masked) {
      Value* of_this = build.CreateZExt(lowest_bit(build, each), build.getInt64Ty());
      length = length ? build.CreateBinaryIntrinsic(Intrinsic::umin, length, of_this) : of_this;
    }
    Value* whole = build.CreateICmpEQ(build.CreateAnd(m_count, build.CreateSub(length, build.getInt64(1))),
                                      build.getInt64(0));
    Value* vectors =
        // shows LLVM that vectors of 8 leave no remainder
        build.CreateAnd(length, build.getInt64(~(vector - 1)));
    m_before->getTerminator()->eraseFromParent();
    BasicBlock* from = m_before;
    const auto choose = [&](CmpInst::Predicate how, std::uint64_t limit, Value* strip_length, bool is_short) {
      IRBuilder<> here(from);
      Value* serves = here.CreateAnd(here.CreateICmp(how, length, here.getInt64(limit)), whole);
      BasicBlock* const next = BasicBlock::Create(context, "runs.other", m_header->getParent(), plain);
      here.CreateCondBr(serves, copy(from, strip_length, is_short, next), next);
      from = next;
    };
    choose(CmpInst::ICMP_UGE, vector, vectors, false);
    choose(CmpInst::ICMP_EQ, half, build.getInt64(half), true);
    IRBuilder<>(from).CreateBr(plain);
    IRBuilder<>(plain).CreateBr(m_header);
    m_header->replacePhiUsesWith(m_before, plain);
  }

private:
  /// A copy of the loop in strips of `length`, inserted before `place`. Returns its first block, for a branch
  /// from `from`.
  BasicBlock* copy(BasicBlock* from, Value* length, bool is_short, BasicBlock* place) {
    LLVMContext& context = m_header->getContext();
    Function& function = *m_header->getParent();
    BasicBlock* const strip = BasicBlock::Create(context, "run", &function, place);
    BasicBlock* const strip_end = BasicBlock::Create(context, "run.end", &function, place);
    IRBuilder<> outer(strip);
    PHINode* first = outer.CreatePHI(outer.getInt64Ty(), 2, "first");
    first->addIncoming(outer.getInt64(0), from);

    ValueToValueMapTy map;
    SmallVector<BasicBlock*> copies;
    for (BasicBlock* block : m_loop.blocks()) {
      BasicBlock* copied = CloneBasicBlock(block, map, ".run", &function);
      copied->moveBefore(place);
      map[block] = copied;
      copies.push_back(copied);
    }
    map[m_after] = strip_end;
    map[m_before] = strip;
    for (BasicBlock* block : copies)
      for (Instruction& instruction : *block)
        RemapInstruction(&instruction, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);

    // The copy counts within the strip; its id is the strip's first plus that count.
    auto* within = cast<PHINode>(map[m_lane]);
    auto* next = cast<Instruction>(map[m_next]);
    IRBuilder<> inside(&*cast<BasicBlock>(map[m_header])->getFirstInsertionPt());
    Value* id = inside.CreateAdd(within, first, "id", true, true);
    within->replaceUsesWithIf(id,
                              [&](const Use& use) { return use.getUser() != id && use.getUser() != next; });
    auto* test =
        cast<ICmpInst>(cast<BranchInst>(cast<BasicBlock>(map[m_latch])->getTerminator())->getCondition());
    test->setOperand(1, length);
    for (const masked_id& each : m_masked) {
      auto* operation = cast<BinaryOperator>(map[each.operation]);
      Type* type = operation->getType();
      Value* shared =
          outer.CreateBinOp(each.operation->getOpcode(), outer.CreateTrunc(first, type), each.bits);
      IRBuilder<> here(operation);
      const bool counts = each.keeps_low || each.operation->getOpcode() != Instruction::And;
      operation->replaceAllUsesWith(counts ? here.CreateAdd(shared, here.CreateTrunc(within, type)) : shared);
      operation->eraseFromParent();
    }
    outer.CreateBr(cast<BasicBlock>(map[m_header]));
    IRBuilder<> ends(strip_end);
    Value* following = ends.CreateAdd(first, length, "following", true, true);
    first->addIncoming(following, strip_end);
    ends.CreateCondBr(ends.CreateICmpULT(following, m_count), strip, m_after);

    SmallVector<Metadata*> properties{nullptr};
    for (const MDOperand& known : drop_begin(m_loop.getLoopID()->operands())) properties.push_back(known);
    if (is_short)
      properties.push_back(MDNode::get(
          context, MDString::get(context, "llvm.loop.unroll.disable"))); // one vector, not its elements
    MDNode* name = MDNode::getDistinct(context, properties);
    name->replaceOperandWith(0, name);
    cast<BasicBlock>(map[m_latch])->getTerminator()->setMetadata(LLVMContext::MD_loop, name);
    return strip;
  }

  bool is_id(Value* value) const {
    return value == m_lane ||
           (value->getType()->isIntegerTy(32) && match(value, m_Trunc(m_Specific(m_lane))));
  }

  std::optional<masked_id> masked(Instruction& instruction) const {
    auto* operation = dyn_cast<BinaryOperator>(&instruction);
    if (!operation ||
        (operation->getOpcode() != Instruction::And && operation->getOpcode() != Instruction::Or &&
         operation->getOpcode() != Instruction::Xor))
      return std::nullopt;
    for (unsigned side : {0, 1}) {
      Value* bits = operation->getOperand(1 - side);
      if (!is_id(operation->getOperand(side)) || isa<Constant>(bits) || !m_loop.isLoopInvariant(bits))
        continue;
      return masked_id{operation, bits,
                       operation->getOpcode() == Instruction::And &&
                           match(bits, m_Add(m_Value(), m_AllOnes()))};
    }
    return std::nullopt;
  }

  /// The longest strips in which the result is constant or counts up: the value of the lowest bit that ends
  /// them, 0 if there is none.
  static Value* lowest_bit(IRBuilder<>& build, const masked_id& each) {
    Value* bits = each.keeps_low ? build.CreateNot(each.bits) : each.bits;
    return build.CreateAnd(bits, build.CreateNeg(bits));
  }

  bool makes_address(const Instruction& from) const {
    SmallPtrSet<const Instruction*, 16> seen;
    SmallVector<const Instruction*> work{&from};
    while (!work.empty())
      for (const User* user : work.pop_back_val()->users()) {
        if (isa<GetElementPtrInst>(user)) return true;
        if (isa<BinaryOperator, CastInst>(user) && seen.insert(cast<Instruction>(user)).second)
          work.push_back(cast<Instruction>(user));
      }
    return false;
  }

  Loop& m_loop;
  BasicBlock *m_before = nullptr, *m_header = nullptr, *m_latch = nullptr, *m_after = nullptr;
  PHINode* m_lane = nullptr;
  Instruction* m_next = nullptr;
  Value* m_count = nullptr;
  SmallVector<masked_id> m_masked;
};

} // namespace

bool strip_mine(Function& group) {
  DominatorTree dominators(group);
  LoopInfo loops(dominators);
  SmallVector<std::unique_ptr<lane_strips>> found;
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (!is_lane_loop(*loop) || !loop->isInnermost()) continue;
    auto strips = std::make_unique<lane_strips>(*loop);
    if (strips->find()) found.push_back(std::move(strips));
  }
  for (const auto& strips : found) strips->split(); // loops that share no block; each has its own facts
  return !found.empty();
}

} // namespace prism::compiler
