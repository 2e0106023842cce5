// Arguments that the runtime appends to the captured block: the current values of specialisation constants,
// and the address of the output block (image::hidden_argument). Also assertions, which write text to that
// block.
//
// Constant stores write an assertion's text, in a block of its own, so that a kernel without failures does
// not execute them. One loop at the end, which all assertions of a kernel share, writes the work-item's
// numbers.
#include <bit>

#include "compiler/passes/hidden.hpp"
#include "compiler/passes/passes.hpp"
#include "compiler/support/diagnose.hpp"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr unsigned word_bytes = 4;
constexpr unsigned number_words = 5; // twenty decimal digits, the most that a 64-bit number has
constexpr unsigned capacity_at = 0, used_at = 4, failed_at = 8, text_at = 16; // image::output_header
// of an assertion's expression, file or function; longer ones are shortened
constexpr std::size_t longest_part = 200;

} // namespace

std::uint32_t offset_for(kernel_facts& facts, image::hidden_kind what, std::uint32_t bytes, Constant* key) {
  for (const hidden_fact& known : facts.hidden)
    if (known.what == what && known.key == key) return known.offset;
  constexpr std::uint32_t widest = 16;
  const std::uint32_t alignment =
      std::min(widest, std::uint32_t{1} << std::countr_zero(bytes)); // alignment of any type of that size
  const std::uint32_t offset = aligned(facts.argument_bytes, alignment);
  facts.hidden.push_back({what, offset, bytes, key});
  facts.argument_bytes = offset + bytes;
  return offset;
}

void set_pointed_bytes(kernel_facts& facts, std::uint32_t place, std::uint32_t bytes) {
  for (hidden_fact& fact : facts.hidden)
    if (fact.offset == place) fact.size = bytes;
}

Value* address_in_block(IRBuilder<>& build, Function& kernel, std::uint32_t offset) {
  return build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), kernel.getArg(0), offset);
}

SmallVector<CallInst*> calls_of(Function& kernel, StringRef name) {
  SmallVector<CallInst*> found;
  for (Instruction& instruction : instructions(kernel))
    if (auto* call = dyn_cast<CallInst>(&instruction))
      if (const Function* callee = call->getCalledFunction(); callee && callee->getName() == name)
        found.push_back(call);
  return found;
}

Value* global_id(IRBuilder<>& build, Module& module, unsigned dimension) {
  const auto ask = [&](const char* name) {
    auto* callee =
        cast<Function>(module.getOrInsertFunction(name, build.getInt64Ty(), build.getInt32Ty()).getCallee());
    callee->setDoesNotAccessMemory();
    callee->setDoesNotThrow();
    return build.CreateCall(callee, {build.getInt32(dimension)});
  };
  return build.CreateAdd(build.CreateMul(ask("__prism_group_id"), ask("__prism_local_size")),
                         ask("__prism_local_id"));
}

namespace {

Value* at_byte(IRBuilder<>& build, Value* block, std::uint64_t offset) {
  return build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), block, offset);
}

} // namespace

void store_text(IRBuilder<>& build, StringRef text, Value* at) {
  for (unsigned index = 0; index * word_bytes < text.size(); ++index) {
    std::uint32_t word = 0;
    for (unsigned i = 0; i < word_bytes && index * word_bytes + i < text.size(); ++i)
      word |= std::uint32_t{static_cast<std::uint8_t>(text[index * word_bytes + i])} << (8 * i);
    build.CreateAlignedStore(build.getInt32(word), at_byte(build, at, std::uint64_t{index} * word_bytes),
                             Align(word_bytes));
  }
}

namespace {

/// The place of a pointer to a device_global, `bytes` of which are at `key`.
std::uint32_t offset_for_global(kernel_facts& facts, std::uint32_t bytes, Constant* key) {
  constexpr std::uint32_t pointer_bytes = 8;
  const auto known = offset_for(facts, image::hidden_kind::device_global, pointer_bytes, key);
  set_pointed_bytes(facts, known, bytes);
  return known;
}

Value* output_block(IRBuilder<>& build, Function& kernel, kernel_facts& facts) {
  const std::uint32_t offset = offset_for(facts, image::hidden_kind::output, 8, nullptr);
  return build.CreateAlignedLoad(build.getPtrTy(), address_in_block(build, kernel, offset), Align(8));
}

std::string text_of(const Value* pointer) {
  StringRef text;
  if (!getConstantStringInfo(pointer, text)) return "?";
  return text.size() <= longest_part ? text.str() : text.take_front(longest_part).str() + "...";
}

/// glibc's text without the program's name, up to the work-item's numbers.
std::string assertion_text(const CallInst& call) {
  auto* line = dyn_cast<ConstantInt>(call.getArgOperand(2));
  std::string text = text_of(call.getArgOperand(1)) + ":" +
                     (line ? std::to_string(line->getZExtValue()) : "?") + ": " +
                     text_of(call.getArgOperand(3)) + ": Assertion `" + text_of(call.getArgOperand(0)) +
                     "' failed in work-item [";
  text.resize(aligned(static_cast<std::uint32_t>(text.size()), word_bytes), '\0');
  return text;
}

/// Four more decimal digits of `left`, lowest last, zero bytes where nothing is left; `lowest` is true for
/// the last word of a number, which has a digit always. Divides `left`.
Value* four_digits(IRBuilder<>& build, Value*& left, Value* lowest) {
  Value* word = build.getInt32(0);
  for (unsigned i = word_bytes; i-- > 0;) {
    Value* digit =
        build.CreateOr(build.CreateTrunc(build.CreateURem(left, build.getInt64(10)), build.getInt32Ty()),
                       build.getInt32('0'));
    Value* empty = build.CreateICmpEQ(left, build.getInt64(0));
    if (i == word_bytes - 1) empty = build.CreateAnd(empty, build.CreateNot(lowest));
    word = build.CreateOr(
        word, build.CreateShl(build.CreateSelect(empty, build.getInt32(0), digit), build.getInt32(8 * i)));
    left = build.CreateUDiv(left, build.getInt64(10));
  }
  return word;
}

constexpr unsigned field_words = number_words + 1; // and a separator
constexpr unsigned tail_words = 3 * field_words;

/// The common end of all assertions that found room: writes "x, y, z]" after their text, one word per
/// iteration.
struct assertion_tail {
  BasicBlock* block;
  PHINode* at;
};

assertion_tail make_tail(Function& kernel) {
  LLVMContext& context = kernel.getContext();
  BasicBlock* first = BasicBlock::Create(context, "assertion.numbers", &kernel);
  BasicBlock* loop = BasicBlock::Create(context, "assertion.word", &kernel);
  BasicBlock* last = BasicBlock::Create(context, "assertion.end", &kernel);
  IRBuilder<> build(first);
  PHINode* at = build.CreatePHI(build.getPtrTy(), 4);
  Value* ids[3];
  for (unsigned dimension = 0; dimension < 3; ++dimension)
    ids[dimension] = global_id(build, *kernel.getParent(), dimension);
  constexpr const char* separators[] = {", ", ", ", "]\n"};
  for (unsigned dimension = 0; dimension < 3; ++dimension)
    store_text(build, separators[dimension],
               at_byte(build, at, (dimension * field_words + number_words) * word_bytes));
  build.CreateBr(loop);
  build.SetInsertPoint(loop);
  PHINode* iteration = build.CreatePHI(build.getInt32Ty(), 2);
  PHINode* carried = build.CreatePHI(build.getInt64Ty(), 2);
  Value* dimension = build.CreateUDiv(iteration, build.getInt32(number_words));
  Value* word = build.CreateURem(iteration, build.getInt32(number_words)); // word 0 has the lowest digits
  Value* lowest = build.CreateICmpEQ(word, build.getInt32(0));
  Value* id = build.CreateSelect(
      build.CreateICmpEQ(dimension, build.getInt32(0)), ids[0],
      build.CreateSelect(build.CreateICmpEQ(dimension, build.getInt32(1)), ids[1], ids[2]));
  Value* left = build.CreateSelect(lowest, id, carried);
  Value* digits = four_digits(build, left, lowest);
  Value* index = build.CreateSub(build.CreateAdd(build.CreateMul(dimension, build.getInt32(field_words)),
                                                 build.getInt32(number_words - 1)),
                                 word);
  build.CreateAlignedStore(digits, build.CreateInBoundsGEP(build.getInt32Ty(), at, index), Align(word_bytes));
  Value* next = build.CreateAdd(iteration, build.getInt32(1));
  iteration->addIncoming(build.getInt32(0), first);
  iteration->addIncoming(next, loop);
  carried->addIncoming(build.getInt64(0), first);
  carried->addIncoming(left, loop);
  build.CreateCondBr(build.CreateICmpEQ(next, build.getInt32(3 * number_words)), last, loop);
  build.SetInsertPoint(last);
  build.CreateRetVoid();
  return {first, at};
}

/// Ends `block` with a jump to `next` if `condition` holds, else to `end`. `build` continues in `next`.
void go_on_if(IRBuilder<>& build, Value* condition, BasicBlock* next, BasicBlock* end) {
  build.CreateCondBr(condition, next, end);
  build.SetInsertPoint(next);
}

void report_assertion(CallInst& call, kernel_facts& facts, const assertion_tail& tail, BasicBlock* end) {
  Function& kernel = *call.getFunction();
  const std::string text = assertion_text(call);
  const auto bytes = static_cast<std::uint32_t>(text.size() + tail_words * word_bytes);
  BasicBlock* block = call.getParent();
  block->splitBasicBlock(&call); // the code after the call is unreachable
  block->getTerminator()->eraseFromParent();
  BasicBlock* reserve = BasicBlock::Create(kernel.getContext(), "assertion.place", &kernel, tail.block);
  BasicBlock* write = BasicBlock::Create(kernel.getContext(), "assertion.text", &kernel, tail.block);
  IRBuilder<> build(block);
  Value* output = output_block(build, kernel, facts);
  Value* used = at_byte(build, output, used_at);
  build.CreateAlignedStore(build.getInt32(1), at_byte(build, output, failed_at), Align(word_bytes));
  Value* capacity =
      build.CreateAlignedLoad(build.getInt32Ty(), at_byte(build, output, capacity_at), Align(word_bytes));
  LoadInst* so_far = build.CreateAlignedLoad(build.getInt32Ty(), used, Align(word_bytes));
  so_far->setAtomic(AtomicOrdering::Monotonic);
  go_on_if(build, build.CreateICmpULE(so_far, capacity), reserve,
           end); // otherwise `used` would wrap around eventually
  Value* begin = build.CreateAtomicRMW(AtomicRMWInst::Add, used, build.getInt32(bytes), Align(word_bytes),
                                       AtomicOrdering::Monotonic);
  Value* needed = build.CreateAdd(build.CreateZExt(begin, build.getInt64Ty()), build.getInt64(bytes));
  go_on_if(build, build.CreateICmpULE(needed, build.CreateZExt(capacity, build.getInt64Ty())), write, end);
  Value* at = build.CreateGEP(build.getInt8Ty(), at_byte(build, output, text_at),
                              build.CreateZExt(begin, build.getInt64Ty()));
  store_text(build, text, at);
  Value* behind = at_byte(build, at, text.size());
  build.CreateBr(tail.block);
  tail.at->addIncoming(behind, write);
}

/// The object in the module that gets the kernel's table. When device code is linked, the object is one of
/// another file.
GlobalVariable* key_in(Module& host, const GlobalVariable& id) {
  if (GlobalVariable* known = host.getNamedGlobal(id.getName())) return known;
  return new GlobalVariable(host, id.getValueType(), id.isConstant(), GlobalValue::ExternalWeakLinkage,
                            nullptr, id.getName());
}

} // namespace

void lower_assertions(Function& kernel, kernel_facts& facts) {
  const SmallVector<CallInst*> failures = calls_of(kernel, "__assert_fail");
  if (failures.empty()) return;
  const assertion_tail tail = make_tail(kernel);
  BasicBlock* end = BasicBlock::Create(kernel.getContext(), "assertion.lost", &kernel);
  IRBuilder<>(end).CreateRetVoid();
  for (CallInst* call : failures) report_assertion(*call, facts, tail, end);
  removeUnreachableBlocks(kernel);
}

void lower_hidden_arguments(Function& kernel, Module& host, kernel_facts& facts) {
  for (CallInst* call : calls_of(kernel, "__prism_specialization_constant")) {
    auto* id = dyn_cast<GlobalVariable>(call->getArgOperand(0)->stripPointerCasts());
    auto* bytes = dyn_cast<ConstantInt>(call->getArgOperand(1));
    GlobalVariable* key = id ? key_in(host, *id) : nullptr;
    if (!key || !bytes || bytes->isZero()) continue; // front/check.cpp reports it
    IRBuilder<> build(call);
    const std::uint32_t offset =
        offset_for(facts, image::hidden_kind::specialization_constant, bytes->getZExtValue(), key);
    call->replaceAllUsesWith(address_in_block(build, kernel, offset));
    call->eraseFromParent();
  }
  for (CallInst* call : calls_of(kernel, "__prism_device_global")) {
    auto* object = dyn_cast<GlobalVariable>(call->getArgOperand(0)->stripPointerCasts());
    auto* bytes = dyn_cast<ConstantInt>(call->getArgOperand(1));
    GlobalVariable* key = object ? key_in(host, *object) : nullptr;
    if (!key || !bytes || bytes->isZero()) continue; // front/check.cpp reports it
    IRBuilder<> build(call);
    const std::uint32_t offset =
        offset_for_global(facts, static_cast<std::uint32_t>(bytes->getZExtValue()), key);
    call->replaceAllUsesWith(
        build.CreateAlignedLoad(build.getPtrTy(), address_in_block(build, kernel, offset), Align(8)));
    call->eraseFromParent();
  }
  for (CallInst* call : calls_of(kernel, "__prism_output")) {
    IRBuilder<> build(call);
    call->replaceAllUsesWith(output_block(build, kernel, facts));
    call->eraseFromParent();
  }
}

} // namespace prism::compiler
