// Functions shared by the disk cache and kernel packs: checksum and complete writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace prism::images {

std::uint64_t checksum(std::string_view key, std::span<const std::byte> data);

/// Writes all bytes despite interruptions and partial writes; returns false with errno set on failure.
bool write_all(int file, const void* from, std::size_t bytes);

} // namespace prism::images
