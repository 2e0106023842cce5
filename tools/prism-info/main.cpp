// prism-info: which devices PRISM can use, how, and why one is missing. Needs no LLVM and no driver.
// Exit status: 0 usable, 1 no device (or nothing matches the selector), 2 usage, 3 some backend broken,
// 4 requirement not met.
#include "devices/probe.hpp"
#include "devices/registry.hpp"
#include "runtime/select/selector.hpp"
#include "runtime/support/environment.hpp"
#include "tools/prism-info/doctor.hpp"
#include "tools/prism-info/text.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace {

enum exit_status { usable = 0, none = 1, usage = 2, broken = 3, unmet = 4 };

int status_of(const prism::info::json& report) {
  std::size_t devices = 0;
  bool fault = false;
  for (const auto& b : report["backends"]) {
    devices += b["devices"].size();
    fault = fault || b["status"] == "broken";
  }
  return fault ? broken : devices == 0 ? none : usable;
}

/// Whether any device has all of the comma-separated features ("fp64,int64_atomics"); lists what each lacks in `text`.
bool meets(const prism::info::json& report, const std::string& wanted, std::string& text) {
  bool met = false;
  for (const auto& b : report["backends"])
    for (const auto& d : b["devices"]) {
      std::string lacks;
      for (std::size_t at = 0; at <= wanted.size();) {
        const std::size_t end = std::min(wanted.find(',', at), wanted.size());
        const std::string name = wanted.substr(at, end - at);
        bool has = name.empty();
        for (const auto& f : d["features"]) has = has || f == name;
        if (!has) lacks += (lacks.empty() ? "" : ", ") + name;
        at = end + 1;
      }
      met = met || lacks.empty();
      text += fmt::format("  {}:{} {}\n", b["name"].get<std::string>(), d["index"].get<std::size_t>(),
                          lacks.empty() ? "meets it" : "lacks " + lacks);
    }
  return met;
}

std::string environment_text() {
  std::string text;
  for (const prism::support::variable& v : prism::support::all_variables())
    text += fmt::format("{}{}\n  {}\n", v.name, *v.default_value ? fmt::format("  (default {})", v.default_value) : "", v.meaning);
  return text;
}

} // namespace

int main(int argc, char** argv) {
  // The registry starts $PRISM_PROBE NAME to try a driver; this program is that probe too, so it stands alone.
  if (argc == 2 && std::getenv("PRISM_INFO_IS_PROBE")) {
    fmt::print("{}\n", prism::devices::to_text(prism::devices::probe_in_process(argv[1])));
    std::fflush(stdout);
    _exit(0);
  }
  bool as_json = false, doctor = false, verbose = false, environment_table = false;
  int limit = 20;
  std::string select, require, gather;
  CLI::App app{"Shows the devices that PRISM can use.\n"
               "examples: prism-info            prism-info --json > devices.json      prism-info --doctor\n"
               "          prism-info --select 'opencl:gpu;host'                       prism-info --require fp64,int64_atomics\n"
               "PRISM_DEVICE_SELECTOR limits what is shown.\n"
               "exit status: 0 usable, 1 none, 2 usage, 3 some backend broken, 4 requirement not met", "prism-info"};
  app.add_flag("--json", as_json, "the whole report as JSON (schema: docs/prism-info.md)");
  app.add_flag("--doctor", doctor, "why is my device not there: loaders, drivers, permissions");
  app.add_flag("-v,--verbose", verbose, "vendor, versions and extensions too");
  auto* selecting = app.add_option("--select", select, "what a selector expression would choose and why ('' for the default)")->expected(0, 1);
  app.add_option("--require", require, "features that one device must have, comma-separated");
  app.add_option("--timeout", limit, "seconds that each backend's devices may take to open")->check(CLI::Range(1, 600))->capture_default_str();
  app.add_flag("--environment", environment_table, "every environment variable that PRISM reads");
  app.add_option("--gather", gather)->group("");
  app.set_version_flag("--version", "prism-info " PRISM_VERSION);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? usable : usage;
  }
  if (environment_table) {
    fmt::print("{}", environment_text());
    return usable;
  }
  char self[4096];
  if (const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1); n > 0) {
    self[n] = 0;
    setenv("PRISM_PROBE", self, 1);
    setenv("PRISM_INFO_IS_PROBE", "1", 1);
  }
  if (!gather.empty()) return prism::info::gather_child(gather);
  try {
    const char* environment = std::getenv("PRISM_DEVICE_SELECTOR");
    const auto whole = prism::info::gather(std::chrono::seconds(limit));
    const auto report = prism::info::filter(whole, environment ? environment : "");
    if (selecting->count()) {
      const auto choice = prism::info::explain_selection(report, select);
      fmt::print("{}", choice.text);
      return choice.chosen ? usable : none;
    }
    if (!require.empty()) {
      std::string text;
      const bool met = meets(report, require, text);
      fmt::print("required: {}\n{}", require, text);
      return met ? usable : unmet;
    }
    if (doctor) fmt::print("{}", prism::info::diagnose(whole));
    else if (as_json) fmt::print("{}\n", report.dump(2, ' ', false, prism::info::json::error_handler_t::replace));
    else fmt::print("{}", prism::info::to_text(report, verbose));
    return status_of(report);
  } catch (const prism::select::selector_error& e) {
    fmt::print(stderr, "prism-info: {}\n", e.what());
    return usage;
  } catch (const std::exception& e) {
    fmt::print(stderr, "prism-info: {}\n", e.what());
    return broken;
  }
}
