// PRISM_TRACE: what the process does, as a file in Chrome's trace event format, which ui.perfetto.dev and chrome://tracing
// show (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU). Times are of steady_clock.
//
// Any thread. When the variable is unset everything here is one load and a branch. Spans are kept in memory, written when
// there are many of them and at the end of the process, by the first of PRISM's exit handlers to be registered.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace prism::support::trace {

namespace detail {
extern std::atomic<signed char> is_on; // negative: nobody has asked
bool find_out() noexcept;
} // namespace detail

/// The first call reads PRISM_TRACE and opens the file; one that cannot be written is said in the log.
inline bool on() noexcept {
  const signed char known = detail::is_on.load(std::memory_order_acquire);
  return known > 0 || (known < 0 && detail::find_out());
}

std::uint64_t now_ns() noexcept;

/// On the calling thread. `line`: of the program, "app.cpp:12"; empty when it is not known.
void host_span(std::string_view category, std::string_view name, std::uint64_t begin_ns, std::uint64_t end_ns, std::string_view line = {}) noexcept;
/// On a queue of a device; `device` is its name for people ("opencl:0 ...").
void device_span(std::string_view device, unsigned queue, std::string_view name, std::string_view line, std::uint64_t begin_ns,
                 std::uint64_t end_ns) noexcept;

/// A host span of its own life; nothing when tracing is off.
class scope {
public:
  scope(const char* category, std::string_view name) : m_category(category), m_begin(on() ? now_ns() : 0) {
    if (m_begin != 0) m_name = name;
  }
  ~scope() {
    if (m_begin != 0) host_span(m_category, m_name, m_begin, now_ns());
  }
  scope(const scope&) = delete;
  void rename(std::string_view name) {
    if (m_begin != 0) m_name = name;
  }

private:
  const char* m_category;
  std::uint64_t m_begin;
  std::string m_name;
};

} // namespace prism::support::trace
