// Element types, shapes and scalars of arrays.
#include "kernels/array/node.hpp"

#include <algorithm>

namespace prism::array_detail {

void refuse(const std::string& what) {
  throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), what);
}

} // namespace prism::array_detail

namespace prism {
namespace {

struct type_row {
  const char* name;
  std::size_t size;
};
constexpr type_row types[dtype_count] = {{"bool", 1},       {"int8", 1},    {"int16", 2},   {"int32", 4},
                                         {"int64", 8},      {"uint8", 1},   {"uint16", 2},  {"uint32", 4},
                                         {"uint64", 8},     {"float32", 4}, {"float64", 8}, {"complex64", 8},
                                         {"complex128", 16}};

} // namespace

std::size_t size_of(dtype type) { return types[int(type)].size; }
const char* name_of(dtype type) { return types[int(type)].name; }

dtype dtype_named(const std::string& name) {
  for (int t = 0; t < dtype_count; ++t) {
    if (name == types[t].name) return static_cast<dtype>(t);
  }
  array_detail::refuse("there is no element type \"" + name + "\"");
}

dtype type_of(const scalar& value) {
  switch (value.kind) {
    case scalar::kind_type::boolean: return dtype::boolean;
    case scalar::kind_type::integer: return value.beyond_int64 ? dtype::uint64 : dtype::int64;
    case scalar::kind_type::real: return dtype::float64;
    default: return dtype::complex128;
  }
}

dtype type_of(const scalar& value, dtype other) {
  switch (value.kind) {
    case scalar::kind_type::boolean: return other;
    case scalar::kind_type::integer: return other == dtype::boolean ? type_of(value) : other;
    case scalar::kind_type::real: return is_floating(other) || is_complex(other) ? other : dtype::float64;
    default:
      return is_complex(other) ? other : other == dtype::float32 ? dtype::complex64 : dtype::complex128;
  }
}

extents::extents(const std::int64_t* values, std::size_t count) {
  if (count > std::size_t(max_rank))
    array_detail::refuse("an array has at most " + std::to_string(max_rank) + " dimensions, not " +
                         std::to_string(count));
  m_rank = int(count);
  if (is_far()) copy_far(values);
  else std::copy_n(values, count, m_numbers.near);
}

void extents::copy_far(const std::int64_t* from) {
  m_numbers.far = new std::int64_t[max_rank];
  std::copy_n(from, m_rank, m_numbers.far);
}

void extents::add_far(std::int64_t value) {
  if (m_rank == max_rank)
    array_detail::refuse("an array has at most " + std::to_string(max_rank) + " dimensions");
  if (m_rank == near_rank) {
    const numbers before = m_numbers;
    copy_far(before.near);
  }
  m_numbers.far[m_rank++] = value;
}

std::string text_of(const extents& shape) {
  std::string out = "(";
  for (int d = 0; d < shape.size(); ++d) out += (d ? ", " : "") + std::to_string(shape[d]);
  return out + (shape.size() == 1 ? ",)" : ")");
}

bool is_addressable(const extents& shape, std::size_t element_bytes) {
  auto bytes = static_cast<std::int64_t>(element_bytes);
  return std::none_of(shape.begin(), shape.end(),
                      [&](std::int64_t e) { return e != 0 && __builtin_mul_overflow(bytes, e, &bytes); });
}

extents broadcast_shapes(const extents& a, const extents& b) {
  const int rank = a.size() > b.size() ? a.size() : b.size();
  extents out;
  for (int d = 0; d < rank; ++d) {
    const int i = d - (rank - a.size()), j = d - (rank - b.size());
    const std::int64_t x = i < 0 ? 1 : a[i], y = j < 0 ? 1 : b[j];
    if (x != y && x != 1 && y != 1)
      array_detail::refuse("shapes " + text_of(a) + " and " + text_of(b) + " do not broadcast: dimension " +
                           std::to_string(d) + " has " + std::to_string(x) + " and " + std::to_string(y) +
                           " elements");
    out.push_back(x == 1 ? y : x);
  }
  return out;
}

namespace array_detail {

arithmetic arithmetic_of(dtype type) {
  switch (type) {
    case dtype::uint64: return arithmetic::unsigned_integer;
    case dtype::float32: return arithmetic::single;
    case dtype::float64: return arithmetic::real;
    case dtype::complex64: return arithmetic::single_complex;
    case dtype::complex128: return arithmetic::complex;
    default: return arithmetic::integer;
  }
}

dtype type_of(arithmetic kind) {
  constexpr dtype types_of[] = {dtype::int64,   dtype::uint64,    dtype::float32,
                                dtype::float64, dtype::complex64, dtype::complex128};
  return types_of[int(kind)];
}

int one_axis(std::int64_t axis, int rank, const char* what) {
  if (axis < -rank || axis >= rank)
    refuse(std::string(what) + ": axis " + std::to_string(axis) + " of an array with " +
           std::to_string(rank) + " dimensions");
  return int(axis < 0 ? axis + rank : axis);
}

int new_axis(std::int64_t axis, int rank, const char* what) {
  if (axis < -rank - 1 || axis > rank)
    refuse(std::string(what) + ": a new axis at " + std::to_string(axis) + " of an array with " +
           std::to_string(rank) + " dimensions");
  return int(axis < 0 ? axis + rank + 1 : axis);
}

std::vector<int> all_axes(const axes& given, int rank, const char* what) {
  std::vector<int> out;
  bool used[max_rank] = {};
  if (!given) {
    for (int d = 0; d < rank; ++d) used[d] = true;
  } else
    for (const std::int64_t axis : *given) {
      const int d = one_axis(axis, rank, what);
      if (used[d]) refuse(std::string(what) + ": axis " + std::to_string(axis) + " is given twice");
      used[d] = true;
    }
  for (int d = 0; d < rank; ++d) {
    if (used[d]) out.push_back(d);
  }
  return out;
}

} // namespace array_detail
} // namespace prism
