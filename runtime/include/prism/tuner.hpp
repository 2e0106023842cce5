// Auto-tuning: finds the parameters with which a kernel is fastest on a device, and stores them. It has a
// typed parameter space, search strategies, a budget, a check of the result of each trial, and a database
// that several processes share. See docs/tuning.md.
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

/// One value for each parameter. Compared and stored by its text form.
class configuration {
public:
  configuration() = default;
  configuration(std::initializer_list<std::pair<const std::string, parameter_value>> values)
      : m_values(values) {}
  configuration& set(const std::string& name, parameter_value value);
  /// The functions below throw sycl::exception (invalid), with the parameter's name, if it is absent or of
  /// another type.
  std::int64_t integer(const std::string& name) const;
  double number(const std::string& name) const; // also for integer parameters
  const std::string& text(const std::string& name) const;
  bool has(const std::string& name) const { return m_values.count(name) != 0; }
  const std::map<std::string, parameter_value>& values() const noexcept { return m_values; }
  std::string to_text() const; // "group=64 items=8 style=tree"
  friend bool operator==(const configuration& a, const configuration& b) { return a.m_values == b.m_values; }
  friend bool operator<(const configuration& a, const configuration& b) { return a.m_values < b.m_values; }

private:
  std::map<std::string, parameter_value> m_values;
};

/// The set of possible configurations. The search strategies regard adjacent values of a parameter as
/// similar, so the order of values matters.
class parameter_space {
public:
  struct parameter {
    std::string name;
    std::vector<parameter_value> values;
  };
  /// The functions below add a parameter and its values. They throw sycl::exception (invalid) for a name that
  /// is used or has spaces, = or quotes, for no values, and for a value that is given twice.
  parameter_space& integers(const std::string& name, const std::vector<std::int64_t>& values);
  /// from, from + step, ... up to and including `to`.
  parameter_space& range(const std::string& name, std::int64_t from, std::int64_t to, std::int64_t step = 1);
  parameter_space& powers_of_two(const std::string& name, std::int64_t from, std::int64_t to);
  /// The Fibonacci numbers 1, 2, 3, 5, 8, 13, ... between from and to: block sizes between the powers of two.
  parameter_space& fibonacci(const std::string& name, std::int64_t from, std::int64_t to);
  parameter_space& numbers(const std::string& name, const std::vector<double>& values);
  parameter_space& choice(const std::string& name, const std::vector<std::string>& values);
  /// Adds a constraint: configurations for which `holds` returns false do not belong to the space. `why`
  /// describes the constraint in messages.
  parameter_space& constrain(std::function<bool(const configuration&)> holds, std::string why = "");

  const std::vector<parameter>& parameters() const noexcept { return m_parameters; }
  /// Returns the reason why `c` does not belong to the space; empty if it does.
  std::string objection(const configuration& c) const;
  bool contains(const configuration& c) const { return objection(c).empty(); }
  /// Returns all configurations; the last parameter varies fastest. Throws sycl::exception (invalid) if there
  /// are more than a million.
  std::vector<configuration> all() const;

private:
  parameter_space& add(const std::string& name, std::vector<parameter_value> values);
  std::vector<parameter> m_parameters;
  std::vector<std::pair<std::function<bool(const configuration&)>, std::string>> m_constraints;
};

/// The key under which results are stored. Results for another driver or kernel version are not used.
struct tuning_key {
  std::string operation;  // "gemm"
  std::string device;     // the device's name
  std::string driver;     // the driver's version
  std::string kernel;     // a hash or version that changes with the kernel's code
  std::string size_class; // size_class(items)
  friend bool operator==(const tuning_key& a, const tuning_key& b) {
    return std::tie(a.operation, a.device, a.driver, a.kernel, a.size_class) ==
           std::tie(b.operation, b.device, b.driver, b.kernel, b.size_class);
  }
};
/// Returns the size class "2^N" with N = floor(log2(items)). Sizes of one class share their results.
std::string size_class(double items);
/// Returns the key for a device with its driver and the size class of `items`.
tuning_key key_for(const std::string& operation, const sycl::device& device, const std::string& kernel,
                   double items);

struct trial {
  configuration tried;
  seconds time{0};
  bool correct = false;
  std::string failure; // message of the exception that it threw; empty if it ran
  bool stored = false; // read from the database, not run in this search
};

/// The trials of all processes of this user, in one SQLite file in WAL mode. Any number of processes and
/// threads may use it concurrently, and it stays consistent if a process dies. Each trial has a checksum: a
/// file that was damaged is refused when it is opened (sycl::exception, invalid) and renamed, so the next
/// process creates a new one. Other errors are thrown as sycl::exception (runtime) with SQLite's message.
class tuning_database {
public:
  /// Opens the file, or creates it. Default: tuning.db in the folder of the program cache (PRISM_CACHE_DIR).
  explicit tuning_database(const std::string& file = "");
  ~tuning_database();
  tuning_database(tuning_database&&) noexcept;
  tuning_database& operator=(tuning_database&&) noexcept;

  const std::string& file() const noexcept;
  /// True if the file or its folder cannot be written. Then functions that read work, and functions that
  /// write throw.
  bool read_only() const noexcept;
  /// Stores a trial. It replaces an earlier trial of the same configuration.
  void record(const tuning_key& key, const trial& what);
  std::vector<trial> trials(const tuning_key& key) const; // in the order of the first record
  /// Returns the fastest correct trial.
  std::optional<trial> best(const tuning_key& key) const;
  /// Returns the keys whose members equal the non-empty members of `like`.
  std::vector<tuning_key> keys(const tuning_key& like = {}) const;
  /// Removes the trials of keys(like). Returns the number of removed trials.
  std::size_t forget(const tuning_key& like);

  /// A counter that rises when the stored trials may have changed: immediately after a change by this object,
  /// within 0.1 s after a change by other objects or processes.
  std::uint64_t changes() const;

  /// Returns all trials as JSON, for merge() on another machine.
  std::string to_json() const;
  /// Adds the trials of a JSON text. Of two trials of one configuration the later one stays. Returns the
  /// number of trials in the text.
  std::size_t merge(const std::string& json);

private:
  struct state;
  std::unique_ptr<state> m_state;
};

enum class search {
  exhaustive,   // all configurations, in order
  random,       // random ones, none twice
  greedy,       // the neighbours of the best configuration, from the default; then random ones
  model_guided, // the configuration for which a Gaussian process expects the largest improvement (D. Jones et
                // al., "Efficient global optimization of expensive black-box functions", J. Global
                // Optimization 13, 1998)
};
/// Parses "exhaustive", "random", "greedy" or "model". Throws sycl::exception (invalid) for other names.
search search_from(const std::string& name);

struct tuning_progress {
  std::size_t done = 0,
              planned = 0; // trials; planned: the budget, or the size of the space if that is smaller
  const trial* last = nullptr;
  const trial* best = nullptr; // null: none yet
};

struct tuning_options {
  prism::search search = prism::search::model_guided;
  std::size_t max_trials = 100; // includes stored ones
  seconds max_time{60};         // a running trial is not interrupted
  std::size_t patience = 30;    // stop after so many trials without an improvement of 1 %; 0: never
  unsigned seed = 1;
  std::function<void(const tuning_progress&)> progress;
  std::function<bool()> cancelled; // called before each trial
};

struct tuning_result {
  std::optional<trial> best;     // empty: no configuration gave a correct result
  std::optional<trial> initial;  // of the default configuration
  std::vector<trial> trials;     // in the order in which they were made
  std::string ended;             // "all tried", "max_trials", "max_time", "no gain in 30 trials", "cancelled"
  double gain() const noexcept { // speedup of the best over the default; 1: none
    return best && initial && initial->correct ? initial->time / best->time : 1;
  }
};

/// Returns the time of a configuration, and whether its result is correct. If it throws, the configuration
/// failed.
using trial_function = std::function<std::pair<seconds, bool>(const configuration&)>;

/// Tries configurations of `space`, the default first, until the budget is spent. Then it times the default
/// and the best again, alternately, because the machine may have been busy during the first measurement.
/// Trials that the database has for the key are not repeated, so an interrupted search continues where it
/// stopped. Throws sycl::exception (invalid) if the default is not in the space.
tuning_result tune(const parameter_space& space, const configuration& initial, const trial_function& run,
                   const tuning_options& how, tuning_database* database = nullptr,
                   const tuning_key& key = {});

/// A space with its default configuration and search options, for repeated calls of tune().
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
  /// Returns the best stored configuration, or the default if there is none.
  configuration stored(const tuning_database& database, const tuning_key& key) const;

private:
  parameter_space m_space;
  configuration m_initial;
  tuning_options m_how;
};

/// Times `work`, which must submit commands and not wait for them. Runs it once to warm up, then
/// `repetitions` times. Returns the shortest time.
seconds time_of(sycl::queue& queue, const std::function<void(sycl::queue&)>& work, int repetitions = 5);

/// Returns the best stored configuration for a key. Returns `initial` if there is none or if it does not
/// belong to the space.
configuration tuned(const tuning_database& database, const tuning_key& key, const parameter_space& space,
                    const configuration& initial);

inline configuration tuner::stored(const tuning_database& database, const tuning_key& key) const {
  return tuned(database, key, m_space, m_initial);
}

/// One entry of the operation × device matrix: the best trial of the key.
struct matrix_entry {
  tuning_key key;
  trial best;
};
/// Returns the entries for `devices` with their present drivers. Entries of other devices and drivers are
/// left out.
std::vector<matrix_entry> operation_matrix(const tuning_database& database,
                                           const std::vector<sycl::device>& devices);

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
