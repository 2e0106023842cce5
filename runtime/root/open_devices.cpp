// Opens the devices that the selector matches and groups them into platforms.
#include "devices/driver_fault.hpp"
#include "devices/registry.hpp"
#include "runtime/root/process_runtime.hpp"
#include "runtime/select/selector.hpp"
#include "runtime/support/settings.hpp"
#include "runtime/support/log.hpp"

#include <algorithm>

namespace prism::runtime {

namespace {

struct candidate {
  std::unique_ptr<devices::device> device;
  select::device_fact fact;
  int priority;
};

struct backend_facts {
  std::string name;
  int priority;
  std::vector<std::unique_ptr<devices::device>> (*open)(); // null: opened by the registry
};

std::vector<device_source>& replaced_sources() {
  static std::vector<device_source> sources;
  return sources;
}

std::vector<backend_facts> known_backends(std::vector<std::string>& names,
                                          std::vector<select::missing_backend>& missing) {
  std::vector<backend_facts> out;
  if (!replaced_sources().empty()) {
    for (const device_source& s : replaced_sources()) {
      names.push_back(s.backend);
      out.push_back({s.backend, s.priority, s.open});
    }
    return out;
  }
  for (const devices::refused_backend& r : devices::refused_backends())
    support::log(support::level::warn, r.name + " is not used: " + r.reason);
  for (const devices::backend_state& b : devices::backends()) {
    names.push_back(b.name); // the selector may name an unavailable backend
    if (b.available) {
      out.push_back({b.name, b.priority, nullptr});
      if (!b.reason.empty()) missing.push_back({b.name, b.reason}); // why some of its drivers have no devices
      continue;
    }
    const std::string reason = b.reason.empty() ? "its probe gave no reason" : b.reason;
    missing.push_back({b.name, reason});
    if (support::enabled(support::level::info))
      support::log(support::level::info, b.name + ": not available: " + reason);
  }
  return out;
}

/// A driver that ends the process leaves no other chance to name the cause.
void warn_of_low_limits() {
  [[maybe_unused]] static const bool once = [] {
    if (const std::string low = devices::limits_too_low_for_drivers(); !low.empty())
      support::log(support::level::warn, low);
    return true;
  }();
}

std::vector<candidate> open_candidates(const std::vector<backend_facts>& backends,
                                       const std::vector<select::term>& terms,
                                       std::vector<select::missing_backend>& missing,
                                       std::vector<select::missing_backend>& failed_to_open) {
  std::vector<candidate> out;
  for (const backend_facts& b : backends) {
    // Tools such as the recording device are opened only if the selector names them.
    const bool named =
        std::any_of(terms.begin(), terms.end(), [&](const select::term& t) { return t.backend == b.name; });
    if (!select::may_use(terms, b.name) || (b.name == "record" && !named)) continue;
    std::vector<std::unique_ptr<devices::device>> opened;
    if (b.open == nullptr && b.name != "host" && b.name != "record") warn_of_low_limits();
    try {
      opened = b.open != nullptr ? b.open() : devices::open_devices(b.name);
      if (opened.empty()) missing.push_back({b.name, "its driver has none"});
    } catch (const devices::device_error& failed) {
      failed_to_open.push_back({b.name, failed.what()});
    }
    for (std::size_t i = 0; i < opened.size(); ++i) {
      const devices::capabilities& info = opened[i]->info();
      select::device_fact fact{
          b.name, i, info.platform_name, info.name, info.type, info.software, info.platform_version};
      out.push_back({std::move(opened[i]), std::move(fact), b.priority});
    }
  }
  return out;
}

std::vector<select::device_fact> facts_of(const std::vector<candidate>& candidates) {
  std::vector<select::device_fact> facts;
  for (const candidate& c : candidates) facts.push_back(c.fact);
  return facts;
}

/// A line for each plug-in and setting that was refused: a device that is missing may be one of its devices.
std::string refused_text() {
  std::string text;
  if (!replaced_sources().empty()) return text;
  for (const devices::refused_backend& each : devices::refused_backends())
    text += "\nrefused: " + each.name + ": " + each.reason;
  return text;
}

} // namespace

void use_device_sources(std::vector<device_source> sources) {
  if (process_runtime::existing() != nullptr)
    throw error(error_code::invalid,
                "use_device_sources: the runtime is already in use; call it before any other function");
  replaced_sources() = std::move(sources);
}

void process_runtime::open_devices() {
  std::vector<std::string> names;
  std::vector<select::missing_backend> missing, failed;
  const std::vector<backend_facts> backends = known_backends(names, missing);
  const std::string expression = support::value_of(support::variables::device_selector);
  std::vector<select::term> terms;
  try {
    terms = select::parse_selector(expression, names);
  } catch (const select::selector_error& wrong) {
    throw error(error_code::invalid, wrong.what() + refused_text());
  }
  std::vector<candidate> candidates = open_candidates(backends, terms, missing, failed);
  const std::vector<select::device_fact> facts = facts_of(candidates);
  const std::vector<std::size_t> chosen = select::apply_selector(terms, facts);
  if (chosen.empty()) {
    missing.insert(missing.end(), failed.begin(), failed.end());
    std::erase_if(missing, [&](const select::missing_backend& m) { return !select::may_use(terms, m.name); });
    throw error(error_code::runtime, select::nothing_matches(expression, facts, missing) + refused_text());
  }
  for (const select::missing_backend& each : failed)
    support::log(support::level::warn,
                 each.name + ": opening its devices failed, they are ignored: " + each.reason);
  for (std::size_t rank = 0; rank < chosen.size(); ++rank) {
    candidate& c = candidates[chosen[rank]];
    const devices::capabilities& info = c.device->info();
    const auto same = std::find_if(m_platforms.begin(), m_platforms.end(), [&](const platform_node& p) {
      return p.backend_name == c.fact.backend && p.name == info.platform_name;
    });
    const auto index = static_cast<std::size_t>(same - m_platforms.begin());
    if (same == m_platforms.end())
      m_platforms.push_back(
          {info.platform_name, info.platform_vendor, info.platform_version, c.fact.backend, {}});
    const double score = terms.empty() ? select::default_score(c.fact, c.priority)
                                       : 1e6 - static_cast<double>(rank); // a selector determines the order
    m_devices.add_listed(
        make_device(std::move(c.device), {c.fact.backend, c.fact.index, index, score}, true));
    m_platforms[index].devices.push_back(m_devices.listed().back().get());
  }
}

device_state& process_runtime::reference_device() {
  std::call_once(m_reference_opened, [this] {
    std::vector<std::unique_ptr<devices::device>> opened =
        devices::open_devices("host", devices::wrapping::none);
    m_devices.set_reference(make_device(std::move(opened.at(0)), {"host", 0, 0, -1}, false));
  });
  return *m_devices.reference();
}

} // namespace prism::runtime
