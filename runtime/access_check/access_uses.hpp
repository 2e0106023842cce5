// What a command group uses, as PRISM_CHECK=access sees it.
#pragma once

#include "runtime/access_check/access_check.hpp"

#include <optional>
#include <span>

namespace prism::schedule {

/// Copies what is there; false when it is not there any more.
bool read_memory(std::uint64_t begin, std::span<std::byte> to);
/// A hash of the bytes; none when they are not there any more.
std::optional<std::uint64_t> content_of(const access_check::watch& what);

} // namespace prism::schedule
