#include "runtime/specialise/specialise_decision.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace prism::runtime {

namespace {

constexpr unsigned sets_remembered = 16;

} // namespace

bool matches(const value_set& set, std::span<const std::uint64_t> launch) {
  for (std::size_t i = 0; i < set.size(); ++i)
    if (set[i] && *set[i] != launch[i]) return false;
  return true;
}

value_watch::value_watch(std::size_t values, unsigned after, unsigned most_sets)
    : m_after(std::max(after, 1u)), m_most(std::max(most_sets, 1u)), m_numbers(values), m_over(values == 0) {}

/// Returns false when a value was found to be unstable.
bool value_watch::record(std::span<const std::uint64_t> values) {
  bool same = true;
  for (std::size_t i = 0; i < m_numbers.size(); ++i) {
    std::vector<std::uint64_t>& known = m_numbers[i];
    if (known.size() > m_most || std::find(known.begin(), known.end(), values[i]) != known.end()) continue;
    known.push_back(values[i]);
    same = same && known.size() <= m_most;
  }
  return same;
}

value_set value_watch::stable(std::span<const std::uint64_t> values) const {
  value_set set(values.size());
  for (std::size_t i = 0; i < set.size(); ++i)
    if (is_stable(i)) set[i] = values[i];
  return set;
}

std::optional<value_set> value_watch::launch(std::span<const std::uint64_t> values) {
  if (m_over) return std::nullopt;
  if (!record(values)) std::erase_if(m_sets, [](const seen& s) { return !s.wanted; });
  value_set set = stable(values);
  if (std::none_of(set.begin(), set.end(), [](const auto& v) { return v.has_value(); })) {
    m_over = true;
    return std::nullopt;
  }
  auto known = std::find_if(m_sets.begin(), m_sets.end(), [&](const seen& s) { return s.set == set; });
  if (known == m_sets.end()) {
    if (m_sets.size() - m_wanted >= sets_remembered)
      std::erase_if(m_sets, [](const seen& s) { return !s.wanted; });
    m_sets.push_back({std::move(set), 0, false});
    known = std::prev(m_sets.end());
  }
  const bool room = m_wanted - m_rejected < m_most && m_wanted < 2 * m_most;
  if (!known->wanted && ++known->launches >= m_after && room) {
    known->wanted = true;
    ++m_wanted;
    m_idle = 0;
    return known->set;
  }
  m_over = ++m_idle >= patience * m_after || m_wanted >= 2 * m_most;
  return std::nullopt;
}

std::string write_results(const std::vector<earlier_result>& results) {
  std::string text;
  for (const earlier_result& r : results) {
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.3f", r.ratio);
    text += std::string(r.keep ? "keep " : "reject ") + ratio;
    for (const auto& value : r.set) text += value ? " " + std::to_string(*value) : " *";
    text += '\n';
  }
  return text;
}

namespace {

std::string_view take(std::string_view& from, char end) {
  const std::size_t at = from.find(end);
  const std::string_view word = from.substr(0, at);
  from.remove_prefix(at == std::string_view::npos ? from.size() : at + 1);
  return word;
}

template <typename Number>
bool read(std::string_view word, Number& into) {
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), into);
  return failed == std::errc() && end == word.data() + word.size();
}

std::optional<earlier_result> read_result(std::string_view line, std::size_t values) {
  earlier_result found;
  const std::string_view verdict = take(line, ' ');
  found.keep = verdict == "keep";
  if ((!found.keep && verdict != "reject") || !read(take(line, ' '), found.ratio)) return std::nullopt;
  while (!line.empty()) {
    const std::string_view word = take(line, ' ');
    std::uint64_t number = 0;
    if (word == "*") found.set.emplace_back();
    else if (read(word, number)) found.set.emplace_back(number);
    else return std::nullopt;
  }
  if (found.set.size() != values) return std::nullopt;
  return found;
}

} // namespace

std::vector<earlier_result> read_results(std::string_view text, std::size_t values) {
  std::vector<earlier_result> all;
  while (!text.empty())
    if (auto found = read_result(take(text, '\n'), values)) all.push_back(std::move(*found));
  return all;
}

} // namespace prism::runtime
