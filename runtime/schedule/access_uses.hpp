// What a command group uses, as PRISM_CHECK=access sees it.
#pragma once

#include "runtime/schedule/access_check.hpp"

#include <optional>

namespace prism::schedule {

/// A hash of the bytes; none when they are not there any more.
std::optional<std::uint64_t> content_of(const access_check::watch& what);

} // namespace prism::schedule
