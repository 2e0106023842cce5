#include "runtime/observe/trace.hpp"

#include "devices/api/thread_end.hpp"
#include "runtime/observe/trace_file.hpp"
#include "runtime/support/environment.hpp"
#include "runtime/support/log.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

namespace prism::support::trace {

namespace {

/// A span as stored by its thread; name and line follow it in memory.
struct record {
  std::uint64_t begin_ns, end_ns;
  const char* category;
  unsigned process, queue; // queue: of a device
  bool begins_at_end_before = false;
  arrow with = {};
  std::uint32_t name_size = 0, line_size = 0;
  std::size_t bytes() const {
    return (sizeof(record) + name_size + line_size + alignof(record) - 1) / alignof(record) * alignof(record);
  }
};

/// Two parts of the name, and the line.
using texts = std::array<std::string_view, 3>;

/// Spans of one thread that are not yet written as text. Only this thread appends and empties. A thread that
/// holds the writer's mutex may read the published spans at any time.
class thread_spans {
public:
  explicit thread_spans(unsigned long thread) : m_thread(thread) {}
  bool has_room_for(const record& what) const {
    return sizeof m_bytes - m_used.load(std::memory_order_relaxed) >= what.bytes();
  }
  void append(const record& what, const texts& text) {
    const std::size_t used = m_used.load(std::memory_order_relaxed);
    std::byte* to = m_bytes + used;
    std::memcpy(to, &what, sizeof what);
    to += sizeof what;
    for (const std::string_view each : text) {
      if (!each.empty()) std::memcpy(to, each.data(), each.size());
      to += each.size();
    }
    m_used.store(used + what.bytes(), std::memory_order_release);
  }
  template <typename Use>
  void for_each(const Use& use) const {
    const std::size_t used = m_used.load(std::memory_order_acquire);
    for (std::size_t at = 0; at < used;) {
      record what;
      std::memcpy(&what, m_bytes + at, sizeof what);
      const char* const texts = reinterpret_cast<const char*>(m_bytes + at + sizeof what);
      use(what, std::string_view(texts, what.name_size),
          std::string_view(texts + what.name_size, what.line_size));
      at += what.bytes();
    }
  }
  void empty() { m_used.store(0, std::memory_order_relaxed); }
  unsigned long thread() const { return m_thread; }

private:
  const unsigned long m_thread;
  std::atomic<std::size_t> m_used{0};
  // several hundred spans; small enough to leave cache for the program's data
  alignas(record) std::byte m_bytes[32 << 10];
};

class writer {
public:
  writer(std::FILE* file, const std::string& path) : m_file(file, path) {}

  /// Returns null when out of memory, or if no function can be registered for the thread's end.
  thread_spans* spans_of_new_thread();
  void take(thread_spans& of) {
    const std::lock_guard lock(m_mutex);
    write(of);
    of.empty();
  }
  void take_at_end(thread_spans& of) {
    const std::lock_guard lock(m_mutex);
    write(of);
    std::erase_if(m_threads, [&](const auto& each) { return each.get() == &of; });
  }
  void take_one(const record& what, std::string_view name, std::string_view line, unsigned long thread) {
    const std::lock_guard lock(m_mutex);
    write(what, name, line, thread);
  }
  track track_of(std::string_view device) {
    const std::lock_guard lock(m_mutex);
    return track{m_file.process_of(device)};
  }
  /// Called at the end of the process, while other threads may continue.
  void close() {
    const std::lock_guard lock(m_mutex);
    if (!m_file.is_open() || ::getpid() != m_process)
      return; // a forked child has copies of its parent's spans and file
    for (const auto& each : m_threads) write(*each);
    m_file.close();
  }

private:
  void write(const thread_spans& of) {
    of.for_each([&](const record& what, std::string_view name, std::string_view line) {
      write(what, name, line, of.thread());
    });
    if (m_file.is_open()) m_file.flush(); // in case the process is killed
  }
  void write(const record& what, std::string_view name, std::string_view line, unsigned long thread) {
    if (!m_file.is_open()) return;
    m_file.add({what.process, what.process == trace_file::host ? thread : what.queue, what.category, name,
                line, what.begin_ns, what.end_ns, what.begins_at_end_before, what.with});
  }

  const pid_t m_process = ::getpid();
  std::mutex m_mutex; // guards all members below
  trace_file m_file;
  std::vector<std::unique_ptr<thread_spans>> m_threads;
};

/// Null when tracing is off. Never destroyed, because other exit handlers may add spans.
writer* the_writer() noexcept {
  static writer* const made = []() -> writer* {
    const auto path = set_value_of(variables::trace);
    if (!path) return nullptr;
    std::FILE* file = std::fopen(path->c_str(), "we");
    if (file == nullptr) {
      log(level::error, "PRISM_TRACE: cannot write \"" + *path + "\"; tracing is off");
      return nullptr;
    }
    std::atexit([] { the_writer()->close(); });
    return new writer(file, *path);
  }();
  return made;
}

struct own_spans {
  thread_spans* spans;
  enum class life : unsigned char { unused, used, none } state;
};
// The initial-exec model gives a fixed offset from the thread pointer, also after dlopen.
[[gnu::tls_model("initial-exec")]] constinit thread_local own_spans mine{};

void end_of_thread(void* spans) {
  mine = {nullptr, own_spans::life::none}; // later spans of this thread are written at once
  try {
    the_writer()->take_at_end(*static_cast<thread_spans*>(spans));
  } catch (...) { // out of memory: its spans are dropped
  }
}

unsigned long this_thread() { return static_cast<unsigned long>(::syscall(SYS_gettid)); }

thread_spans* writer::spans_of_new_thread() {
  auto made = std::make_unique<thread_spans>(this_thread());
  const std::lock_guard lock(m_mutex);
  m_threads.reserve(m_threads.size() + 1);
  if (!at_thread_end<&end_of_thread>(made.get())) return nullptr;
  m_threads.push_back(std::move(made));
  return m_threads.back().get();
}

void add(record what, const texts& text) {
  what.name_size = std::uint32_t(text[0].size() + text[1].size());
  what.line_size = std::uint32_t(text[2].size());
  own_spans& own = mine;
  if (own.state == own_spans::life::unused) {
    own.spans = the_writer()->spans_of_new_thread();
    own.state = own.spans != nullptr ? own_spans::life::used : own_spans::life::none;
  }
  thread_spans* const to = own.spans;
  if (to != nullptr && !to->has_room_for(what)) the_writer()->take(*to);
  if (to == nullptr || !to->has_room_for(what))
    return the_writer()->take_one(what, std::string(text[0]).append(text[1]), text[2], this_thread());
  to->append(what, text);
}

} // namespace

std::atomic<signed char> detail::is_on{-1};

bool detail::find_out() noexcept {
  const bool found = the_writer() != nullptr;
  is_on.store(found ? 1 : 0, std::memory_order_release);
  return found;
}

std::uint64_t now_ns() noexcept {
  return std::uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                           std::chrono::steady_clock::now().time_since_epoch())
                           .count());
}

std::uint64_t new_arrow() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return on() ? last.fetch_add(1, std::memory_order_relaxed) + 1 : 0;
}

track device_track(std::string_view name) { return the_writer()->track_of(name); }

void host_span(const char* category, std::string_view name, std::uint64_t begin_ns, std::uint64_t end_ns,
               std::string_view line, std::uint64_t arrow_to) noexcept try {
  add({begin_ns, end_ns, category, trace_file::host, 0, false, {arrow_to, true}}, {name, {}, line});
} catch (...) { // out of memory: the span is dropped
}

void host_span_of(const char* category, std::string_view what, std::string_view name, std::uint64_t begin_ns,
                  std::uint64_t end_ns, std::uint64_t arrow_from) noexcept try {
  add({begin_ns, end_ns, category, trace_file::host, 0, false, {arrow_from, false}}, {what, name, {}});
} catch (...) {}

void device_span(track device, unsigned queue, std::string_view name, std::string_view line,
                 std::uint64_t begin_ns, std::uint64_t end_ns, bool begins_at_end_before,
                 std::uint64_t arrow_to) noexcept try {
  add({begin_ns, end_ns, "device", unsigned(device), queue, begins_at_end_before, {arrow_to, true}},
      {name, {}, line});
} catch (...) {}

} // namespace prism::support::trace
