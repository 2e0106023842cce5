// Entry point of the pass plugin. It runs at the start of clang's pipeline, at every optimisation level. It
// leaves the host code unchanged, apart from the embedded table of kernels.
#include <algorithm>

#include "compiler/passes/passes.hpp"
#include "compiler/host/checked_locations.hpp"
#include "compiler/host/host_accesses.hpp"
#include "compiler/host/isa.hpp"
#include "compiler/host/lane_functions.hpp"
#include "compiler/host/lane_loops.hpp"
#include "compiler/host/shared_heap.hpp"
#include "compiler/front/attributes.hpp"
#include "compiler/front/find_kernels.hpp"
#include "compiler/front/group_variables.hpp"
#include "compiler/passes/pipeline.hpp"
#include "compiler/plugin/build_kernel.hpp"
#include "compiler/link/device_code.hpp"
#include "compiler/link/device_pass.hpp"
#include "compiler/link/link_kernels.hpp"
#include "compiler/support/options.hpp"
#include "llvm/IR/DebugInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Triple.h"
#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

namespace {

using namespace prism::compiler;

/// Kernels, and the loops over ranges on the host device: they run as device code only.
std::vector<llvm::Function*> device_bodies(llvm::Module& module, const std::vector<kernel_entry>& kernels) {
  std::vector<llvm::Function*> bodies;
  for (const kernel_entry& kernel : kernels) bodies.push_back(kernel.function);
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && is_range_body(function)) bodies.push_back(&function);
  return bodies;
}

/// The functions for the device of the file's SYCL_EXTERNAL functions, where they differ from the host's.
device_versions device_versions_of(llvm::Module& module, const std::vector<kernel_entry>& kernels,
                                   const std::vector<device_version>& of_pass) {
  std::vector<llvm::Function*> external = find_external_functions(module), roots;
  for (llvm::Function* function : external) {
    const auto known = std::find_if(of_pass.begin(), of_pass.end(),
                                    [&](const device_version& each) { return each.first == function; });
    roots.push_back(known == of_pass.end() ? function : known->second);
  }
  device_versions versions = decide_target_queries(module, device_bodies(module, kernels), roots);
  for (std::size_t i = 0; i < roots.size();
       ++i) { // a copy of the pass' function is one of the host's function
    if (roots[i] == external[i]) continue;
    const auto copy = std::find_if(versions.external.begin(), versions.external.end(),
                                   [&](const device_version& each) { return each.first == roots[i]; });
    if (copy != versions.external.end()) copy->first = external[i];
    else versions.external.emplace_back(external[i], roots[i]);
  }
  return versions;
}

/// The device code of this file, including functions that only other files' kernels use.
function_set all_device_code(llvm::Module& module, const std::vector<kernel_entry>& kernels) {
  std::vector<llvm::Function*> roots = find_external_functions(module);
  for (const kernel_entry& kernel : kernels) roots.push_back(kernel.function);
  return reachable_from(roots);
}

/// The optimiser and the code generator spend a thirtieth of their time on locations, even if no debug
/// information is written.
void drop_locations(llvm::Module& module) {
  if (module.debug_compile_units().empty())
    llvm::StripDebugInfo(module); // units without debug information are not listed
}

struct kernels_pass : llvm::PassInfoMixin<kernels_pass> {
  explicit kernels_pass(bool is_fast) : m_is_fast(is_fast) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    if (module.getDataLayout().isBigEndian()) {
      module.getContext().emitError("PRISM does not support " +
                                    llvm::Triple(module.getTargetTriple()).getArchName() +
                                    ": it is big-endian, and PRISM's images and files are little-endian");
      return llvm::PreservedAnalyses::none();
    }
    use_speed(m_is_fast);
    identify_group_variables(module);
    if (const std::string& list = current_options().link_list; !list.empty()) {
      kernel_builder builder(module);
      link_kernels(module, list, [&](const kernel_entry& kernel) { builder.add(kernel); });
      builder.finish();
      return llvm::PreservedAnalyses::none();
    }
    if (const std::string& file = current_options().device_pass; !file.empty()) {
      write_device_pass(module, file);
      return llvm::PreservedAnalyses::none();
    }
    std::vector<device_version> of_pass;
    if (const std::string file = current_options().device_code_of(module.getModuleIdentifier());
        !file.empty())
      of_pass = use_device_pass(module, file);
    std::vector<kernel_entry> kernels = find_kernels(module);
    device_versions versions = device_versions_of(module, kernels, of_pass);
    const function_set device_code = all_device_code(module, kernels);
    embed_device_code(module, take_pending(module, kernels), versions.external, [](llvm::Module& code) {
      pass_runner passes;
      simplify_before_link(code, passes);
    });
    connect_device_versions(versions, find_external_functions(module));
    kernel_builder builder(module);
    for (const kernel_entry& kernel : kernels) builder.add(kernel);
    resolve_loops_of_host(module);
    erase_attributes(module);
    insert_checked_locations(module);
    if (current_options().checks_access) check_host_accesses(module, device_code);
    builder.finish();
    if (current_options().shares_heap) use_shared_heap(module);
    if (m_is_fast) mark_range_loops(module);
    if (current_options().drops_locations) drop_locations(module);
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; } // at -O0 too

private:
  bool m_is_fast;
};

/// Runs after clang's simplification, which all copies share, and before the passes that depend on the
/// instruction set: vectorisation and unrolling.
struct copies_pass : llvm::PassInfoMixin<copies_pass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    simplify_ranges(module);
    use_lane_functions(module, analyses);
    add_isa_copies(module);
    return llvm::PreservedAnalyses::none();
  }
};

/// Runs after vectorisation.
struct rare_calls_pass : llvm::PassInfoMixin<rare_calls_pass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    resolve_rare_calls(module);
    return llvm::PreservedAnalyses::none();
  }
};

bool is_fast(llvm::OptimizationLevel level) {
  return level.getSpeedupLevel() >= 2 && level.getSizeLevel() == 0;
}

} // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {
    LLVM_PLUGIN_API_VERSION, "prism", "0.1.0", [](llvm::PassBuilder& builder) {
      builder.registerPipelineStartEPCallback(
          [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        passes.addPass(kernels_pass(is_fast(level)));
      });
#if LLVM_VERSION_MAJOR >= 20
      builder.registerOptimizerEarlyEPCallback(
          [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level, llvm::ThinOrFullLTOPhase) {
#else
      builder.registerOptimizerEarlyEPCallback(
          [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
#endif
        if (is_fast(level)) passes.addPass(copies_pass());
      });
#if LLVM_VERSION_MAJOR >= 20
      builder.registerOptimizerLastEPCallback(
          [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level, llvm::ThinOrFullLTOPhase) {
#else
      builder.registerOptimizerLastEPCallback(
          [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
#endif
        if (is_fast(level)) passes.addPass(rare_calls_pass());
      });
      builder.registerVectorizerStartEPCallback(
          [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel level) {
        if (is_fast(level)) passes.addPass(lane_loops_pass());
      });
    }
  };
}
