// The heap that host and device share: what the functions need that free or resize memory.
#pragma once

#include <cstddef>

namespace prism::stdpar {

bool owns(const void* memory) noexcept;
// For memory that it owns:
void give_back(void* memory) noexcept;
std::size_t size_of(void* memory) noexcept;

} // namespace prism::stdpar
