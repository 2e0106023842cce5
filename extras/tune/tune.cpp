// <prism/tuner.hpp>: the tuning loop.
#include "extras/tune/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace prism {

namespace {

using steady = std::chrono::steady_clock;

class run_of_trials {
public:
  run_of_trials(const parameter_space& space, const configuration& initial, const trial_function& run,
                const tuning_options& how, tuning_database* database, const tuning_key& key)
      : m_strategy(space, space.all(), how.search, how.seed), m_run(run), m_how(how), m_database(database),
        m_key(key) {
    if (const std::string why = space.objection(initial); !why.empty())
      throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                            "tune: the default " + initial.to_text() +
                                " does not belong to the space: " + why);
    m_planned = std::min(how.max_trials, m_strategy.all().size());
    m_first = index_of(initial);
    if (database != nullptr) m_stored = database->trials(key);
  }

  tuning_result go() {
    for (std::optional<std::size_t> next = m_first; (m_result.ended = reason_to_end()).empty();
         next = m_strategy.next(m_known)) {
      if (!next) {
        m_result.ended = "all tried";
        break;
      }
      take(*next);
    }
    if (m_made != 0 && m_result.ended != "cancelled") confirm();
    return std::move(m_result);
  }

private:
  std::size_t index_of(const configuration& c) const {
    const auto& all = m_strategy.all();
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), c) - all.begin());
  }

  std::string reason_to_end() const {
    if (m_how.cancelled && m_how.cancelled()) return "cancelled";
    if (m_result.trials.size() >= m_strategy.all().size()) return "all tried";
    if (m_result.trials.size() >= m_how.max_trials) return "max_trials";
    if (seconds(steady::now() - m_begin) >= m_how.max_time && !m_result.trials.empty()) return "max_time";
    if (m_how.patience != 0 && m_without_gain >= m_how.patience)
      return "no gain in " + std::to_string(m_how.patience) + " trials";
    return {};
  }

  /// Times the default and the best again, alternately, and takes the shortest time of each, because other
  /// programs may have slowed down the first measurement. The gain is relative to the default. The stored
  /// trials change only if the default wins, so that a search that continues from the database takes the same
  /// steps.
  void confirm() {
    constexpr int turns = 2;
    if (!m_result.best || !m_result.initial || !m_result.initial->correct ||
        m_result.best->tried == m_result.initial->tried)
      return;
    trial &first = *m_result.initial, &best = *m_result.best;
    for (int i = 0; i < turns; ++i)
      for (trial* t : {&first, &best})
        if (const trial again = timed(t->tried); again.correct) t->time = std::min(t->time, again.time);
    const bool default_wins = first.time <= best.time;
    for (const trial* t : {&first, &best}) {
      *std::find_if(m_result.trials.begin(), m_result.trials.end(),
                    [&](const trial& o) { return o.tried == t->tried; }) = *t;
      if (m_database != nullptr && default_wins) m_database->record(m_key, *t);
    }
    if (default_wins) best = first;
  }

  trial make(const configuration& c) {
    for (const trial& t : m_stored)
      if (t.tried == c) return t;
    const trial out = timed(c);
    ++m_made;
    if (m_database != nullptr) m_database->record(m_key, out);
    return out;
  }

  trial timed(const configuration& c) const {
    trial out{c, seconds(0), false, "", false};
    try {
      const auto [took, right] = m_run(c);
      out.time = took;
      out.correct = right;
      if (!std::isfinite(took.count()) || took.count() < 0)
        throw std::runtime_error("it took " + std::to_string(took.count()) + " s");
    } catch (const std::exception& e) {
      out.time = seconds(0);
      out.correct = false;
      out.failure = e.what();
    }
    return out;
  }

  void take(std::size_t index) {
    const trial t = make(m_strategy.all()[index]);
    m_known.push_back({index, t.correct ? t.time.count() : std::numeric_limits<double>::infinity()});
    m_result.trials.push_back(t);
    if (index == m_first) m_result.initial = t;
    const bool gained = t.correct && (!m_result.best || t.time < m_result.best->time * 0.99);
    if (t.correct && (!m_result.best || t.time < m_result.best->time)) m_result.best = t;
    m_without_gain = gained ? 0 : m_without_gain + 1;
    if (m_how.progress)
      m_how.progress({m_result.trials.size(), m_planned, &m_result.trials.back(),
                      m_result.best ? &*m_result.best : nullptr});
  }

  tuning::strategy_state m_strategy;
  const trial_function& m_run;
  const tuning_options& m_how;
  tuning_database* m_database;
  tuning_key m_key;
  std::vector<trial> m_stored;
  std::vector<tuning::known_point> m_known;
  std::size_t m_first = 0, m_planned = 0, m_without_gain = 0, m_made = 0;
  steady::time_point m_begin = steady::now();
  tuning_result m_result;
};

} // namespace

tuning_result tune(const parameter_space& space, const configuration& initial, const trial_function& run,
                   const tuning_options& how, tuning_database* database, const tuning_key& key) {
  return run_of_trials(space, initial, run, how, database, key).go();
}

seconds time_of(sycl::queue& queue, const std::function<void(sycl::queue&)>& work, int repetitions) {
  work(queue);
  queue.wait_and_throw();
  seconds least(std::numeric_limits<double>::infinity());
  for (int i = 0; i < std::max(1, repetitions); ++i) {
    const auto begin = steady::now();
    work(queue);
    queue.wait_and_throw();
    least = std::min(least, seconds(steady::now() - begin));
  }
  return least;
}

configuration tuned(const tuning_database& database, const tuning_key& key, const parameter_space& space,
                    const configuration& initial) {
  const std::optional<trial> known = database.best(key);
  return known && space.contains(known->tried) ? known->tried : initial;
}

tuning_key key_for(const std::string& operation, const sycl::device& device, const std::string& kernel,
                   double items) {
  return {operation, device.get_info<sycl::info::device::name>(),
          device.get_info<sycl::info::device::driver_version>(), kernel, size_class(items)};
}

std::vector<matrix_entry> operation_matrix(const tuning_database& database,
                                           const std::vector<sycl::device>& devices) {
  std::vector<matrix_entry> out;
  for (const tuning_key& key : database.keys()) {
    const bool here = std::any_of(devices.begin(), devices.end(), [&](const sycl::device& d) {
      return d.get_info<sycl::info::device::name>() == key.device &&
             d.get_info<sycl::info::device::driver_version>() == key.driver;
    });
    if (!here) continue;
    if (auto best = database.best(key)) out.push_back({key, std::move(*best)});
  }
  return out;
}

} // namespace prism
