#include "tests/fuzz/parsers.hpp"

#include "compiler/driver/command_line.hpp"
#include "compiler/driver/link_inputs.hpp"
#include "devices/probe.hpp"
#include "devices/registry.hpp"
#include "devices/vulkan/spirv_inspect.hpp"
#include "devices/wrap/stack.hpp"
#include "extras/policy/description_file.hpp"
#include "extras/policy/model_text.hpp"
#include "extras/policy/policy_text.hpp"
#include "extras/policy/problem.hpp"
#include "extras/policy/requirement.hpp"
#include "extras/tune/text.hpp"
#include "kernels/array/npy_format.hpp"
#include "kernels/array/zip.hpp"
#include "runtime/images/disk_cache.hpp"
#include "runtime/images/kernel_pack.hpp"
#include "runtime/specialise/specialise_decision.hpp"
#include "runtime/support/environment.hpp"
#include "runtime/support/size_text.hpp"

#include <sycl/exception.hpp>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <unistd.h>

namespace prism_fuzz {

void selector(const std::string& bytes); // in a file of its own, because prism::select is a namespace there
                                         // and a function here

namespace {

namespace fs = std::filesystem;
using namespace prism;

void expect(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

/// Calls `body`. An exception of the reader's own type with a message is a valid answer.
template <typename Refusal, typename Body>
void accept(const Body& body) {
  try {
    body();
  } catch (const Refusal& refusal) {
    expect(*refusal.what() != '\0', "refused without a reason");
  }
}

/// A folder of this process, empty at first and removed at its end.
const fs::path& scratch() {
  struct folder {
    fs::path path;
    folder() {
      std::string name = (fs::temp_directory_path() / "prism-fuzz-XXXXXX").string();
      expect(::mkdtemp(name.data()) != nullptr, "no folder for temporary files");
      path = name;
    }
    ~folder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  };
  static const folder made;
  return made.path;
}

std::vector<std::string> lines_of(const std::string& bytes) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    lines.push_back(bytes.substr(begin, end - begin).c_str()); // arguments end at a null character
    begin = end + 1;
  }
  return lines;
}

void description(const std::string& bytes) {
  accept<policy::problem>([&] {
    const auto devices = policy::read_devices(bytes, "fuzz.yaml");
    const std::string yaml = policy::write_yaml(devices);
    expect(policy::write_yaml(policy::read_devices(yaml, "again.yaml")) == yaml,
           "YAML reads back as something else");
    expect(policy::write_yaml(policy::read_devices(policy::write_json(devices), "again.json")) == yaml,
           "JSON reads back as something else");
  });
}

void policy_line(const std::string& bytes) {
  accept<policy::problem>([&] { policy::read_policy(bytes); });
  policy::is_policy_text(bytes);
}

void workload_line(const std::string& bytes) {
  accept<policy::problem>([&] { policy::read_workload(bytes); });
}

void requirement(const std::string& bytes) {
  static const device_description device = [] {
    device_description d;
    d.name = "llvmpipe";
    d.backend = "opencl";
    d.limits["max_group_size"] = 1024;
    d.features.push_back({});
    return d;
  }();
  accept<policy::problem>([&] {
    const auto wanted = policy::parse_requirement(bytes);
    policy::names(device, wanted);
    if (!policy::meets(device, wanted))
      expect(!policy::found_instead(device, wanted).empty(),
             "a requirement is not met, but no property is named");
  });
}

void model(const std::string& bytes) {
  accept<policy::problem>([&] {
    policy::model_patterns patterns;
    policy::model_runs runs;
    policy::read_model(bytes, patterns, runs);
    const std::string text = policy::write_model(patterns, runs);
    policy::model_patterns patterns_again;
    policy::model_runs runs_again;
    policy::read_model(text, patterns_again, runs_again);
    expect(policy::write_model(patterns_again, runs_again) == text,
           "a written model differs when it is read");
  });
}

void configuration_text(const std::string& bytes) {
  if (const auto read = tuning::configuration_from_json(bytes)) {
    const auto again = tuning::configuration_from_json(tuning::to_json(*read));
    expect(again && *again == *read, "a written configuration differs when it is read");
  }
}

void wrappers(const std::string& bytes) {
  accept<devices::device_error>([&] {
    for (const auto& w : devices::wrap::read_wrappers(bytes))
      expect(!w.kind.empty(), "a wrapper without a kind");
  });
}

void priorities(const std::string& bytes) {
  std::vector<std::pair<std::string, int>> into;
  if (devices::read_priorities(bytes, into).empty())
    for (const auto& [name, priority] : into) expect(!name.empty(), "a priority without a name");
}

void numbers(const std::string& bytes) {
  support::parse_size(bytes);
  if (const auto seconds = support::parse_seconds(bytes)) {
    const auto now = std::chrono::steady_clock::now();
    expect(now + *seconds >= now, "seconds that overflow a clock");
  }
}

void verdict(const std::string& bytes) {
  if (const auto read = devices::from_text(bytes)) {
    const auto again = devices::from_text(devices::to_text(*read));
    expect(again && again->usable == read->usable && again->device_count == read->device_count,
           "a written verdict differs when it is read");
  }
}

/// Writes the bytes as the only file of the program cache. If the cache returns data, it must be the data
/// that was stored under the key.
void cache_entry(const std::string& bytes) {
  static images::disk_cache cache(scratch() / "programs", 1 << 20);
  static const fs::path file = [] {
    const std::string data = "built";
    cache.store("key", std::as_bytes(std::span(data)));
    return fs::directory_iterator(cache.folder())->path();
  }();
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write); // independent of the umask
  cache.load("key");
}

/// All data that a pack returns must match its checksum.
void pack(const std::string& bytes) {
  const fs::path file = scratch() / "pack";
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  accept<images::pack_error>([&] {
    const images::kernel_pack read(file);
    for (std::size_t i = 0; i < read.size(); ++i)
      accept<images::pack_error>([&] {
        const images::pack_entry e = read.entry(i);
        expect(images::program_key::from(e.key).entry().size() <= e.key.size(), "a name longer than its key");
      });
    accept<images::pack_error>([&] { read.find("key"); });
  });
}

/// Results of specialised builds that earlier starts recorded: each result must have the requested number of
/// values, and survive writing and reading.
void earlier_results(const std::string& bytes) {
  for (const std::size_t values : {0u, 1u, 3u}) {
    const auto results = runtime::read_results(bytes, values);
    const auto again = runtime::read_results(runtime::write_results(results), values);
    expect(again.size() == results.size(), "a written result cannot be read");
    for (std::size_t i = 0; i < results.size(); ++i) {
      expect(results[i].set.size() == values, "a result with another number of values than requested");
      expect(again[i].keep == results[i].keep && again[i].set == results[i].set,
             "a written result differs when it is read");
    }
  }
}

void spirv(const std::string& bytes) {
  std::vector<std::uint32_t> words(bytes.size() / 4);
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * 4);
  const auto module = devices::vulkan::inspect_spirv(words);
  if (module.damage.empty()) devices::vulkan::missing_features(module, 0);
}

void object_file(const std::string& bytes) {
  const fs::path file = scratch() / "object.o";
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  driver::may_hold_device_code(file);
  driver::exports_device_code(file);
}

void response_file(const std::string& bytes) {
  const fs::path file = scratch() / "arguments";
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  driver::find_link_inputs({"@" + file.string()});
}

void command_line(const std::string& bytes) {
  accept<std::invalid_argument>([&] { driver::clang_command(driver::parse(lines_of(bytes)), {}); });
}

/// A header that is accepted describes elements that the file has.
void npy_file(const std::string& bytes) {
  accept<sycl::exception>([&] {
    const npy::header read = npy::parse(bytes);
    expect(read.data <= bytes.size(), "the elements begin beyond the file");
    const auto count = static_cast<std::size_t>(read.shape.product());
    expect(count * size_of(read.type) <= bytes.size() - read.data, "elements that the file has not");
  });
}

void npz(const std::string& bytes) {
  accept<sycl::exception>([&] {
    const std::vector<zip::entry> entries = zip::unpack(bytes);
    for (const zip::entry& each : entries) npy_file(each.content);
    const auto read = [&](std::uint64_t first, std::uint64_t count) { return bytes.substr(first, count); };
    const std::vector<std::string> names = zip::names(bytes.size(), read);
    expect(names.size() == entries.size(), "other names than entries");
    for (std::size_t i = 0; i < names.size(); ++i) expect(names[i] == entries[i].name, "another name");
  });
}

constexpr std::array all{
    parser{"selector", selector},
    parser{"description", description},
    parser{"policy", policy_line},
    parser{"workload", workload_line},
    parser{"requirement", requirement},
    parser{"model", model},
    parser{"configuration", configuration_text},
    parser{"wrappers", wrappers},
    parser{"priorities", priorities},
    parser{"numbers", numbers},
    parser{"verdict", verdict},
    parser{"cache_entry", cache_entry},
    parser{"pack", pack},
    parser{"earlier_results", earlier_results},
    parser{"spirv", spirv},
    parser{"object_file", object_file},
    parser{"response_file", response_file},
    parser{"command_line", command_line},
    parser{"npy", npy_file},
    parser{"npz", npz},
};

} // namespace

std::span<const parser> parsers() { return all; }

const parser* find(const std::string& name) {
  for (const parser& p : all)
    if (name == p.name) return &p;
  return nullptr;
}

} // namespace prism_fuzz
