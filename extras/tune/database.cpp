// <prism/tuner.hpp>: the database. It has one table. The key and the configuration identify a trial; each
// trial has a checksum.
#include "devices/api/private_folder.hpp"
#include "extras/tune/sqlite.hpp"
#include "extras/tune/text.hpp"
#include "runtime/support/hash.hpp"

#include <chrono>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <unistd.h>
#include <utility>

namespace prism {

namespace {

using tuning::refuse;

using json = nlohmann::ordered_json;
constexpr int schema = 2;        // version of the file; 2 added the checksum of each trial
constexpr int export_schema = 1; // version of the JSON

std::string default_file() {
  const std::filesystem::path folder = user_cache_folder();
  if (folder.empty()) refuse("tuning database: there is no cache folder; set PRISM_CACHE_DIR or name a file");
  const std::filesystem::path place = folder / "tuning", file = place / "tuning.db";
  const std::string advice = "; set PRISM_CACHE_DIR to a folder that can be written, or name a file";
  if (!make_private_folder(place))
    refuse("tuning database: " + place.native() + " cannot be created: " + std::strerror(errno) + advice);
  if (const std::string why = why_not_private(place); !why.empty())
    refuse("tuning database: " + place.native() + " is not trusted: " + why + advice);
  if (const int made = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600); made >= 0)
    ::close(made); // SQLite would create it with the mode of the umask
  return file.native();
}

std::int64_t now() { // microseconds, to order trials by time
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

constexpr const char* key_columns = "operation, device, driver, kernel, size_class";
constexpr const char* key_given = "operation=?1 AND device=?2 AND driver=?3 AND kernel=?4 AND size_class=?5";
constexpr const char* key_like =
    "(?1='' OR operation=?1) AND (?2='' OR device=?2) AND (?3='' OR driver=?3) AND (?4='' OR kernel=?4) AND "
    "(?5='' OR size_class=?5)";

void bind(tuning::statement& s, const tuning_key& key) {
  s.bind(1, key.operation)
      .bind(2, key.device)
      .bind(3, key.driver)
      .bind(4, key.kernel)
      .bind(5, key.size_class);
}
tuning_key key_of(const tuning::statement& s, int first) {
  return {s.text(first), s.text(first + 1), s.text(first + 2), s.text(first + 3), s.text(first + 4)};
}

std::optional<trial> trial_of(const tuning::statement& s, int first) {
  auto tried = tuning::configuration_from_json(s.text(first));
  if (!tried) return std::nullopt; // written by another version: ignored
  return trial{std::move(*tried), seconds(s.number(first + 1)), s.integer(first + 2) != 0, s.text(first + 3),
               true};
}

/// Returns the checksum of all members of a trial, in this order.
std::int64_t checksum_of(const tuning_key& key, const std::string& tried, double time, bool correct,
                         const std::string& failure, std::int64_t at) {
  std::string all;
  for (const std::string* part :
       {&key.operation, &key.device, &key.driver, &key.kernel, &key.size_class, &tried, &failure})
    all += std::to_string(part->size()) + ":" + *part;
  const auto append = [&](const auto& value) {
    all.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  append(time), append(at), append(correct);
  return static_cast<std::int64_t>(support::hash64(std::as_bytes(std::span(all))));
}

void insert(tuning::sqlite& into, const tuning_key& key, const std::string& tried, const trial& what,
            std::int64_t at) {
  tuning::statement s(
      into,
      std::string("INSERT INTO trials (") + key_columns +
          ", configuration, seconds, correct, failure, at, checksum) VALUES "
          "(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11) "
          "ON CONFLICT DO UPDATE SET seconds=excluded.seconds, correct=excluded.correct, "
          "failure=excluded.failure, at=excluded.at, checksum=excluded.checksum WHERE excluded.at >= at");
  bind(s, key);
  s.bind(6, tried)
      .bind(7, what.time.count())
      .bind(8, std::int64_t(what.correct))
      .bind(9, what.failure)
      .bind(10, at)
      .bind(11, checksum_of(key, tried, what.time.count(), what.correct, what.failure, at));
  s.step();
}

/// Calls what(rowid, computed checksum, stored checksum) for each trial.
template <typename F>
void for_each_checksum(tuning::sqlite& db, bool stored, F what) {
  tuning::statement s(db, std::string("SELECT ") + key_columns +
                              ", configuration, seconds, correct, failure, at, rowid" +
                              (stored ? ", checksum" : "") + " FROM trials");
  while (s.step())
    what(s.integer(10),
         checksum_of(key_of(s, 0), s.text(5), s.number(6), s.integer(7) != 0, s.text(8), s.integer(9)),
         stored ? s.integer(11) : 0);
}

std::int64_t version_of(tuning::sqlite& db) {
  tuning::statement version(db, "SELECT value FROM facts WHERE name='schema'");
  return version.step() ? version.integer(0) : 0;
}

/// Migrates a file of version 1, which has no checksums.
void bring_up_to_date(tuning::sqlite& db) {
  std::vector<std::pair<std::int64_t, std::int64_t>> sums;
  for_each_checksum(db, false,
                    [&](std::int64_t row, std::int64_t sum, std::int64_t) { sums.emplace_back(row, sum); });
  db.run("ALTER TABLE trials ADD COLUMN checksum INTEGER");
  for (const auto& [row, sum] : sums) {
    tuning::statement s(db, "UPDATE trials SET checksum=?1 WHERE rowid=?2");
    s.bind(1, sum).bind(2, row);
    s.step();
  }
  db.run("UPDATE facts SET value=2 WHERE name='schema'");
}

/// Runs SQLite's integrity check, then verifies the checksum of each trial, so that a damaged file does not
/// change decisions.
void check(tuning::sqlite& db) {
  tuning::statement structure(db, "PRAGMA integrity_check(1)");
  if (structure.step() && structure.text(0) != "ok")
    throw tuning::damaged("tuning database " + db.file() + ": it is damaged: " + structure.text(0));
  for_each_checksum(db, true, [&](std::int64_t row, std::int64_t should, std::int64_t is) {
    if (should != is)
      throw tuning::damaged("tuning database " + db.file() + ": it is damaged: the checksum of trial " +
                            std::to_string(row) + " is wrong");
  });
}

void prepare(tuning::sqlite& db) {
  if (!db.read_only()) {
    tuning::sqlite::transaction whole(db); // several processes may create it at the same time
    db.run("CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value INTEGER)");
    db.run(
        "CREATE TABLE IF NOT EXISTS trials (operation TEXT, device TEXT, driver TEXT, kernel TEXT, "
        "size_class TEXT, configuration TEXT, "
        "seconds REAL, correct INTEGER, failure TEXT, at INTEGER, checksum INTEGER, PRIMARY KEY (operation, "
        "device, driver, kernel, size_class, configuration))");
    db.run(("INSERT OR IGNORE INTO facts VALUES ('schema', " + std::to_string(schema) + ")").c_str());
    if (version_of(db) == 1) bring_up_to_date(db);
    whole.commit();
  }
  if (const std::int64_t version = version_of(db); version != schema)
    refuse("tuning database " + db.file() + ": it has version " + std::to_string(version) +
           ", this PRISM reads version " + std::to_string(schema) +
           (version == 1 ? " and cannot convert a file that it cannot write" : "") + "; name another file");
  check(db);
}

/// Renames a damaged database with its log, so that the next process creates a new one and no data is lost. A
/// file that is not an SQLite database is renamed only if it has the default name. Returns the text for the
/// error message.
std::string set_aside(const std::string& file, bool usual) {
  std::string head(15, 0);
  std::ifstream(file, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  if (head != "SQLite format 3" && !usual) return "; name another file";
  std::string aside = file + ".damaged";
  for (int n = 2; std::filesystem::exists(aside); ++n) aside = file + ".damaged" + std::to_string(n);
  std::error_code failed, no_log;
  std::filesystem::rename(file, aside, failed);
  if (failed == std::errc::no_such_file_or_directory)
    return "; another process has renamed it, and the next run creates a new one";
  if (failed) return "; it cannot be renamed (" + failed.message() + "): delete it";
  for (const char* part : {"-wal", "-shm"}) std::filesystem::rename(file + part, aside + part, no_log);
  return "; it was renamed to " + aside + ", and the next run creates a new one";
}

} // namespace

struct tuning_database::state {
  explicit state(const std::string& file) : database(file) {}
  std::mutex mutex;
  tuning::sqlite database;
  std::uint64_t changes = 0;
  std::int64_t seen_by_others = 0; // PRAGMA data_version: changes when other connections write
  std::chrono::steady_clock::time_point looked{};
};

tuning_database::tuning_database(const std::string& file) {
  const std::string name = file.empty() ? default_file() : file;
  try {
    m_state = std::make_unique<state>(name);
    prepare(m_state->database);
  } catch (const tuning::damaged& e) {
    m_state.reset(); // closes the file
    throw tuning::damaged(e.what() + set_aside(name, file.empty()));
  }
}
tuning_database::~tuning_database() = default;
tuning_database::tuning_database(tuning_database&&) noexcept = default;
tuning_database& tuning_database::operator=(tuning_database&&) noexcept = default;

const std::string& tuning_database::file() const noexcept { return m_state->database.file(); }
bool tuning_database::read_only() const noexcept { return m_state->database.read_only(); }

void tuning_database::record(const tuning_key& key, const trial& what) {
  if (!std::isfinite(what.time.count()) || what.time.count() < 0)
    refuse("tuning database: a time of " + std::to_string(what.time.count()) + " s cannot be stored");
  const std::lock_guard lock(m_state->mutex);
  insert(m_state->database, key, tuning::to_json(what.tried), what, now());
  ++m_state->changes;
}

std::vector<trial> tuning_database::trials(const tuning_key& key) const {
  const std::lock_guard lock(m_state->mutex);
  tuning::statement s(m_state->database,
                      std::string("SELECT configuration, seconds, correct, failure FROM trials WHERE ") +
                          key_given + " ORDER BY rowid");
  bind(s, key);
  std::vector<trial> out;
  while (s.step())
    if (auto t = trial_of(s, 0)) out.push_back(std::move(*t));
  return out;
}

std::optional<trial> tuning_database::best(const tuning_key& key) const {
  const std::lock_guard lock(m_state->mutex);
  tuning::statement s(
      m_state->database,
      std::string("SELECT configuration, seconds, correct, failure FROM trials WHERE correct=1 AND ") +
          key_given + " ORDER BY seconds, configuration");
  bind(s, key);
  while (s.step())
    if (auto t = trial_of(s, 0)) return t;
  return std::nullopt;
}

std::uint64_t tuning_database::changes() const {
  constexpr std::chrono::milliseconds patience(100);
  const std::lock_guard lock(m_state->mutex);
  const auto time = std::chrono::steady_clock::now();
  if (time - m_state->looked < patience) return m_state->changes;
  m_state->looked = time;
  tuning::statement s(m_state->database, "PRAGMA data_version");
  if (s.step() && std::exchange(m_state->seen_by_others, s.integer(0)) != s.integer(0)) ++m_state->changes;
  return m_state->changes;
}

std::vector<tuning_key> tuning_database::keys(const tuning_key& like) const {
  const std::lock_guard lock(m_state->mutex);
  tuning::statement s(m_state->database, std::string("SELECT DISTINCT ") + key_columns +
                                             " FROM trials WHERE " + key_like + " ORDER BY " + key_columns);
  bind(s, like);
  std::vector<tuning_key> out;
  while (s.step()) out.push_back(key_of(s, 0));
  return out;
}

std::size_t tuning_database::forget(const tuning_key& like) {
  const std::lock_guard lock(m_state->mutex);
  tuning::statement s(m_state->database, std::string("DELETE FROM trials WHERE ") + key_like);
  bind(s, like);
  s.step();
  ++m_state->changes;
  return static_cast<std::size_t>(m_state->database.changes());
}

std::string tuning_database::to_json() const {
  const std::lock_guard lock(m_state->mutex);
  json out{{"schema", export_schema}, {"trials", json::array()}};
  tuning::statement s(m_state->database,
                      std::string("SELECT ") + key_columns +
                          ", configuration, seconds, correct, failure, at FROM trials ORDER BY " +
                          key_columns + ", configuration");
  while (s.step()) {
    const tuning_key k = key_of(s, 0);
    out["trials"].push_back({{"operation", k.operation},
                             {"device", k.device},
                             {"driver", k.driver},
                             {"kernel", k.kernel},
                             {"size_class", k.size_class},
                             {"configuration", json::parse(s.text(5), nullptr, false)},
                             {"seconds", s.number(6)},
                             {"correct", s.integer(7) != 0},
                             {"failure", s.text(8)},
                             {"at", s.integer(9)}});
  }
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n"; // names of devices are any bytes
}

std::size_t tuning_database::merge(const std::string& text) {
  const json in = json::parse(text, nullptr, false);
  if (!in.is_object() || in.value("schema", 0) != export_schema || !in.contains("trials") ||
      !in["trials"].is_array())
    refuse("tuning database: the text to merge is not an export of version " + std::to_string(export_schema));
  const std::lock_guard lock(m_state->mutex);
  ++m_state->changes;
  tuning::sqlite::transaction whole(m_state->database);
  std::size_t number = 0;
  for (const json& t : in["trials"]) {
    ++number;
    try {
      const auto part = [&](const char* name) { return t.at(name).get<std::string>(); };
      const tuning_key key{part("operation"), part("device"), part("driver"), part("kernel"),
                           part("size_class")};
      const auto tried = tuning::configuration_from_json(t.at("configuration").dump());
      const double took = t.at("seconds").get<double>();
      if (!tried || !std::isfinite(took) || took < 0)
        refuse("tuning database: entry " + std::to_string(number) + " has no usable configuration or time");
      insert(m_state->database, key, tuning::to_json(*tried),
             {*tried, seconds(took), t.at("correct").get<bool>(), part("failure"), true},
             t.at("at").get<std::int64_t>());
    } catch (const json::exception& e) {
      refuse("tuning database: entry " + std::to_string(number) + ": " + e.what());
    }
  }
  whole.commit();
  return number;
}

} // namespace prism
