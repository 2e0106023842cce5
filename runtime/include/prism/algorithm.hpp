// An operation with several implementations, such as a library's and the program's own, or one for small and
// one for large sizes. The implementation that was measured to be fastest on the device is used. Where
// nothing was measured, the variants' models decide, as in prism::variants.
//
//   prism::algorithm<sycl::event(sycl::queue&, const float*, float*, std::size_t)> sum("sum");
//   sum.add("library", by_library, {"opencl"}).add("tree", by_tree).fallback("serial", serial);
//   sum.use(std::make_shared<prism::tuning_database>());
//   sum.measure(queue, work, [&] { return result_is_right(); }, in, out, n);   // once for each size class
//   sum(queue, work, in, out, n);                                              // uses the fastest variant
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/tuner.hpp>
#include <prism/variants.hpp>

#include <algorithm>
#include <limits>
#include <memory>

namespace prism {

/// The measured time of one variant for a job of `items` items.
struct measured_variant {
  std::string variant;
  seconds time{0};
  double items = 1;
};
/// Returns the measurements for the operation, device and driver of `key`, in the size class that is nearest
/// to `items` and has measurements. The class is at most a factor of 16 away. key.size_class is ignored.
/// Trials that failed or gave a wrong result are left out.
std::vector<measured_variant> measured_variants(const tuning_database& database, const tuning_key& key,
                                                double items);

/// As choose_variant, but measurements take precedence over models: if any variant that the device can run
/// was measured, only measured variants are considered, since a prediction cannot be compared with a
/// measurement. A measured fallback competes like the other variants.
variant_choice choose_measured(const std::string& operation, const std::vector<variant_description>& variants,
                               const device_description& device, const workload& work,
                               const std::vector<measured_variant>& measured, const std::string& forced = "");

/// `variant` is the fastest one for jobs of `from_items` items or more, up to the next tier.
struct variant_tier {
  double from_items = 0;
  std::string variant;
  friend bool operator==(const variant_tier& a, const variant_tier& b) {
    return a.from_items == b.from_items && a.variant == b.variant;
  }
};
/// Returns the sizes at which the fastest variant changes on one device, by the measurements in the database.
/// The first tier begins at the smallest measured size class.
std::vector<variant_tier> variant_tiers(const tuning_database& database, const tuning_key& key);

namespace detail {
/// Caches the results of measured_variants until the database changes. Thread-safe.
class measured_memo {
public:
  measured_memo();
  ~measured_memo();
  std::vector<measured_variant> operator()(const tuning_database& database, const tuning_key& key,
                                           double items);

private:
  struct state;
  std::unique_ptr<state> m_state;
};
} // namespace detail

template <typename Signature>
class algorithm;

template <typename Result, typename... Arguments>
class algorithm<Result(sycl::queue&, Arguments...)> {
public:
  using function = std::function<Result(sycl::queue&, Arguments...)>;
  /// Change `version` when the code of the variants changes: measurements of another version are not used.
  explicit algorithm(std::string operation, std::string version = "1")
      : m_operation(std::move(operation)), m_version(std::move(version)) {}

  /// Adds a variant. `needs`: entries as in execution_policy::require. `model`: returns the work that the
  /// variant does for a job (empty: the job itself). `speed`: a hint by which the predicted time is divided.
  algorithm& add(std::string name, function run, std::vector<std::string> needs = {},
                 std::function<workload(const workload&)> model = {}, double speed = 1) {
    m_described.push_back({std::move(name), std::move(needs), speed, std::move(model), false});
    m_functions.push_back(std::move(run));
    return *this;
  }
  /// Adds the fallback. It has no needs and is used if no other variant fits or if measurements prefer it.
  algorithm& fallback(std::string name, function run, std::function<workload(const workload&)> model = {}) {
    m_described.push_back({std::move(name), {}, 1, std::move(model), true});
    m_functions.push_back(std::move(run));
    return *this;
  }
  /// Sets the database of measurements. Without a database, models decide.
  algorithm& use(std::shared_ptr<tuning_database> database) {
    m_database = std::move(database);
    m_memo = std::make_shared<detail::measured_memo>();
    return *this;
  }

  /// Returns a copy whose variants also assign their return value to `into`. Use it with measure() when a
  /// variant returns its result, so that `is_right` can check that result. `into` must outlive the copy.
  template <typename Kept>
  algorithm keeping(Kept& into) const {
    algorithm out = *this;
    for (function& f : out.m_functions)
      f = [f, &into](sycl::queue& queue, Arguments... arguments) -> Result {
        return into = f(queue, std::forward<Arguments>(arguments)...);
      };
    return out;
  }

  /// Returns the choice for a job on a device; index is variant_choice::none if no variant fits.
  variant_choice choose(const sycl::device& device, const workload& work) const {
    return choose(describe(device), key_for(m_operation, device, m_version, work.items), work);
  }
  variant_choice choose(const device_description& device, const tuning_key& key, const workload& work) const {
    const auto measured = measured_for(key, work.items);
    return choose_measured(m_operation, m_described, device, work, measured, forced_variant(m_operation));
  }
  /// Returns the variants in the order in which they were added.
  const std::vector<variant_description>& variants() const noexcept { return m_described; }
  const std::string& name_of(const variant_choice& choice) const { return m_described.at(choice.index).name; }
  /// Returns variant_tiers() of the device; empty without a database.
  std::vector<variant_tier> tiers(const sycl::device& device) const {
    return m_database ? variant_tiers(*m_database, key_for(m_operation, device, m_version, 1))
                      : std::vector<variant_tier>{};
  }

  /// Returns the index of the device that does a job of this size fastest. If measurements exist for some of
  /// the devices, only those devices are considered; otherwise models decide. Returns variant_choice::none if
  /// no device can do the job.
  std::size_t fastest(const std::vector<std::pair<device_description, tuning_key>>& devices,
                      const workload& work) const {
    std::size_t best = variant_choice::none;
    bool best_measured = false;
    seconds least(0);
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const auto& [device, key] = devices[i];
      const bool is_measured = !measured_for(key, work.items).empty();
      const variant_choice choice = choose(device, key, work);
      if (choice.index == variant_choice::none || (best_measured && !is_measured)) continue;
      if (best != variant_choice::none && best_measured == is_measured && !(choice.predicted < least))
        continue;
      best = i, best_measured = is_measured, least = choice.predicted;
    }
    return best;
  }
  /// The same for devices of this process. Throws no_candidate if no device can do the job.
  sycl::device fastest(const std::vector<sycl::device>& devices, const workload& work) const {
    std::vector<std::pair<device_description, tuning_key>> all;
    for (const sycl::device& d : devices)
      all.emplace_back(describe(d), key_for(m_operation, d, m_version, work.items));
    const std::size_t index = fastest(all, work);
    if (index == variant_choice::none) throw no_candidate("no device can do " + m_operation, {});
    return devices[index];
  }

  /// Runs the chosen variant. Throws no_candidate if no variant fits and there is no fallback.
  template <typename... Given>
  Result operator()(sycl::queue& queue, const workload& work, Given&&... arguments) const {
    const variant_choice choice = choose(queue.get_device(), work);
    if (choice.index == variant_choice::none) throw no_candidate(choice.explain(), {});
    return m_functions[choice.index](queue, std::forward<Given>(arguments)...);
  }

  /// Runs every variant that the device can run, calls `is_right` to check its result, and records its time
  /// in the database. A variant that throws is recorded as failed. A variant is skipped if its model predicts
  /// more than a hundred times the least predicted time. Throws sycl::exception (invalid) without a database.
  template <typename... Given>
  std::vector<trial> measure(sycl::queue& queue, const workload& work, const std::function<bool()>& is_right,
                             Given&&... arguments) const {
    if (!m_database)
      throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                            "algorithm " + m_operation + ": measure needs a database; call use first");
    const device_description device = describe(queue.get_device());
    const tuning_key key = key_for(m_operation, queue.get_device(), m_version, work.items);
    std::vector<trial> out;
    const seconds hopeless = 100 * least_predicted(device, work);
    for (std::size_t i = 0; i < m_described.size(); ++i) {
      if (!capabilities_meet(device, m_described[i].needs) ||
          predicted(device, m_described[i], work) > hopeless)
        continue;
      trial t{configuration{{"variant", m_described[i].name}, {"items", work.items}}, seconds(0), false, "",
              false};
      try {
        t.time = time_of(queue, [&](sycl::queue& q) { m_functions[i](q, arguments...); });
        t.correct = is_right();
      } catch (const std::exception& e) {
        t.failure = e.what();
        t.time = seconds(0);
      }
      m_database->record(key, t);
      out.push_back(std::move(t));
    }
    return out;
  }

private:
  std::vector<measured_variant> measured_for(const tuning_key& key, double items) const {
    return m_database ? (*m_memo)(*m_database, key, items) : std::vector<measured_variant>{};
  }
  static bool capabilities_meet(const device_description& device, const std::vector<std::string>& needs) {
    const capabilities can(device);
    for (const std::string& need : needs)
      if (!can.meets(need)) return false;
    return true;
  }
  static seconds predicted(const device_description& device, const variant_description& v,
                           const workload& work) {
    return predict(device, v.model ? v.model(work) : work).total / v.speed;
  }
  seconds least_predicted(const device_description& device, const workload& work) const {
    seconds least(std::numeric_limits<double>::infinity());
    for (const variant_description& v : m_described)
      if (capabilities_meet(device, v.needs)) least = std::min(least, predicted(device, v, work));
    return least;
  }
  std::string m_operation, m_version;
  std::shared_ptr<tuning_database> m_database;
  std::shared_ptr<detail::measured_memo> m_memo; // of m_database
  std::vector<variant_description> m_described;
  std::vector<function> m_functions;
};

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
