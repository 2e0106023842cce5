// Names of scalar types that C++ does not have (SYCL 2020, "Built-in scalar data types"); sycl::half has its own header.
#pragma once

#include <cstdint>

namespace sycl { inline namespace _V1 {

using byte [[deprecated("use std::byte or std::uint8_t")]] = std::uint8_t;

}} // namespace sycl::_V1
