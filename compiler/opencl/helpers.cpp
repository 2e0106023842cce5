// The small functions that a kernel's text may call. Those that it uses are written in front of it.
#include "compiler/opencl/writer.hpp"
#include "image_format/opencl_text.hpp"

namespace prism::compiler {
namespace {

/// By cl_ext_float_atomics where the runtime says that the device has it (image::float_adds_macro), else by a
/// loop.
std::string float_add(const std::string& real, const std::string& bits, const std::string& space) {
  const bool is_double = real == "double";
  const std::uint32_t bit = image::float_adds_bit(is_double, space == "local");
  const std::string exchange = is_double ? "atom_cmpxchg" : "atomic_cmpxchg";
  return real + " prism_add_" + real + "_" + space + "(volatile __" + space + " " + bits + "* at, " + real +
         " value) {\n#if (" + std::string(image::float_adds_macro) + " + 0) & " + std::to_string(bit) +
         "\n  return atomic_fetch_add_explicit((volatile __" + space + " atomic_" + real +
         "*)at, value, memory_order_relaxed, memory_scope_device);\n#else\n  " + bits +
         " seen = *at, old;\n  do {\n    old = seen;\n    seen = " + exchange + "(at, old, as_" + bits +
         "(as_" + real + "(old) + value));\n  } while (seen != old);\n  return as_" + real +
         "(old);\n#endif\n}\n";
}

std::string multiply_add(const std::string& real) {
  return real + " prism_mad_" + real + "(" + real + " a, " + real + " b, " + real +
         " c) {\n#if !PRISM_FIXED_ORDER\n#pragma OPENCL FP_CONTRACT ON\n#endif\n  return a * b + c;\n}\n";
}

/// What an exclusive scan gives to the first work-item.
std::string identity_of(const sub_group_helper& of) {
  const bool is_real = of.type == "float" || of.type == "double",
             is_signed = of.type == "int" || of.type == "long";
  const std::string limit = of.type == "int" ? "INT_" : "LONG_";
  if (of.operation == "mul") return "1";
  if (of.operation == "min") return is_real ? "INFINITY" : is_signed ? limit + "MAX" : "~(" + of.type + ")0";
  if (of.operation == "max" && is_real) return "-INFINITY";
  if (of.operation == "max" && is_signed) return limit + "MIN";
  return of.operation == "and" ? "~(" + of.type + ")0" : "0";
}

/// By the driver's function where it has one and does not compute it more slowly than steps of shuffles.
std::string sub_group_steps(const sub_group_helper& of) {
  const std::string &type = of.type, &operation = of.operation;
  const bool is_scan = of.form != "reduce", is_in_opencl_c = sub_group_helper::is_in_opencl_c(operation);
  const auto combined = [&](const std::string& a, const std::string& b) {
    if (operation == "min" || operation == "max") return operation + "(" + a + ", " + b + ")";
    const char* const sign = operation == "add"   ? " + "
                             : operation == "mul" ? " * "
                             : operation == "and" ? " & "
                             : operation == "or"  ? " | "
                                                  : " ^ ";
    return a + sign + b;
  };
  std::string text = type + " " + of.name() + "(" + type + " x) {\n#if ";
  if (!is_in_opencl_c) text += "defined(cl_khr_subgroup_non_uniform_arithmetic)";
  if (!is_in_opencl_c && is_scan) text += " && ";
  if (is_scan) text += "!PRISM_SCANS_BY_SHUFFLES";
  text += "\n  return sub_group_" + std::string(is_in_opencl_c ? "" : "non_uniform_") + of.form + "_" +
          operation +
          "(x);\n#else\n  const uint lane = get_sub_group_local_id(), last = " + image::sub_group_size_macro +
          " - 1u;\n";
  const std::string loop = "  for (uint step = 1; step <= last; step *= 2) {\n    const " + type;
  if (!is_scan)
    return text + "  const uint count = get_sub_group_size();\n" + loop +
           " later = sub_group_shuffle(x, (lane + step) & last);\n    if (lane + step < count) x = " +
           combined("x", "later") + ";\n  }\n  return sub_group_shuffle(x, 0);\n#endif\n}\n";
  text += loop + " earlier = sub_group_shuffle(x, (lane - step) & last);\n    if (lane >= step) x = " +
          combined("earlier", "x") + ";\n  }\n";
  if (of.form == "scan_inclusive") return text + "  return x;\n#endif\n}\n";
  return text + "  const " + type +
         " before = sub_group_shuffle(x, (lane - 1u) & last);\n  return lane == 0 ? " + identity_of(of) +
         " : before;\n#endif\n}\n";
}

constexpr const char* order_text = "#ifndef PRISM_FIXED_ORDER\n#define PRISM_FIXED_ORDER 0\n#endif\n";

std::string with_default(const std::string& macro, const std::string& text) {
  return "#ifndef " + macro + "\n#define " + macro + " " + text + "\n#endif\n";
}

/// With parameters only in the default: a build option names a function.
std::string global_id_text() {
  const std::string macro(image_format::global_id_macro);
  return "#ifndef " + macro + "\n#define " + macro +
         "(d) (get_group_id(d) * get_local_size(d) + get_local_id(d))\n#endif\n";
}

/// All forms round to nearest. In the second form prism_half_step returns a power of two whose last place is
/// that of the half next to a value of that size: the sum of both is rounded as the half. For subnormal
/// halves it is 0.5. Sizes from 65520 (0x477ff000) are infinite or no numbers.
constexpr const char* half_text = R"(#ifdef PRISM_HALF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef half prism_half;
#define prism_half_value(bits) as_half((ushort)(bits))
#define prism_half_bits(value) as_ushort((half)(value))
#define prism_round_half(value) ((half)(value))
#else
typedef float prism_half;
#ifdef PRISM_OWN_HALVES
float prism_half_value(ushort bits) {
  const uint size = (uint)(bits & 0x7fff) << 13;
  const float value = size < 0x800000 ? as_float(size + 0x38800000) - 0x1p-14f
                                      : as_float(size + (size < 0xf800000 ? 0x38000000u : 0x70000000u));
  return as_float(as_uint(value) | (uint)(bits & 0x8000) << 16);
}
float prism_half_step(uint size) {
  const uint step = (size & 0x7f800000) + 0x6800000;
  return as_float(step < 0x3f000000 ? 0x3f000000u : step);
}
ushort prism_half_bits(float value) {
  const uint size = as_uint(value) & 0x7fffffff;
  const float step = prism_half_step(size);
  const uint near = (as_uint(step) >> 13) - 0x1f800 + as_uint(as_float(size) + step) - as_uint(step);
  const uint bits = size < 0x477ff000 ? near : size <= 0x7f800000 ? 0x7c00 : 0x7e00 | (size >> 13 & 0x3ff);
  return (ushort)(bits | (as_uint(value) >> 16 & 0x8000));
}
float prism_round_half(float value) {
  const uint size = as_uint(value) & 0x7fffffff;
  const float step = prism_half_step(size);
  const float near = (as_float(size) + step) - step;
  const float rounded = size < 0x477ff000 ? near : as_float(size) * INFINITY;
  return as_float(as_uint(rounded) | (as_uint(value) & 0x80000000));
}
#else
float prism_half_value(ushort bits) {
  return vload_half(0, (const __private half*)&bits);
}
ushort prism_half_bits(float value) {
  ushort bits;
  vstore_half_rte(value, 0, (__private half*)&bits);
  return bits;
}
float prism_round_half(float value) {
  return prism_half_value(prism_half_bits(value));
}
#endif
#endif
#if defined(PRISM_OWN_HALVES) && !defined(PRISM_HALF)
#define prism_load_half(place, pointer) prism_half_value(place)
#define prism_store_half(value, place, pointer) (place = prism_half_bits(value))
#else
#define prism_load_half(place, pointer) vload_half(0, pointer)
#define prism_store_half(value, place, pointer) vstore_half_rte((float)(value), 0, pointer)
#endif
)";

/// By cl_khr_integer_dot_product where the runtime says that the device has it.
std::string dot_products() {
  std::string text = std::string("#if (") + image::dot_products_macro + " + 0)\n";
  const auto each = [&](const auto& write) {
    for (const char* kind : {"ss", "su", "uu"})
      text += std::string("uint prism_dot4_") + kind + "(uint a, uint b) {\n  return " +
              write(std::string(kind)) + ";\n}\n";
  };
  each([](const std::string& kind) {
    return "(uint)dot_4x8packed_" + kind + (kind == "uu" ? "_uint" : "_int") + "(a, b)";
  });
  text += "#else\n";
  each([](const std::string& kind) {
    std::string sum;
    for (const char* shift : {"", " >> 8", " >> 16", " >> 24"}) {
      const auto byte = [&](char sign, const char* word) {
        return std::string("(uint)(int)(") + (sign == 's' ? "char" : "uchar") + ")(" + word + shift + ")";
      };
      sum += (sum.empty() ? "" : " + ") + byte(kind[0], "a") + " * " + byte(kind[1], "b");
    }
    return sum;
  });
  return text + "#endif\n";
}

constexpr const char* half_of_double_text = R"(prism_half prism_round_double_to_half(double value) {
  ushort bits;
  vstore_half_rte(value, 0, (__private half*)&bits);
  return prism_half_value(bits);
}
)";

} // namespace

std::string helper_text(const function_writer& writer) {
  std::string text;
  if (writer.uses("alias")) {
    for (const char* type : {"uchar", "ushort", "uint", "ulong", "float"})
      text += std::string("typedef ") + type + " __attribute__((may_alias)) prism_" + type + ";\n";
    if (writer.features() & image::fp64) text += "typedef double __attribute__((may_alias)) prism_double;\n";
  }
  text += wide_helper_text(writer.helpers());
  if (writer.uses("ordered")) text += "#ifndef prism_ordered\n#define prism_ordered\n#endif\n";
  if (writer.uses("global_id")) text += global_id_text();
  if (writer.uses("asks_group")) text += with_default(std::string(image_format::asks_group_macro), "1");
  if (writer.uses("fixed_order") || writer.uses("prism_mad_float") || writer.uses("prism_mad_double"))
    text += order_text;
  for (const char* type : {"f32", "f64", "i64"}) { // the definition in a fused text comes before
    const std::string name = std::string("prism_element_") + type;
    if (writer.uses(name.substr(6)))
      text += "#ifndef " + name + "\n#define " + name + "(index, part) 0\n#endif\n";
  }
  if (writer.uses("half")) text += half_text;
  if (writer.uses("half_of_double")) text += half_of_double_text;
  if (writer.uses("dot4")) text += dot_products();
  for (const sub_group_helper& each : writer.sub_group_helpers()) text += sub_group_steps(each);
  for (const char* real : {"float", "double"}) {
    const std::string name = real;
    if (writer.uses("prism_mad_" + name)) text += multiply_add(name);
    for (const char* space : {"global", "local"})
      if (writer.uses("prism_add_" + name + "_" + space))
        text += float_add(name, name == "float" ? "uint" : "ulong", space);
  }
  return text;
}

} // namespace prism::compiler
