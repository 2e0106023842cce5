// Libraries of other vendors that a row compares with, opened where they are installed: no header of theirs
// is needed, and a machine without them leaves the row out by name. An opened library stays open.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

/// A library or one of its parts is not there: the row is left out, with this reason.
struct not_there : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class shared_library {
public:
  /// `stem` as in "libnvrtc": the first that can be opened of the loader's own and of those in the folders of
  /// LD_LIBRARY_PATH, CUDA, NVIDIA's containers and Python's packages, there the newest first. Throws
  /// not_there.
  explicit shared_library(const std::string& stem);
  const std::string& file() const { return m_file; }
  /// Throws not_there.
  template <typename Function>
  void find(const char* name, Function*& out) const {
    out = reinterpret_cast<Function*>(address_of(name));
  }

private:
  void* address_of(const char* name) const;
  void* m_handle = nullptr;
  std::string m_file;
};

/// The patterns of folders in which shared_library looks, in this order.
std::vector<std::string> library_folder_patterns();

} // namespace bench
