// Arrays of prism.h, and the arguments of their functions.
#pragma once

#include "bindings/c/objects.hpp"

#include <prism/array/functions.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prism::c_interface {

struct array_object : object {
  static constexpr handle_kind kind = handle_kind::array;
  any_array array;
  std::mutex mutex;
  std::uintptr_t registered = 0; // the first byte; 0: not registered
  explicit array_object(any_array of) : array(std::move(of)) {}
  ~array_object() override;
  /// Evaluates, waits, and registers the memory.
  prism_view view();
};

/// Throws failure (PRISM_INVALID) for a number that is not a type of arrays.
dtype dtype_of_type(std::int32_t type);
std::int32_t type_of_dtype(dtype type);

/// The arguments of a call, read by position. Reading throws failure: PRISM_INVALID for an argument of
/// another kind, PRISM_BAD_HANDLE and PRISM_BAD_POINTER for wrong handles and pointers. Missing ones are
/// NOTHING.
class given_arguments {
public:
  given_arguments(const prism_given* first, std::size_t count, const prism_device* device);

  std::size_t count() const { return m_count; }
  bool has(std::size_t i) const;
  bool is_array(std::size_t i) const;
  bool is_text(std::size_t i) const;
  any_array array(std::size_t i) const;
  std::vector<any_array> arrays(std::size_t i) const;
  scalar number(std::size_t i) const;
  array_operand operand(std::size_t i) const;
  std::optional<array_operand> optional_operand(std::size_t i) const;
  bool flag(std::size_t i, bool usual) const;
  std::int64_t integer(std::size_t i, std::optional<std::int64_t> usual = {}) const;
  std::optional<std::int64_t> optional_integer(std::size_t i) const;
  double real(std::size_t i, std::optional<double> usual = {}) const;
  std::optional<dtype> optional_type(std::size_t i) const;
  dtype type(std::size_t i) const;
  /// A list, or one integer.
  std::vector<std::int64_t> list(std::size_t i) const;
  axes axis(std::size_t i) const;
  std::vector<index_item> index(std::size_t i) const;
  /// Without zero bytes.
  std::string text(std::size_t i) const;
  /// A list of texts, or one.
  std::vector<std::string> texts(std::size_t i) const;
  /// The handle, which is not looked up.
  const void* sparse(std::size_t i) const;
  array_device device() const;

private:
  const prism_given& at(std::size_t i) const;
  [[noreturn]] void refuse(std::size_t i, const char* wanted) const;
  void require_count(std::size_t i) const; // not negative
  const prism_given* m_first;
  std::size_t m_count;
  const prism_device* m_device;
};

/// A function by name. `text`: its arguments.
struct array_function {
  std::string name, text;
  std::vector<any_array> (*call)(const given_arguments& a, int number);
  int number = 0; // of the element-wise operation or reduction
};
const std::vector<array_function>& array_functions();
/// Those of array_files.cpp: files of NumPy.
std::vector<array_function> file_functions();
/// Those of array_algebra.cpp, array_networks.cpp and array_sparse.cpp.
std::vector<array_function> algebra_functions();
std::vector<array_function> network_functions();
std::vector<array_function> sparse_functions();
/// Null if there is none.
const array_function* find_array_function(std::string_view name);

} // namespace prism::c_interface
