#include "runtime/select/selector.hpp"

#include "runtime/support/text.hpp"

#include <algorithm>
#include <optional>

namespace prism::select {

namespace {

using support::to_lower;

constexpr devices::device_type all_types[] = {devices::device_type::gpu, devices::device_type::cpu,
                                              devices::device_type::accelerator,
                                              devices::device_type::custom};

std::optional<devices::device_type> type_of(std::string_view word) {
  for (devices::device_type type : all_types)
    if (word == type_name(type)) return type;
  return std::nullopt;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = 3; // words with a larger distance are not misspellings
  for (const std::string& k : known) {
    const std::size_t distance = support::edit_distance(word, k);
    if (distance < best_distance) best_distance = distance, best = k;
  }
  return best.empty() ? "" : "Did you mean \"" + best + "\"? ";
}

[[noreturn]] void fail(std::string_view expression, std::size_t position, const std::string& what) {
  throw selector_error(position, "PRISM_DEVICE_SELECTOR: " + what + " (position " +
                                     std::to_string(position + 1) + ")\n  " + std::string(expression) +
                                     "\n  " + std::string(position, ' ') + "^");
}

/// The text between two separators, without surrounding spaces, and its position.
struct piece {
  std::string_view text;
  std::size_t position;
};

std::vector<piece> split(piece whole, char separator) {
  std::vector<piece> out;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(whole.text.find(separator, begin), whole.text.size());
    std::string_view part = whole.text.substr(begin, end - begin);
    const std::size_t lead = std::min(part.find_first_not_of(" \t"), part.size());
    out.push_back({support::trim(part), whole.position + begin + lead});
    if (end == whole.text.size()) return out;
    begin = end + 1;
  }
}

void parse_subject(std::string_view expression, piece p, std::span<const std::string> backends, term& into) {
  const std::string word = to_lower(p.text);
  if (word == "*") return;
  if (std::find(backends.begin(), backends.end(), word) != backends.end()) {
    into.backend = word;
    return;
  }
  if (auto type = type_of(word)) {
    into.types.push_back(*type);
    return;
  }
  std::vector<std::string> known(backends.begin(), backends.end());
  for (devices::device_type type : all_types) known.push_back(type_name(type));
  known.push_back("*");
  if (word.empty())
    fail(expression, p.position, "a backend or device type is missing. Known: " + support::join(known, ", "));
  fail(expression, p.position,
       "unknown backend or device type \"" + std::string(p.text) + "\". " + suggestion(word, known) +
           "Known: " + support::join(known, ", "));
}

void parse_qualifier(std::string_view expression, piece p, term& into) {
  const std::string word = to_lower(p.text);
  if (word.rfind("name=", 0) == 0) {
    const std::string name(support::trim(p.text.substr(5)));
    if (name.empty()) fail(expression, p.position + 5, "name= needs a part of a device's or platform's name");
    into.name_parts.push_back(name);
    return;
  }
  if (!word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    if (word.size() > 6) fail(expression, p.position, "index \"" + word + "\" is too large");
    into.indexes.push_back(std::stoul(word));
    return;
  }
  if (auto type = type_of(word)) {
    into.types.push_back(*type);
    return;
  }
  if (word == "*") return;
  fail(expression, p.position,
       word.empty() ? "an index, device type or name=... is missing after ':'"
                    : "unknown qualifier \"" + std::string(p.text) + "\". " +
                          suggestion(word, {"gpu", "cpu", "accelerator", "custom", "name="}) +
                          "Use an index, gpu, cpu, accelerator, custom or name=<part of a name>");
}

bool matches(const term& t, const device_fact& fact) {
  if (!t.backend.empty() && t.backend != fact.backend) return false;
  for (devices::device_type type : t.types)
    if (type != fact.type) return false;
  for (std::size_t index : t.indexes)
    if (index != fact.index) return false;
  for (const std::string& part : t.name_parts)
    if (!support::contains_ignoring_case(fact.name, part) &&
        !support::contains_ignoring_case(fact.platform_name, part) &&
        !support::contains_ignoring_case(fact.platform_version, part))
      return false;
  return true;
}

bool only_excludes(std::span<const term> terms) {
  return std::all_of(terms.begin(), terms.end(), [](const term& t) { return t.exclude; });
}

} // namespace

const char* type_name(devices::device_type type) {
  switch (type) {
    case devices::device_type::cpu: return "cpu";
    case devices::device_type::gpu: return "gpu";
    case devices::device_type::accelerator: return "accelerator";
    case devices::device_type::custom: return "custom";
  }
  return "custom";
}

std::vector<term> parse_selector(std::string_view expression, std::span<const std::string> backends) {
  std::vector<term> terms;
  if (support::trim(expression).empty()) return terms;
  std::vector<piece> parts = split({expression, 0}, ';');
  if (parts.size() > 1 && parts.back().text.empty()) parts.pop_back(); // a trailing ';' is allowed
  for (piece p : parts) {
    term t;
    t.text = std::string(p.text);
    if (!p.text.empty() && p.text.front() == '!') {
      t.exclude = true;
      p.text.remove_prefix(1);
      p.position += 1;
    }
    const std::vector<piece> pieces = split(p, ':');
    parse_subject(expression, pieces.front(), backends, t);
    for (std::size_t i = 1; i < pieces.size(); ++i) parse_qualifier(expression, pieces[i], t);
    terms.push_back(std::move(t));
  }
  return terms;
}

bool may_use(std::span<const term> terms, std::string_view backend) {
  for (const term& t : terms)
    if (t.exclude && t.backend == backend && t.types.empty() && t.indexes.empty() && t.name_parts.empty())
      return false;
  if (only_excludes(terms)) return true;
  return std::any_of(terms.begin(), terms.end(), [&](const term& t) {
    return !t.exclude && (t.backend.empty() || t.backend == backend);
  });
}

std::vector<std::size_t> apply_selector(std::span<const term> terms, std::span<const device_fact> facts) {
  std::vector<std::size_t> out;
  std::vector<bool> done(facts.size(), false);
  for (const term& t : terms)
    if (t.exclude)
      for (std::size_t i = 0; i < facts.size(); ++i)
        if (matches(t, facts[i])) done[i] = true;
  const auto take = [&](auto&& wanted) {
    for (std::size_t i = 0; i < facts.size(); ++i)
      if (!done[i] && wanted(facts[i])) done[i] = true, out.push_back(i);
  };
  if (only_excludes(terms)) {
    take([](const device_fact&) { return true; });
    return out;
  }
  for (const term& t : terms)
    if (!t.exclude) take([&](const device_fact& fact) { return matches(t, fact); });
  return out;
}

std::string nothing_matches(std::string_view expression, std::span<const device_fact> facts,
                            std::span<const missing_backend> missing) {
  std::string out = expression.empty()
                        ? "no device was found: no backend is available."
                        : "PRISM_DEVICE_SELECTOR=\"" + std::string(expression) + "\" matches no device.";
  if (facts.empty())
    out += expression.empty()
               ? " `prism-info --doctor` shows more."
               : " The named backends have no devices; unset the variable or run `prism-info`.";
  else out += " Found devices:";
  for (const device_fact& fact : facts)
    out += "\n  " + fact.backend + ":" + std::to_string(fact.index) + "  " + type_name(fact.type) + "  " +
           fact.name + " (" + fact.platform_name + ")";
  for (const missing_backend& each : missing) {
    const bool has_some = std::any_of(facts.begin(), facts.end(),
                                      [&](const device_fact& fact) { return fact.backend == each.name; });
    out += "\n  " + each.name + (has_some ? ": " : " has no devices: ") + each.reason;
  }
  return out;
}

double default_score(const device_fact& fact, int backend_priority) {
  const double tie = std::clamp(backend_priority, 0, 99) / 100.0;
  if (fact.backend == "host") return 500 + tie;
  if (fact.type == devices::device_type::gpu && !fact.software && fact.backend != "record") return 1000 + tie;
  if (fact.backend == "opencl") return (fact.type == devices::device_type::cpu ? 200 : 100) + tie;
  return -1;
}

} // namespace prism::select
