// The commands of prism-tune. Each prints to standard output and returns the exit status; they throw
// sycl::exception.
#pragma once

#include <prism/prism.hpp>

#include <string>
#include <vector>

namespace prism::tune_tool {

enum exit_status { good = 0, nothing_right = 1, usage = 2, interrupted = 130 };

struct request {
  std::string database;                // file; empty: the usual one
  std::vector<std::string> operations; // empty: all that the command knows
  std::string device; // as in prism::by_name; empty: the default device, or all where a command takes all
  std::vector<std::size_t> sizes; // empty: the usual ones
  std::string search = "model", family = "powers", file;
  std::size_t trials = 100, patience = 30;
  double seconds = 60;
  unsigned seed = 1;
};

/// Searches the best parameters of operations that have parameters, with a progress bar. Does not repeat
/// trials that are in the database.
int run(const request& r);
/// Measures every variant of operations, and prints for each size range the fastest one.
int variants(const request& r);
/// Measures bandwidths, rates and latencies of devices. Descriptions use these figures from then on.
int measure(const request& r);
/// Lists operations, their variants and the requirements of these.
int list(const request& r);
/// Lists the stored results of an operation, fastest first.
int show(const request& r);
/// Operation x device: the best stored result of each, for the devices of this machine.
int matrix(const request& r);
int export_to(const request& r);
int import_from(const request& r);
int forget(const request& r);

/// Whether SIGINT was received. The current trial is completed and stored.
bool stopped() noexcept;

/// On a terminal one line that is redrawn; elsewhere a line each time that `done` passes another fifth.
/// Writes to standard error.
class progress_bar {
public:
  explicit progress_bar(std::string title);
  void show(std::size_t done, std::size_t planned, const std::string& best);
  void end();

private:
  std::string m_title;
  bool m_terminal;
  std::size_t m_fifth = 0;
};

std::vector<sycl::device> devices_of(const request& r);
std::string label(const sycl::device& device);

} // namespace prism::tune_tool
