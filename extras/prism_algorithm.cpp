// <prism/algorithm.hpp>: chooses variants by measurements. Pure, except that it reads the database.
#include "extras/policy/vocabulary.hpp"

#include <prism/algorithm.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

namespace prism {

namespace {

constexpr int farthest = 4; // size classes: a factor of sixteen

/// Returns n of "2^n"; empty for other texts.
std::optional<int> exponent_of(const std::string& size_class) {
  if (size_class.compare(0, 2, "2^") != 0 || size_class.size() == 2) return std::nullopt;
  char* rest = nullptr;
  const long n = std::strtol(size_class.c_str() + 2, &rest, 10);
  return *rest == '\0' ? std::optional<int>(static_cast<int>(n)) : std::nullopt;
}

tuning_key of_any_size(tuning_key key) {
  key.size_class.clear();
  return key;
}

/// Returns the best time per item of each variant in one size class.
std::vector<measured_variant> in_class(const tuning_database& database, const tuning_key& key) {
  std::vector<measured_variant> out;
  for (const trial& t : database.trials(key)) {
    if (!t.correct || !t.tried.has("variant") || !t.tried.has("items") || !(t.tried.number("items") > 0))
      continue;
    const measured_variant now{t.tried.text("variant"), t.time, t.tried.number("items")};
    const auto known = std::find_if(out.begin(), out.end(),
                                    [&](const measured_variant& m) { return m.variant == now.variant; });
    if (known == out.end()) out.push_back(now);
    else if (now.time / now.items < known->time / known->items) *known = now;
  }
  return out;
}

} // namespace

std::vector<measured_variant> measured_variants(const tuning_database& database, const tuning_key& key,
                                                double items) {
  const int wanted = exponent_of(size_class(items)).value_or(0);
  std::vector<std::pair<int, tuning_key>>
      near; // by distance; of two equally near classes the larger one, where overheads matter less
  for (const tuning_key& k : database.keys(of_any_size(key)))
    if (const auto n = exponent_of(k.size_class); n && std::abs(*n - wanted) <= farthest)
      near.emplace_back(2 * std::abs(*n - wanted) + (*n < wanted), k);
  std::sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [distance, k] : near)
    if (auto found = in_class(database, k); !found.empty()) return found;
  return {};
}

namespace detail {

struct measured_memo::state {
  std::mutex mutex;
  std::uint64_t changes = 0;
  std::map<std::pair<std::string, std::string>, std::vector<measured_variant>> known; // by key and size class
};

measured_memo::measured_memo() : m_state(std::make_unique<state>()) {}
measured_memo::~measured_memo() = default;

std::vector<measured_variant> measured_memo::operator()(const tuning_database& database,
                                                        const tuning_key& key, double items) {
  constexpr std::size_t most = 1024;
  const std::uint64_t changes = database.changes();
  const std::lock_guard lock(m_state->mutex);
  if (std::exchange(m_state->changes, changes) != changes || m_state->known.size() > most)
    m_state->known.clear();
  const std::pair<std::string, std::string> place{
      key.operation + '\n' + key.device + '\n' + key.driver + '\n' + key.kernel, size_class(items)};
  auto entry = m_state->known.find(place);
  if (entry == m_state->known.end())
    entry = m_state->known.emplace(place, measured_variants(database, key, items)).first;
  return entry->second;
}

} // namespace detail

variant_choice choose_measured(const std::string& operation, const std::vector<variant_description>& variants,
                               const device_description& device, const workload& work,
                               const std::vector<measured_variant>& measured, const std::string& forced) {
  variant_choice by_model = choose_variant(operation, variants, device, work, forced);
  if (!forced.empty()) return by_model;
  const capabilities can(device);
  variant_choice out;
  out.lines.push_back(operation + " on " + device.name + " (measured):");
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const variant_description& v = variants[i];
    const auto known = std::find_if(measured.begin(), measured.end(),
                                    [&](const measured_variant& m) { return m.variant == v.name; });
    const bool runs =
        std::all_of(v.needs.begin(), v.needs.end(), [&](const std::string& need) { return can.meets(need); });
    if (known == measured.end() || !runs) {
      out.lines.push_back("   " + v.name + (runs ? ": not measured" : ": cannot run here"));
      continue;
    }
    const seconds expected = known->time * (work.items / known->items);
    out.lines.push_back("   " + v.name + ": " + policy::time_text(expected.count()));
    if (out.index == variant_choice::none || expected < out.predicted)
      out.index = i, out.predicted = expected;
  }
  if (out.index == variant_choice::none) return by_model;
  out.lines[out.index + 1].replace(0, 3, "=> ");
  return out;
}

std::vector<variant_tier> variant_tiers(const tuning_database& database, const tuning_key& key) {
  std::map<int, std::string> fastest;
  for (const tuning_key& k : database.keys(of_any_size(key))) {
    const auto n = exponent_of(k.size_class);
    const auto all = n ? in_class(database, k) : std::vector<measured_variant>{};
    const auto best = std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return a.time / a.items < b.time / b.items;
    });
    if (best != all.end()) fastest[*n] = best->variant;
  }
  std::vector<variant_tier> out;
  for (const auto& [n, variant] : fastest)
    if (out.empty() || out.back().variant != variant) out.push_back({std::ldexp(1.0, n), variant});
  return out;
}

} // namespace prism
