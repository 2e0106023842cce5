// Calls: the reserved functions of kernel_abi.hpp, and those math functions that are accurate enough
// natively.
#include <bit>

#include <spirv/unified1/GLSL.std.450.h>

#include "compiler/device_ir/constants.hpp"
#include "compiler/device_ir/loop_limit.hpp"
#include "compiler/spirv/absent_items.hpp"
#include "compiler/spirv/translator.hpp"
#include "llvm/IR/Constants.h"

namespace prism::compiler::spirv {

using namespace llvm;

id translator::push_constant(unsigned member, id type) {
  if (m_push_constants == 0) {
    const id u64 = int_type(64), u32 = int_type(32);
    std::vector<id> members{u64, u32, u32, u32, u32, u32, u32, u64, u64, u64, u64};
    std::vector<word> offsets{0, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56}; // image::push_constants
    if (m_orders_all) members.push_back(u64), offsets.push_back(64);
    if (m_families.has_data()) members.push_back(u64), offsets.push_back(72);
    const id layout = m_builder.type_struct(members);
    m_builder.decorate(layout, spv::DecorationBlock);
    for (unsigned i = 0; i < members.size(); ++i)
      m_builder.decorate_member(layout, i, spv::DecorationOffset, {offsets[i]});
    m_push_constants = m_builder.global_variable(
        m_builder.type_pointer(spv::StorageClassPushConstant, layout), spv::StorageClassPushConstant);
  }
  const id address = emit(spv::OpAccessChain, m_builder.type_pointer(spv::StorageClassPushConstant, type),
                          {m_push_constants, number(32, member)});
  return emit(spv::OpLoad, type, {address});
}

id translator::built_in(id& variable, spv::BuiltIn which, unsigned dimension) {
  const id u32 = int_type(32);
  if (variable == 0) {
    variable = m_builder.global_variable(
        m_builder.type_pointer(spv::StorageClassInput, m_builder.type_vector(u32, 3)),
        spv::StorageClassInput);
    m_builder.decorate(variable, spv::DecorationBuiltIn, {static_cast<word>(which)});
  }
  const id address = emit(spv::OpAccessChain, m_builder.type_pointer(spv::StorageClassInput, u32),
                          {variable, number(32, dimension)});
  return emit(spv::OpLoad, u32, {address});
}

/// Computes the local id from the number in the row, for a work-group that is launched as one row. If the
/// group has only one dimension, the driver sees that no division is needed.
id translator::local_id(unsigned dimension) {
  const id launched = built_in(m_local_id, spv::BuiltInLocalInvocationId, m_has_sub_groups ? 0 : dimension);
  if (!m_has_sub_groups) return launched;
  const id u32 = int_type(32);
  const id one_row = emit(spv::OpIEqual, int_type(1), {m_sizes[0], m_flat_size});
  if (dimension == 0)
    return emit(spv::OpSelect, u32, {one_row, launched, emit(spv::OpUMod, u32, {launched, m_sizes[0]})});
  id part = emit(spv::OpUDiv, u32, {launched, m_sizes[0]});
  part = dimension == 1 ? emit(spv::OpUMod, u32, {part, m_sizes[1]})
                        : emit(spv::OpUDiv, u32, {part, m_sizes[1]});
  return emit(spv::OpSelect, u32, {one_row, number(32, 0), part});
}

id translator::group_id(unsigned dimension) {
  const id within = built_in(m_group_id, spv::BuiltInWorkgroupId, dimension);
  return emit(spv::OpIAdd, int_type(32), {within, push_constant(4 + dimension, int_type(32))});
}

id translator::local_size(unsigned dimension) { return m_sizes[dimension]; }
id translator::group_count(unsigned dimension) { return push_constant(1 + dimension, int_type(32)); }

id translator::leaves_lanes() {
  if (m_leaves_lanes == 0) m_leaves_lanes = m_builder.spec_constant_false(6);
  return m_leaves_lanes;
}

id translator::fixed_order() {
  if (m_fixed_order == 0) m_fixed_order = m_builder.spec_constant_false(image::fixed_order_spec_id);
  return m_fixed_order;
}

/// The lowest bit of an address that is a multiple of 16. Its value is zero, which no driver knows.
id translator::unseen_zero() {
  if (m_specialised == 0) m_specialised = m_builder.spec_constant_false(image::specialised_spec_id);
  const id bit = emit(spv::OpBitwiseAnd, int_type(32),
                      {emit(spv::OpUConvert, int_type(32), {push_constant(0, int_type(64))}), number(32, 1)});
  return emit(spv::OpSelect, int_type(32), {m_specialised, bit, number(32, 0)});
}

id translator::is_present() {
  const id boolean = int_type(1);
  const id launched = built_in(m_local_id, spv::BuiltInLocalInvocationId, 0);
  const id unchecked = emit(spv::OpLogicalNot, boolean, {leaves_lanes()});
  return emit(
      spv::OpLogicalOr, boolean,
      {unchecked, emit(spv::OpULessThan, boolean, {launched, m_has_sub_groups ? m_flat_size : m_sizes[0]})});
}

id translator::dimension_value(const CallInst& instruction, id (translator::*query)(unsigned)) {
  const auto* dimension = dyn_cast<ConstantInt>(instruction.getArgOperand(0));
  id narrow = 0;
  if (dimension != nullptr) {
    if (dimension->getZExtValue() > 2) refuse(&instruction, "a work-item query of a dimension above 2");
    narrow = (this->*query)(static_cast<unsigned>(dimension->getZExtValue()));
  } else {
    const id which = value(instruction.getArgOperand(0));
    narrow = (this->*query)(0);
    for (unsigned i = 1; i < 3; ++i) {
      const id same = emit(spv::OpIEqual, int_type(1), {which, number(32, i)});
      narrow = emit(spv::OpSelect, int_type(32), {same, (this->*query)(i), narrow});
    }
  }
  return emit(spv::OpUConvert, int_type(64), {narrow});
}

/// A function of the module, which returns 0: the function that computes elements takes its place
/// (image_format/fuse_spirv.cpp).
void translator::call_element(const CallInst& instruction, std::uint64_t part) {
  const std::string name = instruction.getCalledFunction()->getName().str() + "_" + std::to_string(part);
  const id type = scalar_type(instruction.getType(), &instruction), index = int_type(32);
  id& function = m_element_functions[name];
  if (function == 0) {
    function = m_builder.fresh();
    m_builder.name(function, name);
    m_functions.op(spv::OpFunction,
                   {type, function, spv::FunctionControlMaskNone, m_builder.type_function(type, {index})});
    m_functions.op(spv::OpFunctionParameter, {index, m_builder.fresh()});
    m_functions.op(spv::OpLabel, {m_builder.fresh()});
    m_functions.op(spv::OpReturnValue, {m_builder.constant_null(type)});
    m_functions.op(spv::OpFunctionEnd, {});
  }
  define(&instruction, emit(spv::OpFunctionCall, type, {function, value(instruction.getArgOperand(0))}));
}

id translator::dot_product(const CallInst& instruction, StringRef name) {
  const spv::Op code = name.ends_with("_ss")   ? spv::OpSDotKHR
                       : name.ends_with("_su") ? spv::OpSUDotKHR
                                               : spv::OpUDotKHR;
  m_builder.capability(spv::CapabilityDotProductKHR);
  m_builder.capability(spv::CapabilityDotProductInput4x8BitPackedKHR);
  m_builder.extension("SPV_KHR_integer_dot_product");
  return emit(code, int_type(32),
              {value(instruction.getArgOperand(0)), value(instruction.getArgOperand(1)),
               spv::PackedVectorFormatPackedVectorFormat4x8BitKHR});
}

bool translator::reserved_call(const CallInst& instruction, StringRef name) {
  const auto argument = [&](unsigned i) -> std::uint64_t {
    const auto* number = dyn_cast<ConstantInt>(instruction.getArgOperand(i));
    if (number == nullptr)
      refuse(&instruction, "a call of " + name.str() + " with an argument that is not constant");
    return number->getZExtValue();
  };
  if (name == "__prism_local_id") define(&instruction, dimension_value(instruction, &translator::local_id));
  else if (name == "__prism_group_id")
    define(&instruction, dimension_value(instruction, &translator::group_id));
  else if (name == "__prism_local_size")
    define(&instruction, dimension_value(instruction, &translator::local_size));
  else if (name == "__prism_group_count")
    define(&instruction, dimension_value(instruction, &translator::group_count));
  else if (name == "__prism_local_arena" || name == "__prism_group_scratch")
    define(&instruction, number(32, m_families.of(&instruction).bias));
  else if (name == "__prism_barrier") control_barrier(spv::ScopeWorkgroup, argument(0));
  else if (name == "__prism_fence") fence(argument(0), argument(1), instruction);
  else if (name == "__prism_clock") {
    const bool of_sub_group = argument(0) == 1;
    need(of_sub_group ? image::clock_sub_group : image::clock_device);
    m_builder.capability(spv::CapabilityShaderClockKHR);
    m_builder.extension("SPV_KHR_shader_clock");
    define(&instruction, emit(spv::OpReadClockKHR, int_type(64),
                              {number(32, of_sub_group ? spv::ScopeSubgroup : spv::ScopeDevice)}));
  } else if (name == checks_loops_name) define(&instruction, m_builder.spec_constant_false(4));
  else if (name == fault_name) define(&instruction, push_constant(7, int_type(64)));
  else if (name == is_present_name) define(&instruction, is_present());
  else if (name == unseen_zero_name) define(&instruction, unseen_zero());
  else if (name == never_name) define(&instruction, number(1, 0));
  else if (name == "__prism_fixed_order") define(&instruction, fixed_order());
  else if (name.starts_with(element_call)) call_element(instruction, argument(1));
  else if (name.starts_with(dot_product_call)) define(&instruction, dot_product(instruction, name));
  else return sub_group_call(instruction, name);
  return true;
}

/// SYCL's native functions: with the device's own speed and accuracy.
bool translator::native_call(const CallInst& instruction, StringRef name) {
  if (!instruction.getType()->isFloatTy() || !name.consume_front("__prism_native_") ||
      !name.consume_back("f"))
    return false;
  struct function {
    const char* name;
    word glsl;
  };
  static constexpr function one_argument[] = {
      {"sin", GLSLstd450Sin},   {"cos", GLSLstd450Cos},           {"tan", GLSLstd450Tan},
      {"exp", GLSLstd450Exp},   {"exp2", GLSLstd450Exp2},         {"log", GLSLstd450Log},
      {"log2", GLSLstd450Log2}, {"rsqrt", GLSLstd450InverseSqrt}, {"sqrt", GLSLstd450Sqrt},
  };
  const id type = float_type(32), first = value(instruction.getArgOperand(0));
  const auto real = [&](float v) { return m_builder.constant(type, 32, std::bit_cast<std::uint32_t>(v)); };
  const auto done = [&](id result) {
    define(&instruction, result);
    return true;
  };
  for (const function& one : one_argument)
    if (name == one.name) return done(glsl(one.glsl, type, {first}));
  if (name == "exp10")
    return done(glsl(GLSLstd450Exp2, type, {emit(spv::OpFMul, type, {first, real(3.3219281f)})}));
  if (name == "log10")
    return done(emit(spv::OpFMul, type, {glsl(GLSLstd450Log2, type, {first}), real(0.30103f)}));
  if (name == "recip") return done(emit(spv::OpFDiv, type, {real(1), first}));
  if (instruction.arg_size() != 2) return false;
  const id second = value(instruction.getArgOperand(1));
  if (name == "divide") return done(emit(spv::OpFDiv, type, {first, second}));
  if (name == "powr") return done(glsl(GLSLstd450Pow, type, {first, second}));
  return false;
}

/// The bits of a finite double that form its whole part, derived from its exponent. Below 1 only the sign;
/// without a fraction (and for infinities and NaN) all bits.
id translator::whole_part_of_double(id bits, id exponent) {
  const id word = int_type(64), boolean = int_type(1);
  const id fraction =
      emit(spv::OpShiftRightLogical, word,
           {number(64, 0xfffffffffffffull), emit(spv::OpBitwiseAnd, word, {exponent, number(64, 63)})});
  const id below_one = emit(spv::OpSLessThan, boolean, {exponent, number(64, 0)});
  const id is_whole = emit(spv::OpSGreaterThan, boolean, {exponent, number(64, 51)});
  const id some = emit(spv::OpBitwiseAnd, word, {bits, emit(spv::OpNot, word, {fraction})});
  const id sign = emit(spv::OpBitwiseAnd, word, {bits, number(64, 1ull << 63)});
  return emit(spv::OpSelect, word, {below_one, sign, emit(spv::OpSelect, word, {is_whole, bits, some})});
}

/// trunc and rint of a double, computed on its bits. llvmpipe of Mesa 22.3 computes both wrongly if a vector
/// of its doubles is wider than the processor's registers: it then uses the path through 32-bit integers that
/// is meant for floats.
id translator::rounded_double(id x, bool to_nearest) {
  const id word = int_type(64), boolean = int_type(1), type = m_builder.type_float(64);
  const id bits = emit(spv::OpBitcast, word, {x});
  const auto exponent_of = [&](id of) {
    const id field = emit(spv::OpBitwiseAnd, word,
                          {emit(spv::OpShiftRightLogical, word, {of, number(64, 52)}), number(64, 0x7ff)});
    return emit(spv::OpISub, word, {field, number(64, 1023)});
  };
  const id exponent = exponent_of(bits);
  if (!to_nearest) return emit(spv::OpBitcast, type, {whole_part_of_double(bits, exponent)});
  // Adds half of the last whole place to the bits, less one if the whole part is even. A carry goes into the
  // exponent.
  const id amount =
      emit(spv::OpBitwiseAnd, word, {emit(spv::OpISub, word, {number(64, 51), exponent}), number(64, 63)});
  const id half = emit(spv::OpShiftLeftLogical, word, {number(64, 1), amount});
  const id odd = emit(spv::OpBitwiseAnd, word,
                      {emit(spv::OpShiftRightLogical, word,
                            {emit(spv::OpShiftRightLogical, word, {bits, amount}), number(64, 1)}),
                       number(64, 1)});
  const id raised =
      emit(spv::OpIAdd, word,
           {bits, emit(spv::OpISub, word, {emit(spv::OpIAdd, word, {half, odd}), number(64, 1)})});
  const id fraction =
      emit(spv::OpISub, word, {emit(spv::OpShiftLeftLogical, word, {half, number(64, 1)}), number(64, 1)});
  const id large = emit(spv::OpBitwiseAnd, word, {raised, emit(spv::OpNot, word, {fraction})});
  // Below 1: the sign, and 1 for values above a half.
  const id sign = emit(spv::OpBitwiseAnd, word, {bits, number(64, 1ull << 63)});
  const id magnitude = emit(spv::OpBitwiseAnd, word, {bits, number(64, ~(1ull << 63))});
  const id above_half = emit(spv::OpUGreaterThan, boolean, {magnitude, number(64, 0x3fe0000000000000ull)});
  const id one = emit(spv::OpBitwiseOr, word, {sign, number(64, 0x3ff0000000000000ull)});
  const id small = emit(spv::OpSelect, word, {above_half, one, sign});
  const id is_small = emit(spv::OpSLessThan, boolean, {exponent, number(64, 0)});
  const id is_whole = emit(spv::OpSGreaterThan, boolean, {exponent, number(64, 51)});
  return emit(
      spv::OpBitcast, type,
      {emit(spv::OpSelect, word, {is_small, small, emit(spv::OpSelect, word, {is_whole, bits, large})})});
}

bool translator::math_call(const CallInst& instruction, StringRef name) {
  struct function {
    const char* name;
    word glsl;
  };
  static constexpr function one_argument[] = {
      {"sqrt", GLSLstd450Sqrt},           {"fabs", GLSLstd450FAbs},           {"floor", GLSLstd450Floor},
      {"ceil", GLSLstd450Ceil},           {"trunc", GLSLstd450Trunc},         {"rint", GLSLstd450RoundEven},
      {"nearbyint", GLSLstd450RoundEven}, {"roundeven", GLSLstd450RoundEven},
  };
  Type* type = instruction.getType();
  if (!type->isFloatTy() && !type->isDoubleTy() && !type->isHalfTy()) return false;
  if (type->isFloatTy() && name.ends_with("f") && instruction.getIntrinsicID() == Intrinsic::not_intrinsic)
    name = name.drop_back();
  const auto argument = [&](unsigned i) { return value(instruction.getArgOperand(i)); };
  const id result_type = type_of(&instruction);
  if (instruction.arg_size() == 1) {
    for (const function& known_function : one_argument)
      if (name == known_function.name) {
        if (type->isDoubleTy() &&
            (known_function.glsl == GLSLstd450Trunc || known_function.glsl == GLSLstd450RoundEven))
          define(&instruction, rounded_double(argument(0), known_function.glsl == GLSLstd450RoundEven));
        else {
          const id result = glsl(known_function.glsl, result_type, {argument(0)});
          if (known_function.glsl == GLSLstd450Sqrt) exact(result, instruction); // native::sqrt is not
          define(&instruction, result);
        }
        return true;
      }
    return false;
  }
  if (name == "fmuladd") { // the source permits fusing the two operations
    const id product = emit(spv::OpFMul, result_type, {argument(0), argument(1)});
    define(&instruction, emit(spv::OpFAdd, result_type, {product, argument(2)}));
    return true;
  }
  if (name == "fma") { // number_form::fused
    m_features |= image::fused_multiply_add;
    const id sum = glsl(GLSLstd450Fma, result_type, {argument(0), argument(1), argument(2)});
    define(&instruction, sum);
    return true;
  }
  if (name != "fmin" && name != "fmax" && name != "minnum" && name != "maxnum") return false;
  // By comparison, because drivers' minimum differs for NaN. The result is then the other operand.
  const id a = argument(0), b = argument(1), boolean = int_type(1);
  const bool lower = name == "fmin" || name == "minnum";
  const id a_is_nan = emit(spv::OpFUnordNotEqual, boolean, {a, a});
  const id beats = emit(lower ? spv::OpFOrdLessThan : spv::OpFOrdGreaterThan, boolean, {b, a});
  define(&instruction,
         emit(spv::OpSelect, result_type, {emit(spv::OpLogicalOr, boolean, {a_is_nan, beats}), b, a}));
  return true;
}

void translator::call(const CallInst& instruction) {
  const Function* callee = instruction.getCalledFunction();
  if (callee == nullptr) refuse(&instruction, "a call through a pointer");
  StringRef name = callee->getName();
  if (callee->isIntrinsic()) {
    if (instruction.isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(instruction)) return;
    switch (callee->getIntrinsicID()) {
      case Intrinsic::assume:
      case Intrinsic::experimental_noalias_scope_decl: return;
      default: break;
    }
    const StringRef plain = name.substr(5); // without "llvm."
    if (math_call(instruction, plain.take_until([](char c) { return c == '.'; }))) return;
  } else if (matrix_function_call(instruction, name) || reserved_call(instruction, name) ||
             native_call(instruction, name) || math_call(instruction, name)) {
    return;
  }
  refuse(&instruction, "a call of '" + name.str() + "', which the Vulkan target does not have");
}

} // namespace prism::compiler::spirv
