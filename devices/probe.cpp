#include "devices/probe.hpp"

#include "devices/api/private_folder.hpp"
#include "devices/driver_fault.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace prism::devices {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

fs::path find_program() {
  if (const auto named = variable("PRISM_PROBE"); !named.empty())
    return access(named.c_str(), X_OK) == 0 ? fs::path(named) : fs::path();
  std::vector<fs::path> places;
  Dl_info library{};
  std::error_code code;
  if (dladdr(reinterpret_cast<void*>(&find_program), &library) && library.dli_fname)
    places.push_back(fs::weakly_canonical(library.dli_fname, code).parent_path());
  if (const auto executable = fs::read_symlink("/proc/self/exe", code); !code)
    places.push_back(executable.parent_path());
  for (const auto& place : places)
    for (const char* folder : {".", "../bin", "../libexec/prism"})
      if (const auto candidate = place / folder / "prism-probe"; access(candidate.c_str(), X_OK) == 0)
        return candidate;
  return {};
}

/// Writes path, size and time of a file; for a folder also of its entries, not recursively.
void describe(const fs::path& path, std::ostream& out) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return;
  out << path.native() << ' ' << info.st_size << ' ' << info.st_mtim.tv_sec << '.' << info.st_mtim.tv_nsec
      << '\n';
  if (!S_ISDIR(info.st_mode)) return;
  std::set<fs::path> items;
  std::error_code ignored;
  for (const auto& item : fs::directory_iterator(path, ignored)) items.insert(item.path());
  for (const auto& item : items)
    if (!fs::is_directory(item, ignored)) describe(item, out);
}

/// The libraries that driver descriptions name: an .icd file is one line, a .json file has "library_path".
void describe_named_libraries(const fs::path& folder, std::ostream& out) {
  std::error_code ignored;
  std::set<fs::path> items;
  if (fs::is_directory(folder, ignored))
    for (const auto& item : fs::directory_iterator(folder, ignored)) items.insert(item.path());
  else items.insert(folder);
  for (const auto& item : items) {
    constexpr std::uintmax_t most = 64 * 1024; // bytes of a driver's description
    if (!fs::is_regular_file(item, ignored) || fs::file_size(item, ignored) > most ||
        item.extension() == ".so") // folders of modules may contain other files
      continue;
    std::ifstream file(item);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    if (item.extension() == ".json") {
      const auto key = text.find("\"library_path\"");
      const auto open = key == std::string::npos ? key : text.find('"', text.find(':', key));
      const auto close = open == std::string::npos ? open : text.find('"', open + 1);
      text = close == std::string::npos ? "" : text.substr(open + 1, close - open - 1);
    } else {
      text = text.substr(0, text.find_first_of("\r\n"));
    }
    if (text.empty()) continue;
    if (text.find('/') != std::string::npos) {
      describe(text, out);
      continue;
    }
    for (const char* place : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
                              "/usr/lib", "/usr/local/lib", "/lib64"})
      describe(fs::path(place) / text, out);
  }
}

std::uint64_t hash_of(const std::string& text) { // FNV-1a, stable across processes
  std::uint64_t hash = 14695981039346656037ull;
  for (const unsigned char c : text) hash = (hash ^ c) * 1099511628211ull;
  return hash;
}

fs::path cache_file(const backend& b, const fs::path& folder, const fs::path& program) {
  std::ostringstream inputs;
  inputs << driver_fingerprint();
  describe(program, inputs);
  char name[64];
  std::snprintf(name, sizeof name, "-%016llx", static_cast<unsigned long long>(hash_of(inputs.str())));
  return folder / ("probe-" + std::string(b.name) + name);
}

/// The text of a cache file: the line of prism-probe, then "broken", "sound" or "timed-out LIMIT TIMES", then
/// one driver a line.
std::string written(const verdict& result, std::chrono::milliseconds limit) {
  std::string text = to_text(result) + '\n';
  if (result.how == probe_end::timed_out)
    text += "timed-out " + std::to_string(limit.count()) + ' ' + std::to_string(result.timeouts) + '\n';
  else text += result.broken ? "broken\n" : "sound\n";
  for (const auto& driver : result.drivers) text += driver.native() + '\n';
  return text;
}

/// The last line, a checksum that detects damage: a changed driver name could be the name of another library.
std::string last_line(const std::string& text) {
  char line[32];
  std::snprintf(line, sizeof line, "checksum %016llx\n", static_cast<unsigned long long>(hash_of(text)));
  return line;
}

/// The content of a cache file, expired or not. `limit`: that the probe exceeded.
struct stored_verdict {
  verdict what;
  std::chrono::milliseconds limit{0};
  std::chrono::seconds age{0};
};

bool read_state(const std::string& line, stored_verdict& into) {
  std::istringstream in(line);
  std::string word;
  long long limit = 0;
  in >> word;
  if (word == "sound") return true;
  into.what.broken = true;
  if (word == "broken") {
    into.what.how = probe_end::crashed;
    return true;
  }
  into.what.how = probe_end::timed_out;
  if (word != "timed-out" || !(in >> limit >> into.what.timeouts)) return false;
  into.limit = std::chrono::milliseconds(limit);
  return true;
}

std::optional<stored_verdict> read_cache(const fs::path& file) {
  struct stat info{};
  constexpr off_t most = 64 * 1024; // bytes; a verdict is a few lines
  if (lstat(file.c_str(), &info) != 0 || !is_own_file(info) || info.st_size > most) // do not block on a pipe
    return std::nullopt;
  std::ifstream whole(file);
  std::string content((std::istreambuf_iterator<char>(whole)), {});
  const auto sum = content.rfind("checksum ");
  if (sum == std::string::npos || content.substr(sum) != last_line(content.substr(0, sum)))
    return std::nullopt;
  std::istringstream in(content.substr(0, sum));
  std::string text, state;
  if (!std::getline(in, text) || !std::getline(in, state)) return std::nullopt;
  const auto result = from_text(text);
  stored_verdict known;
  if (!result || !read_state(state, known)) return std::nullopt;
  static_cast<probe_result&>(known.what) = *result;
  std::error_code code;
  known.age = std::chrono::duration_cast<std::chrono::seconds>(fs::file_time_type::clock::now() -
                                                               fs::last_write_time(file, code));
  while (std::getline(in, text)) known.what.drivers.push_back(text);
  return known;
}

/// A time-out says nothing about a probe with a longer limit.
bool still_holds(const stored_verdict& known, std::chrono::milliseconds limit) {
  if (known.what.how == probe_end::timed_out && limit > known.limit) return false;
  return known.age <= verdict_lifetime(known.what);
}

/// The folder in which only_these_drivers puts its files.
fs::path drivers_folder(const fs::path& file) { return file.native() + ".drivers"; }

/// Deletes the oldest verdicts if there are many: each combination of the variables has its own. Also deletes
/// folders without a verdict, left by killed processes.
void forget_old_verdicts(const fs::path& folder) {
  constexpr std::size_t enough = 64;
  constexpr auto surely_dead = std::chrono::hours(1);
  std::vector<std::pair<fs::file_time_type, fs::path>> verdicts;
  std::vector<fs::path> left;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
    std::error_code error;
    const fs::path path = it->path();
    if (path.filename().native().rfind("probe-", 0) != 0) continue;
    const auto time = it->last_write_time(error);
    if (it->is_regular_file(error)) verdicts.emplace_back(time, path);
    else if (it->is_directory(error) && fs::file_time_type::clock::now() - time > surely_dead &&
             (path.extension() != ".drivers" || !fs::exists(path.parent_path() / path.stem(), error)))
      left.push_back(path);
  }
  for (const auto& path : left) fs::remove_all(path, code);
  std::sort(verdicts.begin(), verdicts.end());
  for (std::size_t i = 0; i + enough < verdicts.size(); ++i) {
    fs::remove(verdicts[i].second, code);
    fs::remove_all(drivers_folder(verdicts[i].second), code);
  }
}

/// A cache folder that cannot be used is no error: the next start probes again.
void write_cache(const fs::path& file, const verdict& result, std::chrono::milliseconds limit) {
  if (result.how == probe_end::not_started) return;
  const std::string text = written(result, limit);
  if (write_private_file(file, text + last_line(text))) forget_old_verdicts(file.parent_path());
}

/// Tries each driver alone, after all drivers of `b` together crashed or hung. If some work, returns a
/// verdict for those, else `together`.
verdict one_by_one(const backend& b, const probe_settings& settings, const fs::path& file,
                   const verdict& together) {
  const auto files = driver_files(b.name);
  if (files.size() < 2) return together;
  verdict found{{false, "", 0}, true, {}, {}, probe_end::crashed};
  for (std::size_t i = 0; i < files.size(); ++i) {
    const fs::path folder =
        drivers_folder(file).native() + "." + std::to_string(getpid()) + "." + std::to_string(i);
    const auto environment = only_these_drivers(b.name, {files[i]}, folder);
    if (environment.empty()) return together;
    const auto alone = probe_in_child(settings.program, b.name, settings.limit, environment);
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    if (alone.usable) found.drivers.push_back(files[i]);
    found.device_count += alone.device_count;
    if (alone.how == probe_end::timed_out) found.how = probe_end::timed_out;
    if (alone.broken)
      found.reason += (found.reason.empty() ? "left out: " : "; ") + files[i].native() + ": " + alone.reason;
  }
  found.usable = !found.drivers.empty();
  return found.usable ? found : together;
}

/// Why installed drivers are not used, in the dynamic linker's words: OpenCL's loader skips them in silence.
/// For example, a driver wants a newer version of a library that this process has loaded already.
std::string drivers_that_cannot_be_loaded(const std::string& backend) {
  std::string text;
  if (backend != "opencl") return text;
  for (const fs::path& file : driver_files(backend))
    if (const std::string why = why_not_loaded(opencl_library_of(file)); !why.empty()) // the loader tried it
      text += (text.empty() ? "" : "; ") + file.native() + " cannot be loaded: " + why;
  return text;
}

std::optional<std::chrono::milliseconds> probe_limit() {
  const auto text = variable("PRISM_PROBE_TIMEOUT_MS");
  unsigned value = 0;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, value).ptr != end || value == 0) return std::nullopt;
  return std::chrono::milliseconds(value);
}

} // namespace

std::string wrong_probe_limit() {
  const auto text = variable("PRISM_PROBE_TIMEOUT_MS");
  return text.empty() || probe_limit()
             ? ""
             : "\"" + text +
                   "\" is not a positive number of milliseconds, such as 5000; using the default limit";
}

std::string why_not_loaded(const std::string& library) {
  if (dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr) return "";
  const char* const why = dlerror();
  return why != nullptr ? why : library;
}

probe_settings default_probe_settings() {
  probe_settings settings;
  settings.program = find_program();
  settings.cache_folder = user_cache_folder();
  if (const auto limit = probe_limit()) settings.limit = *limit;
  return settings;
}

probe_result probe_here(const backend& b) {
  if (b.probe == nullptr) return {true, "", 0};
  try {
    const driver_opening marks_libraries(b.name);
    probe_result result = b.probe();
    if (const std::string unused = drivers_that_cannot_be_loaded(b.name); !unused.empty())
      result.reason += (result.reason.empty() ? "" : "; ") + unused;
    return result;
  } catch (const std::exception& error) {
    return {false, std::string("its probe threw an exception: ") + error.what(), 0};
  } catch (...) {
    return {false, "its probe threw an exception that is not a std::exception", 0};
  }
}

std::chrono::seconds verdict_lifetime(const verdict& found) {
  switch (found.how) {
    case probe_end::not_started: return std::chrono::seconds(0);
    case probe_end::crashed: return std::chrono::hours(1);
    case probe_end::timed_out:
      return std::min<std::chrono::seconds>(std::chrono::hours(1),
                                            std::chrono::minutes(1) *
                                                (1u << 2 * std::min(std::max(found.timeouts, 1u) - 1, 3u)));
    case probe_end::answered: break;
  }
  return found.usable && found.device_count != 0 ? std::chrono::seconds::max() : std::chrono::minutes(1);
}

verdict probe_backend(const backend& b, const probe_settings& settings) {
  if (settings.program.empty()) {
    verdict result{probe_here(b), false, {}, {}};
    if (result.reason.empty())
      result.reason =
          "probed in this process, because prism-probe was not found (set PRISM_PROBE to its path)";
    return result;
  }
  // A user who can write a verdict decides which libraries are loaded.
  if (settings.cache_folder.empty() || !make_private_folder(settings.cache_folder) ||
      !why_not_private(settings.cache_folder).empty())
    return probe_in_child(settings.program, b.name, settings.limit);
  const auto file = cache_file(b, settings.cache_folder, settings.program);
  const auto known = read_cache(file);
  std::optional<verdict> result;
  if (known && still_holds(*known, settings.limit)) {
    result = known->what;
  } else {
    result = probe_in_child(settings.program, b.name, settings.limit);
    if (result->broken) result = one_by_one(b, settings, file, *result);
    if (result->how == probe_end::timed_out) result->timeouts = known ? known->what.timeouts + 1 : 1;
    write_cache(file, *result, settings.limit);
  }
  if (result->drivers.empty()) return *result;
  result->environment = only_these_drivers(b.name, result->drivers, drivers_folder(file));
  if (result->environment.empty())
    return {{false,
             "the list of its drivers that work cannot be written to " + drivers_folder(file).native() +
                 "; " + result->reason,
             0},
            true,
            {},
            {}};
  return *result;
}

std::string driver_fingerprint() {
  std::ostringstream out;
  for (const char* name :
       {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH", "RUSTICL_ENABLE", "VK_DRIVER_FILES",
        "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "POCL_DEVICES", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH",
        "LD_PRELOAD", "PRISM_BACKEND_PATH", "PRISM_RECORD_DEVICES"})
    out << name << '=' << variable(name) << '\n';
  // Drivers refuse to work where they cannot write, or with little memory, files or threads.
  for (const char* name : {"HOME", "POCL_CACHE_DIR", "XDG_CACHE_HOME", "TMPDIR"}) {
    const std::string folder = variable(name);
    out << name << '=' << folder << (access(folder.c_str(), W_OK) == 0 ? " writable\n" : " not writable\n");
  }
  for (const auto limit :
       {RLIMIT_AS, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_MEMLOCK, RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_STACK}) {
    rlimit now{};
    if (getrlimit(limit, &now) == 0) out << limit << '=' << now.rlim_cur << '\n';
  }
  std::vector<std::string> places{"/etc/OpenCL/vendors", "/etc/vulkan/icd.d", "/usr/share/vulkan/icd.d",
                                  "/usr/local/share/vulkan/icd.d", "/usr/local/etc/vulkan/icd.d"};
  for (const char* name : {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH", "VK_DRIVER_FILES",
                           "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "PRISM_BACKEND_PATH"}) {
    std::istringstream list(variable(name));
    for (std::string place; std::getline(list, place, ':');)
      if (!place.empty()) places.push_back(place);
  }
  for (const auto& place : places) {
    describe(place, out);
    describe_named_libraries(place, out);
  }
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu/", "/usr/lib/aarch64-linux-gnu/", "/usr/lib64/",
                             "/usr/lib/", "/usr/local/lib/"})
    for (const char* library : {"libOpenCL.so.1", "libvulkan.so.1"})
      describe(std::string(folder) + library, out);
  return out.str();
}

std::string to_text(const probe_result& result) {
  std::string reason = result.reason;
  for (char& c : reason)
    if (c == '\n' || c == '\r') c = ' ';
  return "prism-probe 1 " + std::string(result.usable ? "usable" : "unusable") + " " +
         std::to_string(result.device_count) + " " + reason;
}

std::optional<probe_result> from_text(const std::string& text) {
  std::istringstream in(text);
  std::string program, verdict;
  int version = 0;
  probe_result result;
  if (!(in >> program >> version >> verdict >> result.device_count) || program != "prism-probe" ||
      version != 1 || (verdict != "usable" && verdict != "unusable"))
    return std::nullopt;
  result.usable = verdict == "usable";
  std::getline(in >> std::ws, result.reason);
  return result;
}

} // namespace prism::devices
