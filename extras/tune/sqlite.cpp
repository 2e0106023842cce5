#include "extras/tune/sqlite.hpp"

#include <dlfcn.h>
#include <sqlite3.h>
#include <unistd.h>

namespace prism::tuning {

namespace {

[[noreturn]] void fail_with(const std::string& what) {
  throw sycl::exception(sycl::make_error_code(sycl::errc::runtime), what);
}

struct library {
  decltype(&sqlite3_open_v2) open_v2;
  decltype(&sqlite3_close_v2) close_v2;
  decltype(&sqlite3_exec) exec;
  decltype(&sqlite3_errmsg) errmsg;
  decltype(&sqlite3_errcode) errcode;
  decltype(&sqlite3_db_readonly) db_readonly;
  decltype(&sqlite3_busy_timeout) busy_timeout;
  decltype(&sqlite3_changes) changes;
  decltype(&sqlite3_prepare_v2) prepare_v2;
  decltype(&sqlite3_finalize) finalize;
  decltype(&sqlite3_step) step;
  decltype(&sqlite3_bind_text) bind_text;
  decltype(&sqlite3_bind_double) bind_double;
  decltype(&sqlite3_bind_int64) bind_int64;
  decltype(&sqlite3_column_text) column_text;
  decltype(&sqlite3_column_bytes) column_bytes;
  decltype(&sqlite3_column_double) column_double;
  decltype(&sqlite3_column_int64) column_int64;
};

library open_library() {
  void* handle = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    fail_with("tuning database: libsqlite3.so.0 cannot be loaded; install libsqlite3-0 (" +
              std::string(dlerror()) + ")");
  library all{};
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (function == nullptr) fail_with(std::string("tuning database: libsqlite3.so.0 has no ") + name);
  };
  find(all.open_v2, "sqlite3_open_v2");
  find(all.close_v2, "sqlite3_close_v2");
  find(all.exec, "sqlite3_exec");
  find(all.errmsg, "sqlite3_errmsg");
  find(all.errcode, "sqlite3_errcode");
  find(all.db_readonly, "sqlite3_db_readonly");
  find(all.busy_timeout, "sqlite3_busy_timeout");
  find(all.changes, "sqlite3_changes");
  find(all.prepare_v2, "sqlite3_prepare_v2");
  find(all.finalize, "sqlite3_finalize");
  find(all.step, "sqlite3_step");
  find(all.bind_text, "sqlite3_bind_text");
  find(all.bind_double, "sqlite3_bind_double");
  find(all.bind_int64, "sqlite3_bind_int64");
  find(all.column_text, "sqlite3_column_text");
  find(all.column_bytes, "sqlite3_column_bytes");
  find(all.column_double, "sqlite3_column_double");
  find(all.column_int64, "sqlite3_column_int64");
  return all;
}

const library& lib() {
  static const library all = open_library();
  return all;
}

constexpr int patience_ms = 10000; // time to wait for other processes' writes

} // namespace

sqlite::sqlite(const std::string& file) : m_file(file) {
  try {
    open(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX);
    if (lib().db_readonly(m_database, "main") == 1) open_for_reading("the file cannot be written");
    else if (enters_wal() && try_run("SELECT count(*) FROM sqlite_master")) run("PRAGMA synchronous=NORMAL");
    else if (const int code = lib().errcode(m_database) & 0xff;
             code == SQLITE_READONLY || code == SQLITE_CANTOPEN)
      open_for_reading(lib().errmsg(m_database));
    else fail("open");
  } catch (...) {
    lib().close_v2(m_database);
    throw;
  }
}

sqlite::~sqlite() { lib().close_v2(m_database); }

void sqlite::open(const std::string& name, int flags) {
  lib().close_v2(m_database);
  m_database = nullptr;
  if (lib().open_v2(name.c_str(), &m_database, flags, nullptr) != SQLITE_OK)
    fail_with("tuning database " + m_file + ": it cannot be opened: " +
              (m_database != nullptr ? lib().errmsg(m_database) : "out of memory"));
  lib().busy_timeout(m_database, patience_ms);
}

/// Reading needs the index of the log, which cannot be created if the folder cannot be written. In that case
/// the file is opened as immutable, without a log, which requires that the last writer closed it properly.
void sqlite::open_for_reading(const std::string& why) {
  constexpr const char* readable = "SELECT count(*) FROM sqlite_master";
  constexpr int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_URI;
  m_read_only = true;
  std::string escaped;
  for (const char c : m_file)
    escaped += c == '%' ? "%25" : c == '?' ? "%3f" : c == '#' ? "%23" : std::string(1, c);
  open("file:" + escaped, flags);
  if (try_run(readable)) return;
  const int code = lib().errcode(m_database) & 0xff;
  if ((code == SQLITE_CANTOPEN || code == SQLITE_READONLY) && access((m_file + "-wal").c_str(), F_OK) != 0) {
    open("file:" + escaped + "?immutable=1", flags);
    if (try_run(readable)) return;
  }
  fail(("open for reading (" + why + ")").c_str());
}

/// Switches to WAL mode. SQLite does not wait if two processes change the mode of a new file at the same
/// time, so this function retries.
bool sqlite::enters_wal() const {
  constexpr int step_ms = 5;
  for (int waited = 0;; waited += step_ms) {
    if (try_run("PRAGMA journal_mode=WAL")) return true;
    if ((lib().errcode(m_database) & 0xff) != SQLITE_BUSY || waited >= patience_ms) return false;
    usleep(step_ms * 1000);
  }
}

bool sqlite::try_run(const char* sql) const {
  return lib().exec(m_database, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

void sqlite::fail(const char* doing) const {
  const int code = lib().errcode(m_database) & 0xff;
  const std::string what = "tuning database " + m_file + ": " + doing + ": " + lib().errmsg(m_database);
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) throw damaged(what);
  fail_with(what);
}

void sqlite::run(const char* sql) {
  if (!try_run(sql)) fail(sql);
}

int sqlite::changes() const { return lib().changes(m_database); }

sqlite::transaction::~transaction() {
  if (m_open)
    lib().exec(m_in.m_database, "ROLLBACK", nullptr, nullptr,
               nullptr); // errors are ignored: a destructor cannot report them
}

statement::statement(sqlite& in, const std::string& sql) : m_in(in) {
  if (lib().prepare_v2(in.m_database, sql.c_str(), static_cast<int>(sql.size()), &m_statement, nullptr) !=
      SQLITE_OK)
    in.fail("prepare");
}
statement::~statement() { lib().finalize(m_statement); }

statement& statement::bind(int place, const std::string& value) {
  if (lib().bind_text(m_statement, place, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT) !=
      SQLITE_OK)
    m_in.fail("bind");
  return *this;
}
statement& statement::bind(int place, double value) {
  if (lib().bind_double(m_statement, place, value) != SQLITE_OK) m_in.fail("bind");
  return *this;
}
statement& statement::bind(int place, std::int64_t value) {
  if (lib().bind_int64(m_statement, place, value) != SQLITE_OK) m_in.fail("bind");
  return *this;
}
bool statement::step() {
  const int code = lib().step(m_statement);
  if (code != SQLITE_ROW && code != SQLITE_DONE) m_in.fail("run");
  return code == SQLITE_ROW;
}
std::string statement::text(int column) const {
  const unsigned char* text = lib().column_text(m_statement, column);
  return text != nullptr ? std::string(reinterpret_cast<const char*>(text),
                                       static_cast<std::size_t>(lib().column_bytes(m_statement, column)))
                         : "";
}
double statement::number(int column) const { return lib().column_double(m_statement, column); }
std::int64_t statement::integer(int column) const { return lib().column_int64(m_statement, column); }

} // namespace prism::tuning
