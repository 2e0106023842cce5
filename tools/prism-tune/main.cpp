// prism-tune: finds the fastest parameters and variants of operations on a device, and stores them in the
// database that programs read. Exit status: 0 success, 1 no configuration or a variant had a wrong result,
// 2 usage or an unusable file, 130 interrupted.
#include "tools/delivered.hpp"
#include "tools/prism-tune/commands.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <csignal>
#include <cstdio>

namespace {

using prism::tune_tool::request;
volatile std::sig_atomic_t stop_asked = 0;

void stop(int) {
  stop_asked = 1;
  std::signal(SIGINT, SIG_DFL); // the second one ends the program
}

struct command {
  CLI::App* app;
  int (*run)(const request&);
};

CLI::App* add(CLI::App& app, std::vector<command>& all, const char* name, const char* what,
              int (*run)(const request&)) {
  CLI::App* one = app.add_subcommand(name, what);
  all.push_back({one, run});
  return one;
}

void add_search(CLI::App* run, request& r) { // options of run; added to the program so that --help shows them
  run->add_option("--search", r.search, "run: model, greedy, random or exhaustive")
      ->check(CLI::IsMember({"model", "greedy", "random", "exhaustive"}))
      ->capture_default_str();
  run->add_option("--family", r.family, "run: block sizes: powers (of two) or fibonacci")
      ->check(CLI::IsMember({"powers", "fibonacci"}))
      ->capture_default_str();
  run->add_option("--trials", r.trials, "run: maximum number of trials, stored ones included")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  run->add_option("--seconds", r.seconds, "run: maximum seconds")
      ->check(CLI::Range(0.001, 1e9))
      ->capture_default_str();
  run->add_option("--patience", r.patience, "run: stop after this many trials without a gain; 0: never")
      ->capture_default_str();
  run->add_option("--seed", r.seed, "run: seed of the search")->capture_default_str();
}

} // namespace

bool prism::tune_tool::stopped() noexcept { return stop_asked != 0; }

int main(int argc, char** argv) {
  request r;
  std::vector<command> commands;
  CLI::App app{
      "Finds the fastest parameters and variants of operations on a device, and stores them for programs.\n"
      "examples: prism-tune run gemm --size 512 --device opencl      prism-tune variants\n"
      "          prism-tune measure                                  prism-tune matrix\n"
      "          prism-tune export results.json                      prism-tune import results.json\n"
      "A run that was stopped (Ctrl-C) continues at the next start. PRISM_DEVICE_SELECTOR limits the "
      "devices.\n"
      "exit status: 0 success, 1 no configuration or a variant had a wrong result, 2 usage, 130 interrupted",
      "prism-tune"};
  app.set_version_flag("--version", "prism-tune " PRISM_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--database", r.database, "file of the results, instead of the one in PRISM_CACHE_DIR")
      ->type_name("FILE");
  app.add_option(
         "--device", r.device,
         "the device: opencl, opencl:cpu, vulkan:0, name=Portable; without it the default device (run) or "
         "all")
      ->type_name("NAME");
  app.add_option("--size", r.sizes, "sizes: rows of matrices, elements, or reads; without it the usual ones")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t(1), std::int64_t(1) << 40));
  add_search(&app, r);
  auto* run = add(app, commands, "run", "find the parameters of gemm", prism::tune_tool::run);
  auto* variants =
      add(app, commands, "variants", "measure all implementations of operations", prism::tune_tool::variants);
  add(app, commands, "measure", "measure bandwidths, rates and latencies of devices",
      prism::tune_tool::measure);
  add(app, commands, "list", "list operations, their variants and their requirements",
      prism::tune_tool::list);
  auto* show = add(app, commands, "show", "show stored results, the fastest first", prism::tune_tool::show);
  add(app, commands, "matrix", "show the best stored result of each operation and device",
      prism::tune_tool::matrix);
  auto* out = add(app, commands, "export", "write everything as JSON", prism::tune_tool::export_to);
  auto* in = add(app, commands, "import", "read a file of export; the later one of two results remains",
                 prism::tune_tool::import_from);
  auto* forget =
      add(app, commands, "forget", "remove the stored results of operations", prism::tune_tool::forget);
  for (CLI::App* one : {run, variants, show})
    one->add_option("operation", r.operations, "names as in list; without it all");
  forget->add_option("operation", r.operations, "names as in list")->required();
  out->add_option("file", r.file, "file to write; without it standard output");
  in->add_option("file", r.file, "")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError& e) {
    if (!app.get_subcommands().empty())
      return app.exit(e) == 0 ? prism::tune_tool::good : prism::tune_tool::usage;
    const std::vector<std::string> words = app.remaining();
    fmt::print(stderr, "prism-tune: {}; the commands are",
               words.empty() ? "give a command" : "\"" + words.front() + "\" is no command");
    for (const command& c : commands)
      fmt::print(stderr, "{} {}", &c == &commands.front() ? "" : ",", c.app->get_name());
    fmt::print(stderr, " (see prism-tune --help)\n");
    return prism::tune_tool::usage;
  } catch (const CLI::ParseError& e) {
    return prism::delivered("prism-tune",
                            app.exit(e) == 0 ? prism::tune_tool::good : prism::tune_tool::usage);
  }
  std::signal(SIGINT, stop);
  try {
    for (const command& c : commands)
      if (c.app->parsed()) return prism::delivered("prism-tune", c.run(r));
    return prism::tune_tool::usage;
  } catch (const sycl::exception& e) {
    fmt::print(stderr, "prism-tune: {}\n", e.what());
    return e.code() == sycl::errc::invalid ? prism::tune_tool::usage : prism::tune_tool::nothing_right;
  } catch (const std::exception& e) {
    fmt::print(stderr, "prism-tune: {}\n", e.what());
    return prism::tune_tool::usage;
  }
}
