// Where the program calls: the last, defaulted parameter of what submits, accesses or makes memory, so that
// ledgers, traces and reports can name the line. Only here() makes one: a caller's braces are never taken for
// it.
//
// Costs the two registers it is passed in. A function of these headers that calls another one passes its own
// on, or unknown().
#pragma once

namespace sycl {
inline namespace _V1 {
namespace detail {

class call_site {
public:
  static constexpr call_site here(const char* file = __builtin_FILE(),
                                  unsigned line = __builtin_LINE()) noexcept {
    return {file, line, 0};
  }
  static constexpr call_site unknown() noexcept { return {nullptr, 0, 0}; }
  constexpr const char* file() const noexcept { return m_file; } // null: unknown
  constexpr unsigned line() const noexcept { return m_line; }

private:
  constexpr call_site(const char* file, unsigned line, int) noexcept : m_file(file), m_line(line) {}
  const char* m_file;
  unsigned m_line;
};

}
}
} // namespace sycl::_V1::detail
