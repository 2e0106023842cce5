// Tuning by prism.h.
#include "bindings/c/objects.hpp"

#include <prism/tuner.hpp>

#include <charconv>
#include <sstream>

namespace prism::c_interface {
namespace {

struct tuning_object : object {
  static constexpr handle_kind kind = handle_kind::tuning;
  tuning_result result;
};

template <typename T>
std::optional<T> number_in(const std::string& text) {
  T value{};
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  return wrong == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// All of them as numbers; nothing if one is not a number.
template <typename T>
std::optional<std::vector<T>> numbers_in(const std::vector<std::string>& texts) {
  std::vector<T> out;
  for (const std::string& each : texts) {
    const std::optional<T> value = number_in<T>(each);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

parameter_space space_of(const prism_parameter* parameters, std::size_t count) {
  parameter_space space;
  for (std::size_t i = 0; i < count; ++i) {
    const prism_parameter& p = parameters[i];
    if (p.struct_size < sizeof(prism_parameter))
      throw failure(PRISM_INVALID, "parameter " + std::to_string(i) + " has a struct_size of " +
                                       std::to_string(p.struct_size) + "; set it to sizeof(prism_parameter)");
    const std::string name = required(p.name, "a parameter's name");
    std::vector<std::string> values;
    for (std::size_t k = 0; k < p.count; ++k)
      values.emplace_back(required(required(p.values, "a parameter's values")[k], "a parameter's value"));
    if (const auto integers = numbers_in<std::int64_t>(values)) space.integers(name, *integers);
    else if (const auto numbers = numbers_in<double>(values)) space.numbers(name, *numbers);
    else space.choice(name, values);
  }
  return space;
}

/// "group=64 style=tree", with the types that the space gives its parameters.
configuration configuration_in(const std::string& text, const parameter_space& space) {
  configuration out;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t at = word.find('=');
    const std::string name = word.substr(0, at), value = at == word.npos ? "" : word.substr(at + 1);
    const parameter_space::parameter* known = nullptr;
    for (const auto& p : space.parameters())
      if (p.name == name) known = &p;
    if (at == word.npos || known == nullptr)
      throw failure(PRISM_INVALID, "initial: \"" + word + "\" is not the value of a parameter, as group=64");
    for (const parameter_value& each : known->values)
      if (configuration({{name, each}}).to_text() == word) out.set(name, each);
    if (!out.has(name))
      throw failure(PRISM_INVALID, "initial: the parameter " + name + " has no value \"" + value + "\"");
  }
  return out;
}

tuning_options options_of(const prism_tuning_options* given) {
  tuning_options out;
  if (given == nullptr) return out;
  if (required(given, "options")->struct_size < sizeof(prism_tuning_options))
    throw failure(PRISM_INVALID, "options has a struct_size of " + std::to_string(given->struct_size) +
                                     "; set it to sizeof(prism_tuning_options)");
  if (given->search != nullptr) out.search = search_from(given->search);
  if (given->max_trials != 0) out.max_trials = given->max_trials;
  if (given->max_seconds > 0) out.max_time = seconds(given->max_seconds);
  if (given->patience != 0) out.patience = given->patience;
  if (given->seed != 0) out.seed = given->seed;
  return out;
}

std::string line_of(const trial& t) {
  std::ostringstream out;
  out.precision(17);
  out << (t.correct           ? "right"
          : t.failure.empty() ? "wrong"
                              : "failed")
      << '\t' << t.time.count() << '\t' << t.tried.to_text() << '\t' << t.failure << '\n';
  return out.str();
}

std::string result_text(const tuning_result& result, const std::string& what) {
  if (what == "best") return result.best ? result.best->tried.to_text() : "";
  if (what == "ended") return result.ended;
  if (what == "gain") {
    std::ostringstream out;
    out.precision(17);
    out << result.gain();
    return out.str();
  }
  if (what == "trials") {
    std::string out;
    for (const trial& each : result.trials) out += line_of(each);
    return out;
  }
  throw failure(PRISM_NOT_FOUND, "a tuning has no text \"" + what + "\"; it has best, ended, gain, trials");
}

} // namespace
} // namespace prism::c_interface

using namespace prism::c_interface;

extern "C" {

prism_status prism_tune(const prism_device* device, const prism_parameter* parameters, size_t count,
                        const char* initial, prism_trial trial, void* data,
                        const prism_tuning_options* options, prism_tuning** tuning, prism_error** error) {
  return guarded("prism_tune", error, [&] {
    required(tuning, "tuning"), required(initial, "initial");
    if (trial == nullptr) throw failure(PRISM_BAD_POINTER, "trial is NULL");
    if (count != 0) required(parameters, "parameters");
    const prism::parameter_space space = space_of(parameters, count);
    const prism::tuning_options how = options_of(options);
    const auto run = [&](const prism::configuration& c) {
      double seconds = 0;
      int32_t right = 0;
      if (trial(c.to_text().c_str(), &seconds, &right, data) != 0)
        throw failure(PRISM_FAILED, "the trial reported a failure");
      return std::pair(prism::seconds(seconds), right != 0);
    };
    auto made = std::make_shared<tuning_object>();
    const prism::configuration first = configuration_in(initial, space);
    if (options != nullptr && options->database != nullptr) {
      prism::tuning_database database(options->database);
      const prism::tuning_key key =
          prism::key_for(options->operation == nullptr ? "" : options->operation, device_of(device),
                         options->kernel == nullptr ? "" : options->kernel, options->items);
      made->result = prism::tune(space, first, run, how, &database, key);
    } else {
      made->result = prism::tune(space, first, run, how);
    }
    store(tuning, made);
  });
}

prism_status prism_tuning_text(const prism_tuning* tuning, const char* what, char* text, size_t capacity,
                               size_t* needed, prism_error** error) {
  return guarded("prism_tuning_text", error, [&] {
    const auto of = find<tuning_object>(tuning, "tuning");
    give_text(result_text(of->result, required(what, "what")), text, capacity, needed);
  });
}
}
