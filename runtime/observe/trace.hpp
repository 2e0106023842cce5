// PRISM_TRACE: what the process does, as a file in Chrome's trace event format, which ui.perfetto.dev and
// chrome://tracing show (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU).
// Times are of steady_clock.
//
// Any thread. When the variable is unset everything here is one load and a branch. A span is copied into
// memory of its thread without a lock; it becomes text (trace_file.hpp) together with the thread's other
// spans, when there are some hundreds, when the thread ends and at the end of the process, by the first of
// PRISM's exit handlers to be registered.
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

/// A device's group of rows.
enum class track : unsigned {};
/// The same for the same name ("opencl:0 ..."). Only while tracing.
track device_track(std::string_view name);

/// On the calling thread. `category`: a literal. `line`: of the program, "app.cpp:12"; empty when it is not
/// known.
void host_span(const char* category, std::string_view name, std::uint64_t begin_ns, std::uint64_t end_ns,
               std::string_view line = {}) noexcept;
/// The same; it is called what `what` and `name` say, one behind the other.
void host_span_of(const char* category, std::string_view what, std::string_view name, std::uint64_t begin_ns,
                  std::uint64_t end_ns) noexcept;
/// When a device's queue ran something. `begins_at_end_before`: its own begin was not measured; it is the
/// later one of the end of the command before and of the call that gave it to the device.
void device_span(track device, unsigned queue, std::string_view name, std::string_view line,
                 std::uint64_t begin_ns, std::uint64_t end_ns, bool begins_at_end_before = false) noexcept;

/// A host span of its own life; nothing when tracing is off. It makes no text: two looks at the clock and a
/// copy.
class scope {
public:
  /// `category`, `what`: literals. `name`: of what, which outlives this.
  scope(const char* category, std::string_view what, std::string_view name = {}) noexcept
      : m_category(category), m_what(what), m_name(name), m_begin(on() ? now_ns() : 0) {}
  ~scope() {
    if (m_begin != 0) host_span_of(m_category, m_what, m_name, m_begin, now_ns());
  }
  scope(const scope&) = delete;

private:
  const char* m_category;
  std::string_view m_what, m_name;
  std::uint64_t m_begin;
};

/// The same with a text of its own.
class named_scope {
public:
  named_scope(const char* category, std::string name)
      : m_category(category), m_name(std::move(name)), m_begin(on() ? now_ns() : 0) {}
  ~named_scope() {
    if (m_begin != 0) host_span(m_category, m_name, m_begin, now_ns());
  }
  named_scope(const named_scope&) = delete;
  void rename(std::string name) { m_name = std::move(name); }

private:
  const char* m_category;
  std::string m_name;
  std::uint64_t m_begin;
};

} // namespace prism::support::trace
