#include "compiler/support/math_table.hpp"

#include <string>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace prism::compiler {
namespace {

// In an expression $0, $1, $2 are the arguments (unsigned for integers). A plain name is called with all
// arguments. The float row has "f" after the C name; the OpenCL text is the same for both.
struct row {
  const char* name;
  const char* opencl; // null: always computed by compiler/builtins
  bool vulkan_native;
};

constexpr row rows[] = {
    {"acos", "acos", false},
    {"acosh", "acosh", false},
    {"asin", "asin", false},
    {"asinh", "asinh", false},
    {"atan", "atan", false},
    {"atan2", "atan2", false},
    {"atanh", "atanh", false},
    {"cbrt", "cbrt", false},
    {"cos", "cos", false},
    {"cosh", "cosh", false},
    {"erf", "erf", false},
    {"exp", "exp", false},
    {"exp2", "exp2", false},
    {"exp10", "exp10", false},
    {"expm1", "expm1", false},
    {"fdim", "fdim", false},
    {"fma", "fma", false},
    {"fmax", "fmax", false},
    {"fmin", "fmin", false},
    {"fmod", "fmod", false},
    {"hypot", "hypot", false},
    {"ilogb", "(uint)ilogb($0)", false},
    {"ldexp", "ldexp($0, (int)$1)", false},
    {"lgamma", "lgamma", false},
    {"llrint", "(ulong)(long)rint($0)", false},
    {"llround", "(ulong)(long)round($0)", false},
    {"log", "log", false},
    {"log10", "log10", false},
    {"log1p", "log1p", false},
    {"log2", "log2", false},
    {"logb", "logb", false},
    {"lrint", "(ulong)(long)rint($0)", false},
    {"lround", "(ulong)(long)round($0)", false},
    {"nextafter", "nextafter", false},
    {"pow", "pow", false},
    {"remainder", "remainder", false},
    {"round", "round", false},
    {"scalbn", "ldexp($0, (int)$1)", false},
    {"scalbln", nullptr, false},
    {"sin", "sin", false},
    {"sinh", "sinh", false},
    {"tan", "tan", false},
    {"tanh", "tanh", false},
    {"nan", nullptr, false},
    {"tgamma", nullptr, false}, // PoCL's has errors of 30 units near negative integers
    {"erfc", nullptr, false},   // rusticl's has errors of 56 units where the result is small
    // results through pointers: always computed by compiler/builtins, inlined
    {"frexp", nullptr, false},
    {"modf", nullptr, false},
    {"remquo", nullptr, false},
    {"sincos", nullptr, false},
    {"lgamma_r", nullptr, false},
    // functions of complex numbers
    {"cabs", nullptr, false},
    {"carg", nullptr, false},
    {"ccos", nullptr, false},
    {"ccosh", nullptr, false},
    {"cexp", nullptr, false},
    {"clog", nullptr, false},
    {"cpow", nullptr, false},
    {"cproj", nullptr, false},
    {"cacos", nullptr, false},
    {"cacosh", nullptr, false},
    {"casin", nullptr, false},
    {"casinh", nullptr, false},
    {"catan", nullptr, false},
    {"catanh", nullptr, false},
    {"csin", nullptr, false},
    {"csinh", nullptr, false},
    {"csqrt", nullptr, false},
    {"ctan", nullptr, false},
    {"ctanh", nullptr, false},
    // SYCL's own functions, which the headers call as __prism_<name>[f]
    {"__prism_rsqrt", "rsqrt", false},
    {"__prism_sinpi", "sinpi", false},
    {"__prism_cospi", "cospi", false},
    {"__prism_tanpi", "tanpi", false},
    {"__prism_asinpi", "asinpi", false},
    {"__prism_acospi", "acospi", false},
    {"__prism_atanpi", "atanpi", false},
    {"__prism_atan2pi", "atan2pi", false},
    {"__prism_exp10", "exp10", false},
    {"__prism_maxmag", "maxmag", false},
    {"__prism_minmag", "minmag", false},
    {"__prism_powr", "powr", false},
    {"__prism_pown", "pown($0, (int)$1)", false},
    {"__prism_rootn", "rootn($0, (int)$1)", false},
    {"__prism_exact_sin", "sin", false},
    {"__prism_exact_cos", "cos", false},
    {"__prism_exact_tan", "tan", false},
    {"__prism_half_to_float", nullptr, false},
    {"__prism_float_to_half", nullptr, false},
    {"__prism_native_sin", "native_sin", false},
    {"__prism_native_cos", "native_cos", false},
    {"__prism_native_tan", "native_tan", false},
    {"__prism_native_exp", "native_exp", false},
    {"__prism_native_exp2", "native_exp2", false},
    {"__prism_native_exp10", "native_exp10", false},
    {"__prism_native_log", "native_log", false},
    {"__prism_native_log2", "native_log2", false},
    {"__prism_native_log10", "native_log10", false},
    {"__prism_native_powr", "native_powr", false},
    {"__prism_native_recip", "native_recip", false},
    {"__prism_native_rsqrt", "native_rsqrt", false},
    {"__prism_native_sqrt", "native_sqrt", false},
    {"__prism_native_divide", "native_divide", false},
};

// Calls of these become intrinsics, see intrinsics.cpp. They are listed so that they are known to be pure.
constexpr const char* intrinsic_names[] = {"fabs", "sqrt",      "floor",    "ceil",     "trunc",
                                           "rint", "nearbyint", "copysign", "roundeven"};
// Of <cstring>, compiler/builtins/memory.cpp, and the steps of printf, compiler/builtins/print.cpp: ours on
// the host too.
constexpr const char* memory_names[] = {"memcmp",
                                        "bcmp",
                                        "memchr",
                                        "strlen",
                                        "strcmp",
                                        "strncmp",
                                        "__prism_print_reserve",
                                        "__prism_print_length",
                                        "__prism_print_text",
                                        "__prism_print_i32",
                                        "__prism_print_i64",
                                        "__prism_print_f32",
                                        "__prism_print_f64",
                                        "__prism_print_pointer"};
// Complex arithmetic helpers of the compiler's run-time library: always ours.
constexpr const char* complex_helpers[] = {"__mulsc3", "__muldc3", "__divsc3", "__divdc3"};

struct table {
  llvm::StringMap<math_entry> entries;

  void add(std::string name, const char* opencl, bool vulkan_native) {
    math_entry& entry = entries[name];
    entry = {entries.find(name)->first().data(), opencl, vulkan_native};
  }

  table() {
    for (const row& r : rows) {
      add(r.name, r.opencl, r.vulkan_native);
      std::string name = r.name;
      if (name == "lgamma_r") add("lgammaf_r", r.opencl, r.vulkan_native);
      else add(name + "f", r.opencl, r.vulkan_native);
    }
    for (std::string name : intrinsic_names) {
      add(name, nullptr, false);
      add(name + "f", nullptr, false);
    }
    for (const char* name : complex_helpers) add(name, nullptr, false);
    for (const char* name : memory_names) add(name, nullptr, false);
  }
};

const table& the_table() {
  static const table instance;
  return instance;
}

} // namespace

const math_entry* find_math(llvm::StringRef name) {
  auto found = the_table().entries.find(name);
  return found == the_table().entries.end() ? nullptr : &found->second;
}

bool is_memory_function(llvm::StringRef name) { return llvm::is_contained(memory_names, name); }

bool is_native_math(llvm::StringRef name, target where) {
  const math_entry* entry = find_math(name);
  if (!entry) return false;
  // The C library has the other functions; libprism has those that correct it.
  if (where == target::host) return !name.starts_with("__prism_") || name.starts_with("__prism_exact_");
  return where == target::opencl ? entry->opencl != nullptr : entry->vulkan_native;
}

} // namespace prism::compiler
