// prism-pack: makes, lists and checks kernel packs (files of built kernels that are shipped with a program).
// Exit status: 0 success, 1 the pack is damaged or the program's run failed, 2 usage or an unusable file.
#include "tools/delivered.hpp"
#include "tools/prism-pack/make.hpp"

#include "runtime/images/kernel_pack.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <map>

namespace {

enum status { good = 0, failed = 1, usage = 2 };

int make_pack(const prism::pack_tool::make_request& request) {
  const prism::pack_tool::made_pack done = prism::pack_tool::make(request);
  fmt::print(stderr, "prism-pack: {}: {} kernels, {} bytes\n", request.file.string(), done.entries,
             done.bytes);
  if (done.program_status == 0) return good;
  fmt::print(stderr,
             "prism-pack: {} ended with status {}: the pack has the kernels that it had built by then\n",
             request.program.front(), done.program_status);
  return failed;
}

int list_pack(const std::filesystem::path& file) {
  const prism::images::kernel_pack pack(file);
  std::map<std::string, std::map<std::string, std::size_t>> by_device;
  int result = good;
  for (std::size_t i = 0; i < pack.size(); ++i) {
    try {
      const prism::images::pack_entry e = pack.entry(i);
      const auto key = prism::images::program_key::from(e.key);
      by_device[key.device][key.entry()] = e.data.size();
    } catch (const prism::images::pack_error& wrong) {
      fmt::print(stderr, "prism-pack: {}: {}\n", file.string(), wrong.what());
      result = failed;
    }
  }
  for (const auto& [device, kernels] : by_device) {
    fmt::print("{}: {} kernels\n", device, kernels.size());
    for (const auto& [entry, bytes] : kernels) fmt::print("  {:>10} bytes  {}\n", bytes, entry);
  }
  return result;
}

int check_pack(const std::filesystem::path& file) {
  const prism::images::kernel_pack pack(file);
  std::size_t damaged = 0;
  for (std::size_t i = 0; i < pack.size(); ++i) {
    try {
      pack.entry(i);
    } catch (const prism::images::pack_error& wrong) {
      ++damaged;
      fmt::print("{}: {}\n", file.string(), wrong.what());
    }
  }
  if (damaged == 0) fmt::print("{}: {} kernels, none damaged\n", file.string(), pack.size());
  return damaged == 0 ? good : failed;
}

} // namespace

int main(int count, char** words) {
  CLI::App app{
      "Kernel packs: built kernels in one file, shipped with a program so that its first start builds "
      "nothing.\n"
      "examples: prism-pack make app.prismpack -- ./app --small-input     prism-pack list app.prismpack\n"
      "          prism-pack check app.prismpack\n"
      "A program uses PROGRAM.prismpack next to it, or the packs that PRISM_PACK names. "
      "PRISM_DEVICE_SELECTOR limits the devices.\n"
      "exit status: 0 success, 1 the pack is damaged or the program's run failed, 2 usage",
      "prism-pack"};
  app.set_version_flag("--version", "prism-pack " PRISM_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  prism::pack_tool::make_request request;
  std::string file;
  app.add_flag("--used", request.only_used,
               "make: only the kernels that the run launches, instead of all kernels of the program");
  CLI::App* const making =
      app.add_subcommand("make", "run a program on all its devices and pack the kernels that were built");
  making->add_option("file", file, "the pack")->required();
  making->add_option("program", request.program, "the program with its arguments, after --")->required();
  CLI::App* const listing = app.add_subcommand("list", "list the kernels by device and driver");
  CLI::App* const checking = app.add_subcommand("check", "check whether the pack is damaged");
  for (CLI::App* one : {listing, checking}) one->add_option("file", file, "the pack")->required();
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& e) {
    return prism::delivered("prism-pack", app.exit(e) == 0 ? good : usage);
  }
  request.file = file;
  try {
    const int result = making->parsed()    ? make_pack(request)
                       : listing->parsed() ? list_pack(file)
                                           : check_pack(file);
    return prism::delivered("prism-pack", result);
  } catch (const prism::images::pack_error& wrong) {
    fmt::print(stderr, "prism-pack: {}: {}\n", file, wrong.what());
  } catch (const std::exception& e) {
    fmt::print(stderr, "prism-pack: {}\n", e.what());
  }
  return usage;
}
