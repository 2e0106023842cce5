// A 64-bit hash for checksums and file names: xxHash64 (Y. Collet, xxhash.com, specification 0.1.1), little
// endian. Not cryptographic: it detects damage, not manipulation. Data that it guards must be protected by
// file permissions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace prism::support {

std::uint64_t hash64(std::span<const std::byte> data, std::uint64_t seed = 0) noexcept;

} // namespace prism::support
