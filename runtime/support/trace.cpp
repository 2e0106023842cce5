#include "runtime/support/trace.hpp"

#include "runtime/support/environment.hpp"
#include "runtime/support/log.hpp"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include <sys/syscall.h>
#include <unistd.h>

namespace prism::support::trace {

namespace {

constexpr std::size_t most_kept = 16'384;
constexpr unsigned host_process = 1, first_device = 10; // numbers of Chrome's "processes", one a track group

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20) out += ' ';
    else out += c;
  }
  out += '"';
}

void append_number(std::string& out, std::uint64_t number) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

/// Nanoseconds as the format's microseconds, exactly.
void append_time(std::string& out, std::uint64_t ns) {
  append_number(out, ns / 1000);
  const unsigned rest = unsigned(ns % 1000);
  const char part[] = {'.', char('0' + rest / 100), char('0' + rest / 10 % 10), char('0' + rest % 10)};
  out.append(part, sizeof part);
}

class writer {
public:
  explicit writer(std::FILE* file) : m_file(file) {
    m_text.reserve(most_kept * 128);
    std::fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", m_file);
    name_process(host_process, "host");
  }

  void add(unsigned process, unsigned long thread, std::string_view category, std::string_view name, std::uint64_t begin, std::uint64_t end,
           std::string_view line) {
    begin_event(name);
    m_text += ",\"cat\":";
    append_quoted(m_text, category);
    m_text += ",\"ph\":\"X\",\"pid\":";
    append_number(m_text, process);
    m_text += ",\"tid\":";
    append_number(m_text, thread);
    m_text += ",\"ts\":";
    append_time(m_text, begin);
    m_text += ",\"dur\":";
    append_time(m_text, end < begin ? 0 : end - begin);
    if (!line.empty()) {
      m_text += ",\"args\":{\"line\":";
      append_quoted(m_text, line);
      m_text += '}';
    }
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
    std::fwrite(m_text.data(), 1, m_text.size(), m_file);
    m_text.clear(); // keeps its memory
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
  void name_process(unsigned number, std::string_view name) {
    begin_event("process_name");
    m_text += ",\"ph\":\"M\",\"pid\":";
    append_number(m_text, number);
    m_text += ",\"args\":{\"name\":";
    append_quoted(m_text, name);
    m_text += '}';
    end_event();
  }
  void begin_event(std::string_view name) {
    m_text += m_first ? "\n{\"name\":" : ",\n{\"name\":";
    m_first = false;
    append_quoted(m_text, name);
  }
  void end_event() {
    m_text += '}';
    if (++m_kept >= most_kept) flush();
  }

  std::FILE* m_file;
  std::map<std::string, unsigned, std::less<>> m_devices;
  std::string m_text;       // not written yet
  std::size_t m_kept = 0;   // events in it
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

bool on() noexcept { return the_writer() != nullptr; }

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
