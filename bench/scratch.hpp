// A folder of generated sources and of what is built from them, deleted with its object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace bench {

class scratch {
public:
  scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "prism-bench-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make a temporary folder");
    m_folder = pattern;
  }
  scratch(const scratch&) = delete;
  ~scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(m_folder, ignored);
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(m_folder / name) << text;
    return path(name);
  }
  std::string path(const std::string& name) const { return (m_folder / name).string(); }

private:
  std::filesystem::path m_folder;
};

} // namespace bench
