// The steps of printf in kernels, which compiler/passes/printf.cpp calls: they reserve a record in the
// command's output block and write values to it, as sycl/detail/output.hpp describes the block. Each writer
// returns the address after what it wrote.
#include <sycl/detail/output.hpp>

#include "compiler/builtins/core.hpp"

namespace {

using sycl::detail::output_cursor;
using sycl::detail::value_kind;

/// Writes one value and returns the place behind its `words`.
template <typename T>
[[clang::always_inline]] inline std::uint32_t* put(std::uint32_t* at, value_kind kind, T value) {
  output_cursor(at).number(kind, value);
  return at + 1 + sycl::detail::words_for(sizeof(T));
}

} // namespace

/// Null if the block is full. `words`: of all values together; the record's own word is added.
extern "C" std::uint32_t* PRISM_BUILTIN(print_reserve)(void* block, std::uint32_t words) {
  using namespace sycl::detail;
  std::uint32_t* const at = reserve_output(static_cast<output_block*>(block), words + 1);
  if (!at) return nullptr;
  *at = record_word(record_kind::formatted, words + 1);
  return at + 1;
}
extern "C" std::uint32_t PRISM_BUILTIN(print_length)(const char* text) {
  return sycl::detail::text_length(text);
}
extern "C" std::uint32_t* PRISM_BUILTIN(print_text)(std::uint32_t* at, const char* text,
                                                    std::uint32_t bytes) {
  output_cursor to(at);
  to.word(sycl::detail::value_word(value_kind::text, bytes));
  to.text(text, bytes);
  return at + 1 + sycl::detail::words_for(bytes);
}
extern "C" std::uint32_t* PRISM_BUILTIN(print_i32)(std::uint32_t* at, std::int32_t value) {
  return put(at, value_kind::signed_integer, value);
}
extern "C" std::uint32_t* PRISM_BUILTIN(print_i64)(std::uint32_t* at, std::int64_t value) {
  return put(at, value_kind::signed_integer, value);
}
extern "C" std::uint32_t* PRISM_BUILTIN(print_f32)(std::uint32_t* at, float value) {
  return put(at, value_kind::floating, __builtin_bit_cast(std::uint32_t, value));
}
extern "C" std::uint32_t* PRISM_BUILTIN(print_f64)(std::uint32_t* at, std::uint64_t bits) {
  return put(at, value_kind::floating, bits);
}
extern "C" std::uint32_t* PRISM_BUILTIN(print_pointer)(std::uint32_t* at, std::uint64_t address) {
  return put(at, value_kind::pointer, address);
}
