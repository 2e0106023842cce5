#include "compiler/driver/command_line.hpp"

#include <stdexcept>
#include <string_view>

#include "compiler/driver/other_compilers.hpp"

namespace prism::driver {

namespace {

bool take_prefix(const std::string& text, const std::string& prefix, std::string& rest) {
  if (text.rfind(prefix, 0) != 0) return false;
  rest = text.substr(prefix.size());
  return true;
}

/// `others`: whether names of other SYCL compilers are accepted too.
std::string canonical_target(const std::string& name, bool others) {
  if (name == "host" || name == "opencl" || name == "vulkan") return name;
  if (others && is_target_of_others(name)) return "host,opencl,vulkan";
  throw std::invalid_argument("unknown target '" + name + "'; known are host, opencl, vulkan");
}

std::string canonical_targets(const std::string& list, bool others) {
  std::string result;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin)
      result += (result.empty() ? "" : ",") + canonical_target(list.substr(begin, end - begin), others);
    begin = end + 1;
  }
  if (result.empty())
    throw std::invalid_argument("--targets needs a list, for example --targets=host,opencl,vulkan");
  return result;
}

bool stops_before_linking(const std::string& argument) {
  for (const char* option : {"-c", "-S", "-E", "-fsyntax-only", "-M", "-MM", "--precompile", "-emit-ast"})
    if (argument == option) return true;
  return false;
}

/// `language`: of the last -x before the input; empty without one.
bool is_header(const std::string& input, const std::string& language) {
  const auto ends_with = [](const std::string& text, std::string_view end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
  };
  if (!language.empty() && language != "none") return ends_with(language, "-header");
  for (const std::string_view end : {".h", ".hh", ".hp", ".hpp", ".hxx", ".h++", ".H"})
    if (ends_with(input, end)) return true;
  return false;
}

/// By its name, or by `language`, the value of -x, if that is not empty.
bool is_source(const std::string& input, const std::string& language) {
  if (!language.empty() && language != "none") return language == "c++";
  if (input == "-") return true;
  const std::size_t dot = input.rfind('.');
  if (dot == std::string::npos) return false;
  for (const char* ending : {".cpp", ".cc", ".cxx", ".C", ".c++", ".CPP", ".cp", ".ii"})
    if (input.compare(dot, std::string::npos, ending) == 0) return true;
  return false;
}

/// Options after which there is neither an object nor a program.
bool stops_before_compiling(const std::string& argument) {
  for (const char* option : {"-E", "-fsyntax-only", "-M", "-MM", "--precompile", "-emit-ast"})
    if (argument == option) return true;
  return false;
}

bool is_own_option(const std::string& argument, request& result) {
  std::string value;
  if (take_prefix(argument, "--targets=", value))
    return result.targets = canonical_targets(value, false), true;
  if (take_prefix(argument, "-fsycl-targets=", value))
    return result.targets = canonical_targets(value, true), true;
  if (take_prefix(argument, "--check=", value)) {
    if (value != "access") throw std::invalid_argument("unknown check '" + value + "'; known is access");
    return result.checks_access = true;
  }
  if (argument == "--stdpar") return result.offloads_standard_algorithms = true;
  if (argument == "--device-pass") return result.has_device_pass = true;
  if (argument == "--no-header-cache") return result.keeps_headers_parsed = true;
  if (argument == "--reproducible") return result.reproducible = true;
  if (argument == "--help" || argument == "--prism-help") return result.help = true;
  if (argument == "--version") return result.version = true;
  if (argument == "-Wprism-target") return result.target_warnings = "on", true;
  if (argument == "-Wno-prism-target") return result.target_warnings = "off", true;
  if (argument == "-Werror=prism-target") return result.target_warnings = "error", true;
  if (argument == "-Wprism-kernel-names") return result.warns_of_names = true;
  if (argument == "-Wno-prism-kernel-names") return result.warns_of_names = false, true;
  return false;
}

} // namespace

bool takes_a_value(const std::string& argument) {
  for (const char* option :
       {"-o",          "-x",      "-I",       "-D",       "-U",      "-L",       "-l",     "-MF",
        "-MT",         "-MQ",     "-isystem", "-include", "-Xclang", "-Xlinker", "-mllvm", "-target",
        "-idirafter",  "-iquote", "-imacros", "-T",       "-u",      "-z",       "-arch",  "-Xpreprocessor",
        "-Xassembler", "-e",      "-rpath"})
    if (argument == option) return true;
  return false;
}

request parse(const std::vector<std::string>& arguments) {
  request result;
  bool only_headers = true;
  std::string language;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--targets") {
      if (++i == arguments.size())
        throw std::invalid_argument("--targets needs a list, for example --targets=host,opencl,vulkan");
      result.targets = canonical_targets(arguments[i], false);
      continue;
    }
    if (is_own_option(argument, result)) continue;
    if (std::optional<translation> known = translate(argument)) {
      result.rest.insert(result.rest.end(), known->options.begin(), known->options.end());
      if (!known->warning.empty()) result.warnings.push_back(known->warning);
      if (known->takes_the_next_word) ++i;
      continue;
    }
    result.rest.push_back(argument);
    if (stops_before_linking(argument)) result.links = false;
    if (argument == "-E") result.preprocesses = true;
    if (stops_before_compiling(argument)) result.compiles = false;
    if (takes_a_value(argument)) {
      if (i + 1 < arguments.size()) result.rest.push_back(arguments[++i]);
      if (argument == "-x") language = result.rest.back();
    } else if (argument == "-" || argument.rfind("-", 0) != 0) {
      result.has_input = true;
      only_headers = only_headers && is_header(argument, language);
      if (is_source(argument, language)) result.sources.push_back(argument);
    } else if (argument.rfind("-x", 0) == 0) {
      language = argument.substr(2);
    }
  }
  if (result.has_input && only_headers) result.links = false; // clang precompiles them
  return result;
}

namespace {

/// Whether the user asked for remarks on optimisations, which need source locations to the end.
bool asks_for_remarks(const request& asked) {
  for (const std::string& argument : asked.rest)
    if (argument.rfind("-R", 0) == 0 || argument.rfind("-fsave-optimization-record", 0) == 0 ||
        argument.rfind("-foptimization-record", 0) == 0)
      return true;
  return false;
}

} // namespace

std::vector<std::string> clang_command(const request& asked, const places& where) {
  std::vector<std::string> command = {where.clang.string()};
  if (!asked.has_input) { // -print-..., -###, -v alone: clang handles these by itself
    command.insert(command.end(), asked.rest.begin(), asked.rest.end());
    return command;
  }
  const std::string plugin = where.plugin.string();
  // -load makes the plugin's options known before clang reads them; -fpass-plugin runs the plugin. -Rpass=^$
  // matches no remark. It makes clang keep source locations, for messages, without writing debug information.
  // The compiler defines SYCL_LANGUAGE_VERSION, because libraries test it before they include SYCL.
  // __PRISM_COMPILER__ lets the headers recognise prism++.
  for (std::string option :
       {std::string("-fpass-plugin=" + plugin), std::string("-Xclang"), std::string("-load"),
        std::string("-Xclang"), plugin, std::string("-Rpass=^$"),
        std::string("-DSYCL_LANGUAGE_VERSION=202012L"), std::string("-D__PRISM_COMPILER__=1")})
    command.push_back(std::move(option));
  // Named again, /usr/include would stand before the C++ library's folders, whose #include_next would find
  // nothing.
  if (where.include.lexically_normal() != "/usr/include")
    command.insert(command.end(), {"-isystem", where.include.string()});
  if (!asks_for_remarks(asked))
    command.insert(command.end(), {"-Xclang", "-mllvm", "-Xclang", "-prism-drop-locations"});
  if (!asked.targets.empty())
    command.insert(command.end(), {"-Xclang", "-mllvm", "-Xclang", "-prism-targets=" + asked.targets});
  if (asked.target_warnings != "on")
    command.insert(command.end(),
                   {"-Xclang", "-mllvm", "-Xclang", "-prism-target-warnings=" + asked.target_warnings});
  if (!asked.warns_of_names)
    command.insert(command.end(), {"-Xclang", "-mllvm", "-Xclang", "-prism-name-warnings=off"});
  // Always defined, because clang compares the macros of a precompiled header with those of the command line:
  // a header that was precompiled without the check, in which accessors do not check, is an error.
  command.push_back(asked.checks_access ? "-D__PRISM_CHECKS__=access" : "-D__PRISM_CHECKS__=none");
  if (asked.checks_access)
    command.insert(command.end(),
                   {"-D__PRISM_CHECK_ACCESS__=1", "-Xclang", "-mllvm", "-Xclang", "-prism-check=access"});
  if (asked.reproducible) command.push_back("-D__PRISM_REPRODUCIBLE__=1");
  if (asked.offloads_standard_algorithms) {
    for (const std::filesystem::path& folder : where.standard_algorithms)
      if (folder != where.include) command.insert(command.end(), {"-isystem", folder.string()});
    command.insert(command.end(),
                   {"-include", "prism/stdpar.hpp", "-Xclang", "-mllvm", "-Xclang", "-prism-stdpar"});
  }
  command.push_back("-Wno-unused-command-line-argument");
  // An error in a kernel's body comes through many templates of the headers, of which the first and last say
  // enough.
  command.push_back("-ftemplate-backtrace-limit=4");
  command.push_back(
      "-Wno-error=c++11-narrowing"); // range<1>{int}, which g++ and compilers behind it only warn of
  command.insert(command.end(), asked.rest.begin(), asked.rest.end());
  if (asked.reproducible) // after the user's options, of which some permit contraction
    command.insert(command.end(), {"-fno-fast-math", "-ffp-contract=off"});
  if (asked.links) {
    const std::string library = where.library.string();
    command.insert(command.end(), {"-B" + where.linkers.string(), "-L" + library, "-Wl,-rpath," + library});
    if (asked.offloads_standard_algorithms) command.push_back("-lprism_stdpar");
    command.push_back("-lprism");
  }
  return command;
}

std::string help_text() {
  return "prism++: compiles SYCL programs. All options of clang++ are accepted and passed on.\n"
         "\n"
         "  prism++ [options] file...\n"
         "\n"
         "  --targets=LIST              kernel images to put into the program: host,opencl,vulkan (default: "
         "all);\n"
         "                              a launch on a target without an image throws kernel_not_supported\n"
         "  -fsycl-targets=LIST         the same; names of other SYCL compilers (spir64, nvptx64-...) mean "
         "all targets\n"
         "  -fsycl, -fsycl-...          accepted, as are -Xsycl-target-..., -qopenmp, -fp-model=, "
         "--acpp-..., so that\n"
         "                              build files of other SYCL compilers work; an option without effect "
         "causes a warning\n"
         "  --reproducible              the same bits on every device: fixed orders of reductions, scans and "
         "group algorithms,\n"
         "                              no contraction; sums whose order cannot be fixed are errors\n"
         "  --check=access              at run time, report each index outside of its accessor: kernel, "
         "work-item and line;\n"
         "                              with PRISM_CHECK=access also host code that uses memory while a "
         "device uses it\n"
         "  --device-pass               compile device code by a pass of its own, which defines "
         "__SYCL_DEVICE_ONLY__\n"
         "  --stdpar                    run standard algorithms with std::execution::par_unseq on the "
         "default device;\n"
         "                              see docs/standard-algorithms.md\n"
         "  --no-header-cache           parse sycl.hpp as text; otherwise the second compilation with the "
         "same options\n"
         "                              precompiles it, see docs/projects.md\n"
         "  -W[no-]prism-target         warn of kernels that one target cannot run (on by default)\n"
         "  -Werror=prism-target        make that an error\n"
         "  -W[no-]prism-kernel-names   warn of two kernels with the same name (on by default)\n"
         "  -ftime-report               print where the compiler spent its time, with a table of PRISM's "
         "passes\n"
         "  --help, --version           print this text; print the versions of PRISM and clang\n"
         "\n"
         "Examples: prism++ -O2 a.cpp -o a        prism++ --targets=host,vulkan -c -MD a.cpp\n"
         "Environment: PRISM_CLANG names the clang++ to use; PRISM_DUMP_IR=folder writes every kernel's IR "
         "and images.\n";
}

} // namespace prism::driver
