#include "runtime/support/trace.hpp"

#include "runtime/support/environment.hpp"
#include "runtime/support/log.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

namespace prism::support::trace {

namespace {

constexpr std::size_t most_kept = 16'384;
constexpr unsigned host_process = 1, first_device = 10; // numbers of Chrome's "processes", one a track group

/// What is not written to the file yet. A span is a dozen short pieces: each goes to memory that is reserved for all of them.
class text_buffer {
public:
  explicit text_buffer(std::size_t bytes) : m_text(bytes) {}
  /// For so many bytes of pieces in the file's words, and these texts in quotes.
  void reserve(std::size_t fixed, std::initializer_list<std::string_view> quoted) {
    for (const std::string_view each : quoted) fixed += 2 * each.size() + 2;
    if (m_text.size() - m_size < fixed) m_text.resize(2 * m_text.size() + fixed);
  }
  void literal(std::string_view text) {
    std::memcpy(m_text.data() + m_size, text.data(), text.size());
    m_size += text.size();
  }
  void quoted(std::string_view text) {
    unsigned rare = 0; // asked of all first, which is done in vectors: nearly no text has one
    for (const char c : text) rare |= unsigned(c == '"') | unsigned(c == '\\') | unsigned(static_cast<unsigned char>(c) < 0x20);
    char* to = m_text.data() + m_size;
    *to++ = '"';
    if (rare == 0) {
      std::memcpy(to, text.data(), text.size());
      to += text.size();
      text = {};
    }
    for (const char c : text) {
      if (c == '"' || c == '\\') *to++ = '\\';
      *to++ = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    *to++ = '"';
    m_size = std::size_t(to - m_text.data());
  }
  void number(std::uint64_t number) {
    char* const to = m_text.data() + m_size;
    m_size = std::size_t(std::to_chars(to, to + most_digits, number).ptr - m_text.data());
  }
  /// Nanoseconds as the format's microseconds, exactly.
  void time(std::uint64_t ns) {
    number(ns / 1000);
    const unsigned rest = unsigned(ns % 1000);
    const char part[] = {'.', char('0' + rest / 100), char('0' + rest / 10 % 10), char('0' + rest % 10)};
    literal({part, sizeof part});
  }
  std::string_view view() const { return {m_text.data(), m_size}; }
  void write_to(std::FILE* file) {
    std::fwrite(m_text.data(), 1, m_size, file);
    m_size = 0; // keeps its memory
  }

private:
  static constexpr std::size_t most_digits = 20;
  std::vector<char> m_text;
  std::size_t m_size = 0;
};

class writer {
public:
  explicit writer(std::FILE* file) : m_file(file), m_text(most_kept * 128) {
    std::fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", m_file);
    name_process(host_process, "host");
  }

  void add(unsigned process, unsigned long thread, std::string_view category, std::string_view name, std::uint64_t begin, std::uint64_t end,
           std::string_view line) {
    known_head& head = m_heads[(process * 7 + thread + name.size() + line.size()) % m_heads.size()];
    if (head.process != process || head.thread != thread || head.category != category || head.name != name || head.line != line)
      head = make_head(process, thread, category, name, line);
    m_text.reserve(rest + head.text.size(), {});
    begin_event();
    m_text.literal(head.text);
    m_text.time(begin);
    m_text.literal(",\"dur\":");
    m_text.time(end < begin ? 0 : end - begin);
    end_event();
  }
  /// The device's number; new ones are named.
  unsigned process_of(std::string_view device) {
    const auto known = m_devices.find(device);
    if (known != m_devices.end()) return known->second;
    const unsigned number = first_device + unsigned(m_devices.size());
    m_devices.emplace(device, number);
    name_process(number, device);
    return number;
  }
  void flush() {
    m_text.write_to(m_file);
    m_kept = 0;
    std::fflush(m_file);
  }
  void close() {
    flush();
    std::fputs("\n]}\n", m_file);
    std::fclose(m_file);
    m_file = nullptr;
  }
  bool is_open() const { return m_file != nullptr; }
  std::mutex mutex; // guards all

private:
  /// What a span says before its times, which is the same for each launch of a kernel in a loop.
  struct known_head {
    unsigned process = 0;
    unsigned long thread = 0;
    std::string category, name, line, text;
  };
  static known_head make_head(unsigned process, unsigned long thread, std::string_view category, std::string_view name, std::string_view line) {
    text_buffer made(0);
    made.reserve(rest, {category, name, line});
    made.literal("{\"name\":");
    made.quoted(name);
    made.literal(",\"cat\":");
    made.quoted(category);
    made.literal(",\"ph\":\"X\",\"pid\":");
    made.number(process);
    made.literal(",\"tid\":");
    made.number(thread);
    if (!line.empty()) {
      made.literal(",\"args\":{\"line\":");
      made.quoted(line);
      made.literal("}");
    }
    made.literal(",\"ts\":");
    return {process, thread, std::string(category), std::string(name), std::string(line), std::string(made.view())};
  }
  void name_process(unsigned number, std::string_view name) {
    m_text.reserve(rest, {name});
    begin_event();
    m_text.literal("{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":");
    m_text.number(number);
    m_text.literal(",\"args\":{\"name\":");
    m_text.quoted(name);
    m_text.literal("}");
    end_event();
  }
  void begin_event() {
    m_text.literal(m_first ? "\n" : ",\n");
    m_first = false;
  }
  void end_event() {
    m_text.literal("}");
    if (++m_kept >= most_kept) flush();
  }

  static constexpr std::size_t rest = 256; // the longest event without its texts is half of it
  std::FILE* m_file;
  std::array<known_head, 64> m_heads;
  std::map<std::string, unsigned, std::less<>> m_devices;
  text_buffer m_text;
  std::size_t m_kept = 0; // events in it
  bool m_first = true;
};

/// Null when tracing is off. Never destroyed: spans may come from other exit handlers.
writer* the_writer() noexcept {
  static writer* const made = []() -> writer* {
    const auto path = set_value_of(variables::trace);
    if (!path) return nullptr;
    std::FILE* file = std::fopen(path->c_str(), "we");
    if (file == nullptr) {
      log(level::error, "PRISM_TRACE: cannot write \"" + *path + "\"; nothing is traced");
      return nullptr;
    }
    std::atexit([] {
      writer& all = *the_writer();
      const std::lock_guard lock(all.mutex);
      if (all.is_open()) all.close();
    });
    return new writer(file);
  }();
  return made;
}

} // namespace

std::atomic<signed char> detail::is_on{-1};

bool detail::find_out() noexcept {
  const bool found = the_writer() != nullptr;
  is_on.store(found ? 1 : 0, std::memory_order_release);
  return found;
}

std::uint64_t now_ns() noexcept {
  return std::uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

void host_span(std::string_view category, std::string_view name, std::uint64_t begin_ns, std::uint64_t end_ns, std::string_view line) noexcept try {
  static thread_local const auto thread = static_cast<unsigned long>(::syscall(SYS_gettid));
  writer& all = *the_writer();
  const std::lock_guard lock(all.mutex);
  if (all.is_open()) all.add(host_process, thread, category, name, begin_ns, end_ns, line);
} catch (...) { // no memory for a span: it is left out
}

void device_span(std::string_view device, unsigned queue, std::string_view name, std::string_view line, std::uint64_t begin_ns,
                 std::uint64_t end_ns) noexcept try {
  writer& all = *the_writer();
  const std::lock_guard lock(all.mutex);
  if (all.is_open()) all.add(all.process_of(device), queue, "device", name, begin_ns, end_ns, line);
} catch (...) {
}

} // namespace prism::support::trace
