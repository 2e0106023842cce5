// <prism/tuner.hpp>: the database. One table; a trial is named by its key and its configuration.
#include "runtime/images/cache_folder.hpp"
#include "runtime/tune/sqlite.hpp"
#include "runtime/tune/text.hpp"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

namespace prism {

namespace {

using json = nlohmann::ordered_json;
constexpr int schema = 1;

[[noreturn]] void refuse(const std::string& what) { throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), what); }

std::string default_file() {
  const std::filesystem::path folder = images::cache_folder();
  if (folder.empty()) refuse("tuning database: there is no folder for it; set PRISM_CACHE_DIR or name a file");
  std::filesystem::create_directories(folder / "tuning");
  return (folder / "tuning" / "tuning.db").native();
}

std::int64_t now() { // microseconds, so that the later of two is known
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

constexpr const char* key_columns = "operation, device, driver, kernel, size_class";
constexpr const char* key_given = "operation=?1 AND device=?2 AND driver=?3 AND kernel=?4 AND size_class=?5";
constexpr const char* key_like = "(?1='' OR operation=?1) AND (?2='' OR device=?2) AND (?3='' OR driver=?3) AND (?4='' OR kernel=?4) AND (?5='' OR size_class=?5)";

void bind(tuning::statement& s, const tuning_key& key) {
  s.bind(1, key.operation).bind(2, key.device).bind(3, key.driver).bind(4, key.kernel).bind(5, key.size_class);
}
tuning_key key_of(const tuning::statement& s, int first) { return {s.text(first), s.text(first + 1), s.text(first + 2), s.text(first + 3), s.text(first + 4)}; }

std::optional<trial> trial_of(const tuning::statement& s, int first) {
  auto tried = tuning::configuration_from_json(s.text(first));
  if (!tried) return std::nullopt; // of another version: as if it were not there
  return trial{std::move(*tried), seconds(s.number(first + 1)), s.integer(first + 2) != 0, s.text(first + 3), true};
}

void insert(tuning::sqlite& into, const tuning_key& key, const std::string& tried, const trial& what, std::int64_t at) {
  tuning::statement s(into, std::string("INSERT INTO trials (") + key_columns + ", configuration, seconds, correct, failure, at) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10) "
                              "ON CONFLICT DO UPDATE SET seconds=excluded.seconds, correct=excluded.correct, failure=excluded.failure, at=excluded.at WHERE excluded.at >= at");
  bind(s, key);
  s.bind(6, tried).bind(7, what.time.count()).bind(8, std::int64_t(what.correct)).bind(9, what.failure).bind(10, at);
  s.step();
}

} // namespace

struct tuning_database::state {
  explicit state(const std::string& file) : database(file) {}
  std::mutex mutex;
  tuning::sqlite database;
  std::uint64_t changes = 0;
  std::int64_t seen_by_others = 0; // PRAGMA data_version: what other connections wrote
  std::chrono::steady_clock::time_point looked{};
};

tuning_database::tuning_database(const std::string& file) : m_state(std::make_unique<state>(file.empty() ? default_file() : file)) {
  tuning::sqlite& db = m_state->database;
  tuning::sqlite::transaction whole(db); // several processes may make it at once
  db.run("CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value INTEGER)");
  db.run("CREATE TABLE IF NOT EXISTS trials (operation TEXT, device TEXT, driver TEXT, kernel TEXT, size_class TEXT, configuration TEXT, "
         "seconds REAL, correct INTEGER, failure TEXT, at INTEGER, PRIMARY KEY (operation, device, driver, kernel, size_class, configuration))");
  db.run(("INSERT OR IGNORE INTO facts VALUES ('schema', " + std::to_string(schema) + ")").c_str());
  tuning::statement version(db, "SELECT value FROM facts WHERE name='schema'");
  if (!version.step() || version.integer(0) != schema)
    refuse("tuning database " + db.file() + ": it has version " + std::to_string(version.integer(0)) + ", this PRISM reads version " + std::to_string(schema) + "; name another file");
  whole.commit();
}
tuning_database::~tuning_database() = default;
tuning_database::tuning_database(tuning_database&&) noexcept = default;
tuning_database& tuning_database::operator=(tuning_database&&) noexcept = default;

const std::string& tuning_database::file() const noexcept { return m_state->database.file(); }

void tuning_database::record(const tuning_key& key, const trial& what) {
  if (!std::isfinite(what.time.count()) || what.time.count() < 0) refuse("tuning database: a time of " + std::to_string(what.time.count()) + " s cannot be kept");
  const std::lock_guard lock(m_state->mutex);
  insert(m_state->database, key, tuning::to_json(what.tried), what, now());
  ++m_state->changes;
}

std::vector<trial> tuning_database::trials(const tuning_key& key) const {
  const std::lock_guard lock(m_state->mutex);
  tuning::statement s(m_state->database, std::string("SELECT configuration, seconds, correct, failure FROM trials WHERE ") + key_given + " ORDER BY rowid");
  bind(s, key);
  std::vector<trial> out;
  while (s.step())
    if (auto t = trial_of(s, 0)) out.push_back(std::move(*t));
  return out;
}

std::optional<trial> tuning_database::best(const tuning_key& key) const {
  const std::lock_guard lock(m_state->mutex);
  tuning::statement s(m_state->database, std::string("SELECT configuration, seconds, correct, failure FROM trials WHERE correct=1 AND ") + key_given + " ORDER BY seconds, configuration");
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
  tuning::statement s(m_state->database, std::string("SELECT DISTINCT ") + key_columns + " FROM trials WHERE " + key_like + " ORDER BY " + key_columns);
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
  json out{{"schema", schema}, {"trials", json::array()}};
  tuning::statement s(m_state->database, std::string("SELECT ") + key_columns + ", configuration, seconds, correct, failure, at FROM trials ORDER BY " + key_columns + ", configuration");
  while (s.step()) {
    const tuning_key k = key_of(s, 0);
    out["trials"].push_back({{"operation", k.operation}, {"device", k.device}, {"driver", k.driver}, {"kernel", k.kernel}, {"size_class", k.size_class},
                             {"configuration", json::parse(s.text(5), nullptr, false)}, {"seconds", s.number(6)}, {"correct", s.integer(7) != 0},
                             {"failure", s.text(8)}, {"at", s.integer(9)}});
  }
  return out.dump(2) + "\n";
}

std::size_t tuning_database::merge(const std::string& text) {
  const json in = json::parse(text, nullptr, false);
  if (!in.is_object() || in.value("schema", 0) != schema || !in.contains("trials") || !in["trials"].is_array())
    refuse("tuning database: what is to be merged is no export of version " + std::to_string(schema));
  const std::lock_guard lock(m_state->mutex);
  ++m_state->changes;
  tuning::sqlite::transaction whole(m_state->database);
  std::size_t number = 0;
  for (const json& t : in["trials"]) {
    ++number;
    try {
      const auto part = [&](const char* name) { return t.at(name).get<std::string>(); };
      const tuning_key key{part("operation"), part("device"), part("driver"), part("kernel"), part("size_class")};
      const auto tried = tuning::configuration_from_json(t.at("configuration").dump());
      const double took = t.at("seconds").get<double>();
      if (!tried || !std::isfinite(took) || took < 0) refuse("tuning database: entry " + std::to_string(number) + " has no usable configuration or time");
      insert(m_state->database, key, tuning::to_json(*tried), {*tried, seconds(took), t.at("correct").get<bool>(), part("failure"), true}, t.at("at").get<std::int64_t>());
    } catch (const json::exception& e) {
      refuse("tuning database: entry " + std::to_string(number) + ": " + e.what());
    }
  }
  whole.commit();
  return number;
}

} // namespace prism
