#include "wire.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

namespace remote {

namespace {

constexpr std::uint32_t magic = 0x31524d50; // "PMR1"
constexpr int stall_ms = 10000;             // longest silence within a message

struct header {
  std::uint32_t word = magic;
  type kind{};
  std::uint64_t length = 0;
};

std::string system_says() { return std::strerror(errno); }

std::uint64_t limit_of(type kind) { return kind == type::data ? data_chunk : message_limit; }

[[noreturn]] void too_large() { throw protocol_error("the size of a box of memory exceeds 64 bits"); }

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) too_large();
  return out;
}
std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  if (__builtin_add_overflow(a, b, &out)) too_large();
  return out;
}

struct endpoint {
  sockaddr_storage storage{};
  socklen_t bytes = 0;
  std::string path; // of a Unix socket
  const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

endpoint parse(const std::string& text) {
  endpoint out;
  if (text.compare(0, 5, "unix:") == 0) {
    auto& a = reinterpret_cast<sockaddr_un&>(out.storage);
    out.path = text.substr(5);
    if (out.path.empty() || out.path.size() >= sizeof a.sun_path)
      throw std::invalid_argument("remote address \"" + text + "\": the path must have 1 to " +
                                  std::to_string(sizeof a.sun_path - 1) + " characters");
    a.sun_family = AF_UNIX;
    std::memcpy(a.sun_path, out.path.c_str(), out.path.size() + 1);
    out.bytes = sizeof a;
    return out;
  }
  const std::size_t colon = text.rfind(':');
  auto& a = reinterpret_cast<sockaddr_in&>(out.storage);
  char* rest = nullptr;
  const unsigned long port = colon == text.npos ? 0 : std::strtoul(text.c_str() + colon + 1, &rest, 10);
  if (text.compare(0, 4, "tcp:") != 0 || colon < 4 || port == 0 || port > 65535 || *rest != '\0' ||
      inet_pton(AF_INET, text.substr(4, colon - 4).c_str(), &a.sin_addr) != 1)
    throw std::invalid_argument("remote address \"" + text + "\": expected unix:/path or tcp:127.0.0.1:port");
  if (ntohl(a.sin_addr.s_addr) >> 24 != 127)
    throw std::invalid_argument(
        "remote address \"" + text +
        "\": messages are not encrypted, so only addresses of this machine (127.x.x.x) are accepted");
  a.sin_family = AF_INET;
  a.sin_port = htons(std::uint16_t(port));
  out.bytes = sizeof a;
  return out;
}

int make_socket(const endpoint& where) {
  const int made = socket(where.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) throw connection_lost("make a socket: " + system_says());
  const int yes = 1;
  if (where.path.empty()) setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return made;
}

} // namespace

std::uint64_t box::bytes() const { return times(times(row_bytes, rows), slices); }
std::uint64_t box::extent() const {
  if (bytes() == 0) return 0;
  return plus(plus(times(slices - 1, slice_pitch), times(rows - 1, row_pitch)), row_bytes);
}

channel::~channel() { close(m_descriptor); }
void channel::shut() noexcept {
  m_is_shut = true; // Linux does not wake a thread that sends on this end of a Unix socket
  shutdown(m_descriptor, SHUT_RDWR);
}

void channel::send(type kind, std::span<const std::byte> head, std::span<const std::byte> tail) {
  header h{magic, kind, head.size() + tail.size()};
  if (h.length > limit_of(kind))
    throw protocol_error("a message of " + std::to_string(h.length) + " bytes exceeds the protocol's limit");
  iovec parts[3] = {{&h, sizeof h},
                    {const_cast<std::byte*>(head.data()), head.size()},
                    {const_cast<std::byte*>(tail.data()), tail.size()}};
  msghdr all{};
  all.msg_iov = parts;
  all.msg_iovlen = 3;
  while (all.msg_iovlen != 0) {
    ssize_t sent = sendmsg(m_descriptor, &all, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (m_is_shut) throw connection_lost("the connection was closed while sending");
      pollfd waiting{m_descriptor, POLLOUT, 0};
      poll(&waiting, 1, 100);
      continue;
    }
    if (sent < 0) throw connection_lost("the connection broke while sending: " + system_says());
    while (all.msg_iovlen != 0 && std::size_t(sent) >= all.msg_iov->iov_len) {
      sent -= ssize_t(all.msg_iov->iov_len);
      ++all.msg_iov;
      --all.msg_iovlen;
    }
    if (all.msg_iovlen != 0) {
      all.msg_iov->iov_base = static_cast<char*>(all.msg_iov->iov_base) + sent;
      all.msg_iov->iov_len -= std::size_t(sent);
    }
  }
}

void channel::read_exactly(void* to, std::uint64_t bytes, int limit_ms) {
  auto* at = static_cast<char*>(to);
  while (bytes != 0) {
    if (!readable(limit_ms))
      throw connection_lost("received nothing for " + std::to_string(limit_ms) + " ms");
    const ssize_t got = recv(m_descriptor, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw connection_lost("the connection broke: " + system_says());
    if (got == 0) throw connection_lost("the other process closed the connection");
    at += got;
    bytes -= std::uint64_t(got);
  }
}

bool channel::readable(int limit_ms) {
  constexpr int slices = 10;
  for (int i = 0; i < slices || limit_ms < 0;) {
    pollfd waiting{m_descriptor, POLLIN, 0};
    const int ready = poll(&waiting, 1, limit_ms < 0 ? -1 : limit_ms / slices);
    if (ready > 0) return true;
    if (ready == 0) ++i;
    else if (errno != EINTR) return true; // the next read reports it
  }
  return false;
}

message channel::receive(int limit_ms) {
  header h;
  read_exactly(&h, sizeof h, limit_ms);
  if (h.word != magic) throw protocol_error("the other end sent no message of this protocol");
  if (h.kind < type::challenge || h.kind > type::alive)
    throw protocol_error("a message has the unknown type " + std::to_string(std::uint32_t(h.kind)));
  if (h.length > limit_of(h.kind))
    throw protocol_error("a message claims " + std::to_string(h.length) + " bytes, its type may have " +
                         std::to_string(limit_of(h.kind)));
  message out{h.kind, std::vector<std::byte>(h.length)};
  read_exactly(out.bytes.data(), h.length, stall_ms);
  return out;
}

message channel::expect(type kind, int limit_ms) {
  message m = receive(limit_ms);
  if (m.kind != kind)
    throw protocol_error("expected a message of type " + std::to_string(std::uint32_t(kind)) + ", not " +
                         std::to_string(std::uint32_t(m.kind)));
  return m;
}

int connect_to(const std::string& text) {
  const endpoint where = parse(text);
  const int made = make_socket(where);
  if (connect(made, where.address(), where.bytes) != 0) {
    const std::string why = system_says();
    close(made);
    throw connection_lost("connect to " + text + ": " + why);
  }
  return made;
}

int listen_on(const std::string& text) {
  const endpoint where = parse(text);
  if (!where.path.empty()) {
    struct stat info{};
    try {
      close(connect_to(text));
      throw std::invalid_argument("listen on " + text + ": another server already does");
    } catch (const connection_lost&) {
      if (lstat(where.path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode)) unlink(where.path.c_str());
    }
  }
  const int made = make_socket(where);
  const int yes = 1;
  setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const mode_t before = umask(0077); // only this user may connect to a Unix socket
  const bool bound = bind(made, where.address(), where.bytes) == 0;
  const std::string why = system_says();
  umask(before);
  if (!bound || listen(made, 16) != 0) {
    close(made);
    throw std::invalid_argument("listen on " + text + ": " + (bound ? system_says() : why));
  }
  return made;
}

} // namespace remote
