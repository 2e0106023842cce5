// What entries of the disk cache and of kernel packs share: their checksum, and writing them whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace prism::images {

std::uint64_t checksum(std::string_view key, std::span<const std::byte> data);

/// All of them, over interruptions and partial writes; false with errno set otherwise.
bool write_all(int file, const void* from, std::size_t bytes);

} // namespace prism::images
