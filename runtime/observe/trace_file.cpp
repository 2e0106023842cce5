#include "runtime/observe/trace_file.hpp"

#include "runtime/support/environment.hpp"
#include "runtime/support/output_file.hpp"
#include "runtime/support/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

namespace prism::support::trace {

namespace {

// bytes per write to the file; small enough to stay in a near cache until written
constexpr std::size_t piece = 64 << 10;
constexpr std::size_t most_fixed = 192; // bytes of an event without its head or name
constexpr std::uint64_t second = 1'000'000'000;

constexpr std::array<char, 200> pairs = [] {
  std::array<char, 200> made{};
  for (unsigned i = 0; i < 100; ++i) {
    made[2 * i] = char('0' + i / 10);
    made[2 * i + 1] = char('0' + i % 10);
  }
  return made;
}();

// Each function writes to existing memory and returns the end of what it wrote.

inline char* put(char* to, std::string_view text) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

inline char* put_number(char* to, std::uint64_t number) {
  constexpr std::size_t most_digits = 20;
  return std::to_chars(to, to + most_digits, number).ptr;
}

inline char* put_pair(char* to, unsigned below_100) { return put(to, {&pairs[2 * below_100], 2}); }

inline char* put_thousandths(char* to, unsigned below_1000) {
  *to++ = '.';
  *to++ = char('0' + below_1000 / 100);
  return put_pair(to, below_1000 % 100);
}

/// Nanoseconds as microseconds, the format's unit, without loss.
inline char* put_time(char* to, std::uint64_t ns) {
  if (ns < 10'000) *to++ = char('0' + ns / 1000); // fast path: most spans are short
  else if (ns < second) to = put_number(to, ns / 1000);
  else {
    to = put_number(to, ns / second);
    const auto micros = unsigned(ns % second / 1000);
    to = put_pair(to, micros / 10'000);
    to = put_pair(to, micros / 100 % 100);
    to = put_pair(to, micros % 100);
  }
  return put_thousandths(to, unsigned(ns % 1000));
}

/// In quotes; needs at most twice the text's size plus two. The text must be UTF-8 (as_utf8), as JSON is.
char* put_quoted(char* to, std::string_view text) {
  *to++ = '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') *to++ = '\\';
    *to++ = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  *to++ = '"';
  return to;
}

} // namespace

span_head::span_head(const span& of)
    : m_process(of.process), m_row(of.row), m_begins_at_end_before(of.begins_at_end_before),
      m_category(of.category), m_name(of.name), m_line(of.line) {
  const std::string name = as_utf8(m_name), line = as_utf8(m_line);
  m_text.assign(most_fixed + 2 * (std::strlen(m_category) + name.size() + line.size()), ' ');
  char* to = put(m_text.data(), "{\"name\":");
  to = put_quoted(to, name);
  to = put(to, ",\"cat\":");
  to = put_quoted(to, m_category);
  to = put(to, ",\"ph\":\"X\",\"pid\":");
  to = put_number(to, m_process);
  to = put(to, ",\"tid\":");
  to = put_number(to, m_row);
  std::string_view before = ",\"args\":{";
  if (!m_line.empty()) {
    to = put(put(to, before), "\"line\":");
    to = put_quoted(to, line);
    before = ",";
  }
  if (m_begins_at_end_before) to = put(put(to, before), "\"begin\":\"end of the command before\"");
  if (!m_line.empty() || m_begins_at_end_before) to = put(to, "}");
  to = put(to, ",\"ts\":");
  m_text.resize(std::size_t(to - m_text.data()));
}

bool span_head::is_of(const span& what) const {
  return m_row == what.row && m_process == what.process &&
         m_begins_at_end_before == what.begins_at_end_before && m_name == what.name && m_line == what.line &&
         m_category == what.category;
}

trace_file::trace_file(std::FILE* file, std::string path)
    : m_file(file), m_path(std::move(path)), m_text(piece + (piece >> 3)) {
  std::setvbuf(m_file, nullptr, _IONBF, 0); // unbuffered, because all writes are large
  m_size = std::size_t(put(m_text.data(), "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[") - m_text.data());
  name_process(host, "host");
}

void trace_file::add(const span& what) {
  if (what.process >= first_device)
    if (device& of = m_devices[what.process - first_device]; !of.is_named) {
      name_process(what.process, of.name);
      of.is_named = true;
    }
  span_head& head =
      m_heads[(what.process * 7 + what.row + what.name.size() + what.line.size()) % m_heads.size()];
  if (!head.is_of(what)) head = span_head(what);
  char* to = put(begin_event(head.text().size()), head.text());
  to = put_time(to, what.begin_ns);
  to = put(to, ",\"dur\":");
  to = put_time(to, what.end_ns < what.begin_ns ? 0 : what.end_ns - what.begin_ns);
  *to++ = '}';
  end_event(to);
  if (what.with.number != 0) add_arrow(what);
  if (m_size >= piece) flush();
}

/// Viewers attach it to the span that begins at the same time in the same row.
void trace_file::add_arrow(const span& at) {
  char* to = put(begin_event(0), "{\"name\":\"submission\",\"cat\":\"submission\",\"ph\":");
  to = put(to, at.with.ends ? "\"f\",\"bp\":\"e\",\"id\":" : "\"s\",\"id\":");
  to = put_number(to, at.with.number);
  to = put_number(put(to, ",\"pid\":"), at.process);
  to = put_number(put(to, ",\"tid\":"), at.row);
  to = put_time(put(to, ",\"ts\":"), at.begin_ns);
  *to++ = '}';
  end_event(to);
}

unsigned trace_file::process_of(std::string_view name) {
  const auto known =
      std::find_if(m_devices.begin(), m_devices.end(), [&](const device& each) { return each.name == name; });
  const auto number = first_device + unsigned(known - m_devices.begin());
  if (known == m_devices.end()) m_devices.push_back({std::string(name)});
  return number;
}

void trace_file::flush() {
  std::fwrite(m_text.data(), 1, m_size, m_file);
  m_size = 0;
}

void trace_file::close() {
  flush();
  std::fputs("\n]}\n", m_file);
  finish_output(m_file, variables::trace.name, m_path);
  std::fclose(m_file);
  m_file = nullptr;
}

void trace_file::name_process(unsigned number, std::string_view raw) {
  const std::string name = as_utf8(raw);
  char* to = put(begin_event(2 * name.size()), "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":");
  to = put_number(to, number);
  to = put(to, ",\"args\":{\"name\":");
  to = put_quoted(to, name);
  end_event(put(to, "}}"));
}

char* trace_file::begin_event(std::size_t bytes) {
  if (m_text.size() - m_size < most_fixed + bytes) m_text.resize(2 * m_text.size() + most_fixed + bytes);
  char* const to = m_text.data() + m_size;
  if (std::exchange(m_first, false)) return put(to, "\n");
  return put(to, ",\n");
}

} // namespace prism::support::trace
