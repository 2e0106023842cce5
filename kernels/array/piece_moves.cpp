// Kernels that read arrays, convert elements, and write arrays (pieces.hpp). A conversion may take several:
// small integers pass through int64, complex numbers through their real type. The result is that of
// converted().
#include "kernels/array/divisor.hpp"
#include "kernels/array/pieces.hpp"
#include "kernels/array/steps.hpp"

#include <stdexcept>

namespace prism::array_detail {

namespace {

/// The number of an array's element for each work-item.
struct along_one {
  std::int64_t stride;
  std::int64_t operator()(std::size_t i) const { return std::int64_t(i) * stride; }
};
struct along_two {
  divisor inner;
  std::int64_t outer_stride, inner_stride;
  std::int64_t operator()(std::size_t item) const {
    const auto i = std::uint32_t(item);
    const std::uint32_t outer = inner.quotient(i);
    return outer * outer_stride + inner.rest(i, outer) * inner_stride;
  }
};
/// Two dimensions, of which the array repeats its elements along one.
struct along_rows {
  divisor inner;
  std::int64_t outer_stride;
  std::int64_t operator()(std::size_t item) const {
    return inner.quotient(std::uint32_t(item)) * outer_stride;
  }
};
struct along_columns {
  divisor inner;
  std::int64_t inner_stride;
  std::int64_t operator()(std::size_t item) const {
    const auto i = std::uint32_t(item);
    return inner.rest(i, inner.quotient(i)) * inner_stride;
  }
};
/// Of at most MostDimensions. Joined pieces pass their arguments together, and OpenCL limits their bytes, so
/// that the common ranks have short ones.
template <int MostDimensions>
struct along_many {
  using divided = std::conditional_t<MostDimensions <= 4, divisor, short_divisor>;
  std::int32_t rank;
  divided extent[MostDimensions];
  std::int64_t strides[MostDimensions];
  std::int64_t operator()(std::size_t item) const {
    std::int64_t at = 0;
    std::uint32_t i = std::uint32_t(item);
    for (int d = rank - 1; d >= 0; --d) {
      const std::uint32_t outer = extent[d].quotient(i);
      at += extent[d].rest(i, outer) * strides[d];
      i = outer;
    }
    return at;
  }
};

template <typename Along>
class offset_kernel;
template <typename E>
class flat_load_kernel;
template <typename E>
class gather_kernel;
template <typename E>
class flat_store_kernel;
template <typename E>
class scatter_kernel;
template <typename To, typename From>
class conversion_kernel;

piece_value offset_piece(piece_recorder& recorder, const program_array& of) {
  const program& p = recorder.of();
  const auto record = [&]<typename Along>(const Along& along) {
    return recorder.compute<offset_kernel<Along>, std::int64_t>([=](std::size_t i) { return along(i); });
  };
  if (p.rank == 1) return record(along_one{of.strides[0]});
  if (p.rank == 2) {
    const divisor inner(std::uint32_t(p.extent[1]));
    if (of.strides[1] == 0) return record(along_rows{inner, of.strides[0]});
    if (of.strides[0] == 0) return record(along_columns{inner, of.strides[1]});
    return record(along_two{inner, of.strides[0], of.strides[1]});
  }
  const auto record_many = [&]<int MostDimensions>(along_many<MostDimensions> along) {
    along.rank = p.rank;
    for (int d = 0; d < p.rank; ++d)
      along.extent[d] = typename decltype(along)::divided(std::uint32_t(p.extent[d])),
      along.strides[d] = of.strides[d];
    return record(along);
  };
  if (p.rank <= 4) return record_many(along_many<4>{});
  if (p.rank <= 8) return record_many(along_many<8>{});
  return p.rank <= 16 ? record_many(along_many<16>{}) : record_many(along_many<max_rank>{});
}

/// Calls `use` with an element of any type.
template <typename Use>
void with_element(dtype type, const Use& use) {
  with_type<pair<double>>(std::int32_t(type), use);
}

template <typename To, typename From>
piece_value convert(piece_recorder& recorder, const piece_value& value) {
  return recorder.compute<conversion_kernel<To, From>, To, From>(
      [](std::size_t, From x) { return converted<To>(x); }, value);
}

bool is_small(dtype type) { return type < dtype::float32 && type != dtype::int64 && type != dtype::uint64; }

/// The type to which elements are converted next on the way to `to`.
dtype next_type(dtype from, dtype to) {
  if (to == dtype::boolean) return to;
  if (is_small(from) || (is_small(to) && from == dtype::uint64)) return dtype::int64;
  if (from == dtype::complex64 && to != dtype::complex128) return dtype::float32;
  if (from == dtype::complex128 && to != dtype::complex64) return dtype::float64;
  if (to == dtype::complex64 && from != dtype::complex128)
    return from == dtype::float32 ? to : dtype::float32;
  if (to == dtype::complex128 && from != dtype::complex64)
    return from == dtype::float64 ? to : dtype::float64;
  if (is_small(to)) return from == dtype::int64 ? to : dtype::int64;
  return to;
}

template <typename From>
piece_value convert_once(piece_recorder& recorder, const piece_value& value, dtype to) {
  if (to == dtype::boolean) return convert<truth_value, From>(recorder, value);
  if constexpr (!is_pair<From> && !std::is_same_v<From, std::int64_t>)
    if (to == dtype::int64) return convert<std::int64_t, From>(recorder, value);
  if constexpr (std::is_same_v<From, std::int64_t>) {
    switch (to) {
      case dtype::int8: return convert<std::int8_t, From>(recorder, value);
      case dtype::int16: return convert<std::int16_t, From>(recorder, value);
      case dtype::int32: return convert<std::int32_t, From>(recorder, value);
      case dtype::uint8: return convert<std::uint8_t, From>(recorder, value);
      case dtype::uint16: return convert<std::uint16_t, From>(recorder, value);
      case dtype::uint32: return convert<std::uint32_t, From>(recorder, value);
      default: break;
    }
  }
  if constexpr (std::is_same_v<From, std::int64_t> || std::is_floating_point_v<From>)
    if (to == dtype::uint64) return convert<std::uint64_t, From>(recorder, value);
  if constexpr (sizeof(From) == 8 || is_pair<From>) {
    if constexpr (!std::is_same_v<From, double> && !std::is_same_v<From, pair<float>>)
      if (to == dtype::float64) return convert<double, From>(recorder, value);
    if constexpr (!std::is_same_v<From, pair<double>>)
      if (to == dtype::float32) return convert<float, From>(recorder, value);
  }
  if constexpr (std::is_same_v<From, float>) {
    if (to == dtype::float64) return convert<double, From>(recorder, value);
    if (to == dtype::complex64) return convert<pair<float>, From>(recorder, value);
  }
  if constexpr (std::is_same_v<From, double>)
    if (to == dtype::complex128) return convert<pair<double>, From>(recorder, value);
  if constexpr (std::is_same_v<From, pair<float>>)
    if (to == dtype::complex128) return convert<pair<double>, From>(recorder, value);
  if constexpr (std::is_same_v<From, pair<double>>)
    if (to == dtype::complex64) return convert<pair<float>, From>(recorder, value);
  throw std::logic_error("no conversion from " + std::string(name_of(value.type)) + " to " + name_of(to));
}

} // namespace

piece_value load_piece(piece_recorder& recorder, const program_array& from) {
  piece_value made;
  with_element(dtype(from.type), [&](auto element) {
    using E = decltype(element);
    const E* const data = reinterpret_cast<const E*>(from.data);
    if (from.is_flat) made = recorder.compute<flat_load_kernel<E>, E>([=](std::size_t i) { return data[i]; });
    else
      made = recorder.compute<gather_kernel<E>, E, std::int64_t>(
          [=](std::size_t, std::int64_t at) { return data[at]; }, offset_piece(recorder, from));
  });
  return made;
}

piece_value convert_pieces(piece_recorder& recorder, piece_value value, dtype type) {
  while (value.type != type) {
    const dtype next = next_type(value.type, type);
    piece_value made;
    with_element(value.type,
                 [&](auto element) { made = convert_once<decltype(element)>(recorder, value, next); });
    value = std::move(made);
  }
  return value;
}

void store_piece(piece_recorder& recorder, const program_array& to, const piece_value& value) {
  with_element(dtype(to.type), [&](auto element) {
    using E = decltype(element);
    E* const data = reinterpret_cast<E*>(to.data);
    if (to.is_flat)
      recorder.consume<flat_store_kernel<E>, E>([=](std::size_t i, E x) { data[i] = x; }, value);
    else
      recorder.consume<scatter_kernel<E>, E, std::int64_t>(
          [=](std::size_t, E x, std::int64_t at) { data[at] = x; }, value, offset_piece(recorder, to));
  });
}

} // namespace prism::array_detail
