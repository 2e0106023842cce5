// The subset of SQLite that the tuner needs: a connection and prepared statements. The library is loaded at
// first use.
#pragma once

#include <sycl/exception.hpp>

#include <cstdint>
#include <string>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace prism::tuning {

/// The file is damaged.
class damaged : public sycl::exception {
public:
  explicit damaged(const std::string& what)
      : sycl::exception(sycl::make_error_code(sycl::errc::invalid), what) {}
};

/// A connection; only one thread at a time may use it. Throws sycl::exception (runtime) with the file and
/// SQLite's message, or damaged if the file is not an SQLite database or is broken. If the file or its folder
/// cannot be written, it is opened for reading.
class sqlite {
public:
  explicit sqlite(const std::string& file);
  ~sqlite();
  sqlite(const sqlite&) = delete;
  sqlite& operator=(const sqlite&) = delete;

  void run(const char* sql);
  int changes() const;
  bool read_only() const noexcept { return m_read_only; }
  const std::string& file() const noexcept { return m_file; }
  /// A transaction. The destructor rolls it back unless commit() was called.
  class transaction {
  public:
    explicit transaction(sqlite& in) : m_in(in) { m_in.run("BEGIN IMMEDIATE"); }
    ~transaction();
    transaction(const transaction&) = delete;
    transaction& operator=(const transaction&) = delete;
    void commit() {
      m_in.run("COMMIT");
      m_open = false;
    }

  private:
    sqlite& m_in;
    bool m_open = true;
  };

private:
  friend class statement;
  [[noreturn]] void fail(const char* doing) const;
  bool try_run(const char* sql) const;
  bool enters_wal() const;
  void open(const std::string& name, int flags);
  void open_for_reading(const std::string& why);
  std::string m_file;
  sqlite3* m_database = nullptr;
  bool m_read_only = false;
};

class statement {
public:
  statement(sqlite& in, const std::string& sql);
  ~statement();
  statement(const statement&) = delete;
  statement& operator=(const statement&) = delete;
  statement& bind(int place, const std::string& value); // from 1
  statement& bind(int place, double value);
  statement& bind(int place, std::int64_t value);
  bool step();                        // whether there is a row
  std::string text(int column) const; // from 0
  double number(int column) const;
  std::int64_t integer(int column) const;

private:
  sqlite& m_in;
  sqlite3_stmt* m_statement = nullptr;
};

} // namespace prism::tuning
