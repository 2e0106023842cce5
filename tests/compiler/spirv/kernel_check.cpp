#include "kernel_check.hpp"

#include "devices/vulkan/lower/lower.hpp"
#include "known_instructions.hpp"

#include <cstdlib>
#include <string_view>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace prism::test {

namespace lower = devices::vulkan::lower;

namespace {

void run_passes(llvm::Function& function, const std::string& passes) {
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  llvm::FunctionPassManager pipeline;
  if (llvm::Error error = builder.parsePassPipeline(pipeline, passes))
    llvm::report_fatal_error(std::move(error));
  pipeline.run(function, functions);
}

/// The module of the text; null, with the reason, if it is invalid.
std::unique_ptr<llvm::Module> parse(llvm::LLVMContext& context, const std::string& llvm_text,
                                    std::string& reason) {
  llvm::SMDiagnostic problem;
  const std::string text =
      "target datalayout = "
      "\"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n"
      "declare i64 @__prism_local_id(i32)\n"
      "declare i64 @__prism_group_id(i32)\n"
      "declare i64 @__prism_local_size(i32)\n"
      "declare i64 @__prism_group_count(i32)\n"
      "declare ptr @__prism_local_arena()\n"
      "declare void @__prism_barrier(i32) convergent nounwind\n"
      "declare void @__prism_fence(i32, i32)\n"
      "declare i32 @__prism_sub_group_local_id()\n"
      "declare i32 @__prism_sub_group_id()\n"
      "declare i32 @__prism_sub_group_count()\n"
      "declare i32 @__prism_sub_group_size()\n"
      "declare i32 @__prism_sub_group_local_size()\n"
      "declare void @__prism_sub_group_barrier(i32) convergent nounwind\n"
      "declare i32 @__prism_sub_group_shuffle_i32(i32, i32) convergent nounwind\n"
      "declare i64 @__prism_sub_group_shuffle_i64(i64, i32) convergent nounwind\n"
      "declare i64 @__prism_sub_group_ballot(i1) convergent nounwind\n"
      "declare i32 @__prism_sub_group_combine_i32(i32, i32) convergent nounwind\n"
      "declare i64 @__prism_sub_group_combine_i64(i32, i64) convergent nounwind\n"
      "declare float @__prism_sub_group_combine_f32(i32, float) convergent nounwind\n"
      "declare double @__prism_sub_group_combine_f64(i32, double) convergent nounwind\n"
      "declare i64 @__prism_matrix_load(i32, ptr, i64, i32) convergent nounwind\n"
      "declare void @__prism_matrix_store(i64, i32, ptr, i64, i32) convergent nounwind\n"
      "declare void @__prism_matrix_misaligned() nounwind\n"
      "declare i64 @__prism_matrix_fill(i32, i64) convergent nounwind\n"
      "declare i64 @__prism_matrix_mad(i32, i32, i32, i32, i64, i64, i64) convergent nounwind\n"
      "declare i64 @__prism_matrix_convert(i64, i32, i32) convergent nounwind\n"
      "declare i32 @__prism_matrix_length(i32) convergent nounwind\n"
      "declare i64 @__prism_matrix_element(i64, i32, i32) convergent nounwind\n"
      "declare i64 @__prism_matrix_with_element(i64, i32, i32, i64) convergent nounwind\n" +
      llvm_text;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, problem, context);
  if (module == nullptr) {
    reason = "the test's text is no LLVM: " + problem.getMessage().str() + " in line " +
             std::to_string(problem.getLineNo()) + ": " + problem.getLineContents().str();
    return nullptr;
  }
  llvm::raw_string_ostream stream(reason);
  if (!llvm::verifyModule(*module, &stream)) return module;
  reason = "the test's LLVM is not valid: " + reason;
  return nullptr;
}

compiler::kernel_facts facts_of_k() {
  compiler::kernel_facts facts;
  facts.entry = facts.display_name = "k";
  return facts;
}

/// The features that PRISM_TEST_LACKS names.
lower::lacks lacks_of_environment() {
  const char* const text = std::getenv("PRISM_TEST_LACKS");
  const std::string names = text == nullptr ? " " : " " + std::string(text) + " ";
  const auto named = [&](const char* name) {
    return names.find(std::string(" ") + name + " ") != names.npos;
  };
  lower::lacks lacks;
  lacks.int64 = named("int64");
  lacks.int16 = named("int16");
  lacks.int8 = named("int8");
  lacks.memory_model = named("memory_model");
  lacks.addresses = named("addresses");
  lacks.exact_floats = named("exact_floats");
  lacks.phis = named("phis");
  lacks.sub_groups = named("sub_groups");
  lacks.sub_group_arithmetic = named("sub_group_arithmetic");
  lacks.sub_group_scans = named("sub_group_scans");
  lacks.dot_products = named("dot_products");
  lacks.wide_sub_groups = named("wide_sub_groups");
  return lacks;
}

void rewrite(compiler::spirv_result& made) {
  if (!made.refusal.empty()) return;
  lower::lowered lowered = lower::lower_module(made.words, lacks_of_environment());
  made.words = std::move(lowered.words);
  made.refusal = lowered.refusal;
  if (lowered.group_memory_is_words) made.local_element_bytes = 4;
}

} // namespace

compiler::spirv_result emit_text(const std::string& llvm_text, const std::string& passes, bool float_adds) {
  llvm::LLVMContext context;
  compiler::spirv_result failed;
  const std::unique_ptr<llvm::Module> module = parse(context, llvm_text, failed.refusal);
  if (module == nullptr) return failed;
  if (!passes.empty()) run_passes(*module->getFunction("k"), passes);
  compiler::spirv_result made =
      compiler::emit_spirv(*module, *module->getFunction("k"), facts_of_k(), nullptr, float_adds);
  if (made.refusal.empty() && (made.features & image::cooperative_matrix) == 0) // never fused
    made.refusal = unknown_instructions(made.words);
  rewrite(made);
  return made;
}

compiler::opencl_result emit_opencl_text(const std::string& llvm_text) {
  llvm::LLVMContext context;
  compiler::opencl_result failed;
  const std::unique_ptr<llvm::Module> module = parse(context, llvm_text, failed.refusal);
  return module == nullptr ? failed : compiler::emit_opencl(*module, *module->getFunction("k"), facts_of_k());
}

namespace {

std::string reason;

} // namespace

vulkan_runner* shared_runner() {
  static vulkan_runner* const runner = vulkan_runner::open(reason).release();
  return runner;
}

std::uint32_t sub_group_size() {
  return lacks_of_environment().sub_groups ? 1 : shared_runner()->sub_group_size();
}

const std::string& why_no_runner() {
  shared_runner();
  return reason;
}

} // namespace prism::test
