// Authentication: both ends know a token and prove it without sending it, each by an HMAC-SHA-256 (RFC 2104
// and FIPS 180-4) over the other's fresh random number.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

namespace remote {

using digest = std::array<std::byte, 32>;

digest sha256(std::span<const std::byte> what);
digest hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> what);
/// Takes the same time for all inputs.
bool same(const digest& a, const digest& b);
/// From the system's random generator.
digest random_digest();
std::string to_hex(const digest& d);

enum class role : unsigned char { client = 1, server = 2 };
/// The proof that an end of this role sends, for the two random numbers.
digest proof(const std::string& token, role who, const digest& of_server, const digest& of_client);

/// PRISM_REMOTE_TOKEN, or the first line of the file PRISM_REMOTE_TOKEN_FILE, which other users must not be
/// able to read. Throws std::invalid_argument if there is none, it is shorter than 16 characters, or others
/// can read the file.
std::string token_from_environment();

} // namespace remote
