#include "compiler/driver/device_pass.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include <sys/mman.h>
#include <unistd.h>

#include "compiler/driver/header_cache.hpp"
#include "compiler/driver/process.hpp"

namespace prism::driver {

namespace {

bool begins_with(const std::string& text, const char* prefix) {
  return text.compare(0, std::strlen(prefix), prefix) == 0;
}

/// A file in memory that the processes started from here can open by its path.
struct memory_file {
  int number;
  std::string path;
  explicit memory_file(const char* name) : number(memfd_create(name, 0)) {
    if (number < 0)
      throw std::runtime_error(std::string("no memory for the device's pass: ") + std::strerror(errno));
    path = "/proc/self/fd/" + std::to_string(number);
  }
  std::string content() const {
    std::string text;
    char part[1 << 14];
    lseek(number, 0, SEEK_SET);
    for (ssize_t count; (count = read(number, part, sizeof part)) > 0;) text.append(part, std::size_t(count));
    return text;
  }
};

/// Which list of dependencies the user asked for: -MD, -MMD or none.
std::string list_of_dependencies(const std::vector<std::string>& rest) {
  std::string list;
  for (const std::string& option : rest)
    if (option == "-MD" || option == "-MMD") list = option;
  return list;
}

void refuse_what_is_read_once(const std::string& source) {
  if (source == "-")
    throw std::invalid_argument("--device-pass compiles each source twice: name a file, not standard input");
  const std::size_t dot = source.rfind('.');
  if (dot != std::string::npos && (source.substr(dot) == ".ii" || source.substr(dot) == ".i"))
    throw std::invalid_argument("--device-pass needs the source of " + source +
                                ": after the preprocessor it has only the host's code");
}

std::vector<std::string> pass_command(const request& asked, const places& where, const std::string& source,
                                      const std::vector<std::string>& wanted) {
  request pass = asked;
  pass.links = false;
  pass.sources = {source};
  pass.rest = options_of_device_pass(asked.rest);
  for (const char* word : {"-D__SYCL_DEVICE_ONLY__=1", "-w"})
    pass.rest.push_back(word); // the other pass warns
  if (!asked.preprocesses) {
    const std::vector<std::string> headers = use_precompiled_headers(pass, where);
    pass.rest.insert(pass.rest.end(), headers.begin(), headers.end());
  }
  pass.rest.insert(pass.rest.end(), wanted.begin(), wanted.end());
  pass.rest.insert(pass.rest.end(), {"-x", "c++", source});
  return clang_command(pass, where);
}

int failed(int status, const std::string& source) {
  std::fprintf(stderr, "prism++: note: this is the pass of %s with __SYCL_DEVICE_ONLY__ (--device-pass)\n",
               source.c_str());
  return status;
}

/// The value of -o; empty: standard output.
std::string output_of(const std::vector<std::string>& rest) {
  std::string output;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == "-o" && i + 1 < rest.size()) output = rest[i + 1];
    else if (begins_with(rest[i], "-o")) output = rest[i].substr(2);
  }
  return output == "-" ? "" : output;
}

} // namespace

std::vector<std::string> options_of_device_pass(const std::vector<std::string>& rest) {
  std::vector<std::string> options;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const std::string& word = rest[i];
    const bool has_value = takes_a_value(word) && i + 1 < rest.size();
    bool is_left_out = !begins_with(word, "-") || word == "-";
    for (const char* whole :
         {"-c", "-S", "-E", "-MD", "-MMD", "-MP", "-MG", "-MV", "-M", "-MM", "-emit-llvm", "-x"})
      is_left_out |= word == whole;
    for (const char* begin :
         {"-o", "-MF", "-MT", "-MQ", "-save-temps", "--save-temps", "-fsave-optimization-record",
          "-foptimization-record", "-ftime-trace", "-Wl,", "-l", "-L", "-Rpass"})
      is_left_out |= begins_with(word, begin);
    if (!is_left_out) options.push_back(word);
    if (!is_left_out && has_value) options.push_back(rest[i + 1]);
    i += has_value;
  }
  return options;
}

std::vector<std::string> dependencies_of(const std::string& rule) {
  std::vector<std::string> files;
  std::string file;
  const auto end = [&] {
    if (!file.empty()) files.push_back(file);
    file.clear();
  };
  for (std::size_t i = rule.find(": ") == std::string::npos ? rule.size() : rule.find(": ") + 2;
       i < rule.size(); ++i) {
    const char c = rule[i], next = i + 1 < rule.size() ? rule[i + 1] : '\0';
    if (c == '\\' && next == '\n') end(), ++i;
    else if ((c == '\\' && (next == ' ' || next == '#')) || (c == '$' && next == '$')) file += next, ++i;
    else if (c == ' ' || c == '\n') end();
    else file += c;
  }
  end();
  if (!files.empty()) files.erase(files.begin());
  return files;
}

device_pass run_device_pass(const request& asked, const places& where) {
  device_pass result;
  std::string codes;
  const std::string list = list_of_dependencies(asked.rest);
  for (const std::string& source : asked.sources) {
    refuse_what_is_read_once(source);
    const memory_file code("device code"), rule("dependencies");
    std::vector<std::string> wanted = {"-emit-llvm", "-c",     "-o",      "/dev/null",
                                       "-Xclang",    "-mllvm", "-Xclang", "-prism-device-pass=" + code.path};
    if (!list.empty()) wanted.insert(wanted.end(), {list, "-MT", "pass", "-MF", rule.path});
    if (const int status = run_and_wait(pass_command(asked, where, source, wanted)); status != 0) {
      result.status = failed(status, source);
      return result;
    }
    codes += (codes.empty() ? "" : "\n") + source + "=" + code.path;
    for (const std::string& file : dependencies_of(rule.content()))
      result.options.insert(result.options.end(), {"-Xclang", "-fdepfile-entry=" + file});
    close(rule.number);
  }
  result.options.insert(result.options.end(),
                        {"-Xclang", "-mllvm", "-Xclang", "-prism-device-code=" + codes});
  return result;
}

int preprocess_both(const request& asked, const places& where, std::vector<std::string> host_command) {
  if (const int status = run_and_wait(std::move(host_command)); status != 0) return status;
  const std::string output = output_of(asked.rest);
  for (const std::string& source : asked.sources) {
    refuse_what_is_read_once(source);
    const memory_file text("device text");
    const int status = run_and_wait(pass_command(asked, where, source, {"-E", "-o", text.path}));
    if (status != 0) return failed(status, source);
    std::FILE* stream = output.empty() ? stdout : std::fopen(output.c_str(), "a");
    if (!stream) throw std::runtime_error("cannot write " + output + ": " + std::strerror(errno));
    const std::string all =
        "#if 0 // prism++ --device-pass: the device's pass\n" + text.content() + "\n#endif\n";
    const bool is_written = std::fwrite(all.data(), 1, all.size(), stream) == all.size();
    if ((stream == stdout ? std::fflush(stream) : std::fclose(stream)) != 0 || !is_written)
      throw std::runtime_error("cannot write " + (output.empty() ? "standard output" : output));
    close(text.number);
  }
  return 0;
}

} // namespace prism::driver
