#include "compiler/opencl/emit.hpp"

#include <algorithm>

#include "compiler/device_ir/loop_limit.hpp"
#include "compiler/device_ir/dimensions.hpp"
#include "compiler/device_ir/intrinsics.hpp"
#include "compiler/device_ir/legal.hpp"
#include "compiler/opencl/item_order.hpp"
#include "compiler/opencl/writer.hpp"
#include "compiler/support/pass_timer.hpp"
#include "devices/api/opencl_data.hpp"
#include "image_format/opencl_text.hpp"
#include "llvm/IR/InstIterator.h"

#include <optional>

namespace prism::compiler {
namespace {

/// See device_ir/loop_limit.hpp. A text cannot be specialised later, so the device's build options choose.
const std::string& loop_limit_text() {
  static const std::string text = "#ifdef PRISM_LOOP_LIMIT\n#define prism_fault_parameters " +
                                  std::string(image_format::fault_parameters_text) + R"(
#define prism_end do { \
    uint round = 1u + (fault_mark >> 31); \
    do round = (round * 3u) ^ (round >> 1); while (round < 8u); \
    if (round != 8u) *fault = fault_mark; \
    return; \
  } while (0)
#else
#define prism_fault_parameters
#define prism_end return
#endif
)";
  return text;
}

/// Whether the kernel has memory for each work-item, which some drivers' vectorisers compute wrong.
bool has_private_array(const llvm::Function& kernel) {
  return llvm::any_of(llvm::instructions(kernel),
                      [](const llvm::Instruction& i) { return llvm::isa<llvm::AllocaInst>(i); });
}

/// The device's build options define it as the attribute that such kernels need.
constexpr std::string_view array_text = "#ifndef prism_private_array\n#define prism_private_array\n#endif\n";

/// Local memory is aligned as the type of its parameter requires; NVIDIA's driver aligns it no more.
std::string local_parameter(const std::string& name) { return ", __local ulong16* " + name + "_start"; }

std::string local_pointers(const kernel_facts& facts, const opencl_form& form) {
  const auto pointer = [](const std::string& name) {
    return "  __local uchar* " + name + " = (__local uchar*)" + name + "_start;\n";
  };
  return (facts.uses_local_memory ? pointer("arena") : "") +
         (form.spill_bytes != 0 ? pointer("context_arrays") : "");
}

/// The constants that the kernel's text uses.
struct constant_part {
  std::string arrays;   // in front of the kernel
  std::string pointers; // in the kernel, if the constants are in global memory
  std::string data;     // behind the kernel
};

constant_part constants_of(const function_writer& writer, const llvm::DataLayout& layout) {
  constant_part out;
  std::vector<std::uint8_t> all;
  for (std::size_t i = 0; i < writer.constants().size(); ++i) {
    const std::string name = "prism_constant_" + std::to_string(i);
    if (!writer.constants_in_memory()) {
      out.arrays += constant_text(*writer.constants()[i], name, layout);
      continue;
    }
    out.pointers += "  __global uchar* " + name + " = constants + " + std::to_string(all.size()) + "ul;\n";
    const std::vector<std::uint8_t> bytes = constant_bytes(*writer.constants()[i], layout);
    all.insert(all.end(), bytes.begin(), bytes.end());
    all.resize((all.size() + 15) / 16 * 16);
  }
  out.data = image::opencl_data::text_of(all);
  return out;
}

/// The attribute for the size of the driver's work-groups.
std::string required_size(const kernel_facts& facts, const opencl_form& form) {
  const std::uint32_t* const local = facts.required_local_size;
  const auto attribute = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return "__attribute__((reqd_work_group_size(" + std::to_string(x) + ", " + std::to_string(y) + ", " +
           std::to_string(z) + "))) ";
  };
  if (form.runs_group) return attribute(1, 1, 1);
  if (local[0] == 0) return "";
  if (form.has_sub_groups) return attribute(local[0] * local[1] * local[2], 1, 1);
  return attribute(local[0], local[1], local[2]);
}

/// The local id of a work-item in a row that stands for the whole work-group.
std::string local_ids(unsigned dimensions) {
  if (dimensions == 1) return "  const uint prism_x = (uint)get_local_id(0);\n";
  return "  const uint prism_item = (uint)get_local_id(0), prism_row = prism_item / lx;\n"
         "  const uint prism_x = prism_item % lx, prism_y = prism_row % ly, prism_z = prism_row / ly;\n";
}

std::string signature(const kernel_facts& facts, bool by_value, bool checks_loops, bool has_array,
                      bool has_constants, const opencl_form& form) {
  std::string text;
  if (by_value) text += image_format::block_type(facts.argument_bytes);
  if (has_array) text += "prism_private_array ";
  text += "__kernel ";
  if (form.has_sub_groups)
    text += "__attribute__((intel_reqd_sub_group_size(" + std::string(image::sub_group_size_macro) + "))) ";
  text += required_size(facts, form);
  text += "void " + facts.entry + "(" + image_format::block_parameter(by_value);
  if (facts.uses_local_memory) text += local_parameter("arena");
  for (std::size_t i = 0; i < facts.slots.size(); ++i) text += image_format::slot_parameters(i);
  if (has_constants) text += ", __global uchar* constants";
  if (form.runs_group || form.has_sub_groups)
    text += std::string(", uint lx, uint ly, uint lz") +
            (form.spill_bytes != 0 ? local_parameter("context_arrays") : "");
  return text + (checks_loops ? ' ' + std::string(image_format::fault_parameters) : std::string()) +
         std::string(image_format::end_of_head);
}

std::string extensions(std::uint64_t features) {
  std::string text;
  if (features & image::fp64) text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  if (features & image::int64_atomics)
    text += "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n#pragma OPENCL EXTENSION "
            "cl_khr_int64_extended_atomics : enable\n";
  return text;
}

/// See devices/api/kernel_constants.hpp.
std::string replaceable_values(const function_writer& writer) {
  std::string text;
  for (const auto& [macro, value] : writer.replaceable())
    text += "#ifndef " + macro + "\n#define " + macro + " " + value + "\n#endif\n";
  return text;
}

/// The alignments of the slots' pointers, if the text is built again for known ones. All drivers based on
/// clang have its builtin.
std::string known_alignments(const kernel_facts& facts) {
  std::string text;
  for (std::size_t i = 0; i < facts.slots.size(); ++i) {
    const std::string macro = image::alignment_macro(facts.slots[i].offset);
    text += "#ifdef " + macro + "\n  prism_know(((ulong)slot" + std::to_string(i) + " & (" + macro +
            " - 1)) == 0);\n#endif\n";
  }
  return text;
}

constexpr const char* know_text =
    "#if defined(__has_builtin)\n#if __has_builtin(__builtin_assume)\n#define prism_know "
    "__builtin_assume\n#endif\n#endif\n"
    "#ifndef prism_know\n#define prism_know(fact)\n#endif\n";

/// Must follow the parameters, whose names are used here.
std::string replaceable_sizes() {
  std::string text;
  for (int d = 0; d < 3; ++d) {
    const std::string macro = image::local_size_macros[d];
    text += "#ifdef " + macro + "\n#define l" + "xyz"[d] + " " + macro + "\n#endif\n";
  }
  return text;
}

} // namespace

bool passes_by_value(const kernel_facts& facts) {
  return image_format::passes_by_value(facts.argument_bytes, facts.slots.size());
}

opencl_result emit_opencl(const llvm::Module& module, llvm::Function& kernel, const kernel_facts& facts,
                          const opencl_form& form, const element_facts* elements) {
  opencl_result result;
  lower_intrinsics(kernel, target::opencl); // LLVM made these since the first lowering
  result.refusal = find_refusal(kernel, target::opencl).why;
  if (!result.refusal.empty()) return result;
  if (facts.slots.size() > image_format::opencl_pointer_slots) {
    result.refusal = "it captures " + std::to_string(facts.slots.size()) +
                     " pointers; OpenCL kernels take at most " +
                     std::to_string(image_format::opencl_pointer_slots);
    return result;
  }
  result.arguments_by_value = passes_by_value(facts);
  const bool checks_loops = !form.runs_group && may_loop_long(kernel),
             has_array = !form.runs_group && has_private_array(kernel);
  function_writer writer(kernel, facts, form, result.arguments_by_value,
                         checks_loops ? "prism_end" : "return");
  std::optional<element_places> places;
  if (elements) writer.record_places(&places.emplace(kernel, facts, *elements));
  if (!form.runs_group) {
    const moved_accesses moved = timed<find_moved_accesses>(kernel, writer.spaces());
    writer.keep_order_of(moved.all);
    result.is_reordered = moved.beyond_private;
  }
  writer.write();
  result.places = writer.places();
  result.features = writer.features() | (facts.needs_addresses ? std::uint64_t(image::addresses) : 0);
  if (form.has_sub_groups) result.features |= image::sub_groups;
  if (form.has_sub_groups && has_array) result.features |= image::sub_group_arrays;
  const constant_part constants = constants_of(writer, module.getDataLayout());
  std::string slots = writer.uses("zero") ? "  const uint zero = get_work_dim() >> 2;\n" : "";
  for (std::size_t i = 0; i < facts.slots.size(); ++i) {
    const std::string n = std::to_string(i);
    slots += "  __global uchar* slot" + n + " = base" + n + " + offset" + n + ";\n";
  }
  if (facts.replaces_alignments) slots += known_alignments(facts);
  std::string head = "// " + facts.display_name + "\n" + extensions(result.features) +
                     "#pragma OPENCL FP_CONTRACT OFF\n" + helper_text(writer) + constants.arrays +
                     (checks_loops ? loop_limit_text() : "") + (facts.replaces_alignments ? know_text : "") +
                     replaceable_values(writer) +
                     std::string(has_array && !form.has_sub_groups ? array_text : "") +
                     signature(facts, result.arguments_by_value, checks_loops,
                               has_array && !form.has_sub_groups, !constants.data.empty(), form) +
                     (form.runs_group ? replaceable_sizes() : "") +
                     (form.has_sub_groups ? local_ids(used_dimensions(kernel)) : "") + writer.declarations() +
                     local_pointers(facts, form) + slots + constants.pointers;
  const auto first = static_cast<std::uint32_t>(1 + std::count(head.begin(), head.end(), '\n'));
  result.lines = writer.lines();
  for (auto& [line, place] : result.lines) line += first;
  result.text = std::move(head) + writer.body() + "}\n" + constants.data;
  return result;
}

} // namespace prism::compiler
