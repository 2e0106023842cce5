// Who is who: both ends know a token and prove it without sending it, each over the other's fresh random
// number: HMAC-SHA-256 (RFC 2104 and FIPS 180-4).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

namespace remote {

using digest = std::array<std::byte, 32>;

digest sha256(std::span<const std::byte> what);
digest hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> what);
/// Takes the same time whatever differs.
bool same(const digest& a, const digest& b);
/// From the system's generator.
digest random_digest();
std::string to_hex(const digest& d);

enum class role : unsigned char { client = 1, server = 2 };
/// What an end of this role shows after the two random numbers.
digest proof(const std::string& token, role who, const digest& of_server, const digest& of_client);

/// PRISM_REMOTE_TOKEN, or the first line of the file PRISM_REMOTE_TOKEN_FILE, which others must not be able
/// to read. Throws std::invalid_argument: none, shorter than 16 characters, a file that others can read.
std::string token_from_environment();

} // namespace remote
