#include "bench/child.hpp"
#include "bench/rows.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace bench {

namespace {

/// A folder of sources that goes away with this object.
class scratch {
public:
  scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "prism-bench-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make a temporary folder");
    m_folder = pattern;
  }
  ~scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(m_folder, ignored);
  }
  std::string write(const char* name, const std::string& text) const {
    std::ofstream(m_folder / name) << text;
    return (m_folder / name).string();
  }
  std::string path(const char* name) const { return (m_folder / name).string(); }

private:
  std::filesystem::path m_folder;
};

} // namespace

void measure_header(report& out, const options& how) try {
  const scratch files;
  const std::string ours = files.write("ours.cpp", "#include <sycl/sycl.hpp>\nint main() {}\n");
  // What a C++ programmer includes anyway, and what sycl.hpp itself includes.
  const std::string theirs = files.write("theirs.cpp", "#include <algorithm>\n#include <cmath>\n#include <functional>\n"
                                                       "#include <memory>\n#include <string>\n#include <vector>\nint main() {}\n");
  const goal wanted{goal::kind::ours, 1.0};
  const auto syntax = [&](const std::string& source) {
    return run_child({how.clang, "-std=c++17", "-fsyntax-only", "-I" + how.headers, source});
  };
  out.add({"header", "syntax", "clang++", "clang++ -fsyntax-only of sycl.hpp", "six standard headers",
           alternate(how.rounds, [&] { return syntax(ours); }, [&] { return syntax(theirs); }), wanted});
  const auto object = [&](const std::string& compiler, const std::string& source) {
    return run_child({compiler, "-std=c++17", "-c", source, "-o", files.path("out.o")});
  };
  out.add({"header", "object", "prism++", "prism++ -c of sycl.hpp", "clang++ -c of six standard headers",
           alternate(how.rounds, [&] { return object(how.programs + "/prism++", ours); },
                     [&] { return object(how.clang, theirs); }), wanted});
} catch (const std::exception& error) {
  out.skip("header", "clang++", error.what(), true);
}

} // namespace bench
