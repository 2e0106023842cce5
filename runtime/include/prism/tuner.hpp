// Finding the parameters with which a kernel is fastest on a device, and keeping them: a typed space of
// parameters, a strategy that decides what to try next, a budget, a check of the result at every trial, and a
// database that several processes share. See docs/tuning.md.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/selection.hpp>
#include <sycl/queue.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

namespace prism {

using parameter_value = std::variant<std::int64_t, double, std::string>;

/// One value for each parameter. Compared and stored by its text.
class configuration {
public:
  configuration() = default;
  configuration(std::initializer_list<std::pair<const std::string, parameter_value>> values)
      : m_values(values) {}
  configuration& set(const std::string& name, parameter_value value);
  /// Throws sycl::exception (invalid) that names the parameter when it is absent or of another type.
  std::int64_t integer(const std::string& name) const;
  double number(const std::string& name) const; // integers too
  const std::string& text(const std::string& name) const;
  bool has(const std::string& name) const { return m_values.count(name) != 0; }
  const std::map<std::string, parameter_value>& values() const noexcept { return m_values; }
  std::string to_text() const; // "group=64 items=8 style=tree"
  friend bool operator==(const configuration& a, const configuration& b) { return a.m_values == b.m_values; }
  friend bool operator<(const configuration& a, const configuration& b) { return a.m_values < b.m_values; }

private:
  std::map<std::string, parameter_value> m_values;
};

/// Which configurations there are. The order of values matters to the strategies: neighbours are tried
/// together.
class parameter_space {
public:
  struct parameter {
    std::string name;
    std::vector<parameter_value> values;
  };
  parameter_space& integers(const std::string& name, const std::vector<std::int64_t>& values);
  parameter_space& range(const std::string& name, std::int64_t from, std::int64_t to, std::int64_t step = 1);
  parameter_space& powers_of_two(const std::string& name, std::int64_t from, std::int64_t to);
  /// 1, 2, 3, 5, 8, 13, ... between from and to; with the powers of two, a second family of block sizes.
  parameter_space& fibonacci(const std::string& name, std::int64_t from, std::int64_t to);
  parameter_space& numbers(const std::string& name, const std::vector<double>& values);
  parameter_space& choice(const std::string& name, const std::vector<std::string>& values);
  /// Only configurations for which it is true belong to the space.
  parameter_space& constrain(std::function<bool(const configuration&)> holds, std::string why = "");

  const std::vector<parameter>& parameters() const noexcept { return m_parameters; }
  /// Why it does not belong to the space; empty when it does.
  std::string objection(const configuration& c) const;
  bool contains(const configuration& c) const { return objection(c).empty(); }
  /// All configurations, the last parameter running fastest. Throws sycl::exception (invalid) for more than a
  /// million.
  std::vector<configuration> all() const;

private:
  parameter_space& add(const std::string& name, std::vector<parameter_value> values);
  std::vector<parameter> m_parameters;
  std::vector<std::pair<std::function<bool(const configuration&)>, std::string>> m_constraints;
};

/// What a stored result belongs to. Another driver or another kernel starts afresh.
struct tuning_key {
  std::string operation;  // "gemm"
  std::string device;     // its name
  std::string driver;     // version
  std::string kernel;     // whatever changes with the code: a hash, a version
  std::string size_class; // size_class(items)
  friend bool operator==(const tuning_key& a, const tuning_key& b) {
    return std::tie(a.operation, a.device, a.driver, a.kernel, a.size_class) ==
           std::tie(b.operation, b.device, b.driver, b.kernel, b.size_class);
  }
};
/// "2^20": sizes that differ by less than a factor of two share their results.
std::string size_class(double items);
/// Device and driver of a queue's device.
tuning_key key_for(const std::string& operation, const sycl::device& device, const std::string& kernel,
                   double items);

struct trial {
  configuration tried;
  seconds time{0};
  bool correct = false;
  std::string failure; // what it threw; empty when it ran
  bool stored = false; // taken from the database, not run now
};

/// Trials of all processes of this user, in one SQLite file in WAL mode: any number of processes and threads
/// use it at once, and a process that dies leaves it whole. Each trial has a checksum: a file that changed on
/// the disk is refused when it is opened (sycl::exception, invalid) and renamed, so that the next one starts
/// afresh. Other errors have SQLite's own words (runtime).
class tuning_database {
public:
  /// Opens or makes the file; when empty, tuning.db in the folder of built programs (PRISM_CACHE_DIR).
  explicit tuning_database(const std::string& file = "");
  ~tuning_database();
  tuning_database(tuning_database&&) noexcept;
  tuning_database& operator=(tuning_database&&) noexcept;

  const std::string& file() const noexcept;
  /// The file or its folder cannot be written: what is there is read, and what would write throws.
  bool read_only() const noexcept;
  /// Replaces what is known of the same configuration.
  void record(const tuning_key& key, const trial& what);
  std::vector<trial> trials(const tuning_key& key) const; // in the order of the first record
  /// The fastest correct one.
  std::optional<trial> best(const tuning_key& key) const;
  /// Keys whose parts equal those of `like` that are not empty; an empty part stands for all.
  std::vector<tuning_key> keys(const tuning_key& like = {}) const;
  /// Removes what keys(like) names; how many trials went.
  std::size_t forget(const tuning_key& like);

  /// Rises when what is kept may have changed: at once by this object, within a tenth of a second by others
  /// and other processes.
  std::uint64_t changes() const;

  /// Everything as JSON, to be read by merge on another machine.
  std::string to_json() const;
  /// Adds the trials of such a text; of two for one configuration the later stays. How many there were.
  std::size_t merge(const std::string& json);

private:
  struct state;
  std::unique_ptr<state> m_state;
};

enum class search {
  exhaustive,   // all of them, in order
  random,       // any, none twice
  greedy,       // from the default along one parameter after the other, then from somewhere else
  model_guided, // where a Gaussian process expects the largest improvement (D. Jones et al., "Efficient
                // global optimization of expensive black-box functions", J. Global Optimization 13, 1998)
};
/// "exhaustive", "random", "greedy", "model". Throws sycl::exception (invalid).
search search_from(const std::string& name);

struct tuning_progress {
  std::size_t done = 0, planned = 0; // trials; planned: the budget or what there is
  const trial* last = nullptr;
  const trial* best = nullptr; // null: none yet
};

struct tuning_options {
  prism::search search = prism::search::model_guided;
  std::size_t max_trials = 100; // stored ones count
  seconds max_time{60};         // a trial that runs is not interrupted
  std::size_t patience = 30;    // stop after so many trials without a gain of one in a hundred; 0: never
  unsigned seed = 1;
  std::function<void(const tuning_progress&)> progress;
  std::function<bool()> cancelled; // asked before each trial
};

struct tuning_result {
  std::optional<trial> best;     // empty: no configuration ran and was right
  std::optional<trial> initial;  // the default's
  std::vector<trial> trials;     // in the order in which they were made
  std::string ended;             // "all tried", "max_trials", "max_time", "no gain in 30 trials", "cancelled"
  double gain() const noexcept { // of the best over the default; 1: none
    return best && initial && initial->correct ? initial->time / best->time : 1;
  }
};

/// How long a configuration takes, and whether its result is right. May throw: then the configuration failed.
using trial_function = std::function<std::pair<seconds, bool>(const configuration&)>;

/// Tries configurations of `space`, the default first, until the budget is spent; then the default and the
/// best are timed again by turns, since either may have been timed in a busy moment. Trials that the database
/// has for the key are not made again, so a stopped run goes on where it was. Throws sycl::exception
/// (invalid) when the default is not in the space.
tuning_result tune(const parameter_space& space, const configuration& initial, const trial_function& run,
                   const tuning_options& how, tuning_database* database = nullptr,
                   const tuning_key& key = {});

/// The same with its parts kept together: a space with its default, where results are stored, and how to
/// search.
class tuner {
public:
  tuner(parameter_space space, configuration initial, tuning_options how = {})
      : m_space(std::move(space)), m_initial(std::move(initial)), m_how(std::move(how)) {}
  tuning_options& options() noexcept { return m_how; }
  const parameter_space& space() const noexcept { return m_space; }
  tuning_result run(const trial_function& trial) const { return tune(m_space, m_initial, trial, m_how); }
  tuning_result run(const trial_function& trial, tuning_database& database, const tuning_key& key) const {
    return tune(m_space, m_initial, trial, m_how, &database, key);
  }
  /// What a run found before, else the default.
  configuration stored(const tuning_database& database, const tuning_key& key) const;

private:
  parameter_space m_space;
  configuration m_initial;
  tuning_options m_how;
};

/// Times `work`, which submits and does not wait: once to warm up, then the least of `repetitions`.
seconds time_of(sycl::queue& queue, const std::function<void(sycl::queue&)>& work, int repetitions = 5);

/// The stored parameters for a key, or the default when nothing is known or what is known does not belong to
/// the space.
configuration tuned(const tuning_database& database, const tuning_key& key, const parameter_space& space,
                    const configuration& initial);

inline configuration tuner::stored(const tuning_database& database, const tuning_key& key) const {
  return tuned(database, key, m_space, m_initial);
}

/// One entry of the operation × device matrix: the best that is known.
struct matrix_entry {
  tuning_key key;
  trial best;
};
/// Of devices and drivers that are here now; others are stale and left out.
std::vector<matrix_entry> operation_matrix(const tuning_database& database,
                                           const std::vector<sycl::device>& devices);

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
