// The source location of a call: the last, defaulted parameter of functions that submit commands, access or
// allocate memory, so that transfer logs, traces and reports contain the line. Only here() creates one, so an
// argument in braces never converts to it.
//
// It costs the two registers in which it is passed. A function of these headers that calls another one passes
// its own call site, or unknown().
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
