// Converts between IEEE binary16 and float by integer arithmetic, for devices without half conversions.
// Rounds to nearest, ties to even.
#include "sycl/detail/half_convert_integer.hpp"

#include "compiler/builtins/core.hpp"

extern "C" {
float PRISM_BUILTIN(half_to_float)(std::uint16_t bits) { return sycl::detail::half_bits_to_float(bits); }
std::uint16_t PRISM_BUILTIN(float_to_half)(float value) { return sycl::detail::float_to_half_bits(value); }
}
