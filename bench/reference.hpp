// NumPy, SciPy and PyTorch in a process of their own (reference.py), which takes turns with this one.
#pragma once

#include "bench/measure.hpp"

#include <cstdio>
#include <string>

#include <sys/types.h>

namespace bench {

class python_reference {
public:
  /// Starts Debian's python3 with the script. Throws std::runtime_error if it cannot.
  explicit python_reference(const std::string& script);
  ~python_reference();
  python_reference(const python_reference&) = delete;

  /// Why the case cannot run here; empty: it can.
  std::string obstacle(const std::string& words);
  /// Runs the case once. Throws std::runtime_error if it cannot run.
  times run(const std::string& words);

private:
  std::string answer(const std::string& words);

  pid_t m_child = 0;
  std::FILE *m_to = nullptr, *m_from = nullptr;
};

} // namespace bench
