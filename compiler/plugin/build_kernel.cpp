#include "compiler/plugin/build_kernel.hpp"

#include <algorithm>
#include <optional>

#include "compiler/host/debug_lines.hpp"
#include "compiler/host/lane_functions.hpp"
#include "compiler/host/local_indices.hpp"
#include "compiler/host/memory_kinds.hpp"
#include "compiler/host/native.hpp"
#include "compiler/host/parallel.hpp"
#include "compiler/device_ir/captured.hpp"
#include "compiler/device_ir/constants.hpp"
#include "compiler/passes/counts.hpp"
#include "compiler/device_ir/element_wise.hpp"
#include "compiler/device_ir/loop_results.hpp"
#include "compiler/support/diagnose.hpp"
#include "compiler/support/math_table.hpp"
#include "compiler/support/pass_timer.hpp"
#include "compiler/passes/builtins.hpp"
#include "compiler/passes/passes.hpp"
#include "compiler/passes/pipeline.hpp"
#include "compiler/workgroup/row_strips.hpp"
#include "compiler/workgroup/whole_guards.hpp"
#include "compiler/workgroup/work_group.hpp"
#include "compiler/opencl/emit.hpp"
#include "compiler/front/attributes.hpp"
#include "compiler/front/check.hpp"
#include "compiler/front/extract.hpp"
#include "compiler/support/options.hpp"
#include "compiler/spirv/emit.hpp"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace prism::compiler {
using namespace llvm;

namespace {

/// "prism_" and the readable part of the name, as a C identifier, for a driver's profiler.
std::string entry_name(const std::string& display_name, unsigned index) {
  std::string name = "prism_k" + std::to_string(index) + "_";
  for (char c : display_name) {
    if (name.size() >= 48 || (c == '(' && name.back() == '_'))
      break; // not the line number: if the code moved down, the program would be a different one
    const bool letter = isAlnum(c);
    if (letter || (name.back() != '_')) name += letter ? c : '_';
  }
  return name;
}

void dump(const std::string& file, StringRef content) {
  const std::string& folder = current_options().dump_directory;
  if (folder.empty()) return;
  sys::fs::create_directories(folder);
  std::error_code error;
  raw_fd_ostream stream(folder + "/" + file, error);
  if (error) errs() << "PRISM: cannot write " << folder << "/" << file << ": " << error.message() << "\n";
  else stream << content;
}

void dump(const std::string& file, const Module& module) {
  if (current_options().dump_directory.empty()) return;
  std::string text;
  raw_string_ostream stream(text);
  module.print(stream, nullptr);
  dump(file, text);
}

/// Detects faults of PRISM itself: a refusal with the fault's name is better than a wrong image.
std::string verify(const Module& module) {
  std::string text;
  raw_string_ostream stream(text);
  return verifyModule(module, &stream) ? "internal error of the PRISM compiler: " + text : "";
}

/// The SPIR-V emitter's refusals are whole sentences that begin with the kernel's name. The warning adds the
/// name itself.
std::string without_prefix(const std::string& refusal) {
  const std::string marker = "has no Vulkan image: ";
  const size_t at = refusal.find(marker);
  return at == std::string::npos ? refusal : refusal.substr(at + marker.size());
}

struct target_clone {
  std::unique_ptr<Module> module;
  Function* kernel;
  prism::compiler::refusal refusal;
};

std::string suffix_of(number_form form) {
  return form == number_form::native ? "" : form == number_form::plain ? ".plain" : ".fused";
}

target_clone lower_module(std::unique_ptr<Module> module, const std::string& entry, target where,
                          number_form form, sub_group_form sub_groups, pass_runner& passes) {
  target_clone clone{std::move(module), nullptr, ""};
  clone.kernel = clone.module->getFunction(entry);
  clone.refusal = timed<lower_for_target>(*clone.module, *clone.kernel, where, form, sub_groups, passes);
  if (clone.refusal.empty()) clone.refusal.why = verify(*clone.module);
  dump(entry + (where == target::opencl ? ".opencl.ll" : ".vulkan" + suffix_of(form) + ".ll"), *clone.module);
  return clone;
}

/// The values that an emitter may make replaceable in this image; records why there are none.
kernel_facts with_constants(const kernel_facts& facts, const Function& kernel, target where,
                            image::kernel_constants& constants, image::kind kind) {
  kernel_facts own = facts;
  const bool contracts =
      where == target::vulkan && may_be_contracted(kernel); // OpenCL C states it for each operation
  const bool folds = where == target::opencl && folds_functions(kernel);
  if (contracts) constants.flags |= image::may_contract;
  if (folds) constants.flags |= image::folds_functions;
  if (contracts || folds) own.constants.clear();
  const bool in_memory =
      // texts read single words only from a block passed by value
      where == target::opencl && !passes_by_value(facts);
  if (in_memory) own.constants.clear();
  own.replaces_alignments =
      where == target::opencl && !contracts && !folds && !in_memory && !own.slots.empty();
  if (!own.constants.empty() || own.replaces_alignments)
    constants.images |= 1u << static_cast<std::uint32_t>(kind);
  return own;
}

image::kernel_constants find_constants_of(const Function& kernel, kernel_facts& facts) {
  find_constants(kernel, facts);
  image::kernel_constants found;
  found.count = static_cast<std::uint32_t>(facts.constants.size());
  std::copy(facts.constants.begin(), facts.constants.end(), found.entries);
  if (computes_with_floats(kernel)) found.flags |= image::has_float_arithmetic;
  return found;
}

/// What was proved about a kernel and the accesses in its images.
struct elements {
  element_facts facts;
  std::string lines;                           // of the OpenCL C texts: image_format/source_places.hpp
  std::vector<image::element_place> places[4]; // OpenCL C, the Vulkan images in their order
  unsigned vulkan_images = 0;
};

built_image opencl_image(const Module& module, built_kernel& kernel, bool& is_reordered, elements& known,
                         image::kernel_constants& constants, pass_runner& passes) {
  built_image image{.kind = image::kind::opencl_c};
  if (!current_options().opencl) {
    image.refusal.why = image::left_out;
    return image;
  }
  std::unique_ptr<Module> widened = CloneModule(module);
  timed<widen_guards>(*widened->getFunction(kernel.facts.entry), guard_form::optional);
  target_clone clone = lower_module(std::move(widened), kernel.facts.entry, target::opencl,
                                    number_form::native, sub_group_form::single, passes);
  image.refusal = clone.refusal;
  if (!image.refusal.empty()) return image;
  timed<pass_results_through_headers>(*clone.kernel, early_tests());
  const kernel_facts facts =
      with_constants(kernel.facts, *clone.kernel, target::opencl, constants, image.kind);
  opencl_result result = timed<emit_opencl>(*clone.module, *clone.kernel, facts, opencl_form{}, &known.facts);
  known.places[0] = std::move(result.places);
  known.lines += image_format::lines_of(image.kind, result.lines);
  image.refusal.why = result.refusal;
  image.features = result.features;
  image.bytes = std::move(result.text);
  is_reordered = result.is_reordered;
  if (result.arguments_by_value) kernel.flags |= image::arguments_by_value;
  dump(kernel.facts.entry + ".cl", image.bytes);
  return image;
}

bool has_loops(Function& kernel) {
  DominatorTree dominators(kernel);
  return !LoopInfo(dominators).empty();
}

/// Drivers without half compute it in float. Their vectoriser does not look into a work-item's own function
/// for the conversions.
bool has_halves(const Function& kernel) {
  return any_of(instructions(kernel), [](const Instruction& each) { return each.getType()->isHalfTy(); });
}

/// Drivers for processors compute mathematical functions one by one, and PoCL most of them slowly. Those of
/// constants are folded later, and the bodies of many are too much code.
bool calls_lane_functions(const Function& kernel) {
  constexpr auto most = 32;
  const auto calls = count_if(instructions(kernel), [](const Instruction& each) {
    auto* call = dyn_cast<CallInst>(&each);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    return callee && callee->isDeclaration() && find_math(callee->getName()) &&
           !all_of(call->args(), [](const Use& argument) { return isa<Constant>(argument.get()); }) &&
           !lane_function_without_call(call->getContext(), callee->getName()).empty();
  });
  return calls > 0 && calls <= most;
}

/// Whether the driver's own loops over work-items can take the place of a work-group function. Those gain
/// most where a kernel has loops, and where a group algorithm is one loop over its work-items' values.
bool may_be_plain_only(const kernel_facts& facts, Function& kernel) {
  return !facts.uses_sub_group && facts.static_local_bytes == 0 && !has_loops(kernel) &&
         !has_halves(kernel) && !calls_lane_functions(kernel);
}

/// For CPU drivers, and only where it is faster than the plain text: see runtime/images/image_choice.hpp.
/// `is_reordered`: the plain text is only right on PoCL without vectors (opencl/item_order.hpp).
std::optional<built_image> opencl_group_image(const Module& module, const built_kernel& kernel,
                                              bool is_reordered, elements& known,
                                              image::kernel_constants& constants, pass_runner& passes) {
  const bool splits =
      kernel.facts.uses_barrier || kernel.facts.uses_sub_group || kernel.facts.uses_local_memory;
  Function& plain = *const_cast<Module&>(module).getFunction(kernel.facts.entry);
  const bool has_functions = calls_lane_functions(plain);
  const bool is_wanted = splits || is_reordered || has_halves(plain) || has_functions;
  if (!current_options().opencl || (!is_wanted && !has_loops(plain) && !divides_ids(plain)))
    return std::nullopt;
  built_image image;
  image.kind = image::kind::opencl_c_group;
  const kernel_facts& facts = kernel.facts;
  std::unique_ptr<Module> clone = CloneModule(module);
  image.sub_group_size =
      facts.required_sub_group_size ? facts.required_sub_group_size : image::default_group_sub_group_size;
  mark_lane_functions(*clone->getFunction(facts.entry));
  const group_result formed =
      form_work_group(*clone, facts.entry,
                      {.sub_group_size = image.sub_group_size,
                       .keeps_loop_order = facts.is_alone(),
                       .widens_guards = true,
                       .may_refuse = !is_reordered && may_be_plain_only(facts, plain)},
                      passes);
  if (formed.mostly_stores) return std::nullopt;
  if (!is_wanted && !formed.interchanges_loops && !formed.splits_rows) return std::nullopt;
  image.spill_bytes = formed.spill_bytes;
  image.refusal.why = formed.error;
  if (!image.refusal.empty()) return image;
  Function& group = *clone->getFunction(facts.entry);
  if (has_functions && timed<link_lane_functions>(*clone, group))
    timed<inline_linked_functions>(*clone, group, passes);
  passes.run(*clone, "function(loop-simplify,lcssa)");
  if (timed<widen_local_indices>(group))
    passes.run(*clone, "function(early-cse,instcombine<no-verify-fixpoint>)");
  image.refusal = timed<lower_for_target>(*clone, group, target::opencl, number_form::native,
                                          sub_group_form::single, passes);
  if (image.refusal.empty()) image.refusal.why = verify(*clone);
  mark_parallel_loops(group);
  make_local_atomics_plain(group);
  dump(facts.entry + ".opencl_group.ll", *clone);
  if (!image.refusal.empty()) return image;
  const opencl_form form{.runs_group = true, .spill_bytes = image.spill_bytes};
  opencl_result result = timed<emit_opencl>(
      *clone, group, with_constants(facts, group, target::opencl, constants, image.kind), form, nullptr);
  known.lines += image_format::lines_of(image.kind, result.lines);
  image.refusal.why = result.refusal;
  image.features = result.features;
  image.bytes = std::move(result.text);
  dump(facts.entry + ".group.cl", image.bytes);
  return image;
}

/// For drivers with sub-groups. Absent where a kernel has none, requires them to be of one work-item, or
/// cannot be expressed.
std::optional<built_image> opencl_sub_group_image(const Module& module, const built_kernel& kernel,
                                                  elements& known, pass_runner& passes) {
  kernel_facts facts = kernel.facts;
  if (!current_options().opencl || !facts.uses_sub_group || facts.required_sub_group_size == 1)
    return std::nullopt;
  built_image image{.kind = image::kind::opencl_c_sub_groups};
  target_clone clone = lower_module(CloneModule(module), facts.entry, target::opencl, number_form::native,
                                    sub_group_form::vectors, passes);
  if (!clone.refusal.empty()) return std::nullopt;
  facts.constants.clear(); // such kernels are not specialised (runtime/specialise/build_rules)
  opencl_result result =
      timed<emit_opencl>(*clone.module, *clone.kernel, facts, opencl_form{.has_sub_groups = true}, nullptr);
  if (!result.refusal.empty()) return std::nullopt;
  known.lines += image_format::lines_of(image.kind, result.lines);
  image.features = result.features;
  image.bytes = std::move(result.text);
  dump(facts.entry + ".sub_groups.cl", image.bytes);
  return image;
}

built_image vulkan_image(const Module& module, built_kernel& kernel, number_form form, elements& known,
                         image::kernel_constants& constants, pass_runner& passes) {
  built_image image{.kind = image::kind::vulkan_spirv};
  if (!current_options().vulkan) {
    image.refusal.why = image::left_out;
    return image;
  }
  target_clone clone = lower_module(CloneModule(module), kernel.facts.entry, target::vulkan, form,
                                    sub_group_form::vectors, passes);
  image.refusal = clone.refusal;
  if (!image.refusal.empty()) return image;
  const kernel_facts facts =
      with_constants(kernel.facts, *clone.kernel, target::vulkan, constants, image.kind);
  if (!facts.constants.empty()) hide_constant_floats(*clone.kernel);
  spirv_result result =
      timed<emit_spirv>(*clone.module, *clone.kernel, facts, &known.facts, form == number_form::fused);
  known.places[++known.vulkan_images] = std::move(result.places);
  image.refusal = {without_prefix(result.refusal), result.refused_at};
  image.features = result.features;
  image.bytes.assign(reinterpret_cast<const char*>(result.words.data()),
                     result.words.size() * sizeof(std::uint32_t));
  if (image.refusal.empty()) kernel.local_element_bytes = result.local_element_bytes;
  dump(kernel.facts.entry + suffix_of(form) + ".spv", image.bytes);
  return image;
}

built_image host_image(native_groups& groups, const kernel_entry& entry, const Module& module,
                       built_kernel& kernel, pass_runner& passes, native_use use) {
  built_image image;
  image.kind = image::kind::host_group;
  if (!current_options().host) {
    kernel.flags |= image::leaves_out_host;
    image.refusal.why = image::left_out;
    return image;
  }
  const native_group group =
      timed<add_native_group>(groups, *entry.function, clone_with_lines(module), kernel.facts, passes, use);
  image.refusal = group.refusal;
  if (!image.refusal.empty()) return image;
  image.function = group.function;
  image.spill_bytes = group.spill_bytes;
  image.sub_group_size = group.sub_group_size;
  if (!current_options().dump_directory.empty()) {
    std::string text;
    raw_string_ostream stream(text);
    groups.print(stream, group.function);
    dump(kernel.facts.entry + ".host.ll", text);
  }
  return image;
}

/// For ranges: every work-item of a group is in the range, which permits loop interchange.
void add_whole_groups_image(native_groups& groups, const kernel_entry& entry, std::unique_ptr<Module> module,
                            built_kernel& kernel, pass_runner& passes) {
  lower_range_guards(*module->getFunction(kernel.facts.entry), true);
  passes.run(*module, "function(simplifycfg,early-cse<memssa>)");
  const native_group group = timed<add_native_group>(groups, *entry.function, std::move(module), kernel.facts,
                                                     passes, native_use::whole_groups);
  if (group.function.empty()) return;
  built_image image;
  image.kind = image::kind::host_whole_groups;
  image.function = group.function;
  image.spill_bytes = group.spill_bytes;
  kernel.images.push_back(std::move(image));
}

/// A copy in which all pointers are known as slots, for the OpenCL C texts. Null if they are known anyway, or
/// cannot be.
std::unique_ptr<Module> make_slots_known(const Module& module, kernel_facts& facts) {
  if (!facts.needs_addresses) return nullptr;
  std::unique_ptr<Module> copy = CloneModule(module);
  Function& kernel = *copy->getFunction(facts.entry);
  find_pointer_words(kernel, facts.closure_bytes);
  kernel_facts known = facts;
  known.slots.clear();
  known.needs_addresses = false;
  find_pointer_slots(kernel, known);
  if (known.needs_addresses) return nullptr;
  facts = std::move(known);
  return copy;
}

std::uint32_t flags_of(const kernel_facts& facts, Function& function) {
  std::uint32_t flags = 0;
  if (facts.uses_local_memory) flags |= image::uses_local_memory;
  if (facts.uses_barrier) flags |= image::uses_barrier;
  if (facts.uses_group_operation) flags |= image::uses_group_operation;
  if (facts.uses_sub_group) flags |= image::uses_sub_group;
  if (facts.calls_elements) flags |= image::calls_elements;
  if (takes_any_group_size(function)) flags |= image::any_group_size;
  if (!facts.needs_addresses) flags |= image::reaches_by_slots;
  return flags;
}

bool permits_any_order(const Instruction& instruction) {
  const auto* operation = dyn_cast<FPMathOperator>(&instruction);
  return operation &&
         (operation->hasAllowReassoc() || operation->hasAllowReciprocal() || operation->hasApproxFunc());
}

/// Whether the host's code is for processors with fused multiply-adds. Copies for wider instruction sets are
/// not counted: the runtime can leave them out.
bool host_has_fused_operations(const Function& original) {
  const Triple target(original.getParent()->getTargetTriple());
  return target.getArch() != Triple::x86_64 ||
         original.getFnAttribute("target-features").getValueAsString().contains("+fma");
}

/// How far the order of the kernel's sums can be fixed.
std::uint32_t order_flags_of(const kernel_facts& facts, const Function& function, const Function& original) {
  std::uint32_t flags = image::has_fixed_order | facts.order_flags;
  const bool has_fused = host_has_fused_operations(original);
  for (const Instruction& instruction : instructions(function)) {
    if (permits_any_order(instruction)) flags |= image::is_reassociated;
    if (has_fused && permits_contraction(instruction)) flags |= image::contracts_on_host;
  }
  return flags;
}

struct fma_calls {
  bool floats = false; // which the native form computes in double
  bool any = false;
};
fma_calls find_fma(const Module& module) {
  fma_calls found;
  for (const Function& function : module) {
    if (function.use_empty()) continue;
    const bool is_intrinsic = function.getIntrinsicID() == Intrinsic::fma;
    const bool floats =
        (is_intrinsic && function.getReturnType()->isFloatTy()) || function.getName() == "fmaf";
    found.floats |= floats;
    found.any |= floats || is_intrinsic || function.getName() == "fma";
  }
  return found;
}

bool adds_floats_atomically(const Module& module) {
  for (const Function& function : module)
    for (const Instruction& instruction : instructions(function))
      if (auto* rmw = dyn_cast<AtomicRMWInst>(&instruction);
          rmw && rmw->getType()->isFloatTy() &&
          (rmw->getOperation() == AtomicRMWInst::FAdd || rmw->getOperation() == AtomicRMWInst::FSub))
        return true;
  return false;
}

void add_vulkan_images(const Module& module, built_kernel& built, elements& known,
                       image::kernel_constants& constants, pass_runner& passes) {
  const fma_calls fma = find_fma(module);
  if (fma.any || adds_floats_atomically(module)) { // before the native form, which more devices can run
    built_image fused = vulkan_image(module, built, number_form::fused, known, constants, passes);
    if (fused.refusal.empty() && (fused.features & (image::fused_multiply_add | image::float_atomic_add)))
      built.images.push_back(std::move(fused));
    else known.vulkan_images = 0;
  }
  built.images.push_back(vulkan_image(module, built, number_form::native, known, constants, passes));
  const std::uint64_t wide = built.images.back().features & (image::fp16 | image::fp64);
  if (!(wide & image::fp16) && !(wide && fma.floats)) return;
  built_image plain = vulkan_image(module, built, number_form::plain, known, constants, passes);
  if (plain.refusal.empty() && (plain.features & wide) != wide) built.images.push_back(std::move(plain));
}

/// Whether the images made of the two forms of a kernel can have the same record.
bool have_same_record(const kernel_facts& a, const kernel_facts& b) {
  return a.argument_bytes == b.argument_bytes && a.writes_captures == b.writes_captures &&
         std::ranges::equal(a.hidden, b.hidden, [](const hidden_fact& x, const hidden_fact& y) {
    return x.what == y.what && x.offset == y.offset && x.size == y.size && x.key == y.key;
  }) && std::ranges::equal(a.index_sites, b.index_sites, [](const index_site& x, const index_site& y) {
    return x.offset == y.offset && x.what == y.what;
  });
}

/// The form of a kernel with joint_matrix that computes with the device's matrices, from before the shared
/// pipeline. The other form, which `module` keeps, runs everywhere. Null without a joint_matrix.
std::unique_ptr<Module> divide_matrix_forms(Module& module) {
  if (!asks_for_matrix_units(module)) return nullptr;
  std::unique_ptr<Module> with_units = current_options().vulkan ? clone_with_lines(module) : nullptr;
  if (with_units) resolve_matrix_units(*with_units, true);
  resolve_matrix_units(module, false);
  return with_units;
}

/// In front of the other Vulkan images, which more devices can run. Absent if the kernel has no such form.
refusal add_matrix_image(std::unique_ptr<Module> module, Module& host, built_kernel& built,
                         pass_runner& passes) {
  const auto plain = std::ranges::find(built.images, image::kind::vulkan_spirv, &built_image::kind);
  if (plain == built.images.end() || !plain->refusal.empty()) return {"no image for Vulkan", nullptr};
  Function& function = *module->getFunction(built.facts.entry);
  kernel_facts own;
  own.entry = built.facts.entry;
  own.display_name = built.facts.display_name;
  own.argument_bytes = own.closure_bytes = built.facts.closure_bytes;
  timed<run_shared_pipeline>(*module, function, host, own, passes);
  make_matrices_values(*module, function, passes);
  erase_attributes(*module);
  gather_facts(function, own);
  if (!have_same_record(own, built.facts) || own.static_local_bytes > built.facts.static_local_bytes)
    return {"other arguments", nullptr};
  choose_group_form(*module, function, false, passes);
  lower_range_guards(function, false);
  refusal why = timed<lower_for_target>(*module, function, target::vulkan, number_form::native,
                                        sub_group_form::vectors, passes);
  if (why.empty()) why.why = verify(*module);
  dump(built.facts.entry + ".vulkan.matrices.ll", *module);
  if (!why.empty()) return why;
  kernel_facts facts = built.facts;
  facts.constants.clear(); // kernels with sub-groups are not specialised (runtime/specialise/build_rules)
  const spirv_result result = timed<emit_spirv>(*module, function, facts, nullptr, false);
  if (!result.refusal.empty()) return {without_prefix(result.refusal), result.refused_at};
  if (result.local_element_bytes != built.local_element_bytes) return {"another local memory", nullptr};
  built_image image{.kind = image::kind::vulkan_spirv};
  image.features = result.features;
  image.bytes.assign(reinterpret_cast<const char*>(result.words.data()),
                     result.words.size() * sizeof(std::uint32_t));
  dump(built.facts.entry + ".matrices.spv", image.bytes);
  built.images.insert(plain, std::move(image));
  return {};
}

void warn_of_refusals(const built_kernel& built, reporter& report) {
  for (const built_image& image : built.images)
    if (!image.refusal.empty() && image.refusal.why != image::left_out &&
        image.kind != image::kind::opencl_c_group)
      report.target_warning(image.kind == image::kind::opencl_c     ? "OpenCL"
                            : image.kind == image::kind::host_group ? "host"
                                                                    : "Vulkan",
                            image.refusal);
}

/// Adds data of the kernel that is no code.
void add_data(built_kernel& built, image::kind kind, std::string bytes) {
  built_image carried;
  carried.kind = kind;
  carried.bytes = std::move(bytes);
  built.images.push_back(std::move(carried));
}

/// With -g and -O0 the kernel's body, as clang compiles it, is what a debugger shows. Where each work-item
/// writes a copy of the captured values, or indices are checked, only the work-group function is right.
bool is_for_debugger(const Function& original, const kernel_facts& facts) {
  const DISubprogram* source = original.getSubprogram();
  return source && source->getUnit() && source->getUnit()->getEmissionKind() == DICompileUnit::FullDebug &&
         original.hasFnAttribute(Attribute::OptimizeNone) && !facts.writes_captures &&
         facts.index_sites.empty();
}

/// The kernel that no device can run: its launches are refused with the reason.
built_kernel refused_kernel(built_kernel built, const refusal& why, reporter& report) {
  for (const image::kind kind : {image::kind::host_group, image::kind::opencl_c, image::kind::vulkan_spirv}) {
    built_image none{.kind = kind};
    none.refusal = why;
    built.images.push_back(std::move(none));
  }
  built.flags |=
      image::leaves_out_host; // clang's form of the kernel is wrong too: it takes every loop to end
  report.target_warning("device", why);
  return built;
}

std::optional<built_kernel> build_kernel(Module& host, native_groups& groups, const kernel_entry& kernel,
                                         unsigned index, pass_runner& passes) {
  built_kernel built{kernel.slot, {}, 0, 1, {}};
  built.facts.entry = entry_name(kernel.display_name, index);
  built.facts.display_name = kernel.display_name;
  built.facts.argument_bytes = built.facts.closure_bytes = kernel.argument_bytes;
  std::unique_ptr<Module> module = timed<extract_kernel>(kernel, built.facts.entry);
  Function& function = *module->getFunction(built.facts.entry);
  dump(built.facts.entry + ".extracted.ll", *module);
  std::unique_ptr<Module> with_matrix_units = divide_matrix_forms(*module);
  timed<run_shared_pipeline>(*module, function, host, built.facts, passes);
  dump(built.facts.entry + ".shared.ll", *module);
  reporter report(host, kernel.display_name);
  take_attributes(function, built.facts, report);
  if (!timed<check_device_code>(function, report)) return std::nullopt;
  gather_facts(function, built.facts);
  if (const refusal endless = endless_loop_in(function); !endless.empty())
    return refused_kernel(std::move(built), endless, report);
  // One module for images with concurrent work-items, and one for those that run the whole group.
  std::unique_ptr<Module> of_group;
  const bool drivers_run_groups = module->getFunction("__prism_runs_group") != nullptr;
  if (asks_for_group_form(*module)) {
    of_group = clone_with_lines(*module);
    if (!choose_group_form(*of_group, *of_group->getFunction(built.facts.entry), true, passes))
      of_group = nullptr;
  }
  choose_group_form(*module, function, false, passes);
  kernel_facts group_facts = built.facts;
  const std::unique_ptr<Module> group_with_slots =
      of_group ? make_slots_known(*of_group, group_facts) : nullptr;
  const std::unique_ptr<Module> with_slots = make_slots_known(*module, built.facts);
  built.flags |= flags_of(built.facts, function) | order_flags_of(built.facts, function, *kernel.function);
  if (is_for_debugger(*kernel.function, built.facts)) built.flags |= image::for_debugger;
  const bool may_be_whole = current_options().is_fast && module->getFunction("__prism_outside") != nullptr;
  std::unique_ptr<Module> whole_groups =
      may_be_whole && may_use_vectors(function) ? clone_with_lines(of_group ? *of_group : *module) : nullptr;
  elements known{timed<find_element_facts>(
                     with_slots ? *with_slots->getFunction(built.facts.entry) : function, built.facts),
                 {},
                 {}};
  const bool guarded = lower_range_guards(function, false);
  if (of_group) lower_range_guards(*of_group->getFunction(built.facts.entry), false);
  built.images.push_back(host_image(groups, kernel, of_group ? *of_group : *module, built, passes,
                                    guarded ? native_use::guarded : native_use::any_group));
  if (guarded && whole_groups && built.images.back().refusal.empty())
    add_whole_groups_image(groups, kernel, std::move(whole_groups), built, passes);
  const image::kernel_counts counts = timed<count_operations>(function);
  if (with_slots) lower_range_guards(*with_slots->getFunction(built.facts.entry), false);
  if (group_with_slots) lower_range_guards(*group_with_slots->getFunction(built.facts.entry), false);
  image::kernel_constants constants = find_constants_of(function, built.facts);
  const Module& for_opencl = with_slots ? *with_slots : *module;
  bool is_reordered = false;
  built.images.push_back(opencl_image(for_opencl, built, is_reordered, known, constants, passes));
  // The texts of one kernel share the slots of its pointers. A form with other slots is therefore not used.
  const bool same_slots =
      bool(group_with_slots) == bool(with_slots) &&
      std::ranges::equal(group_facts.slots, built.facts.slots,
                         [](const auto& a, const auto& b) { return a.offset == b.offset; });
  const bool has_group_form = drivers_run_groups && same_slots;
  const Module& group_form = group_with_slots && has_group_form ? *group_with_slots
                             : of_group && has_group_form       ? *of_group
                                                                : for_opencl;
  if (auto group = opencl_group_image(group_form, built, is_reordered, known, constants, passes))
    built.images.push_back(std::move(*group));
  if (auto sub_groups = opencl_sub_group_image(for_opencl, built, known, passes))
    built.images.push_back(std::move(*sub_groups));
  add_vulkan_images(*module, built, known, constants, passes);
  if (with_matrix_units)
    if (const refusal why = add_matrix_image(std::move(with_matrix_units), host, built, passes); !why.empty())
      dump(built.facts.entry + ".matrices.refused", why.why);
  warn_of_refusals(built, report);
  add_data(built, image::kernel_counts_kind, {reinterpret_cast<const char*>(&counts), sizeof counts});
  if (constants.images != 0)
    add_data(built, image::kernel_constants_kind,
             {reinterpret_cast<const char*>(&constants), sizeof constants});
  add_data(built, image::element_wise_kind, element_bytes(known.facts, known.places));
  if (const std::string place = kernel_location(function); !place.empty())
    add_data(built, image::source_places_kind, place + "\n" + known.lines);
  return built;
}

} // namespace

void kernel_builder::add(const kernel_entry& kernel) {
  if (auto built = build_kernel(m_host, m_groups, kernel, static_cast<unsigned>(m_built.size()), m_passes))
    m_built.push_back(std::move(*built));
}

void kernel_builder::finish() {
  m_groups.link();
  embed_kernels(m_host, m_built);
}

} // namespace prism::compiler
