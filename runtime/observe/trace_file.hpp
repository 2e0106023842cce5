// Writes spans as events in Chrome's trace format, in the order of the calls; the format requires no order.
// One thread at a time. Memory is bounded: the text is written to the file in pieces.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace prism::support::trace {

/// One end of an arrow from the span that submits a command to the span in which the command runs.
struct arrow {
  std::uint64_t number = 0; // both ends have the same; 0: no arrow
  bool ends = false;
};

struct span {
  unsigned process = 0;      // in Chrome's sense: a group of rows
  unsigned long row = 0;     // a thread, or a device's queue
  const char* category = ""; // a literal, or a string that lives as long
  std::string_view name, line;
  std::uint64_t begin_ns = 0, end_ns = 0;
  bool begins_at_end_before = false;
  arrow with = {};
};

/// The text of a span before its times. It is the same for each launch of a kernel in a loop, so it is
/// cached.
class span_head {
public:
  span_head() = default;
  explicit span_head(const span& of);
  bool is_of(const span& what) const;
  std::string_view text() const { return m_text; }

private:
  unsigned m_process = 0;
  unsigned long m_row = 0;
  bool m_begins_at_end_before = false;
  const char* m_category = nullptr;
  std::string m_name, m_line, m_text;
};

class trace_file {
public:
  static constexpr unsigned host = 1; // the process id of the host; devices have ids from first_device on
  static constexpr unsigned first_device = 10;

  /// Owns the open file. The path is for messages.
  explicit trace_file(std::FILE* file, std::string path = {});

  void add(const span& what);
  /// The process id of the device.
  unsigned process_of(std::string_view device);
  /// Writes the text of added spans to the file.
  void flush();
  /// Logs an error if some of the text could not be written.
  void close();
  bool is_open() const { return m_file != nullptr; }

private:
  struct device {
    std::string name;
    bool is_named = false; // the file contains its name
  };
  void add_arrow(const span& at);
  void name_process(unsigned number, std::string_view name);
  /// Reserves memory after the text for `bytes` more, and writes the beginning of an event.
  char* begin_event(std::size_t bytes);
  void end_event(char* end) { m_size = std::size_t(end - m_text.data()); }

  std::FILE* m_file;
  const std::string m_path;
  std::array<span_head, 64> m_heads;
  std::vector<device> m_devices;
  std::vector<char> m_text;
  std::size_t m_size = 0; // bytes of text that are not yet written to the file
  bool m_first = true;
};

} // namespace prism::support::trace
