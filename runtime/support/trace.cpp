#include "runtime/support/trace.hpp"

#include "runtime/support/environment.hpp"
#include "runtime/support/log.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

namespace prism::support::trace {

namespace {

constexpr std::size_t most_kept = 16'384;
constexpr unsigned host_process = 1, first_device = 10; // numbers of Chrome's "processes", one a track group

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20) out += ' ';
    else out += c;
  }
  return out += '"';
}

class writer {
public:
  explicit writer(std::FILE* file) : m_file(file) {
    std::fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", m_file);
    name_process(host_process, "host");
  }

  void add(unsigned process, unsigned long thread, std::string_view category, std::string_view name, std::uint64_t begin, std::uint64_t end) {
    char numbers[160];
    std::snprintf(numbers, sizeof numbers, ",\"ph\":\"X\",\"pid\":%u,\"tid\":%lu,\"ts\":%.3f,\"dur\":%.3f}", process, thread,
                  double(begin) * 1e-3, double(end < begin ? 0 : end - begin) * 1e-3);
    append("{\"name\":" + quoted(name) + ",\"cat\":" + quoted(category) + numbers);
  }
  /// The device's number; new ones are named.
  unsigned process_of(std::string_view device) {
    const auto [at, is_new] = m_devices.try_emplace(std::string(device), first_device + unsigned(m_devices.size()));
    if (is_new) name_process(at->second, device);
    return at->second;
  }
  void flush() {
    for (const std::string& each : m_kept) {
      std::fputs(m_first ? "\n" : ",\n", m_file);
      m_first = false;
      std::fputs(each.c_str(), m_file);
    }
    m_kept.clear();
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
    append("{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":" + std::to_string(number) + ",\"args\":{\"name\":" + quoted(name) + "}}");
  }
  void append(std::string text) {
    m_kept.push_back(std::move(text));
    if (m_kept.size() >= most_kept) flush();
  }

  std::FILE* m_file;
  std::map<std::string, unsigned> m_devices;
  std::vector<std::string> m_kept;
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

void host_span(std::string_view category, std::string_view name, std::uint64_t begin_ns, std::uint64_t end_ns) noexcept try {
  static thread_local const auto thread = static_cast<unsigned long>(::syscall(SYS_gettid));
  writer& all = *the_writer();
  const std::lock_guard lock(all.mutex);
  if (all.is_open()) all.add(host_process, thread, category, name, begin_ns, end_ns);
} catch (...) { // no memory for a span: it is left out
}

void device_span(std::string_view device, unsigned queue, std::string_view name, std::uint64_t begin_ns, std::uint64_t end_ns) noexcept try {
  writer& all = *the_writer();
  const std::lock_guard lock(all.mutex);
  if (all.is_open()) all.add(all.process_of(device), queue, "device", name, begin_ns, end_ns);
} catch (...) {
}

} // namespace prism::support::trace
