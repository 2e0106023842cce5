// PRISM_TRACE: records the activity of the process in a file in Chrome's trace event format, for
// ui.perfetto.dev and chrome:
// tracing (https:
// docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU). Times are those of steady_clock.
//
// Any thread. If the variable is unset, every function costs one load and a branch. A span is copied to
// memory of its thread without a lock. The thread's spans are converted to text (trace_file.hpp) when there
// are some hundreds, when the thread ends, and at the end of the process, in the first exit handler that
// PRISM registers.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace prism::support::trace {

namespace detail {
extern std::atomic<signed char> is_on; // negative: not determined yet
bool find_out() noexcept;
} // namespace detail

/// Whether tracing is on. The first call reads PRISM_TRACE and opens the file; if that fails, it logs an
/// error.
inline bool on() noexcept {
  const signed char known = detail::is_on.load(std::memory_order_acquire);
  return known > 0 || (known < 0 && detail::find_out());
}

std::uint64_t now_ns() noexcept;

/// The number of a new arrow from a submission to the execution (trace_file.hpp); 0 if tracing is off.
std::uint64_t new_arrow() noexcept;

/// The group of rows of a device.
enum class track : unsigned {};
/// Returns the same track for the same name ("opencl:0 ..."). Only while tracing is on.
track device_track(std::string_view name);

/// Adds a span of the calling thread. `category` must be a literal. `line`: in the program, "app.cpp:12";
/// empty when it is not known. `arrow_to`: the arrow that ends here.
void host_span(const char* category, std::string_view name, std::uint64_t begin_ns, std::uint64_t end_ns,
               std::string_view line = {}, std::uint64_t arrow_to = 0) noexcept;
/// The same with a name in two parts, `what` followed by `name`. `arrow_from`: the arrow that begins here.
void host_span_of(const char* category, std::string_view what, std::string_view name, std::uint64_t begin_ns,
                  std::uint64_t end_ns, std::uint64_t arrow_from = 0) noexcept;
/// Adds a span of a device's queue. `begins_at_end_before`: the start was not measured. It is then the end of
/// the previous command or the time of submission, whichever is later.
void device_span(track device, unsigned queue, std::string_view name, std::string_view line,
                 std::uint64_t begin_ns, std::uint64_t end_ns, bool begins_at_end_before = false,
                 std::uint64_t arrow_to = 0) noexcept;

/// A host span from construction to destruction. Does nothing if tracing is off. Creates no string: it reads
/// the clock twice and copies.
class scope {
public:
  /// `category` and `what` must be literals. `name` must outlive this object.
  scope(const char* category, std::string_view what, std::string_view name = {}) noexcept
      : m_category(category), m_what(what), m_name(name), m_begin(on() ? now_ns() : 0) {}
  ~scope() {
    if (m_begin != 0) host_span_of(m_category, m_what, m_name, m_begin, now_ns(), m_arrow);
  }
  scope(const scope&) = delete;
  /// Begins an arrow and returns its number.
  std::uint64_t begin_arrow() noexcept { return m_arrow = new_arrow(); }

private:
  const char* m_category;
  std::string_view m_what, m_name;
  std::uint64_t m_begin, m_arrow = 0;
};

/// The same with a name that it owns.
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
