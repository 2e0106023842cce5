#include "extras/policy/model_text.hpp"

#include "extras/policy/problem.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace prism::policy {

namespace {

using json = nlohmann::ordered_json;
constexpr int model_schema = 1;
constexpr const char* access_names[] = {"sequential", "strided", "random"};

access_pattern access_from(const std::string& name) {
  for (int i = 0; i < 3; ++i)
    if (name == access_names[i]) return access_pattern(i);
  throw problem("model: access \"" + name + "\" must be sequential, strided or random");
}

double positive(const json& value, const char* what) {
  const double number = value.get<double>();
  if (!(number > 0) || std::isinf(number)) throw problem(std::string("model: ") + what + " must be above 0");
  return number;
}

} // namespace

std::string write_model(const model_patterns& patterns, const model_runs& runs) {
  json out{{"schema", model_schema}, {"patterns", json::array()}, {"runs", json::array()}};
  for (const auto& [name, p] : patterns)
    out["patterns"].push_back({{"name", name},
                               {"flops", p.flops},
                               {"bytes", p.bytes},
                               {"bytes_to_move", p.bytes_to_move},
                               {"data_type", p.data_type},
                               {"access", access_names[int(p.access)]},
                               {"divergence", p.divergence},
                               {"builds", p.builds}});
  for (const auto& [place, list] : runs) {
    const std::size_t end = place.second.find('\n');
    json one{{"pattern", place.first},
             {"device", place.second.substr(0, end)},
             {"driver", place.second.substr(end + 1)},
             {"observed", json::array()}};
    for (const observation& o : list) one["observed"].push_back({o.items, o.seconds});
    out["runs"].push_back(std::move(one));
  }
  return out.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

void read_model(const std::string& text, model_patterns& patterns, model_runs& runs) {
  try {
    const json in = json::parse(text);
    if (in.at("schema") != model_schema)
      throw problem("model: this PRISM reads schema " + std::to_string(model_schema));
    for (const json& p : in.at("patterns")) {
      pattern made{p.at("flops"),
                   p.at("bytes"),
                   p.at("bytes_to_move"),
                   p.at("data_type"),
                   access_from(p.at("access")),
                   p.at("divergence"),
                   p.value("builds", 0.0)};
      patterns[p.at("name")] = std::move(made);
    }
    for (const json& r : in.at("runs")) {
      if (patterns.find(r.at("pattern")) == patterns.end()) continue;
      auto& list = runs[{r.at("pattern"),
                         r.at("device").get<std::string>() + "\n" + r.at("driver").get<std::string>()}];
      for (const json& o : r.at("observed"))
        list.push_back({positive(o.at(0), "items"), positive(o.at(1), "seconds")});
      if (list.empty())
        runs.erase(
            {r.at("pattern"), r.at("device").get<std::string>() + "\n" + r.at("driver").get<std::string>()});
    }
  } catch (const json::exception& wrong) {
    throw problem(std::string("model: the text is not a stored performance model: ") + wrong.what());
  }
}

} // namespace prism::policy
