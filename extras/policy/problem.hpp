// The exception of the pure decisions: an input has invalid values. The public functions convert it to a
// sycl::exception. It is not thrown if no device fits, since that is a valid result.
#pragma once

#include <stdexcept>
#include <string>

namespace prism::policy {

class problem : public std::invalid_argument {
public:
  using std::invalid_argument::invalid_argument;
};

/// A problem at a location in a file. what() is "file:line:column: key: text".
class file_problem : public problem {
public:
  file_problem(const std::string& file, std::size_t line, std::size_t column, const std::string& key,
               const std::string& text)
      : problem(file + (line != 0 ? ":" + std::to_string(line) + ":" + std::to_string(column) : "") + ": " +
                (key.empty() ? "" : key + ": ") + text),
        m_file(file), m_key(key), m_line(line), m_column(column) {}
  const std::string& file() const noexcept { return m_file; }
  const std::string& key() const noexcept { return m_key; }
  std::size_t line() const noexcept { return m_line; } // from 1; 0: unknown
  std::size_t column() const noexcept { return m_column; }

private:
  std::string m_file, m_key;
  std::size_t m_line, m_column;
};

} // namespace prism::policy
