#include "compiler/workgroup/lanes.hpp"

#include "compiler/device_ir/dimensions.hpp"
#include "compiler/workgroup/work_group.hpp"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr const char* lane_loop_name = "prism.lanes";

MDNode* lane_loop_id(LLVMContext& context, const MDNode* known) {
  SmallVector<Metadata*> properties{nullptr, MDNode::get(context, {MDString::get(context, lane_loop_name)})};
  if (known)
    for (const MDOperand& each : drop_begin(known->operands())) properties.push_back(each);
  MDNode* id = MDNode::getDistinct(context, properties);
  id->replaceOperandWith(0, id);
  return id;
}

} // namespace

void mark_lane_loop(Loop& loop) {
  loop.setLoopID(lane_loop_id(loop.getHeader()->getContext(), loop.getLoopID()));
}

void leave_scalar(lane_loop& loop) {
  LLVMContext& context = loop.body->getContext();
  const auto property = [&](const char* name, unsigned value) {
    return MDNode::get(context, {MDString::get(context, name),
                                 ConstantAsMetadata::get(IRBuilder<>(context).getInt32(value))});
  };
  MDNode* id = MDNode::getDistinct(
      context, {nullptr, property("llvm.loop.vectorize.width", 1), property("llvm.loop.interleave.count", 1),
                MDNode::get(context, {MDString::get(context, "llvm.loop.unroll.disable")})});
  id->replaceOperandWith(0, id);
  loop.latch->getTerminator()->setMetadata(LLVMContext::MD_loop, id);
}

bool is_lane_loop(const Loop& loop) {
  const MDNode* id = loop.getLoopID();
  const BasicBlock* latch = loop.getLoopLatch();
  // The loop's id is at the latch, which an outer loop may share; it belongs to the innermost loop.
  if (any_of(loop.getSubLoops(), [&](const Loop* inner) { return inner->getLoopLatch() == latch; }))
    return false;
  return id && any_of(drop_begin(id->operands()), [](const MDOperand& operand) {
    auto* property = dyn_cast<MDNode>(operand);
    auto* name =
        property && property->getNumOperands() == 1 ? dyn_cast<MDString>(property->getOperand(0)) : nullptr;
    return name && name->getString() == lane_loop_name;
  });
}

group_frame::group_frame(Function& group, std::uint32_t sub_group_size)
    : m_group(group), m_entry(BasicBlock::Create(group.getContext(), "entry", &group)),
      m_sub_group_size(sub_group_size), m_dimensions(used_dimensions(group)) {
  for (unsigned d = 0; d < 3; ++d)
    m_size[d] = d < m_dimensions ? ask("__prism_local_size", m_entry.getInt64Ty(), {m_entry.getInt32(d)})
                                 : m_entry.getInt64(1);
  m_items = m_entry.CreateNUWMul(m_entry.CreateNUWMul(m_size[2], m_size[1]), m_size[0], "items");
}

BasicBlock* group_frame::block(const char* name) {
  return BasicBlock::Create(m_group.getContext(), name, &m_group);
}

AllocaInst* group_frame::variable(Type* type, const char* name) {
  BasicBlock& first = m_group.getEntryBlock();
  return IRBuilder<>(&first, first.begin()).CreateAlloca(type, nullptr, name);
}

Value* group_frame::ask(const char* name, Type* type, ArrayRef<Value*> arguments) {
  std::string key = name;
  SmallVector<Type*> types;
  for (Value* argument : arguments) {
    types.push_back(argument->getType());
    key += ":" + std::to_string(cast<ConstantInt>(argument)->getZExtValue());
  }
  Value*& known = m_asked[key];
  if (known) return known;
  FunctionCallee callee =
      m_group.getParent()->getOrInsertFunction(name, FunctionType::get(type, types, false));
  auto* function = cast<Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  CallInst* call = m_entry.CreateCall(callee, arguments);
  if (StringRef(name) == "__prism_local_size") // no loop over work-items is endless
    call->setMetadata(
        LLVMContext::MD_range,
        MDBuilder(call->getContext()).createRange(APInt(64, 1), APInt(64, most_local_items + 1)));
  return known = call;
}

lane_loop group_frame::loop_from(BasicBlock* from) {
  return sub_group.size ? loop_over_sub_group(from) : loop_over_group(from);
}

/// do { } while (++index < size), once for each dimension: no size is zero.
lane_loop group_frame::loop_over_group(BasicBlock* from) {
  lane_loop made;
  const int outermost = static_cast<int>(m_dimensions) - 1;
  BasicBlock *heads[3], *latches[3];
  PHINode* index[3];
  BasicBlock* before = from;
  for (Value*& id : made.id) id = m_entry.getInt64(0);
  for (int d = outermost; d >= 0; --d) {
    heads[d] = block(d == 0 ? "item" : d == 1 ? "row" : "plane");
    IRBuilder<>(before).CreateBr(heads[d]);
    IRBuilder<> build(heads[d]);
    index[d] = build.CreatePHI(build.getInt64Ty(), 2, d == 0 ? "x" : d == 1 ? "y" : "z");
    index[d]->addIncoming(build.getInt64(0), before);
    made.id[d] = index[d];
    before = heads[d];
  }
  for (int d = 0; d <= outermost; ++d) latches[d] = block("next");
  for (int d = 0; d <= outermost; ++d) {
    made.after = d == outermost ? block("after") : latches[d + 1];
    IRBuilder<> build(latches[d]);
    Value* next = build.CreateAdd(index[d], build.getInt64(1), "", true, true);
    index[d]->addIncoming(next, latches[d]);
    BranchInst* back = build.CreateCondBr(build.CreateICmpULT(next, m_size[d]), heads[d], made.after);
    if (d == 0) back->setMetadata(LLVMContext::MD_loop, lane_loop_id(back->getContext(), nullptr));
  }
  IRBuilder<> item(heads[0]);
  made.item = index[0];
  if (outermost > 0) {
    IRBuilder<> row(heads[1]->getTerminator());
    Value* first =
        row.CreateNUWMul(row.CreateNUWAdd(row.CreateNUWMul(made.id[2], m_size[1]), made.id[1]), m_size[0]);
    made.item = item.CreateAdd(first, index[0], "linear", true, true);
  }
  made.body = heads[0];
  made.latch = latches[0];
  return made;
}

void group_frame::jump_by(BasicBlock* from, Value* value,
                          ArrayRef<std::pair<unsigned, BasicBlock*>> targets) {
  for (const auto& [number, target] : targets.drop_back()) {
    BasicBlock* other = block("choose");
    IRBuilder<> build(from);
    build.CreateCondBr(build.CreateICmpEQ(value, build.getInt32(number)), target, other);
    from = other;
  }
  IRBuilder<>(from).CreateBr(targets.back().second);
}

BasicBlock* group_frame::store_rows(BasicBlock* from, Value* rows, Value* planes) {
  const lane_loop all = loop_over_group(from);
  IRBuilder<> build(all.body);
  const auto store = [&](Value* number, Value* array) {
    if (array)
      build.CreateStore(build.CreateTrunc(number, build.getInt32Ty()),
                        build.CreateInBoundsGEP(build.getInt32Ty(), array, all.item));
  };
  store(build.CreateNUWAdd(build.CreateNUWMul(all.id[2], m_size[1]), all.id[1]), rows);
  store(all.id[2], planes);
  build.CreateBr(all.latch);
  m_rows = rows;
  m_planes = planes;
  return all.after;
}

/// number / divisor, from the array of the work-items' quotients if there is one.
Value* group_frame::quotient(IRBuilder<>& build, Value* stored, Value* item, Value* number, Value* divisor) {
  if (!stored) return build.CreateUDiv(number, divisor);
  Value* place = build.CreateInBoundsGEP(build.getInt32Ty(), stored, item);
  return build.CreateZExt(build.CreateLoad(build.getInt32Ty(), place), build.getInt64Ty());
}

lane_loop group_frame::loop_over_sub_group(BasicBlock* from) {
  lane_loop made;
  made.body = block("lane");
  made.latch = block("next");
  made.after = block("after");
  IRBuilder<>(from).CreateBr(made.body);
  IRBuilder<> build(made.body);
  PHINode* lane = build.CreatePHI(build.getInt64Ty(), 2, "lane");
  lane->addIncoming(build.getInt64(0), from);
  made.lane = lane;
  made.item = build.CreateAdd(sub_group.first, lane, "linear", true, true);
  made.id[0] = made.item;
  made.id[1] = made.id[2] = build.getInt64(0);
  if (m_dimensions > 1) {
    // As differences, so that LLVM finds the item again in a program's linear id.
    Value* row = quotient(build, m_rows, made.item, made.item, m_size[0]);
    made.id[0] = build.CreateNUWSub(made.item, build.CreateNUWMul(row, m_size[0]));
    made.id[1] = row;
    if (m_dimensions > 2) {
      made.id[2] = quotient(build, m_planes, made.item, row, m_size[1]);
      made.id[1] = build.CreateNUWSub(row, build.CreateNUWMul(made.id[2], m_size[1]));
    }
  }
  IRBuilder<> end(made.latch);
  Value* next = end.CreateAdd(lane, end.getInt64(1), "", true, true);
  lane->addIncoming(next, made.latch);
  BranchInst* back = end.CreateCondBr(end.CreateICmpULT(next, sub_group.size), made.body, made.after);
  back->setMetadata(LLVMContext::MD_loop, lane_loop_id(back->getContext(), nullptr));
  return made;
}

Value* group_frame::answer(const CallInst& call, const lane_loop& lanes, IRBuilder<>& build) {
  const Function* callee = call.getCalledFunction();
  if (!callee) return nullptr;
  StringRef name = callee->getName();
  if (name == "__prism_local_id") return lanes.id[cast<ConstantInt>(call.getArgOperand(0))->getZExtValue()];
  if (name == "__prism_group_scratch")
    return ask("__prism_group_scratch", call.getType(), {call.getArgOperand(0)});
  if (name == "__prism_local_arena") return ask("__prism_local_arena", call.getType(), {});
  for (const char* known : {"__prism_group_id", "__prism_local_size", "__prism_group_count"})
    if (name == known) return ask(known, call.getType(), {call.getArgOperand(0)});
  return name.consume_front("__prism_sub_group_") ? sub_group_answer(name, lanes, build) : nullptr;
}

/// `size` and `count` are also used outside of loops over work-items; `lanes` is empty there.
Value* group_frame::sub_group_answer(StringRef what, const lane_loop& lanes, IRBuilder<>& build) {
  Value* size = build.getInt64(m_sub_group_size);
  const auto id = [&] { return sub_group.id ? sub_group.id : build.CreateUDiv(lanes.item, size); };
  Value* result = nullptr;
  if (what == "size") result = size;
  else if (what == "id") result = id();
  else if (what == "count")
    result = build.CreateUDiv(build.CreateNUWAdd(m_items, build.getInt64(m_sub_group_size - 1)), size);
  else if (what == "local_id") result = lanes.lane ? lanes.lane : build.CreateURem(lanes.item, size);
  else if (what == "local_size") {
    Value* left = build.CreateSub(m_items, build.CreateNUWMul(id(), size));
    result =
        sub_group.size ? sub_group.size : build.CreateSelect(build.CreateICmpULT(left, size), left, size);
  }
  return result ? build.CreateTrunc(result, build.getInt32Ty()) : nullptr;
}

} // namespace prism::compiler
