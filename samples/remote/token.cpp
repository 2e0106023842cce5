#include "token.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <sys/random.h>
#include <sys/stat.h>
#include <vector>

namespace remote {

namespace {

constexpr std::uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t turned(std::uint32_t x, int by) { return x >> by | x << (32 - by); }

void add_block(std::uint32_t (&state)[8], const unsigned char* block) {
  std::uint32_t w[64];
  for (int i = 0; i < 16; ++i)
    w[i] = std::uint32_t(block[4 * i]) << 24 | std::uint32_t(block[4 * i + 1]) << 16 |
           std::uint32_t(block[4 * i + 2]) << 8 | block[4 * i + 3];
  for (int i = 16; i < 64; ++i) {
    const std::uint32_t a = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t b = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + a + w[i - 7] + b;
  }
  std::uint32_t v[8];
  std::memcpy(v, state, sizeof v);
  for (int i = 0; i < 64; ++i) {
    const std::uint32_t s1 = turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25),
                        choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
    const std::uint32_t first = v[7] + s1 + choice + round_constants[i] + w[i];
    const std::uint32_t s0 = turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22),
                        majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    std::memmove(v + 1, v, 7 * sizeof *v);
    v[4] += first;
    v[0] = first + s0 + majority;
  }
  for (int i = 0; i < 8; ++i) state[i] += v[i];
}

std::vector<std::byte> joined(std::span<const std::byte> a, std::span<const std::byte> b) {
  std::vector<std::byte> out(a.begin(), a.end());
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

} // namespace

digest sha256(std::span<const std::byte> what) {
  std::uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::vector<std::byte> padded(what.begin(), what.end());
  padded.push_back(std::byte(0x80));
  padded.resize((padded.size() + 8 + 63) / 64 * 64);
  for (int i = 0; i < 8; ++i)
    padded[padded.size() - 1 - std::size_t(i)] = std::byte(std::uint64_t(what.size()) * 8 >> 8 * i);
  for (std::size_t at = 0; at < padded.size(); at += 64)
    add_block(state, reinterpret_cast<const unsigned char*>(padded.data() + at));
  digest out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::byte(state[i / 4] >> (24 - 8 * (i % 4)));
  return out;
}

digest hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> what) {
  std::array<std::byte, 64> inner{}, outer{};
  const digest shortened = key.size() > 64 ? sha256(key) : digest{};
  const std::span<const std::byte> used = key.size() > 64 ? std::span<const std::byte>(shortened) : key;
  std::copy(used.begin(), used.end(), inner.begin());
  outer = inner;
  for (auto& b : inner) b ^= std::byte(0x36);
  for (auto& b : outer) b ^= std::byte(0x5c);
  return sha256(joined(outer, sha256(joined(inner, what))));
}

bool same(const digest& a, const digest& b) {
  std::byte differs{};
  for (std::size_t i = 0; i < a.size(); ++i) differs |= a[i] ^ b[i];
  return differs == std::byte{};
}

digest random_digest() {
  digest out;
  if (getrandom(out.data(), out.size(), 0) != ssize_t(out.size()))
    throw std::runtime_error("the system provides no random numbers");
  return out;
}

std::string to_hex(const digest& d) {
  std::string out;
  for (const std::byte b : d) {
    out += "0123456789abcdef"[unsigned(b) >> 4];
    out += "0123456789abcdef"[unsigned(b) & 15];
  }
  return out;
}

digest proof(const std::string& token, role who, const digest& of_server, const digest& of_client) {
  std::vector<std::byte> what = joined(of_server, of_client);
  what.push_back(std::byte(who));
  return hmac_sha256(std::as_bytes(std::span(token)), what);
}

std::string token_from_environment() {
  std::string token;
  if (const char* given = std::getenv("PRISM_REMOTE_TOKEN")) token = given;
  else if (const char* file = std::getenv("PRISM_REMOTE_TOKEN_FILE")) {
    struct stat info{};
    if (stat(file, &info) != 0)
      throw std::invalid_argument(std::string("PRISM_REMOTE_TOKEN_FILE=") + file + " cannot be read");
    if (info.st_mode & 077)
      throw std::invalid_argument(std::string("PRISM_REMOTE_TOKEN_FILE=") + file +
                                  " can be read by other users; chmod 600 it");
    std::ifstream in(file);
    std::getline(in, token);
  } else
    throw std::invalid_argument(
        "there is no token: set PRISM_REMOTE_TOKEN_FILE or PRISM_REMOTE_TOKEN to the server's token");
  if (token.size() < 16) throw std::invalid_argument("the token has fewer than 16 characters");
  return token;
}

} // namespace remote
