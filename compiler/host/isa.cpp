#include "compiler/host/isa.hpp"

#include <optional>

#include "compiler/device_ir/constants.hpp"
#include "compiler/host/lane_functions.hpp"
#include "compiler/host/lane_loops.hpp"
#include "compiler/host/native.hpp"
#include "compiler/workgroup/lanes.hpp"
#include "devices/api/image.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace prism::compiler {
using namespace llvm;

namespace {

struct level {
  int number;
  /// A function that already has `feature` needs no copy. Without a processor, the copy only adds
  /// that feature.
  const char *processor, *suffix, *feature;
};
constexpr level x86_levels[] = {{image::host_isa::v3, "x86-64-v3", ".v3", "+avx2"},
                                {image::host_isa::v4, "x86-64-v4", ".v4", "+avx512vl"}};
constexpr level arm_levels[] = {{image::host_isa::sve, nullptr, ".sve", "+sve"}};

ArrayRef<level> levels_of(const Module& host) {
  const Triple target(host.getTargetTriple());
  if (target.getArch() == Triple::x86_64) return x86_levels;
  // On other systems the runtime has no way to detect SVE.
  if (target.getArch() == Triple::aarch64 && target.isOSLinux()) return arm_levels;
  return {};
}

/// The work in a function's loops, weighted by their depth.
struct work {
  double one_by_one = 0, in_vectors = 0, halves = 0; // `halves`: operations with numbers of 16 bits
  unsigned floating = 0;                             // not weighted: the number of operations in the code
  bool has_functions = false;                        // of lane_functions.hpp
  // the part of `in_vectors` in loops of which only some iterations access memory
  double masked = 0;
  /// A small part does not pay: a product of a matrix with a vector has such a loop for empty rows.
  bool gains_by_masks() const { return masked > 0 && masked * 8 >= in_vectors; }
};

struct loop_tree {
  explicit loop_tree(Function& function) : dominators(function), loops(dominators) {}
  DominatorTree dominators;
  LoopInfo loops;
};

bool accesses_in_some_iterations(const Loop& loop, const DominatorTree& dominators) {
  return any_of(loop.blocks(), [&](const BasicBlock* block) {
    return !dominators.dominates(block, loop.getLoopLatch()) &&
           any_of(*block, [](const Instruction& each) { return isa<LoadInst, StoreInst>(each); });
  });
}

bool is_half(const Value& value) { return value.getType()->getScalarType()->isHalfTy(); }

/// Counts loops that are inside more than `outer` others.
work work_of(Function& function, const loop_tree& tree, unsigned outer = 0) {
  // weights: a division or a call relative to an addition; one more level of loops
  constexpr double slow = 20, iterations = 8;
  constexpr unsigned body_of_function = 40; // of lane_functions.hpp
  work found;
  SmallPtrSet<const Loop*, 8> masked, vectors;
  for (const Loop* loop : const_cast<LoopInfo&>(tree.loops).getLoopsInPreorder())
    // A loop over work-items with another loop in it becomes no vectors, which would need masks.
    if (is_lane_loop(*loop) && loop->isInnermost() && accesses_in_some_iterations(*loop, tree.dominators))
      masked.insert(loop);
  for (const Loop* loop : const_cast<LoopInfo&>(tree.loops).getLoopsInPreorder())
    if (is_lane_loop(*loop) && may_become_vectors(*loop)) vectors.insert(loop);
  for (const BasicBlock& block : function) {
    const unsigned deep = tree.loops.getLoopDepth(&block), depth = std::min(deep - std::min(deep, outer), 3u);
    if (depth == 0) continue;
    const double weight = depth == 1 ? 1 : depth == 2 ? iterations : iterations * iterations;
    const double before = found.in_vectors;
    const Loop* loop = tree.loops.getLoopFor(&block);
    for (const Instruction& instruction : block) {
      const unsigned opcode = instruction.getOpcode();
      const bool divides = opcode == Instruction::SDiv || opcode == Instruction::UDiv ||
                           opcode == Instruction::SRem || opcode == Instruction::URem;
      auto* call = dyn_cast<CallInst>(&instruction);
      const bool calls = call && call->getCalledFunction() && !call->getCalledFunction()->isIntrinsic() &&
                         !is_rare_call(*call);
      const bool becomes_body = calls && vectors.contains(loop) && calls_lane_function(*call);
      if (becomes_body) {
        found.in_vectors += body_of_function * weight;
        found.floating += body_of_function;
        found.has_functions = true;
      } else if ((divides && !isa<Constant>(instruction.getOperand(1))) || calls)
        found.one_by_one += slow * weight;
      else if (isa<LoadInst, StoreInst, BinaryOperator, SelectInst, CmpInst, CastInst, UnaryOperator,
                   CallInst>(instruction))
        found.in_vectors += weight;
      if (any_of(instruction.operands(), [](const Use& each) { return is_half(*each); }) ||
          is_half(instruction))
        found.halves += isa<LoadInst, StoreInst, PHINode, SelectInst>(instruction) ? 0 : weight;
      if (!instruction.getType()->isFPOrFPVectorTy()) continue;
      if (instruction.isBinaryOp()) found.floating += 1;
      else if (isa<IntrinsicInst>(instruction))
        found.floating += call->arg_size() == 3 ? 2 : 1; // a product and a sum
    }
    if (masked.contains(loop)) found.masked += found.in_vectors - before;
  }
  return found;
}

bool has(const Function& function, StringRef feature) {
  return function.getFnAttribute("target-features").getValueAsString().contains(feature);
}

/// Whether the processors that `function` is for convert halves. AArch64's all do.
bool converts_halves(const Function& function) {
  return Triple(function.getParent()->getTargetTriple()).getArch() != Triple::x86_64 ||
         has(function, "+f16c");
}

Function* copy_of(Function& function, const char* suffix) {
  ValueToValueMapTy map;
  Function* copy = CloneFunction(&function, map);
  copy->setName(function.getName() + suffix);
  copy->setLinkage(GlobalValue::InternalLinkage);
  copy->setVisibility(GlobalValue::DefaultVisibility);
  // so that it is dropped together with the function when the linker takes another object's
  copy->setComdat(function.getComdat());
  copy->setDSOLocal(true);
  return copy;
}

/// Whether copies for processors with fused multiply-adds may round otherwise.
bool may_contract(const Function& function) { return any_of(instructions(function), permits_contraction); }

/// Null if LLVM removed it.
Argument* context_of(Function& function) {
  for (Argument& argument : function.args())
    if (function.getAttributes().hasParamAttr(argument.getArgNo(), context_parameter)) return &argument;
  return nullptr;
}

/// LLVM removes parameters of separate regions, or passes words of the context in its place.
void keep_context(Function& function) {
  Argument* context = context_of(function);
  if (!context) return;
  IRBuilder<> build(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  auto* type = FunctionType::get(build.getVoidTy(), {context->getType()}, false);
  build.CreateCall(InlineAsm::get(type, "", "r", true), {context})->setDoesNotThrow();
}

/// function(...) { return level >= 4 ? v4(...) : level >= 3 ? v3(...) : plain(...); }
/// `context`: the argument in which a launch can ask for `plain` (group_context::exact); null: all copies
/// give the same results.
void choose_at_call(Function& function, ArrayRef<std::pair<int, Function*>> copies, Function& plain,
                    Argument* context_argument) {
  LLVMContext& context = function.getContext();
  Module& module = *function.getParent();
  auto* word =
      cast<GlobalVariable>(module.getOrInsertGlobal(image::host_isa::word_name, Type::getInt32Ty(context)));
  SmallVector<Value*> arguments;
  for (Argument& argument : function.args()) arguments.push_back(&argument);
  IRBuilder<> build(BasicBlock::Create(context, "entry", &function));
  Value* level = build.CreateLoad(build.getInt32Ty(), word);
  if (context_argument) {
    Value* asked =
        build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), context_argument, context_layout::exact);
    Value* exact = build.CreateIsNotNull(build.CreateLoad(build.getInt64Ty(), asked));
    level = build.CreateSelect(exact, build.getInt32(image::host_isa::baseline), level);
  }
  const auto call = [&](Function& callee) {
    CallInst* made = build.CreateCall(&callee, arguments);
    made->setTailCall();
    made->setCallingConv(callee.getCallingConv()); // LLVM gives internal functions a faster one
    made->addFnAttr(Attribute::NoInline); // three copies in one function would compete for its registers
    if (callee.getReturnType()->isVoidTy()) build.CreateRetVoid();
    else build.CreateRet(made); // by which exit a separate region left
  };
  for (const auto& [number, copy] : copies) {
    auto* yes = BasicBlock::Create(context, "", &function);
    auto* no = BasicBlock::Create(context, "", &function);
    build.CreateCondBr(build.CreateICmpSGE(level, build.getInt32(number)), yes, no);
    build.SetInsertPoint(yes);
    call(*copy);
    build.SetInsertPoint(no);
  }
  call(plain);
}

void add_feature(Function& function, StringRef feature) {
  const StringRef known = function.getFnAttribute("target-features").getValueAsString();
  function.addFnAttr("target-features", (known + (known.empty() ? "" : ",") + feature).str());
}

/// `exactly`: does not use a fused multiply-add, which rounds once, if the baseline has none. So do copies
/// that cannot read what a launch asks for.
void add_copies(Function& function, ArrayRef<level> levels, int highest, bool exactly) {
  SmallVector<std::pair<int, Function*>> copies;
  if (has(function, levels.back().feature)) return;
  const bool chooses = !exactly && may_contract(function);
  Argument* context = chooses ? context_of(function) : nullptr;
  if (chooses && !context) {
    exactly = true;
    highest = std::min(highest, image::host_isa::v3); // AVX-512 includes fused multiply-adds
  }
  for (const level& target : reverse(levels))
    if (target.number <= highest && !has(function, target.feature)) {
      copies.push_back({target.number, copy_of(function, target.suffix)});
      Function& copy = *copies.back().second;
      if (target.processor) copy.addFnAttr("target-cpu", target.processor);
      else add_feature(copy, target.feature);
      if (target.number == image::host_isa::v4) copy.addFnAttr("prefer-vector-width", "512");
      if (target.number == image::host_isa::sve) // clang describes such registers as 1 to 16 times 128 bits
        copy.addFnAttr(Attribute::getWithVScaleRangeArgs(function.getContext(), 1, 16));
      else if (exactly && !has(function, "+fma")) add_feature(copy, "-fma");
    }
  if (copies.empty()) return;
  Function* plain = copy_of(function, ".plain");
  const auto linkage = function.getLinkage();
  Comdat* comdat = function.getComdat();
  function.deleteBody();
  function.removeFnAttr(Attribute::Memory); // LLVM derived it from the body; it does not hold for the choice
  function.setLinkage(linkage);
  function.setComdat(comdat);
  choose_at_call(function, copies, *plain, context);
}

/// The expected gain of copies, and the highest level to make them for.
struct wish {
  int level = 0;
  std::uint64_t gain = 0;
  bool has_functions = false; // of lane_functions.hpp
};

/// The gain of copies for wider vectors; empty if it is small. Without F16C, which comes with AVX2, each
/// operation with halves is one or more calls (LLVM converts them by software).
std::optional<std::uint64_t> gain_of(const work& found, bool converts_halves) {
  constexpr double narrow = 4, wide = 16, least_gain = 0.15, call = 20;
  const double before =
                   found.one_by_one + found.in_vectors / narrow + (converts_halves ? 0 : call * found.halves),
               after = found.one_by_one + found.in_vectors / wide;
  if (before - after < least_gain * before) return std::nullopt;
  return static_cast<std::uint64_t>(before - after);
}

constexpr unsigned much_arithmetic = 16;

/// Reads the attribute that ask_for_isa_copies writes: "4 512" or "4 512 functions".
wish wish_of(const Function& function) {
  wish read;
  const auto [level, rest] = function.getFnAttribute(wants_isa_copies).getValueAsString().split(' ');
  const auto [gain, functions] = rest.split(' ');
  level.getAsInteger(10, read.level);
  gain.getAsInteger(10, read.gain);
  read.has_functions = !functions.empty();
  return read;
}

/// For the body of a range, after simplification. Ranges that compute much, or load in some of their items
/// only, have work-group functions with copies instead (native_use::whole_groups).
std::optional<wish> wish_of_range(Function& body) {
  const loop_tree tree(body);
  const Loop* items = nullptr;
  for (const Loop* loop : const_cast<LoopInfo&>(tree.loops).getLoopsInPreorder())
    if (is_lane_loop(*loop)) items = loop;
  if (!items || !may_become_vectors(*items)) return std::nullopt;
  const work found = work_of(body, tree, items->getLoopDepth() - 1);
  const auto gain = gain_of(found, converts_halves(body));
  if (!gain || found.masked > 0 || found.floating >= much_arithmetic) return std::nullopt;
  return wish{image::host_isa::v3, *gain, false};
}

struct asking {
  Function* function;
  wish wanted;
  bool is_range;
};

} // namespace

void ask_for_isa_copies(Function& function) {
  const work found = work_of(function, loop_tree(function));
  const auto gain = gain_of(found, converts_halves(function));
  if (!gain) return;
  const int level =
      found.floating >= much_arithmetic || found.gains_by_masks() ? image::host_isa::v4 : image::host_isa::v3;
  function.addFnAttr(wants_isa_copies, std::to_string(level) + " " + std::to_string(*gain) +
                                           (found.has_functions ? " functions" : ""));
  if (may_contract(function)) keep_context(function);
}

/// Copies take the optimiser and the code generator much more time than the original code. In a file of
/// hundreds of kernels only the kernels with the highest gain get copies, up to a fraction of the file's
/// code. Kernels that gain little for their size may take a fraction of that: otherwise ten tree reductions
/// in local memory took a sixth of clang's time for a file of fifty kernels. Kernels that gain more than they
/// cost, such as a product of matrices in registers, may take more. So may kernels with mathematical
/// functions, which take a fourth of the time in copies. Small kernels have copies in files of any size: a
/// file of nothing else takes 1.7 times clang's time without PRISM.
void add_isa_copies(Module& host) {
  constexpr std::uint64_t least_budget = 8000, part_of_all = 3, for_much = 24000; // instructions
  constexpr std::uint64_t little = 10, part_for_little = 8;                       // a tenth of its cost
  constexpr std::uint64_t small = 128, part_for_small = 2;                        // the copies of one kernel
  const ArrayRef<level> levels = levels_of(host);
  if (levels.empty()) return;
  std::uint64_t all_code = 0;
  std::vector<asking> all;
  for (Function& function : host) {
    all_code += function.getInstructionCount();
    if (function.isDeclarationForLinker() || function.hasOptNone() || function.hasOptSize()) continue;
    if (function.hasFnAttribute(wants_isa_copies)) all.push_back({&function, wish_of(function), false});
    else if (is_range_body(function))
      if (const auto wanted = wish_of_range(function)) all.push_back({&function, *wanted, true});
  }
  stable_sort(all, [](const asking& a, const asking& b) { return a.wanted.gain > b.wanted.gain; });
  std::uint64_t left = std::max(least_budget, all_code / part_of_all),
                left_for_little = left / part_for_little, left_for_much = for_much,
                left_for_functions = for_much,
                left_for_small = std::max(least_budget, all_code / part_for_small);
  for (const auto& [function, wanted, is_range] : all) {
    function->removeFnAttr(wants_isa_copies);
    const auto copies = count_if(levels, [&](const level& each) { return each.number <= wanted.level; });
    const std::uint64_t cost = function->getInstructionCount() * static_cast<std::uint64_t>(copies);
    if (cost <= small && cost <= left_for_small) {
      left_for_small -= cost;
      add_copies(*function, levels, wanted.level, is_range);
      continue;
    }
    if (wanted.has_functions && cost <= left_for_functions) {
      left_for_functions -= cost;
      add_copies(*function, levels, wanted.level, is_range);
      continue;
    }
    const bool gains_little = wanted.gain * little < cost, gains_much = wanted.gain >= cost;
    std::uint64_t& budget = gains_much && cost > left ? left_for_much : left;
    if (cost > (gains_little ? std::min(budget, left_for_little) : budget)) continue;
    budget -= cost;
    if (gains_little) left_for_little -= cost;
    add_copies(*function, levels, wanted.level, is_range);
  }
}

} // namespace prism::compiler
