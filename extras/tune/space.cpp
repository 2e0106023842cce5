// <prism/tuner.hpp>: configurations and parameter spaces. Pure.
#include "extras/tune/text.hpp"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

using tuning::refuse;

template <typename T>
const T& value_of(const std::map<std::string, parameter_value>& values, const std::string& name,
                  const char* type) {
  const auto found = values.find(name);
  if (found == values.end()) refuse("configuration: there is no parameter \"" + name + "\"");
  const T* value = std::get_if<T>(&found->second);
  if (value == nullptr)
    refuse("configuration: the parameter \"" + name + "\" is not of type " + type + ": it is " +
           tuning::to_text(found->second));
  return *value;
}

} // namespace

configuration& configuration::set(const std::string& name, parameter_value value) {
  m_values[name] = std::move(value);
  return *this;
}
std::int64_t configuration::integer(const std::string& name) const {
  return value_of<std::int64_t>(m_values, name, "integer");
}
double configuration::number(const std::string& name) const {
  if (const auto found = m_values.find(name); found != m_values.end())
    if (const auto* whole = std::get_if<std::int64_t>(&found->second)) return static_cast<double>(*whole);
  return value_of<double>(m_values, name, "number");
}
const std::string& configuration::text(const std::string& name) const {
  return value_of<std::string>(m_values, name, "text");
}

std::string configuration::to_text() const {
  std::string out;
  for (const auto& [name, value] : m_values)
    out += (out.empty() ? "" : " ") + name + "=" + tuning::to_text(value);
  return out;
}

parameter_space& parameter_space::add(const std::string& name, std::vector<parameter_value> values) {
  if (name.empty() || name.find_first_of(" =\"") != name.npos)
    refuse("parameter \"" + name + "\": a name must not contain spaces, = or quotes");
  if (values.empty()) refuse("parameter \"" + name + "\": it has no values");
  for (const parameter& p : m_parameters)
    if (p.name == name) refuse("parameter \"" + name + "\": the name is used already");
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), values[i]) !=
        values.begin() + static_cast<std::ptrdiff_t>(i))
      refuse("parameter \"" + name + "\": the value " + tuning::to_text(values[i]) + " is given twice");
  m_parameters.push_back({name, std::move(values)});
  return *this;
}

parameter_space& parameter_space::integers(const std::string& name, const std::vector<std::int64_t>& values) {
  return add(name, {values.begin(), values.end()});
}
parameter_space& parameter_space::range(const std::string& name, std::int64_t from, std::int64_t to,
                                        std::int64_t step) {
  if (step <= 0) refuse("parameter \"" + name + "\": the step must be positive");
  std::vector<parameter_value> values;
  for (std::int64_t v = from; v <= to; v += step) values.emplace_back(v);
  return add(name, std::move(values));
}
parameter_space& parameter_space::powers_of_two(const std::string& name, std::int64_t from, std::int64_t to) {
  std::vector<parameter_value> values;
  for (std::int64_t v = 1; v <= to && v > 0; v *= 2)
    if (v >= from) values.emplace_back(v);
  return add(name, std::move(values));
}
parameter_space& parameter_space::fibonacci(const std::string& name, std::int64_t from, std::int64_t to) {
  std::vector<parameter_value> values;
  for (std::int64_t a = 1, b = 2; a <= to; a = std::exchange(b, a + b))
    if (a >= from) values.emplace_back(a);
  return add(name, std::move(values));
}
parameter_space& parameter_space::numbers(const std::string& name, const std::vector<double>& values) {
  for (const double v : values)
    if (!std::isfinite(v)) refuse("parameter \"" + name + "\": a value is not finite");
  return add(name, {values.begin(), values.end()});
}
parameter_space& parameter_space::choice(const std::string& name, const std::vector<std::string>& values) {
  return add(name, {values.begin(), values.end()});
}
parameter_space& parameter_space::constrain(std::function<bool(const configuration&)> holds,
                                            std::string why) {
  m_constraints.emplace_back(std::move(holds), std::move(why));
  return *this;
}

std::string parameter_space::objection(const configuration& c) const {
  if (c.values().size() != m_parameters.size())
    return "it has " + std::to_string(c.values().size()) + " parameters, the space has " +
           std::to_string(m_parameters.size());
  for (const parameter& p : m_parameters) {
    const auto found = c.values().find(p.name);
    if (found == c.values().end()) return "it has no parameter \"" + p.name + "\"";
    if (std::find(p.values.begin(), p.values.end(), found->second) == p.values.end())
      return "\"" + p.name + "\" cannot be " + tuning::to_text(found->second);
  }
  for (const auto& [holds, why] : m_constraints)
    if (!holds(c)) return why.empty() ? "a constraint does not hold" : why;
  return {};
}

std::vector<configuration> parameter_space::all() const {
  double count = 1;
  for (const parameter& p : m_parameters) count *= static_cast<double>(p.values.size());
  if (count > 1e6)
    refuse("the space has " + std::to_string(static_cast<std::uint64_t>(count)) +
           " configurations; the limit is a million");
  std::vector<configuration> out;
  std::vector<std::size_t> digits(m_parameters.size());
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(count); ++i) {
    configuration c;
    std::uint64_t rest = i;
    for (std::size_t p = m_parameters.size(); p-- > 0; rest /= m_parameters[p].values.size())
      c.set(m_parameters[p].name, m_parameters[p].values[rest % m_parameters[p].values.size()]);
    if (contains(c)) out.push_back(std::move(c));
  }
  return out;
}

std::string size_class(double items) {
  if (!(items >= 1) || !std::isfinite(items)) return "2^0";
  return "2^" + std::to_string(std::ilogb(items));
}

search search_from(const std::string& name) {
  if (name == "exhaustive") return search::exhaustive;
  if (name == "random") return search::random;
  if (name == "greedy") return search::greedy;
  if (name == "model" || name == "model_guided") return search::model_guided;
  refuse("search \"" + name + "\": expected exhaustive, random, greedy or model");
}

} // namespace prism
