#include "server.hpp"

#include "code.hpp"
#include "execute.hpp"
#include "token.hpp"
#include "wire.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace remote {

namespace {

constexpr std::uint64_t group_bytes_limit = std::uint64_t(1) << 30;

/// A command that cannot run; the session continues.
struct refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::uint64_t now_ns() {
  return std::uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                           std::chrono::steady_clock::now().time_since_epoch())
                           .count());
}

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.compare(0, 10, "model name") == 0) return line.substr(std::min(line.size(), line.find(':') + 2));
  return "processor";
}

std::uint64_t memory_for_clients() {
  const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && bytes > 0 ? std::uint64_t(pages) * std::uint64_t(bytes) / 4 : std::uint64_t(1) << 30;
}

/// The client's memory: allocations inside one range of addresses that both processes reserve.
class window {
public:
  bool take(std::uint64_t base, std::uint64_t bytes) {
    if (m_bytes != 0 || base % 4096 != 0 || bytes % 4096 != 0 || bytes == 0 || base == 0) return false;
    void* got = mmap(reinterpret_cast<void*>(base), bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED) return false;
    if (got != reinterpret_cast<void*>(base)) { // a kernel that does not know MAP_FIXED_NOREPLACE
      munmap(got, bytes);
      return false;
    }
    m_base = base;
    m_bytes = bytes;
    return true;
  }
  void allocate(std::uint64_t address, std::uint64_t bytes, std::uint64_t limit) {
    if (bytes == 0 || bytes % 4096 != 0 || address % 4096 != 0 || address < m_base || bytes > m_bytes ||
        address - m_base > m_bytes - bytes)
      throw protocol_error("an allocation lies outside of the window");
    const auto after = m_allocations.lower_bound(address);
    if ((after != m_allocations.end() && after->first < address + bytes) ||
        (after != m_allocations.begin() && std::prev(after)->first + std::prev(after)->second > address))
      throw protocol_error("an allocation overlaps another");
    if (m_used + bytes > limit) throw protocol_error("the client allocates more than the server offered");
    if (mprotect(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE) != 0)
      throw std::runtime_error("the system has no memory left");
    m_allocations.emplace(address, bytes);
    m_used += bytes;
  }
  void release(std::uint64_t address) {
    const auto found = m_allocations.find(address);
    if (found == m_allocations.end())
      throw protocol_error("the client releases memory that was never allocated");
    madvise(reinterpret_cast<void*>(address), found->second, MADV_DONTNEED);
    mprotect(reinterpret_cast<void*>(address), found->second, PROT_NONE);
    m_used -= found->second;
    m_allocations.erase(found);
  }
  /// Refuses a range that is not inside one allocation.
  void check(std::uint64_t address, std::uint64_t bytes) const {
    auto found = m_allocations.upper_bound(address);
    if (found == m_allocations.begin()) throw refused("the range is in no allocation");
    --found;
    if (bytes > found->second || address - found->first > found->second - bytes)
      throw refused("the range exceeds its allocation");
  }

private:
  std::uint64_t m_base = 0, m_bytes = 0, m_used = 0;
  std::map<std::uint64_t, std::uint64_t> m_allocations;
};

class session {
public:
  session(int descriptor, std::string token)
      : m_channel(descriptor), m_token(std::move(token)), m_memory(memory_for_clients()) {}

  void run() {
    shake_hands();
    std::thread pulse([this] { send_alive(); });
    try {
      for (;;) handle(m_channel.receive(-1));
    } catch (...) {
      m_ended = true;
      pulse.join();
      throw;
    }
  }

private:
  void send(type kind, const writer& fields) {
    const std::lock_guard lock(m_sending);
    m_channel.send(kind, fields);
  }

  void shake_hands() {
    const digest mine = random_digest();
    m_channel.send(type::challenge, writer() << protocol_version << mine);
    const message hello = m_channel.expect(type::hello, handshake_ms);
    reader r(hello);
    if (r.take<std::uint32_t>() != protocol_version)
      throw protocol_error("the client speaks another version of the protocol");
    const auto theirs = r.take<digest>();
    const auto shown = r.take<digest>();
    r.end();
    if (!same(shown, proof(m_token, role::client, mine, theirs)))
      throw protocol_error("the client does not know the token");
    m_channel.send(type::welcome, writer() << proof(m_token, role::server, mine, theirs) << m_memory
                                           << std::uint32_t(std::max(1u, std::thread::hardware_concurrency()))
                                           << processor_name());
  }

  void send_alive() {
    while (!m_ended) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      try {
        if (m_busy) send(type::alive, {});
      } catch (const connection_lost&) {
        return;
      }
    }
  }

  void handle(const message& m) {
    reader r(m);
    switch (m.kind) {
      case type::window: {
        const auto base = r.take<std::uint64_t>(), bytes = r.take<std::uint64_t>();
        r.end();
        send(type::window_taken, writer() << std::uint8_t(m_window.take(base, bytes)));
        return;
      }
      case type::allocate: {
        const auto address = r.take<std::uint64_t>(), bytes = r.take<std::uint64_t>();
        r.end();
        m_window.allocate(address, bytes, m_memory);
        return;
      }
      case type::release: {
        const auto address = r.take<std::uint64_t>();
        r.end();
        m_busy = true; // the system may take seconds to take back much memory
        m_window.release(address);
        m_busy = false;
        return;
      }
      case type::resolve: return resolve(r);
      case type::submit: return submit(r);
      default:
        throw protocol_error("a message of type " + std::to_string(std::uint32_t(m.kind)) +
                             " is not part of a submission");
    }
  }

  void resolve(reader& r) {
    code_location where;
    where.object = r.text();
    where.offset = r.take<std::uint64_t>();
    r.end();
    std::string why;
    try {
      m_functions.push_back(reinterpret_cast<prism::image::host_group_function>(
          reinterpret_cast<std::uintptr_t>(function_at(where))));
    } catch (const std::invalid_argument& e) {
      why = e.what();
    }
    send(type::resolved, writer() << std::uint64_t(m_functions.size() - (why.empty() ? 1 : 0)) << why);
  }

  void submit(reader& r) {
    const auto count = r.take<std::uint64_t>();
    r.end();
    m_busy = true;
    const std::uint64_t started = now_ns();
    std::string failure;
    for (std::uint64_t i = 0; i < count; ++i) {
      const message m = m_channel.receive(-1);
      try {
        command(m, !failure.empty());
      } catch (const refused& e) {
        failure = e.what();
      } catch (const std::bad_alloc&) {
        failure = "the server has no memory left";
      }
    }
    m_busy = false;
    send(type::done, writer() << std::uint8_t(failure.empty()) << started << now_ns() << failure);
  }

  /// `skipped`: an earlier command failed; reads the message without running it.
  void command(const message& m, bool skipped) {
    reader r(m);
    switch (m.kind) {
      case type::write: return take_data(r.take<box>(), skipped);
      case type::read: return give_data(r.take<box>(), skipped);
      case type::fill: {
        const auto address = r.take<std::uint64_t>(), bytes = r.take<std::uint64_t>();
        const auto pattern = r.block();
        r.end();
        if (pattern.empty() || bytes % pattern.size() != 0)
          throw protocol_error("the size of a fill is not a multiple of its pattern");
        if (skipped) return;
        m_window.check(address, bytes);
        auto* const to = reinterpret_cast<std::byte*>(address);
        std::copy_n(pattern.begin(), std::min<std::uint64_t>(pattern.size(), bytes), to);
        for (std::uint64_t filled = pattern.size();
             filled < bytes;) { // copies what is there, twice as much each time
          const std::uint64_t part = std::min(filled, bytes - filled);
          std::memcpy(to + filled, to, part);
          filled += part;
        }
        return;
      }
      case type::copy: {
        const box from = r.take<box>(), to = r.take<box>();
        r.end();
        if (!skipped) copy(from, to);
        return;
      }
      case type::dispatch: return run(r, skipped);
      default:
        throw protocol_error("a message of type " + std::to_string(std::uint32_t(m.kind)) +
                             " is not a command");
    }
  }

  void take_data(const box& to, bool skipped) {
    const std::uint64_t total = to.bytes();
    std::string why;
    try {
      if (!skipped) m_window.check(to.address, to.extent());
    } catch (const refused& e) {
      why = e.what();
    }
    for (std::uint64_t at = 0; at < total;) {
      const message data = m_channel.expect(type::data, -1);
      if (data.bytes.empty() || data.bytes.size() > total - at)
        throw protocol_error("the data of a write does not have the announced length");
      const std::byte* from = data.bytes.data();
      if (!skipped && why.empty())
        for_each_piece(to, at, data.bytes.size(), [&](std::uint64_t address, std::uint64_t bytes) {
          std::memcpy(reinterpret_cast<void*>(address), from, bytes);
          from += bytes;
        });
      at += data.bytes.size();
    }
    if (!why.empty()) throw refused(why);
  }

  void give_data(const box& from, bool skipped) {
    const std::uint64_t total = from.bytes();
    try {
      if (!skipped) m_window.check(from.address, from.extent());
    } catch (const refused&) {
      send(type::data, {}); // in place of all data
      throw;
    }
    if (skipped) return send(type::data, {});
    std::vector<std::byte> chunk;
    for (std::uint64_t at = 0; at < total; at += chunk.size()) {
      chunk.clear();
      for_each_piece(from, at, std::min(data_chunk, total - at),
                     [&](std::uint64_t address, std::uint64_t bytes) {
        const auto* p = reinterpret_cast<const std::byte*>(address);
        chunk.insert(chunk.end(), p, p + bytes);
      });
      const std::lock_guard lock(m_sending);
      m_channel.send(type::data, chunk);
    }
  }

  void copy(const box& from, const box& to) {
    if (from.row_bytes != to.row_bytes || from.rows != to.rows || from.slices != to.slices)
      throw protocol_error("a copy has two shapes");
    m_window.check(from.address, from.extent());
    m_window.check(to.address, to.extent());
    if (from.bytes() == 0) return;
    for (std::uint64_t row = 0; row < from.rows * from.slices; ++row)
      std::memmove(
          reinterpret_cast<void*>(to.address + row / to.rows * to.slice_pitch + row % to.rows * to.row_pitch),
          reinterpret_cast<const void*>(from.address + row / to.rows * from.slice_pitch +
                                        row % to.rows * from.row_pitch),
          from.row_bytes);
  }

  void run(reader& r, bool skipped) {
    dispatch d;
    const auto function = r.take<std::uint64_t>();
    std::uint64_t groups = 1, items = 1;
    for (auto& n : d.groups) n = r.take<std::uint64_t>();
    for (auto& n : d.first) n = r.take<std::uint64_t>();
    for (auto& n : d.counts) n = r.take<std::uint64_t>();
    for (auto& n : d.local) n = r.take<std::uint64_t>();
    d.local_bytes = r.take<std::uint64_t>();
    const auto spill_each = r.take<std::uint64_t>();
    d.exact = r.take<std::uint64_t>();
    d.arguments = r.block();
    r.end();
    if (function >= m_functions.size())
      throw protocol_error("a dispatch of a function that was never resolved");
    bool too_much = false;
    for (int i = 0; i < 3; ++i) {
      too_much |= __builtin_mul_overflow(groups, d.groups[i], &groups);
      too_much |= __builtin_mul_overflow(items, d.local[i], &items);
    }
    too_much |= __builtin_mul_overflow(items, spill_each, &d.spill_bytes);
    if (too_much || groups == 0 || items == 0 || d.local_bytes > group_bytes_limit ||
        d.spill_bytes > group_bytes_limit)
      throw protocol_error("a dispatch has sizes that no kernel has");
    if (skipped) return;
    d.function = m_functions[function];
    if (!execute(d))
      throw refused(
          "some work-items wait at a barrier that the others never reach; all work-items of a group must "
          "reach the same barriers");
  }

  channel m_channel;
  std::string m_token;
  std::uint64_t m_memory;
  std::mutex m_sending;
  std::atomic<bool> m_busy{false}, m_ended{false};
  window m_window;
  std::vector<prism::image::host_group_function> m_functions;
};

void say(const std::string& what) { std::fprintf(stderr, "prism remote: %s\n", what.c_str()); }

[[noreturn]] void serve(const std::string& where) {
  try {
    const std::string token = token_from_environment();
    if (where.compare(0, 3, "fd:") == 0) _exit(serve_client(std::atoi(where.c_str() + 3), token.c_str()));
    signal(SIGCHLD, SIG_IGN);
    const int listener = listen_on(where);
    say("serving on " + where);
    for (;;) {
      const int client = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) continue;
      const pid_t child = fork();
      if (child == 0) {
        close(listener);
        _exit(serve_client(client, token.c_str()));
      }
      if (child < 0) say("refused a client: cannot start a process for it");
      close(client);
    }
  } catch (const std::exception& e) {
    say(e.what());
    _exit(2);
  }
}

/// The dynamic loader runs this before main if the module is preloaded.
[[gnu::constructor]] void serve_when_asked() {
  if (const char* where = std::getenv("PRISM_REMOTE_SERVE")) {
    const std::string address = where;
    unsetenv("PRISM_REMOTE_SERVE");
    unsetenv("LD_PRELOAD");
    serve(address);
  }
}

} // namespace

int serve_client(int descriptor, const char* token) {
  try {
    session(descriptor, token).run();
  } catch (const connection_lost&) {
    return 0; // the normal end
  } catch (const std::exception& e) {
    say(std::string("a session ended: ") + e.what());
    return 1;
  }
  return 0;
}

} // namespace remote
