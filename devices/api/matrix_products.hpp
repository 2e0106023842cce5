// Products of matrices that a sub-group holds: those that a device has (capabilities::matrix_products), and
// those of a SPIR-V module (image::cooperative_matrix). Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace prism::devices {

enum class matrix_component : std::uint8_t {
  float16,
  float32,
  float64,
  bfloat16,
  sint8,
  uint8,
  sint32,
  uint32
};

constexpr std::uint32_t component_bits(matrix_component of) {
  switch (of) {
    case matrix_component::float16:
    case matrix_component::bfloat16: return 16;
    case matrix_component::float64: return 64;
    case matrix_component::sint8:
    case matrix_component::uint8: return 8;
    case matrix_component::float32:
    case matrix_component::sint32:
    case matrix_component::uint32: break;
  }
  return 32;
}
constexpr bool is_float(matrix_component of) { return of <= matrix_component::bfloat16; }
constexpr const char* component_name(matrix_component of) {
  constexpr const char* names[] = {"half",   "float",   "double",  "bfloat16",
                                   "int8_t", "uint8_t", "int32_t", "uint32_t"};
  return names[static_cast<std::size_t>(of)];
}

/// result = a * b + c, of an m x k and a k x n matrix.
struct matrix_product {
  std::uint32_t m = 0, n = 0, k = 0;
  matrix_component a = {}, b = {}, c = {}, result = {};
  bool operator==(const matrix_product&) const = default;
  bool has(matrix_component of) const { return a == of || b == of || c == of || result == of; }

  std::string text() const {
    const auto size = [](std::uint32_t x, std::uint32_t y) {
      return std::to_string(x) + " x " + std::to_string(y);
    };
    return "the product of " + size(m, k) + " elements of " + component_name(a) + " and " + size(k, n) +
           " of " + component_name(b) + ", added to " + component_name(c) + ", as " + component_name(result);
  }
};

/// Reads the instructions of SPV_KHR_cooperative_matrix, with the types of SPV_KHR_bfloat16. The module's
/// instructions must not run past its end.
class module_matrices {
public:
  explicit module_matrices(std::span<const std::uint32_t> words) {
    for (std::size_t at = 5; at < words.size();) {
      const std::uint32_t length = words[at] >> 16;
      if (length == 0 || length > words.size() - at) return;
      read(words[at] & 0xffff, words.subspan(at + 1, length - 1));
      at += length;
    }
  }

  bool empty() const { return m_types.empty(); }

  /// What the module needs and `offered` lacks, as text; empty: nothing.
  std::string missing_from(std::span<const matrix_product> offered) const {
    for (const std::optional<matrix_product>& each : m_products) {
      if (!each) return "a product of elements that devices do not have";
      if (std::find(offered.begin(), offered.end(), *each) == offered.end()) return each->text();
    }
    for (const auto& [id, type] : m_types)
      if (std::none_of(offered.begin(), offered.end(),
                       [&](const matrix_product& has) { return is_of(type, has); }))
        return "matrices of " + std::to_string(type.rows) + " x " + std::to_string(type.columns) +
               (type.is_bfloat16 ? " bfloat16"
                                 : (type.is_float ? " floating-point numbers of " : " integers of ") +
                                       std::to_string(type.bits) + " bits");
    return "";
  }

private:
  struct scalar {
    std::uint32_t bits = 0;
    bool is_float = false, is_bfloat16 = false;
  };
  struct matrix_type : scalar {
    std::uint32_t rows = 0, columns = 0, use = 0;
  };

  static bool has_component(const matrix_type& type, matrix_component component) {
    return type.is_float == devices::is_float(component) && type.bits == component_bits(component) &&
           type.is_bfloat16 == (component == matrix_component::bfloat16);
  }
  static bool is_of(const matrix_type& type, const matrix_product& product) {
    const auto sized = [&](std::uint32_t rows, std::uint32_t columns) {
      return type.rows == rows && type.columns == columns;
    };
    if (type.use == 0) return sized(product.m, product.k) && has_component(type, product.a);
    if (type.use == 1) return sized(product.k, product.n) && has_component(type, product.b);
    return sized(product.m, product.n) &&
           (has_component(type, product.c) || has_component(type, product.result));
  }
  /// In modules integers have no sign of their own.
  static std::optional<matrix_component> component_of(const matrix_type& type, bool is_signed) {
    if (type.is_bfloat16) return matrix_component::bfloat16;
    if (type.is_float)
      return type.bits == 16   ? matrix_component::float16
             : type.bits == 64 ? matrix_component::float64
                               : matrix_component::float32;
    if (type.bits == 8) return is_signed ? matrix_component::sint8 : matrix_component::uint8;
    if (type.bits == 32) return is_signed ? matrix_component::sint32 : matrix_component::uint32;
    return std::nullopt;
  }

  void read(std::uint32_t operation, std::span<const std::uint32_t> o) {
    constexpr std::uint32_t type_int = 21, type_float = 22, constant = 43, type_matrix = 4456,
                            multiply = 4459;
    if (operation == type_int && o.size() > 2) m_scalars[o[0]] = {o[1], false, false};
    else if (operation == type_float && o.size() > 1) // an encoding of 0 is BFloat16KHR
      m_scalars[o[0]] = {o[1], true, o.size() > 2 && o[2] == 0};
    else if (operation == constant && o.size() > 2) m_constants[o[1]] = o[2];
    else if (operation == type_matrix && o.size() > 5) { // result, component, scope, rows, columns, use
      m_types[o[0]] = {m_scalars[o[1]], m_constants[o[3]], m_constants[o[4]], m_constants[o[5]]};
    } else if (o.size() > 1 && m_types.contains(o[0])) { // any instruction whose result is a matrix
      m_type_of[o[1]] = o[0];
      if (operation == multiply && o.size() > 4) read_product(o);
    }
  }

  void read_product(std::span<const std::uint32_t> o) { // type, result, a, b, c, signs
    const auto type_of = [&](std::uint32_t value) { return m_types[m_type_of[value]]; };
    const std::uint32_t signs = o.size() > 5 ? o[5] : 0;
    const matrix_type a = type_of(o[2]), b = type_of(o[3]), c = type_of(o[4]), result = m_types[o[0]];
    const auto of_a = component_of(a, signs & 1), of_b = component_of(b, signs & 2),
               of_c = component_of(c, signs & 4), of_result = component_of(result, signs & 8);
    if (of_a && of_b && of_c && of_result)
      m_products.push_back(matrix_product{a.rows, b.columns, a.columns, *of_a, *of_b, *of_c, *of_result});
    else m_products.push_back(std::nullopt);
  }

  std::unordered_map<std::uint32_t, scalar> m_scalars;
  std::unordered_map<std::uint32_t, std::uint32_t> m_constants, m_type_of;
  std::unordered_map<std::uint32_t, matrix_type> m_types;
  std::vector<std::optional<matrix_product>> m_products;
};

} // namespace prism::devices
