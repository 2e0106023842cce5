#include "compiler/driver/header_cache.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <fstream>
#include <optional>

#include <sys/file.h>
#include <sys/utsname.h>

#include "compiler/driver/device_pass.hpp"
#include "compiler/driver/process.hpp"
#include "devices/api/private_folder.hpp"

namespace prism::driver {

namespace fs = std::filesystem;

namespace {

/// Of about 15 MB each. Beyond this many, those that nothing has used for a while are removed (a compilation
/// opens one at once after it has chosen it); if all are in use, no more is made.
constexpr std::size_t most_files = 24;
constexpr std::time_t a_while = 600, a_day = 24 * 60 * 60;
/// The longest comment before the first #include is far shorter.
constexpr std::size_t most_bytes_of_source = 1 << 16;

/// Whether this header of the C or C++ library can stand before PRISM's without changing what they mean.
bool is_standard(std::string_view name) {
  static constexpr std::string_view names =
      " algorithm any array assert.h atomic barrier bit bitset cassert cctype cerrno cfenv cfloat"
      " charconv chrono cinttypes climits clocale cmath codecvt compare complex concepts"
      " condition_variable csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime ctype.h deque"
      " errno.h exception execution filesystem float.h format forward_list fstream functional future"
      " initializer_list inttypes.h iomanip ios iosfwd iostream istream iterator latch limits limits.h"
      " list locale map math.h memory memory_resource mutex new numbers numeric optional ostream queue"
      " random ranges ratio regex scoped_allocator semaphore set shared_mutex span sstream stack"
      " stdarg.h stddef.h stdexcept stdint.h stdio.h stdlib.h streambuf string string.h string_view"
      " system_error thread time.h tuple type_traits typeindex typeinfo unordered_map unordered_set"
      " utility valarray variant vector version ";
  const std::string word = ' ' + std::string(name) + ' ';
  return !name.empty() && names.find(word) != std::string_view::npos;
}

/// Not <CL/sycl.hpp>, which warns each time that it is parsed.
bool is_own(std::string_view name) { return name.starts_with("sycl/") || name.starts_with("prism/"); }

/// Reads lines of the kind that leading_headers describes.
class reader {
  std::string_view rest_;

public:
  explicit reader(std::string_view text) : rest_(text) {}

  /// The name in the next #include line with angle brackets; empty if another line comes next.
  std::string_view next_name() {
    skip(true);
    if (!take("#")) return {};
    skip(false);
    if (!take("include")) return {};
    skip(false);
    if (!take("<")) return {};
    const std::size_t end = rest_.find_first_of(">\n");
    if (end == std::string_view::npos || rest_[end] != '>') return {};
    const std::string_view name = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    skip(false);
    const bool ends = rest_.empty() || rest_[0] == '\n' || rest_.starts_with("//");
    return ends ? name : std::string_view();
  }

private:
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  /// Skips blanks and comments; lines too if `over_lines`. A line comment that a backslash continues stays.
  void skip(bool over_lines) {
    for (;;) {
      const std::size_t blanks = std::min(
          rest_.find_first_not_of(over_lines ? std::string_view(" \t\r\n") : std::string_view(" \t\r")),
          rest_.size());
      rest_.remove_prefix(blanks);
      if (rest_.starts_with("/*")) {
        const std::size_t end = rest_.find("*/", 2);
        if (end == std::string_view::npos) return;
        rest_.remove_prefix(end + 2);
      } else if (over_lines && rest_.starts_with("//")) {
        const std::size_t end = std::min(rest_.find('\n'), rest_.size());
        if (rest_.substr(0, end).find('\\') != std::string_view::npos) return;
        rest_.remove_prefix(end);
      } else {
        return;
      }
    }
  }
};

/// The text that a source begins with; empty if it is not a file that can be read twice.
std::string beginning_of(const std::string& source) {
  std::error_code unknown;
  if (!fs::is_regular_file(source, unknown)) return {};
  std::string text(most_bytes_of_source, '\0');
  std::ifstream stream(source, std::ios::binary);
  stream.read(text.data(), std::streamsize(text.size()));
  text.resize(std::size_t(stream.gcount()));
  return text;
}

/// PRISM's headers with which every source begins; empty if they differ.
std::vector<std::string> common_headers(const std::vector<std::string>& sources) {
  std::vector<std::string> common;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::vector<std::string> headers = leading_headers(beginning_of(sources[i]));
    if (headers.empty() || (i > 0 && headers != common)) return {};
    common = std::move(headers);
  }
  return common;
}

/// Whether clang, which reads the header again with the source's text, leaves it out then. `options`: with
/// the folders of headers, as of options_of_headers.
bool is_read_once(const std::string& header, const std::vector<std::string>& options, const places& where) {
  std::vector<fs::path> folders;
  for (std::size_t i = 0; i + 1 < options.size(); ++i)
    if (options[i] == "-I" || options[i] == "-isystem" || options[i] == "-idirafter")
      folders.emplace_back(options[i + 1]);
  folders.push_back(where.include);
  std::error_code unknown;
  folders.insert(folders.end(), where.standard_algorithms.begin(), where.standard_algorithms.end());
  for (const fs::path& folder : folders)
    if (fs::exists(folder / header, unknown))
      return beginning_of((folder / header).string()).find("#pragma once") != std::string::npos;
  return false;
}

/// "path size time" of a file or folder, by which a change is seen; empty if there is none.
std::string state_of(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return {};
  return path + ' ' + std::to_string(S_ISDIR(info.st_mode) ? 0 : info.st_size) + ' ' +
         std::to_string(info.st_mtim.tv_sec) + '.' + std::to_string(info.st_mtim.tv_nsec);
}

/// Folders in which a new header could change what __has_include finds.
constexpr const char* folders_of_headers[] = {"/usr/include", "/usr/local/include"};

/// One precompiled header of the folder: NAME.pch, NAME.inputs (what it was made of), NAME.seen (an earlier
/// compilation would have used it; locked while it is made).
struct entry {
  fs::path folder;
  std::string main_header; // what clang takes for the file that it precompiles
  std::string name, key;

  std::string path(const char* ending) const { return (folder / (name + ending)).string(); }

  /// Whether the precompiled file is of this key and every header is as it was.
  bool is_current() const {
    std::ifstream inputs(path(".inputs"));
    std::string line;
    if (!std::getline(inputs, line) || line != key) return false;
    while (std::getline(inputs, line)) {
      const std::size_t end = line.rfind(' ', line.rfind(' ') - 1);
      if (end == std::string::npos || state_of(line.substr(0, end)) != line) return false;
    }
    return inputs.eof();
  }

  void mark_as_used() const { utimensat(AT_FDCWD, path(".inputs").c_str(), nullptr, 0); }

  std::vector<std::string> options() const { return {"-include-pch", path(".pch")}; }
};

/// Removes the oldest files that nothing has used for a while, if there is no room for the wanted one, and
/// what processes left that were ended while they wrote. Returns whether there is room. A stale file of the
/// wanted name takes no room, since the new one takes its place.
bool make_room(const entry& wanted) {
  std::error_code unknown;
  std::vector<std::pair<std::time_t, fs::path>> others; // by their last use
  const std::time_t now = std::time(nullptr);
  for (const fs::directory_entry& each : fs::directory_iterator(wanted.folder, unknown)) {
    const fs::path ending = each.path().extension();
    struct stat info{};
    if (stat(each.path().c_str(), &info) != 0) continue;
    if (ending != ".inputs" && ending != ".pch" && ending != ".seen" && now - info.st_mtime > a_day)
      fs::remove(each.path(), unknown);
    if (ending == ".inputs" && each.path() != wanted.path(".inputs"))
      others.emplace_back(info.st_mtime, each.path());
  }
  std::sort(others.begin(), others.end());
  std::size_t count = others.size();
  for (const auto& [used, file] : others) {
    if (count < most_files || now - used < a_while) break;
    for (const char* ending : {".inputs", ".pch", ".seen"})
      fs::remove(fs::path(file).replace_extension(ending), unknown);
    --count;
  }
  return count < most_files;
}

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// What the precompiled file was made of, for entry::is_current. nullopt if a header is so new that it may
/// have changed while clang read it.
std::optional<std::string> inputs_text(const entry& made, const std::string& rule, std::time_t begin) {
  std::vector<std::string> files = dependencies_of(rule);
  files.push_back(made.path(".pch"));
  files.push_back(made.main_header);
  for (const char* folder : folders_of_headers) files.push_back(folder);
  std::string text = made.key + '\n';
  for (const std::string& file : files) {
    struct stat info{};
    if (stat(file.c_str(), &info) != 0) continue;
    if (file != made.path(".pch") && info.st_mtime >= begin) return std::nullopt;
    text += state_of(file) + '\n';
  }
  return text;
}

/// The cache's mode by PRISM_CACHE; runtime/support/environment.hpp describes it.
bool cache_is(const char* mode) {
  const char* value = std::getenv("PRISM_CACHE");
  return value && std::strcmp(value, mode) == 0;
}

enum class outcome { made, not_now, headers_do_not_compile };

/// Precompiles the headers with the options of `pass`.
outcome precompile(const entry& wanted, request pass, const places& where,
                   const std::vector<std::string>& headers) {
  for (const std::string& header : headers) pass.rest.insert(pass.rest.end(), {"-include", header});
  const std::string fresh = wanted.path(".pch.") + std::to_string(getpid()), rule = fresh + ".d";
  pass.rest.insert(pass.rest.end(), {"-w", "-fpch-instantiate-templates", "-MD", "-MF", rule, "-o", fresh,
                                     "-x", "c++-header", wanted.main_header});
  const std::time_t begin = std::time(nullptr);
  const int status = run_and_wait(clang_command(pass, where), wanted.folder.string(), true);
  std::optional<std::string> inputs;
  if (status == 0 && std::rename(fresh.c_str(), wanted.path(".pch").c_str()) == 0)
    inputs = inputs_text(wanted, text_of(rule), begin);
  std::error_code unknown;
  fs::remove(fresh, unknown);
  fs::remove(rule, unknown);
  if (status != 0) return outcome::headers_do_not_compile;
  return inputs && write_private_file(wanted.path(".inputs"), *inputs) ? outcome::made : outcome::not_now;
}

/// Makes the entry if an earlier compilation would have used it and no other process makes it now. Returns
/// whether it can be used.
bool make(const entry& wanted, const request& pass, const places& where,
          const std::vector<std::string>& headers) {
  const bool is_first = !cache_is("eager") && !fs::exists(wanted.path(".seen"));
  const int seen = open(wanted.path(".seen").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (seen < 0) return false;
  // A byte in the file: these headers did not compile a while ago.
  struct stat info{};
  const bool can_try = !is_first && flock(seen, LOCK_EX | LOCK_NB) == 0 && fstat(seen, &info) == 0 &&
                       (info.st_size == 0 || std::time(nullptr) - info.st_mtime > a_while);
  const outcome result =
      can_try && make_room(wanted) ? precompile(wanted, pass, where, headers) : outcome::not_now;
  if (result == outcome::headers_do_not_compile)
    if (write(seen, "x", 1) != 1) unlink(wanted.path(".seen").c_str());
  close(seen);
  return result == outcome::made;
}

/// Whether the option changes only what LLVM's passes do with the functions of the source.
bool is_for_the_optimiser(const std::string& word) {
  if (word == "-flto" || word.starts_with("-flto=")) return true;
  for (const char* option : {"unroll-loops", "vectorize", "slp-vectorize"})
    if (word == std::string("-f") + option || word == std::string("-fno-") + option) return true;
  return false;
}

/// Whether clang defines the same macros for this level as for -O2: __OPTIMIZE__, and not __OPTIMIZE_SIZE__
/// or
/// __FAST_MATH__.
bool optimises_for_speed(const std::string& word) {
  for (const char* level : {"-O", "-O1", "-O2", "-O3", "-O4", "-Og"})
    if (word == level) return true;
  return false;
}

/// What else decides the content: where the environment lets clang find headers, and the machine if the code
/// is for its processor.
std::string surroundings(const request& asked) {
  std::string text;
  for (const std::string& word : asked.rest)
    if (word.size() > 7 && word.compare(word.size() - 7, 7, "=native") == 0) {
      utsname machine{};
      if (uname(&machine) == 0) text += std::string(machine.nodename) + ' ';
    }
  for (const char* name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"})
    if (const char* value = std::getenv(name)) text += std::string(name) + '=' + value + ' ';
  return text;
}

} // namespace

std::vector<std::string> leading_headers(std::string_view text) {
  std::vector<std::string> own;
  reader lines(text);
  for (;;) {
    const std::string_view name = lines.next_name();
    if (is_own(name)) own.emplace_back(name);
    else if (!is_standard(name)) return own;
  }
}

std::string why_headers_are_parsed(const request& asked) {
  if (asked.keeps_headers_parsed) return "--no-header-cache";
  if (asked.sources.empty()) return "no source";
  for (std::size_t i = 0; i < asked.rest.size(); ++i) {
    const std::string& word = asked.rest[i];
    // What shows or changes how headers are read, and options whose effect on a precompiled header is
    // unknown.
    for (const char* whole :
         {"-E", "-M", "-MM", "-H", "-P", "-dM", "-dD", "-###", "--precompile", "-emit-ast", "-ftime-report",
          "--analyze", "--coverage", "-fcoverage-mapping", "-traditional"})
      if (word == whole) return word;
    for (const char* begin : {"-include",
                              "-imacros",
                              "-X",
                              "-Wp,",
                              "-ftime-trace",
                              "-ftime-report=",
                              "-fmodule",
                              "-fplugin",
                              "-gmodules",
                              "-save-temps",
                              "--save-temps",
                              "-fprofile",
                              "-fcoverage",
                              "-ivfsoverlay",
                              "-iprefix",
                              "-iwithprefix",
                              "-iquote",
                              "-fpch",
                              "-stdlib++-isystem",
                              "@"})
      if (word.starts_with(begin) && word != "-Xlinker") return word;
    if (word.find('\n') != std::string::npos) return "a new line";
    if (takes_a_value(word)) {
      ++i;
      continue;
    }
    const bool is_source = std::find(asked.sources.begin(), asked.sources.end(), word) != asked.sources.end();
    if (word.starts_with("-") && word != "-") continue;
    const std::string ending = fs::path(word).extension().string();
    if (is_source ? ending == ".ii" : ending != ".o" && ending != ".a" && ending != ".so") return word;
  }
  return {};
}

std::vector<std::string> options_of_headers(const request& asked, const std::string& working_folder) {
  const std::vector<std::string> rest = options_of_device_pass(asked.rest);
  const fs::path here = working_folder;
  std::vector<std::string> options;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const std::string& word = rest[i];
    if (word.starts_with("-g") || word.starts_with("-W") || word == "-w" || word == "-fsyntax-only") continue;
    if (is_for_the_optimiser(word)) continue;
    if (optimises_for_speed(word)) {
      options.push_back("-O2");
      continue;
    }
    const auto folder_option = [&]() -> std::string {
      for (const char* name : {"-I", "-isystem", "-idirafter"})
        if (word.starts_with(name)) return name;
      return {};
    }();
    if (folder_option.empty()) {
      options.push_back(word);
      if (takes_a_value(word) && i + 1 < rest.size()) options.push_back(rest[++i]);
      continue;
    }
    const std::string value = word != folder_option ? word.substr(folder_option.size())
                              : i + 1 < rest.size() ? rest[++i]
                                                    : std::string();
    options.insert(options.end(), {folder_option, (here / value).lexically_normal().string()});
  }
  return options;
}

std::vector<std::string> use_precompiled_headers(const request& asked, const places& where) {
  // Objects made with a precompiled header have the same code in another order of functions. A build with
  // SOURCE_DATE_EPOCH has one order.
  if (!why_headers_are_parsed(asked).empty() || std::getenv("SOURCE_DATE_EPOCH") || cache_is("off"))
    return {};
  // With --stdpar every source begins with this header, which includes SYCL's.
  std::vector<std::string> headers = asked.offloads_standard_algorithms
                                         ? std::vector<std::string>{"prism/stdpar.hpp"}
                                         : common_headers(asked.sources);
  const fs::path cache = user_cache_folder();
  if (headers.empty() || cache.empty() || !cache.is_absolute()) return {};
  request pass = asked;
  pass.links = false;
  pass.rest = options_of_headers(asked, fs::current_path().string());
  // The plugin reads these when it compiles kernels, which is after the headers.
  pass.targets.clear();
  pass.target_warnings = request().target_warnings;
  pass.warns_of_names = request().warns_of_names;
  headers.erase(
      std::find_if_not(headers.begin(), headers.end(),
                       [&](const std::string& each) { return is_read_once(each, pass.rest, where); }),
      headers.end());
  entry wanted{cache / "headers", (where.include / "sycl/detail/precompiled_headers.hpp").string(), "", ""};
  if (headers.empty() || !make_private_folder(wanted.folder) || !why_not_private(wanted.folder).empty())
    return {};
  for (const std::string& word : clang_command(pass, where)) wanted.key += word + '\x1f';
  for (const std::string& header : headers) wanted.key += '<' + header + '>';
  for (const fs::path& part : {where.clang, where.plugin}) wanted.key += ' ' + state_of(part.string());
  wanted.key += ' ' + surroundings(asked);
  wanted.name = std::to_string(std::hash<std::string>{}(wanted.key));
  if (wanted.is_current()) wanted.mark_as_used();
  else if (!make(wanted, pass, where, headers)) return {};
  return wanted.options();
}

} // namespace prism::driver
