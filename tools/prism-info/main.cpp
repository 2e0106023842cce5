// prism-info: which devices PRISM can use, how, and why one is missing. Needs no LLVM and no driver.
// Exit status: 0 usable, 1 no device (or none matches the selector), 2 usage, 3 some backend broken,
// 4 requirement not met.
#include "devices/probe.hpp"
#include "devices/registry.hpp"
#include "extras/policy/policy_text.hpp"
#include "extras/policy/problem.hpp"
#include "runtime/select/selector.hpp"
#include "runtime/support/environment.hpp"
#include "tools/delivered.hpp"
#include "tools/prism-info/choose.hpp"
#include "tools/prism-info/doctor.hpp"
#include "tools/prism-info/operations.hpp"
#include "tools/prism-info/text.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

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

std::string environment_text() {
  std::string text;
  for (const prism::support::variable& v : prism::support::all_variables())
    text += fmt::format("{}{}\n  {}\n", v.name,
                        *v.default_value ? fmt::format("  (default {})", v.default_value) : "", v.meaning);
  return text;
}

/// Runs prism-tune, next to this program or on PATH, because measuring needs kernels and this program has
/// none.
int bench(bool quietly) {
  std::error_code unknown;
  const std::filesystem::path beside =
      std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path() / "prism-tune";
  const std::string program = std::filesystem::exists(beside, unknown) ? beside.native() : "prism-tune";
  for (const char* command : {"measure", "variants", "matrix"}) {
    std::string name = program, word = command;
    char* arguments[] = {name.data(), word.data(), nullptr};
    pid_t child = 0;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    if (quietly)
      posix_spawn_file_actions_adddup2(&files, STDERR_FILENO,
                                       STDOUT_FILENO); // standard output is for the descriptions
    const int failed = posix_spawnp(&child, name.c_str(), &files, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed != 0) {
      fmt::print(
          stderr,
          "prism-info: --bench runs prism-tune, which cannot be started: {}. It is installed with PRISM's "
          "operations library.\n",
          std::strerror(failed));
      return broken;
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      fmt::print(stderr, "prism-info: prism-tune {} {}\n", command,
                 WIFEXITED(status) ? fmt::format("ended with status {}", WEXITSTATUS(status)) : "crashed");
      return broken;
    }
  }
  return usable;
}

/// What the command line asks for.
struct request {
  bool as_json = false, doctor = false, verbose = false, environment = false, operations = false;
  bool exporting = false, measuring = false, has_select = false, has_require = false;
  int limit = 20;
  std::string select, require, gather, load, fleet, workload;
  std::vector<std::string> two;
};

void add_options(CLI::App& app, request& r) {
  app.add_flag("--json", r.as_json, "print the whole report as JSON (schema: docs/prism-info.md)");
  app.add_flag("--doctor", r.doctor, "show why a device is missing: loaders, drivers, permissions");
  app.add_flag("-v,--verbose", r.verbose, "also print vendor, versions and extensions");
  app.add_option(
         "--select", r.select,
         "show what a selector expression or a policy ('priority=cost; require=fp64') would choose and why "
         "('' for the default order)")
      ->expected(0, 1);
  app.add_option(
      "--workload", r.workload,
      "with a policy: the job, such as 'flops=1e12; bytes=4GiB; bytes_to_move=1GiB; data_type=fp64'");
  app.add_option("--fleet", r.fleet,
                 "choose among the devices described in this YAML or JSON file instead of this machine's");
  app.add_option("--require", r.require,
                 "features that one device must have, such as 'fp64,subgroups>=2,memory>=4GiB'");
  app.add_flag("--export", r.exporting,
               "write the devices as a description file, which --fleet and prism::load_devices read");
  app.add_flag(
      "--bench", r.measuring,
      "measure bandwidths, rates and latencies, which --export then writes, in this call or later, and every "
      "operation on every device, by prism-tune");
  app.add_option("--diff", r.two, "show the differences between two files written by --json")
      ->expected(2)
      ->type_name("A B");
  app.add_option("--timeout", r.limit, "maximum seconds to open each backend's devices")
      ->check(CLI::Range(1, 600))
      ->capture_default_str();
  app.add_flag("--environment", r.environment, "list every environment variable that PRISM reads");
  app.add_flag("--operations", r.operations,
               "show what each provider of operations supports, and why one is missing");
  app.add_option("--gather", r.gather)->group("");
  app.add_option("--load", r.load)->group("");
  app.set_version_flag("--version", "prism-info " PRISM_VERSION);
}

/// This program is also the probe of drivers, in child processes of its own.
void become_the_probe() {
  char self[4096];
  if (const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1); n > 0) {
    self[n] = 0;
    setenv("PRISM_PROBE", self, 1);
    setenv("PRISM_INFO_IS_PROBE", "1", 1);
  }
}

int answer_for_fleet(const request& r) {
  const auto devices = prism::info::fleet_of(r.fleet);
  if (r.has_require) return prism::info::print_requirement(devices, r.require) ? usable : unmet;
  return prism::info::print_choice(devices, r.select, r.workload, r.as_json) ? usable : none;
}

int answer_for_this_machine(const request& r) {
  if (!r.workload.empty() && !prism::policy::is_policy_text(r.select))
    throw prism::policy::problem(
        "--workload is the job of a policy or a fleet; add --select 'priority=speed' or --fleet FILE");
  const char* environment = std::getenv("PRISM_DEVICE_SELECTOR");
  const std::chrono::seconds limit(r.limit);
  // First, because gather() limits the loaders to the drivers that work.
  const std::string installed = r.doctor ? prism::info::diagnose_drivers(limit) : "";
  const auto whole = prism::info::gather(limit);
  const auto report = prism::info::filter(whole, environment ? environment : "");
  if (prism::policy::is_policy_text(r.select))
    return prism::info::print_choice(prism::info::descriptions_of(report), r.select, r.workload, r.as_json)
               ? usable
               : none;
  if (r.has_select) {
    const auto choice = prism::info::explain_selection(report, r.select);
    fmt::print("{}", choice.text);
    return choice.chosen ? usable : none;
  }
  if (r.has_require)
    return prism::info::print_requirement(prism::info::descriptions_of(report), r.require) ? usable : unmet;
  if (r.exporting) fmt::print("{}", prism::info::export_text(report, r.as_json));
  else if (r.doctor) fmt::print("{}", prism::info::diagnose(whole, installed));
  else if (r.as_json)
    fmt::print("{}\n", report.dump(2, ' ', false, prism::info::json::error_handler_t::replace));
  else fmt::print("{}", prism::info::to_text(report, r.verbose));
  return status_of(report);
}

int answer(const request& r) {
  try {
    if (r.two.size() == 2) return prism::info::print_difference(r.two[0], r.two[1]);
    return r.fleet.empty() ? answer_for_this_machine(r) : answer_for_fleet(r);
  } catch (const prism::select::selector_error& e) {
    std::string text = e.what();
    if (const std::string variable = "PRISM_DEVICE_SELECTOR"; r.has_select && text.rfind(variable, 0) == 0)
      text.replace(0, variable.size(), "--select");
    fmt::print(stderr, "prism-info: {}\n", text);
    return usage;
  } catch (const prism::policy::problem& e) {
    fmt::print(stderr, "prism-info: {}\n", e.what());
    return usage;
  } catch (const std::exception& e) {
    fmt::print(stderr, "prism-info: {}\n", e.what());
    return broken;
  }
}

int run(int argc, char** argv) {
  // The registry starts $PRISM_PROBE NAME to probe a driver. This program is also that probe, so that it
  // needs no other file.
  if (argc == 2 && std::getenv("PRISM_INFO_IS_PROBE")) {
    fmt::print("{}\n", prism::devices::to_text(prism::devices::probe_in_process(argv[1])));
    std::fflush(stdout);
    _exit(0);
  }
  CLI::App app{"Shows the devices that PRISM can use.\n"
               "examples: prism-info            prism-info --json > devices.json      prism-info --doctor\n"
               "          prism-info --select 'opencl:gpu;host'                       prism-info --require "
               "'fp64,memory>=4GiB'\n"
               "          prism-info --select 'priority=cost; max_power=75' --fleet fleet.yaml\n"
               "PRISM_DEVICE_SELECTOR limits the devices that are shown.\n"
               "exit status: 0 usable, 1 none, 2 usage, 3 some backend broken, 4 requirement not met",
               "prism-info"};
  request asked;
  add_options(app, asked);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? usable : usage;
  }
  asked.has_select = app.count("--select") != 0;
  asked.has_require = app.count("--require") != 0;
  // fputs, because fmt::print would throw if standard output cannot be written, which delivered() reports.
  if (asked.environment) return std::fputs(environment_text().c_str(), stdout), usable;
  if (asked.operations) return std::fputs(prism::info::operations_text().c_str(), stdout), usable;
  if (asked.measuring)
    if (const int status = bench(asked.exporting); status != usable || !asked.exporting) return status;
  become_the_probe();
  if (!asked.load.empty()) prism::info::load_child(asked.load);
  if (!asked.gather.empty()) prism::info::gather_child(asked.gather);
  return answer(asked);
}

} // namespace

int main(int argc, char** argv) { return prism::delivered("prism-info", run(argc, argv)); }
