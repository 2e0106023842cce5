// prism-hardware-report: runs all that PRISM can test and measure on the devices of a machine, each program
// as a child process with a limit, and writes one report. Needs no compiler, no network and no rights. Exit
// status: 0 nothing failed, 1 something failed, 2 usage or a folder that cannot be used.
#include "tools/prism-hardware-report/drivers.hpp"
#include "tools/prism-hardware-report/report.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>

#include <dlfcn.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace hardware = prism::hardware;
namespace fs = std::filesystem;
using steady = std::chrono::steady_clock;

namespace {

struct settings {
  fs::path out = "hardware-report", programs;
  double minutes = 8;
  int jobs = std::clamp(int(std::thread::hardware_concurrency()) * 7 / 8, 1, 16);
  std::vector<std::string> devices;
  bool only_list = false;
};

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string line_of(const char* file, const std::string& key) {
  std::istringstream in(text_of(file));
  for (std::string line; std::getline(in, line);)
    if (line.rfind(key, 0) == 0)
      if (const std::size_t at = line.find_first_not_of(": \t", key.size()); at != std::string::npos)
        return line.substr(at);
  return "unknown";
}

std::vector<hardware::machine_fact> facts_of_machine(const std::vector<hardware::driver_library>& drivers) {
  utsname system{};
  uname(&system);
  std::string name = line_of("/etc/os-release", "PRETTY_NAME=");
  name.erase(std::remove(name.begin(), name.end(), '"'), name.end());
  std::vector<hardware::machine_fact> facts{
      {"processor", line_of("/proc/cpuinfo", "model name") + ", " +
                        std::to_string(std::thread::hardware_concurrency()) + " threads"},
      {"memory", line_of("/proc/meminfo", "MemTotal")},
      {"system", name + ", " + system.sysname + " " + system.release + " " + system.machine},
      {"user", geteuid() == 0 ? "root" : "not root"}};
  for (const hardware::driver_library& d : drivers)
    facts.push_back({d.vendor + "'s " + d.api + " library",
                     d.file.string() +
                         (d.is_registered ? "" : ", which no file of the loader names: added for this run")});
  return facts;
}

bool can_open(const char* library) {
  void* opened = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (opened) dlclose(opened);
  return opened != nullptr;
}

/// Prints one line for each step that ends.
class progress {
public:
  progress(std::size_t steps) : m_steps(steps) {}
  void show(const hardware::outcome& o) {
    std::fprintf(stderr, "[%zu/%zu] %s on %s: %s", ++m_done, m_steps, o.what.name.c_str(),
                 o.what.device.c_str(), hardware::name_of(o.how));
    if (o.how == hardware::verdict::failed) std::fprintf(stderr, " (%s)", o.reason.c_str());
    std::fprintf(stderr, ", %.1f s\n", o.seconds);
  }

private:
  std::size_t m_done = 0, m_steps;
};

/// The whole run: what is needed to start children, and the report that grows.
class session {
public:
  explicit session(const settings& how) : m_how(how) {}

  int run() {
    prepare();
    describe();
    const std::vector<hardware::step> steps = chosen_steps();
    if (m_how.only_list) {
      for (const hardware::step& s : steps)
        std::cout << s.device << "  " << hardware::name_of(s.what) << "  " << s.name << "\n";
      return 0;
    }
    run_all(steps);
    m_report.seconds = since_begin();
    write();
    const auto failed = std::count_if(m_report.outcomes.begin(), m_report.outcomes.end(),
                                      [](const auto& o) { return o.how == hardware::verdict::failed; });
    std::cout << m_report.outcomes.size() << " programs, " << failed
              << " failed; the report: " << (m_how.out / "report.md").string() << " and report.json\n";
    return failed || m_report.devices.empty() ? 1 : 0;
  }

private:
  void prepare() {
    fs::create_directories(m_how.out);
    m_how.out = fs::canonical(m_how.out);
    const fs::path beside = fs::canonical("/proc/self/exe").parent_path();
    m_is_packed = m_how.programs.empty() && fs::exists(beside / "programs/programs.txt");
    if (m_is_packed) m_how.programs = beside / "programs";
    else if (m_how.programs.empty()) m_how.programs = beside;
    if (!fs::exists(m_how.programs / "programs.txt"))
      throw std::runtime_error(
          (m_how.programs / "programs.txt").string() +
          " is missing: it lists the programs to run; `./prism hardware-report` builds them");
    m_programs = hardware::read_list(text_of(m_how.programs / "programs.txt"));
    m_environment = {{"PRISM_CACHE_DIR", (m_how.out / "cache").string()}};

    const fs::path vendors = hardware::opencl_vendor_folder();
    m_drivers = hardware::find_drivers(hardware::library_folders(), vendors, hardware::opencl_file_names(),
                                       hardware::vulkan_manifest_folders());
    for (auto& change : hardware::register_drivers(m_drivers, vendors, m_how.out / "drivers"))
      m_environment.push_back(change);
    if (m_is_packed) use_packed_libraries(beside);
  }

  /// The packed libraries come first; a packed loader or C++ library only where the machine has none, because
  /// the machine's drivers need its own.
  void use_packed_libraries(const fs::path& folder) {
    std::string paths = (folder / "lib").string();
    for (const auto& [library, part] :
         {std::pair{"libOpenCL.so.1", "opencl-loader"}, std::pair{"libvulkan.so.1", "vulkan-loader"},
          std::pair{"libstdc++.so.6", "cxx-library"}})
      if (!can_open(library) && fs::exists(folder / "lib" / part)) {
        paths += ":" + (folder / "lib" / part).string();
        m_report.notes.push_back(std::string(library) +
                                 " of the machine cannot be opened: the packed one is used");
      }
    const char* own = std::getenv("LD_LIBRARY_PATH");
    m_environment.emplace_back("LD_LIBRARY_PATH",
                               paths + (own && *own ? std::string(":") + own : std::string()));
  }

  hardware::child_result child(const std::string& program, std::vector<std::string> arguments, double limit_s,
                               const hardware::environment_changes& more = {}) {
    hardware::child_request request{m_how.programs / program, std::move(arguments), m_environment, limit_s};
    request.environment.insert(request.environment.end(), more.begin(), more.end());
    return hardware::run(request, m_how.out / ("output-" + std::to_string(++m_scratch)));
  }

  void describe() {
    m_report.machine = facts_of_machine(m_drivers);
    constexpr double limit_s = 60;
    const hardware::child_result info = child("prism-info", {"--json"}, limit_s);
    if (info.succeeded()) {
      m_report.devices_json = info.output;
      read_devices(info.output);
    } else {
      m_report.notes.push_back("prism-info: " + info.reason(limit_s) + "; only the host device is tested");
      m_report.devices = {{"host", 0, "host device", "PRISM host", "", "cpu", false}};
    }
    const hardware::child_result doctor = child("prism-info", {"--doctor"}, limit_s);
    m_report.doctor = doctor.output;
  }

  void read_devices(const std::string& text) {
    const nlohmann::json parsed = nlohmann::json::parse(text, nullptr, false);
    if (!parsed.is_object() || !parsed.contains("backends")) {
      m_report.notes.push_back("the output of prism-info is no JSON");
      return;
    }
    for (const auto& backend : parsed["backends"]) {
      if (const std::string reason = backend.value("reason", ""); !reason.empty())
        m_report.notes.push_back(backend.value("name", "") + ": " + reason);
      for (const auto& d : backend["devices"])
        m_report.devices.push_back({backend.value("name", ""), d.value("index", 0), d.value("name", ""),
                                    d["platform"].value("name", ""), d.value("driver_version", ""),
                                    d.value("type", ""), d.value("software", false)});
    }
  }

  std::vector<hardware::step> chosen_steps() {
    if (!m_how.devices.empty()) {
      std::vector<hardware::device> kept;
      for (const std::string& wanted : m_how.devices) {
        const auto found = std::find_if(m_report.devices.begin(), m_report.devices.end(),
                                        [&](const hardware::device& d) { return d.id() == wanted; });
        if (found == m_report.devices.end()) {
          std::string all;
          for (const hardware::device& d : m_report.devices) all += " " + d.id();
          throw std::runtime_error("there is no device " + wanted + "; there are:" + all);
        }
        kept.push_back(*found);
      }
      m_report.devices = kept;
    }
    return hardware::plan(m_report.devices, m_programs);
  }

  double since_begin() const { return std::chrono::duration<double>(steady::now() - m_begin).count(); }

  hardware::outcome run_one(const hardware::step& s) {
    const double limit_s = hardware::limit_of(s, m_how.minutes * 60 - since_begin());
    hardware::outcome o;
    o.what = s;
    if (limit_s == 0) return o;
    std::vector<std::string> arguments = s.arguments;
    const fs::path rows = m_how.out / ("bench-" + s.device);
    if (s.what == hardware::subject::bench) {
      arguments.insert(arguments.begin(), {"--out", rows.string()});
      std::error_code none;
      fs::remove(rows / "bench.json", none); // of an earlier report
    }
    o = hardware::judge(s, child(s.name, arguments, limit_s, s.environment), limit_s);
    if (s.what == hardware::subject::bench) o.rows = text_of(rows / "bench.json");
    o.command = "env";
    for (const auto* changes : {&s.environment, &std::as_const(m_environment)})
      for (const auto& [name, value] : *changes)
        if (name != "PRISM_CACHE_DIR") o.command += " " + name + "='" + value + "'";
    o.command += " " + (m_how.programs / s.name).string();
    for (const std::string& word : arguments) o.command += " " + word;
    return o;
  }

  /// Steps that measure run alone; the others side by side, in order.
  void run_all(const std::vector<hardware::step>& steps) {
    m_report.outcomes.resize(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) m_report.outcomes[i].what = steps[i];
    progress shown(steps.size());
    std::mutex guard;
    const auto finish = [&](std::size_t at) {
      hardware::outcome done = run_one(steps[at]);
      const std::lock_guard held(guard);
      m_report.outcomes[at] = std::move(done);
      if (m_report.outcomes[at].how != hardware::verdict::no_time) shown.show(m_report.outcomes[at]);
      if (since_begin() - m_written_at > 10) write(); // a machine that goes down leaves what is known
    };
    for (std::size_t first = 0; first < steps.size();) {
      std::size_t last = first + 1;
      while (last < steps.size() && !steps[first].is_alone && !steps[last].is_alone) ++last;
      std::atomic<std::size_t> next{first};
      std::vector<std::thread> workers;
      for (int i = 0; i < (steps[first].is_alone ? 1 : m_how.jobs); ++i)
        workers.emplace_back([&] {
          for (std::size_t at; (at = next++) < last;) finish(at);
        });
      for (std::thread& worker : workers) worker.join();
      first = last;
    }
  }

  void write() {
    m_written_at = m_report.seconds = since_begin();
    for (const auto& [name, text] :
         {std::pair{"report.json", m_report.json()}, std::pair{"report.md", m_report.markdown()}}) {
      std::ofstream file(m_how.out / name);
      file << text;
      if (!file.flush()) throw std::runtime_error((m_how.out / name).string() + " cannot be written");
    }
  }

  settings m_how;
  bool m_is_packed = false;
  std::vector<hardware::listed_program> m_programs;
  std::vector<hardware::driver_library> m_drivers;
  hardware::environment_changes m_environment;
  hardware::hardware_report m_report;
  steady::time_point m_begin = steady::now();
  double m_written_at = 0;
  std::atomic<int> m_scratch{0};
};

} // namespace

int main(int count, char** words) try {
  settings how;
  CLI::App app("Tests and measures PRISM on every device of this machine, and writes one report.\n"
               "examples: prism-hardware-report        prism-hardware-report --device vulkan:0 --minutes 20",
               "prism-hardware-report");
  app.add_option("--out", how.out, "folder of report.md and report.json")->capture_default_str();
  app.add_option("--minutes", how.minutes, "the report is written by then, even if a program hangs")
      ->check(CLI::Range(0.02, 1440.))
      ->capture_default_str();
  app.add_option("--jobs", how.jobs, "tests that run side by side")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_option("--device", how.devices, "only these devices, such as opencl:0 (prism-info shows them)");
  app.add_option("--programs", how.programs, "folder of the programs, with programs.txt");
  app.add_flag("--list", how.only_list, "only print what would run");
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return session(how).run();
} catch (const std::exception& error) {
  std::fprintf(stderr, "prism-hardware-report: %s\n", error.what());
  return 2;
}
