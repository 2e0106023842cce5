// Calls of prism.h in an order, and with arguments, that bytes choose: right, null, released and wrong
// handles, memory that is registered, freed or displaced, any extents. Pointers that the interface cannot
// check are right or NULL. Nothing may crash; every failure has a message.
#pragma once

#include <cstddef>
#include <cstdint>

namespace c_tests {

/// `kernels`: the library of exported_kernels.cpp. Returns the number of calls that succeeded. Aborts where a
/// call breaks a rule of prism.h.
std::size_t random_calls(const std::uint8_t* bytes, std::size_t size, const char* kernels);

} // namespace c_tests
