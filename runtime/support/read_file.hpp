// Files that a person or another program wrote, read whole with a bound: a pipe's writer may never come, a
// device has no end, and a file of gigabytes is not what was asked for.
#pragma once

#include <cstddef>
#include <string>

namespace prism::support {

struct file_bytes {
  std::string bytes;
  std::string problem; // why there are none, as the end of a sentence: "cannot be read: No such file or
                       // directory"; empty: read
};

/// Reads a regular file of at most `most` bytes. Never waits for other processes.
file_bytes read_file(const std::string& file, std::size_t most);

} // namespace prism::support
