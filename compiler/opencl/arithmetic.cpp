// Arithmetic, comparisons, conversions and calls of the OpenCL C text.
#include "compiler/device_ir/sign_extension.hpp"
#include "compiler/device_ir/sub_group_operation.hpp"
#include "compiler/device_ir/uniform.hpp"
#include "compiler/support/math_table.hpp"
#include "compiler/workgroup/work_group.hpp"
#include "compiler/opencl/writer.hpp"
#include "image_format/opencl_text.hpp"
#include "llvm/Support/ErrorHandling.h"

namespace prism::compiler {
using namespace llvm;

namespace {

/// Stores and conversions to bits round, so rounding before them costs two conversions and changes nothing.
bool is_rounded_by_users(const Instruction& made) {
  return all_of(made.users(), [&](const User* user) {
    auto* store = dyn_cast<StoreInst>(user);
    return store ? store->getValueOperand() == &made
                 : isa<BitCastInst>(user) && user->getType()->isIntegerTy();
  });
}

} // namespace

/// Half arithmetic is done in float and rounded after each operation, unless the device computes in half
/// (image::half_macro). For + - * / and sqrt the results are those of half arithmetic. Quotients and roots
/// are always floats first, because a device may round its own ones wrongly.
std::string function_writer::rounded(const Instruction& made, const std::string& expression) {
  if (!made.getType()->isHalfTy() || is_rounded_by_users(made)) return expression;
  m_helpers["half"] = true;
  return "prism_round_half(" + expression + ")";
}

namespace {

const char* operator_text(unsigned opcode) {
  switch (opcode) {
    case Instruction::Add:
    case Instruction::FAdd: return " + ";
    case Instruction::Sub:
    case Instruction::FSub: return " - ";
    case Instruction::Mul:
    case Instruction::FMul: return " * ";
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::FDiv: return " / ";
    case Instruction::URem:
    case Instruction::SRem: return " % ";
    case Instruction::And: return " & ";
    case Instruction::Or: return " | ";
    case Instruction::Xor: return " ^ ";
    case Instruction::Shl: return " << ";
    default: return " >> ";
  }
}

bool is_signed_form(const BinaryOperator& operation) {
  switch (operation.getOpcode()) {
    case Instruction::SDiv:
    case Instruction::SRem:
    case Instruction::AShr: return true;
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul: return operation.hasNoSignedWrap();
    default: return false;
  }
}

/// The dimension that the call of a reserved function asks about.
std::optional<std::uint64_t> dimension_asked(const Value* value, StringRef name) {
  auto* call = dyn_cast<CallInst>(value);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || callee->getName() != name) return std::nullopt;
  return cast<ConstantInt>(call->getArgOperand(0))->getZExtValue();
}

/// The dimension d, if the sum is group id(d) * local size(d) + local id(d).
std::optional<std::uint64_t> dimension_of_global_id(const BinaryOperator& sum) {
  if (sum.getOpcode() != Instruction::Add) return std::nullopt;
  for (const unsigned side : {0u, 1u}) {
    const auto local = dimension_asked(sum.getOperand(side), "__prism_local_id");
    auto* product = dyn_cast<BinaryOperator>(sum.getOperand(1 - side));
    if (!local || !product || product->getOpcode() != Instruction::Mul) continue;
    for (const unsigned group : {0u, 1u})
      if (dimension_asked(product->getOperand(group), "__prism_group_id") == local &&
          dimension_asked(product->getOperand(1 - group), "__prism_local_size") == local)
        return local;
  }
  return std::nullopt;
}

} // namespace

std::string function_writer::binary(const BinaryOperator& operation) {
  Type* type = operation.getType();
  const Value *a = operation.getOperand(0), *b = operation.getOperand(1);
  const unsigned opcode = operation.getOpcode();
  const std::string sign = operator_text(opcode);
  if (type->isHalfTy() && opcode == Instruction::FDiv)
    return rounded(operation, "(float)" + use(a) + sign + "(float)" + use(b));
  if (type->isFloatingPointTy()) return rounded(operation, use(a) + sign + use(b));
  if (type->isIntegerTy(1)) {
    if (opcode == Instruction::Add || opcode == Instruction::Sub || opcode == Instruction::Xor)
      return use(a) + " != " + use(b);
    if (opcode == Instruction::Mul || opcode == Instruction::And)
      return "(bool)(" + use(a) + " & " + use(b) + ")";
    if (opcode == Instruction::Or) return "(bool)(" + use(a) + " | " + use(b) + ")";
    return opcode == Instruction::URem || opcode == Instruction::SRem ? "false"
                                                                      : use(a); // division by 1, shift by 0
  }
  const std::string result = "(" + type_name(type) + ")";
  if (!m_runs_group && !m_has_sub_groups) // whose ids have other names
    if (const auto dimension = dimension_of_global_id(operation)) {
      m_helpers["global_id"] = true;
      return result + std::string(image_format::global_id_macro) + "(" + std::to_string(*dimension) + ")";
    }
  if (opcode == Instruction::Shl || opcode == Instruction::LShr)
    return result + "(" + use(a) + sign + "(uint)" + use(b) + ")";
  if (opcode == Instruction::AShr) return result + "(" + as_signed(a) + " >> (uint)" + use(b) + ")";
  if (auto* disjoint = dyn_cast<PossiblyDisjointInst>(&operation);
      disjoint && disjoint->isDisjoint() && type->getIntegerBitWidth() >= 32)
    return result + "(" + as_signed(a) + " + " + as_signed(b) + ")";
  if (is_signed_form(operation)) return result + "(" + as_signed(a) + sign + as_signed(b) + ")";
  if (type->getIntegerBitWidth() < 32)
    // unsigned, so that no signed overflow occurs
    return result + "((uint)" + use(a) + sign + "(uint)" + use(b) + ")";
  return use(a) + sign + use(b);
}

std::string function_writer::float_compare(const FCmpInst& compare) {
  const std::string a = use(compare.getOperand(0)), b = use(compare.getOperand(1));
  switch (compare.getPredicate()) {
    case CmpInst::FCMP_FALSE: return "false";
    case CmpInst::FCMP_OEQ: return a + " == " + b;
    case CmpInst::FCMP_OGT: return a + " > " + b;
    case CmpInst::FCMP_OGE: return a + " >= " + b;
    case CmpInst::FCMP_OLT: return a + " < " + b;
    case CmpInst::FCMP_OLE: return a + " <= " + b;
    case CmpInst::FCMP_ONE: return a + " < " + b + " || " + a + " > " + b;
    case CmpInst::FCMP_ORD: return a + " == " + a + " && " + b + " == " + b;
    case CmpInst::FCMP_UNO: return a + " != " + a + " || " + b + " != " + b;
    case CmpInst::FCMP_UEQ: return "!(" + a + " < " + b + " || " + a + " > " + b + ")";
    case CmpInst::FCMP_UGT: return "!(" + a + " <= " + b + ")";
    case CmpInst::FCMP_UGE: return "!(" + a + " < " + b + ")";
    case CmpInst::FCMP_ULT: return "!(" + a + " >= " + b + ")";
    case CmpInst::FCMP_ULE: return "!(" + a + " > " + b + ")";
    case CmpInst::FCMP_UNE: return a + " != " + b;
    default: return "true";
  }
}

std::string function_writer::compare(const CmpInst& compare) {
  if (auto* real = dyn_cast<FCmpInst>(&compare)) return float_compare(*real);
  const char* sign = " == ";
  switch (compare.getPredicate()) {
    case CmpInst::ICMP_NE: sign = " != "; break;
    case CmpInst::ICMP_UGT:
    case CmpInst::ICMP_SGT: sign = " > "; break;
    case CmpInst::ICMP_UGE:
    case CmpInst::ICMP_SGE: sign = " >= "; break;
    case CmpInst::ICMP_ULT:
    case CmpInst::ICMP_SLT: sign = " < "; break;
    case CmpInst::ICMP_ULE:
    case CmpInst::ICMP_SLE: sign = " <= "; break;
    default: break;
  }
  const Value *a = compare.getOperand(0), *b = compare.getOperand(1);
  if (a->getType()->isPointerTy()) return pointer_compare(a, sign, b);
  if (a->getType()->isIntegerTy(1)) { // signed: true is -1
    if (compare.isSigned()) return "-(int)" + use(a) + sign + "-(int)" + use(b);
    return "(int)" + use(a) + sign + "(int)" + use(b);
  }
  if (compare.isSigned()) return as_signed(a) + sign + as_signed(b);
  return use(a) + sign + use(b);
}

std::string function_writer::bit_conversion(const Value& from, Type* to) {
  if (from.getType()->isHalfTy() && to->isIntegerTy()) {
    m_helpers["half"] = true;
    return "prism_half_bits(" + use(&from) + ")";
  }
  if (to->isHalfTy()) {
    m_helpers["half"] = true;
    return "prism_half_value(" + use(&from) + ")";
  }
  return "as_" + type_name(to) + "(" + use(&from) + ")";
}

namespace {

std::string widened(const char* to, const Value& from, const std::string& text) {
  if (!from.getType()->isIntegerTy(8) && !from.getType()->isIntegerTy(16)) return text;
  std::string wide = to;
  return wide.append("(").append(text).append(")");
}

} // namespace

std::string function_writer::conversion(const CastInst& cast) {
  const Value* from = cast.getOperand(0);
  Type *source = from->getType(), *to = cast.getType();
  const std::string target =
      to->isPointerTy() ? "(" + type_name(static_cast<const Value&>(cast)) + ")" : "(" + type_name(to) + ")";
  const bool from_bool = source->isIntegerTy(1);
  switch (cast.getOpcode()) {
    case Instruction::Trunc: return to->isIntegerTy(1) ? "(" + use(from) + " & 1) != 0" : target + use(from);
    case Instruction::ZExt: return target + use(from);
    case Instruction::SExt:
      if (from_bool) return use(from) + " ? " + target + "~0ul : " + target + "0";
      if (!m_runs_group && sign_may_be_lost(cast)) // the driver with that fault never receives a group's text
        return "((ulong)" + use(from) + " ^ 0x80000000ul) - 0x80000000ul";
      return target + "(" + signed_name(to) + ")" + as_signed(from);
    case Instruction::FPToSI:
      if (to->isIntegerTy(1)) return use(from) + " != 0";
      return target + "(" + signed_name(to) + ")" + use(from);
    case Instruction::FPToUI:
      if (to->isIntegerTy(1)) return use(from) + " != 0";
      return target + use(from);
    case Instruction::SIToFP:
      return rounded(cast,
                     target + (from_bool ? "-(int)" + use(from) : widened("(int)", *from, as_signed(from))));
    case Instruction::UIToFP: return rounded(cast, target + widened("(int)(uint)", *from, use(from)));
    case Instruction::FPTrunc:
      if (to->isHalfTy() && source->isDoubleTy()) {
        m_helpers["half_of_double"] = m_helpers["half"] = true;
        return "prism_round_double_to_half(" + use(from) + ")";
      }
      return rounded(cast, target + use(from));
    case Instruction::FPExt: return target + use(from);
    case Instruction::PtrToInt: return target + address_number(from);
    case Instruction::IntToPtr: return pointer_of(cast, use(from));
    case Instruction::BitCast:
      return source == to || source->isPointerTy() ? use(from) : bit_conversion(*from, to);
    default: return use(from);
  }
}

std::string function_writer::intrinsic(const IntrinsicInst& call) {
  Type* type = call.getType();
  const std::string a = use(call.getArgOperand(0));
  switch (call.getIntrinsicID()) {
    case Intrinsic::fabs: return "fabs(" + a + ")";
    case Intrinsic::sqrt:
      return rounded(call, std::string("sqrt(") + (type->isHalfTy() ? "(float)" : "") + a + ")");
    case Intrinsic::floor: return "floor(" + a + ")";
    case Intrinsic::ceil: return "ceil(" + a + ")";
    case Intrinsic::trunc: return "trunc(" + a + ")";
    case Intrinsic::rint: return "rint(" + a + ")";
    case Intrinsic::ctlz: return "clz(" + a + ")";
    case Intrinsic::ctpop: return "popcount(" + a + ")";
    case Intrinsic::fmuladd: {
      const std::string helper = type->isDoubleTy() ? "prism_mad_double" : "prism_mad_float";
      m_helpers[helper] = true;
      return helper + "(" + a + ", " + use(call.getArgOperand(1)) + ", " + use(call.getArgOperand(2)) + ")";
    }
    default:
      report_fatal_error("PRISM: the OpenCL text does not support '" + call.getCalledFunction()->getName() +
                             "'",
                         false); // find_refusal has refused all others
  }
}

namespace {

std::string work_item_query(StringRef name) {
  if (name == "__prism_local_id") return "get_local_id";
  if (name == "__prism_group_id") return "get_group_id";
  if (name == "__prism_local_size") return "get_local_size";
  return "get_num_groups";
}

std::string barrier_flags(std::uint64_t fence) {
  if (fence == 2) return "CLK_GLOBAL_MEM_FENCE";
  return fence == 3 ? "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE" : "CLK_LOCAL_MEM_FENCE";
}

} // namespace

/// A reduction by a function of OpenCL C 3.0; another one and a scan by a function of helpers.cpp.
std::string function_writer::sub_group_combination(const CallInst& call) {
  const auto how = sub_group_operation::of(call);
  if (!how) report_fatal_error("PRISM: a sub-group operation that does not exist", false);
  constexpr const char* forms[] = {"reduce", "scan_inclusive", "scan_exclusive"};
  constexpr const char* names[] = {"add", "mul", "min", "max", "min", "max", "and", "or", "xor"};
  const Type* const type = call.getType();
  const std::string form = forms[how->form], name = names[how->combine], value = use(call.getArgOperand(1));
  const bool is_real = type->isFloatingPointTy();
  const bool is_signed = !is_real && (how->combine == sub_group_operation::minimum ||
                                      how->combine == sub_group_operation::maximum);
  const std::string word = type->isIntegerTy(64) ? "long" : "int";
  std::string function = "sub_group_reduce_" + name;
  if (form != "reduce" || !sub_group_helper::is_in_opencl_c(name)) {
    const std::string of = type->isDoubleTy() ? "double" : is_real ? "float" : is_signed ? word : "u" + word;
    const sub_group_helper helper{form, name, of};
    m_sub_group_helpers.insert(helper);
    function = helper.name();
  }
  return is_signed ? "(u" + word + ")" + function + "((" + word + ")" + value + ")"
                   : function + "(" + value + ")";
}

/// The driver's functions. A lane is reduced to one that exists in a full sub-group, because drivers index
/// registers with it.
std::string function_writer::sub_group_call(const CallInst& call, StringRef what) {
  const std::string size = image::sub_group_size_macro;
  const auto argument = [&](unsigned i) { return use(call.getArgOperand(i)); };
  if (what == "local_id") return "get_sub_group_local_id()";
  if (what == "id") return "get_sub_group_id()";
  if (what == "count") return "get_num_sub_groups()";
  if (what == "size") return "(uint)" + size;
  if (what == "local_size") return "get_sub_group_size()";
  if (what == "ballot") return "as_ulong(sub_group_ballot((int)" + argument(0) + ").xy)";
  if (what == "barrier")
    return "sub_group_barrier(" + barrier_flags(cast<ConstantInt>(call.getArgOperand(0))->getZExtValue()) +
           ")";
  if (what.starts_with("combine_")) return sub_group_combination(call);
  return "sub_group_shuffle(" + argument(0) + ", " + argument(1) + " & (" + size + " - 1u))";
}

std::string function_writer::call(const CallInst& call) {
  if (auto* known = dyn_cast<IntrinsicInst>(&call)) return intrinsic(*known);
  const StringRef name = call.getCalledFunction()->getName();
  if (name == "__prism_barrier")
    return "barrier(" + barrier_flags(cast<ConstantInt>(call.getArgOperand(0))->getZExtValue()) + ")";
  if (name == "__prism_fence") {
    const bool relaxed = cast<ConstantInt>(call.getArgOperand(0))->isZero();
    return relaxed ? "(void)0" : "mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)";
  }
  if (name == "__prism_clock") {
    const bool of_sub_group = cast<ConstantInt>(call.getArgOperand(0))->isOne();
    m_features |= of_sub_group ? image::clock_sub_group : image::clock_device;
    return of_sub_group ? "clock_read_sub_group()" : "clock_read_device()";
  }
  if (StringRef type = name; type.consume_front(element_call)) {
    m_helpers[("element_" + type).str()] = true;
    const std::uint64_t part = cast<ConstantInt>(call.getArgOperand(1))->getZExtValue();
    return ("prism_element_" + type + "(").str() + use(call.getArgOperand(0)) + ", " + std::to_string(part) +
           ")";
  }
  if (StringRef kind = name; kind.consume_front(dot_product_call)) {
    m_helpers["dot4"] = true;
    return ("prism_dot4_" + kind + "(").str() + use(call.getArgOperand(0)) + ", " +
           use(call.getArgOperand(1)) + ")";
  }
  if (name == "__prism_local_arena" || name == "__prism_group_scratch") return "arena";
  if (name == context_memory_name) return "context_arrays";
  if (name == "__prism_fixed_order") {
    m_helpers["fixed_order"] = true;
    return "PRISM_FIXED_ORDER";
  }
  if (name == asks_group_name) {
    m_helpers["asks_group"] = true;
    return "(bool)(" + std::string(image_format::asks_group_macro) + " & " + use(call.getArgOperand(0)) + ")";
  }
  const bool takes_size = m_runs_group || m_has_sub_groups;
  const bool is_local_id = name == "__prism_local_id" && m_has_sub_groups;
  if (is_local_id || (name == "__prism_local_size" && takes_size)) {
    constexpr const char* sizes[] = {"(ulong)lx", "(ulong)ly", "(ulong)lz"};
    constexpr const char* ids[] = {"(ulong)prism_x", "(ulong)prism_y", "(ulong)prism_z"};
    return (is_local_id ? ids : sizes)[cast<ConstantInt>(call.getArgOperand(0))->getZExtValue()];
  }
  if (StringRef what = name; what.consume_front("__prism_sub_group_")) return sub_group_call(call, what);
  if (name.starts_with("__prism_") && call.getType()->isIntegerTy(64))
    return "(ulong)" + work_item_query(name) + "(" +
           std::to_string(cast<ConstantInt>(call.getArgOperand(0))->getZExtValue()) + ")";
  std::string text = find_math(name)->opencl;
  if (text.find('$') == std::string::npos) {
    for (unsigned i = 0; i < call.arg_size(); ++i) text += (i == 0 ? "($" : ", $") + std::to_string(i);
    text += ")";
  }
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const std::string mark = "$" + std::to_string(i);
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
      const std::string argument = use(call.getArgOperand(i));
      text.replace(at, mark.size(), argument);
      at += argument.size();
    }
  }
  return text;
}

} // namespace prism::compiler
