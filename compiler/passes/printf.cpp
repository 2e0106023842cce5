// C's printf in kernels becomes a record in the command's output block, which the runtime prints when the
// command is complete, as it prints what sycl::ext::oneapi::experimental::printf wrote.
//
// A call is lowered when its format is known. front/check.cpp refuses those that are left. C passes float as
// double; a double that a float made is written as that float, so that devices without fp64 can print it.
#include "compiler/passes/hidden.hpp"
#include "compiler/passes/passes.hpp"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <optional>

namespace prism::compiler {
using namespace llvm;

namespace {

/// Where the format is among the arguments; nothing for another function. With -D_FORTIFY_SOURCE the C
/// library's header calls its checking form, which has a flag before it.
std::optional<unsigned> format_index(const CallInst& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) return std::nullopt;
  if (callee->getName() == "printf") return 0;
  if (callee->getName() == "__printf_chk") return 1;
  return std::nullopt;
}

/// The letter of each conversion, in the order of the arguments; '*' for a width or a precision. Nothing for
/// a format that stores through a pointer (%n) or prints wide characters, which kernels cannot.
std::optional<SmallVector<char>> conversions_of(StringRef format) {
  SmallVector<char> letters;
  for (std::size_t at = 0; (at = format.find('%', at)) != StringRef::npos;) {
    ++at;
    bool is_long = false;
    for (; at < format.size() && StringRef("-+ #0123456789.*hlLqjzt").contains(format[at]); ++at) {
      if (format[at] == '*') letters.push_back('*');
      is_long |= format[at] == 'l';
    }
    if (at == format.size()) break;
    const char letter = format[at++];
    if (letter == 'n' || (is_long && (letter == 's' || letter == 'c'))) return std::nullopt;
    if (letter != '%') letters.push_back(letter);
  }
  return letters;
}

/// The float from which C made this double, as a number that devices without fp64 can hold; null for another
/// double.
Value* as_float(IRBuilder<>& build, Value* value) {
  if (auto* widened = dyn_cast<FPExtInst>(value)) {
    Value* narrow = widened->getOperand(0);
    return narrow->getType()->isFloatTy() ? narrow : build.CreateFPExt(narrow, build.getFloatTy());
  }
  auto* constant = dyn_cast<ConstantFP>(value);
  if (!constant) return nullptr;
  APFloat number = constant->getValueAPF();
  bool loses = false;
  number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &loses);
  return loses ? nullptr : ConstantFP::get(build.getContext(), number);
}

/// One argument of a call: the function of compiler/builtins/print.cpp that writes it, and what that is
/// given.
struct printed_value {
  const char* writer;
  Value* value;
  unsigned words;                // 0: a text of unknown length
  std::optional<StringRef> text; // known when compiling
};

class print_call {
public:
  print_call(CallInst& call, unsigned format_index)
      : m_call(call), m_build(&call), m_module(*call.getModule()), m_first(format_index) {}

  bool lower() {
    StringRef format;
    if (!getConstantStringInfo(m_call.getArgOperand(m_first), format)) return false;
    const std::optional<SmallVector<char>> letters = conversions_of(format);
    if (!letters || !find_values(*letters)) return false;
    m_values.insert(m_values.begin(), {"", nullptr, text_words(format), format});
    write();
    return true;
  }

private:
  static unsigned text_words(StringRef text) { return 1 + (static_cast<unsigned>(text.size()) + 3) / 4; }

  bool find_values(ArrayRef<char> letters) {
    for (unsigned i = m_first + 1; i < m_call.arg_size(); ++i) {
      const unsigned number = i - m_first - 1;
      if (number >= letters.size()) return true; // C ignores them
      const auto value = value_of(m_call.getArgOperand(i), letters[number] == 's');
      if (!value) return false;
      m_values.push_back(*value);
    }
    return true;
  }

  std::optional<printed_value> value_of(Value* argument, bool as_text) {
    Type* type = argument->getType();
    if (type->isPointerTy() && as_text) {
      StringRef known;
      if (getConstantStringInfo(argument, known)) return printed_value{"", nullptr, text_words(known), known};
      return printed_value{"__prism_print_text", argument, 0, std::nullopt};
    }
    if (type->isPointerTy())
      return printed_value{"__prism_print_pointer", m_build.CreatePtrToInt(argument, m_build.getInt64Ty()), 3,
                           std::nullopt};
    if (type->isIntegerTy(32)) return printed_value{"__prism_print_i32", argument, 2, std::nullopt};
    if (type->isIntegerTy(64)) return printed_value{"__prism_print_i64", argument, 3, std::nullopt};
    if (!type->isDoubleTy()) return std::nullopt; // front/check.cpp names long double
    if (Value* narrow = as_float(m_build, argument))
      return printed_value{"__prism_print_f32", narrow, 2, std::nullopt};
    return printed_value{"__prism_print_f64", m_build.CreateBitCast(argument, m_build.getInt64Ty()), 3,
                         std::nullopt};
  }

  Value* call(const char* name, Type* result, ArrayRef<Value*> arguments) {
    SmallVector<Type*> types;
    for (const Value* each : arguments) types.push_back(each->getType());
    return m_build.CreateCall(m_module.getOrInsertFunction(name, FunctionType::get(result, types, false)),
                              arguments);
  }

  void write() {
    SmallVector<Value*> lengths; // of texts that only the run knows
    Value* words = m_build.getInt32(0);
    for (const printed_value& each : m_values) {
      if (each.words == 0)
        lengths.push_back(call("__prism_print_length", m_build.getInt32Ty(), {each.value}));
      words = m_build.CreateAdd(
          words, each.words != 0
                     ? m_build.getInt32(each.words)
                     : m_build.CreateAdd(
                           m_build.CreateLShr(m_build.CreateAdd(lengths.back(), m_build.getInt32(3)), 2),
                           m_build.getInt32(1)));
    }
    Value* begin = call("__prism_print_reserve", m_build.getPtrTy(),
                        {call("__prism_output", m_build.getPtrTy(), {}), words});
    Value* has_room = m_build.CreateIsNotNull(begin);
    m_call.replaceAllUsesWith(m_build.CreateSelect(has_room, m_build.getInt32(0), m_build.getInt32(-1)));
    Instruction* then = SplitBlockAndInsertIfThen(has_room, m_call.getIterator(), false);
    m_build.SetInsertPoint(then);
    const auto* length = lengths.begin();
    for (const printed_value& each : m_values) {
      if (each.text) begin = write_known(*each.text, begin);
      else if (each.words == 0) begin = call(each.writer, m_build.getPtrTy(), {begin, each.value, *length++});
      else begin = call(each.writer, m_build.getPtrTy(), {begin, each.value});
    }
    m_call.eraseFromParent();
  }

  /// By stores of constants: a loop over a text would need the text in the device's memory.
  Value* write_known(StringRef text, Value* at) {
    const auto bytes = static_cast<std::uint32_t>(text.size());
    m_build.CreateAlignedStore(m_build.getInt32(bytes << 8), at, Align(4)); // value_kind::text and its length
    store_text(m_build, text, m_build.CreateConstInBoundsGEP1_64(m_build.getInt8Ty(), at, 4));
    return m_build.CreateConstInBoundsGEP1_64(m_build.getInt8Ty(), at, std::uint64_t{4} * text_words(text));
  }

  CallInst& m_call;
  IRBuilder<> m_build;
  Module& m_module;
  unsigned m_first;
  SmallVector<printed_value> m_values; // the format first
};

} // namespace

void keep_printf(Module& module) {
  for (const char* name : {"printf", "__printf_chk"})
    if (Function* function = module.getFunction(name))
      for (User* user : function->users())
        if (auto* call = dyn_cast<CallInst>(user)) call->addFnAttr(Attribute::NoBuiltin);
}

bool lower_printf(Function& kernel) {
  SmallVector<std::pair<CallInst*, unsigned>> calls;
  for (Instruction& instruction : instructions(kernel))
    if (auto* call = dyn_cast<CallInst>(&instruction))
      if (const std::optional<unsigned> format = format_index(*call)) calls.emplace_back(call, *format);
  bool lowered = false;
  for (const auto& [call, format] : calls) lowered |= print_call(*call, format).lower();
  return lowered;
}

} // namespace prism::compiler
