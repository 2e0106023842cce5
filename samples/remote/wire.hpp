// Messages between client and server: a header with type and length, then that many bytes. Every length is
// checked against the type's limit before anything is read or allocated, and every field against the size of
// the message. Both ends are the same program on the same machine, so numbers are sent in their memory
// format.
#pragma once

#include <atomic>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace remote {

inline constexpr std::uint32_t protocol_version = 4;
inline constexpr int handshake_ms = 5000;               // the longest wait for a message of the handshake
inline constexpr std::uint64_t data_chunk = 1 << 20;    // most bytes of a data message
inline constexpr std::uint64_t message_limit = 1 << 20; // most bytes of any other

enum class type : std::uint32_t {
  challenge = 1, // server: version, nonce
  hello,         // client: version, nonce, proof
  welcome,       // server: proof, memory, threads, name
  window,        // client: base, bytes
  window_taken,  // server: whether it is free there
  allocate,      // client: address, bytes
  release,       // client: address, bytes
  resolve,       // client: object, offset, entry
  resolved,      // server: whether, why not
  submit,        // client: number of commands; that many command messages follow
  write,         // client: box; data follows
  read,          // client: box
  fill,          // client: address, bytes, pattern
  copy,          // client: box from, address to
  dispatch,      // client: function, sizes, arguments
  data,          // either: bytes of a box
  done,          // server: ends a submission
  alive,         // server: while it is busy
};

/// The other end sent something invalid or unexpected.
struct protocol_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// The other end has disconnected or is silent.
struct connection_lost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct message {
  type kind{};
  std::vector<std::byte> bytes;
};

/// Writes fields one after the other.
class writer {
public:
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  writer& operator<<(const T& value) {
    const auto* p = reinterpret_cast<const std::byte*>(&value);
    m_bytes.insert(m_bytes.end(), p, p + sizeof value);
    return *this;
  }
  writer& operator<<(const std::string& text) { return bytes(std::as_bytes(std::span(text))); }
  writer& bytes(std::span<const std::byte> what) {
    *this << std::uint64_t(what.size());
    m_bytes.insert(m_bytes.end(), what.begin(), what.end());
    return *this;
  }
  const std::vector<std::byte>& result() const noexcept { return m_bytes; }

private:
  std::vector<std::byte> m_bytes;
};

/// Reads them back; throws protocol_error if the message is too short or, at its end, too long.
class reader {
public:
  explicit reader(const message& from) : m_rest(from.bytes) {}
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  T take() {
    T value;
    const auto from = take_bytes(sizeof value);
    std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  std::span<const std::byte> block() { return take_bytes(take<std::uint64_t>()); }
  std::string text() {
    const auto b = block();
    return {reinterpret_cast<const char*>(b.data()), b.size()};
  }
  void end() const {
    if (!m_rest.empty())
      throw protocol_error("a message has " + std::to_string(m_rest.size()) + " bytes too many");
  }

private:
  std::span<const std::byte> take_bytes(std::uint64_t count) {
    if (count > m_rest.size())
      throw protocol_error("a message ends " + std::to_string(count - m_rest.size()) + " bytes too early");
    const auto out = m_rest.first(count);
    m_rest = m_rest.subspan(count);
    return out;
  }
  std::span<const std::byte> m_rest;
};

/// Rows of bytes, in the window or elsewhere.
struct box {
  std::uint64_t address = 0, row_bytes = 0, rows = 1, slices = 1, row_pitch = 0, slice_pitch = 0;
  /// The number of bytes; throws protocol_error if it exceeds 64 bits.
  std::uint64_t bytes() const;
  /// The distance from the first byte to the end of the last; throws likewise.
  std::uint64_t extent() const;
};

/// Calls `piece(address, bytes)` for consecutive parts of the box, `bytes` in total, starting at byte `from`
/// of its data.
template <typename Piece>
void for_each_piece(const box& b, std::uint64_t from, std::uint64_t bytes, const Piece& piece) {
  while (bytes != 0) {
    const std::uint64_t row = from / b.row_bytes, inside = from % b.row_bytes,
                        part = std::min(bytes, b.row_bytes - inside);
    piece(b.address + row / b.rows * b.slice_pitch + row % b.rows * b.row_pitch + inside, part);
    from += part;
    bytes -= part;
  }
}

/// One end of a connection. One thread may send while another receives. Owns the descriptor.
class channel {
public:
  explicit channel(int descriptor) : m_descriptor(descriptor) {}
  ~channel();
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;

  /// Sends header and both parts with one system call. Throws connection_lost.
  void send(type kind, std::span<const std::byte> head, std::span<const std::byte> tail = {});
  void send(type kind, const writer& fields) { send(kind, fields.result()); }
  /// The next message of any type. Throws connection_lost if none begins within limit_ms (-1: no limit) or
  /// one stops in the middle for longer, protocol_error if it is invalid.
  message receive(int limit_ms);
  /// Whether data, or the end of the connection, arrives within limit_ms (-1: no limit). Ten shorter waits
  /// make the limit, so that a pause of both processes, for example of the machine, counts as one tenth of
  /// it.
  bool readable(int limit_ms);
  /// Like receive, but throws for another type.
  message expect(type kind, int limit_ms);
  /// Makes both ends fail with an error.
  void shut() noexcept;

private:
  void read_exactly(void* to, std::uint64_t bytes, int limit_ms);
  int m_descriptor;
  std::atomic<bool> m_is_shut = false;
};

/// "unix:/path" or "tcp:127.0.0.1:4711". Throws std::invalid_argument for another form or a host other than
/// loopback, connection_lost if no server answers.
int connect_to(const std::string& address);
/// Accepts clients from now on; replaces the file of a Unix socket if no server listens on it.
int listen_on(const std::string& address);

} // namespace remote
