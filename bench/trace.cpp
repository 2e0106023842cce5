// The cost of a trace for the programs that write one: for a command of many, and for a second with commands
// at a steady rate.
#include "bench/child.hpp"
#include "bench/rows.hpp"

#include <algorithm>
#include <filesystem>

namespace bench {

namespace {

/// Processor time of all threads of a program that submits many commands, including its start and writing the
/// file, divided by `shares`. Not the wall clock, which would include the driver's threads.
class traced_program {
public:
  traced_program(const options& how, const sycl::device& device, std::vector<std::string> words,
                 double shares)
      : m_command(std::move(words)), m_selector(selector(device)), m_shares(shares) {
    m_command.insert(m_command.begin(), how.programs + "/prism-bench-commands");
  }
  ~traced_program() {
    std::error_code ignored;
    std::filesystem::remove(m_file, ignored);
  }
  series measured(int rounds) const {
    return alternate(rounds, [&] { return run("PRISM_TRACE=" + m_file.string()); },
                     [&] { return run("PRISM_TRACE="); });
  }

private:
  times run(const std::string& setting) const {
    times spent = run_child(m_command, {m_selector, setting});
    spent.wall = spent.processor /= m_shares;
    return spent;
  }
  const std::filesystem::path m_file = std::filesystem::temp_directory_path() / "prism-bench-trace.json";
  std::vector<std::string> m_command;
  std::string m_selector;
  double m_shares;
};

} // namespace

void measure_trace(report& out, const options& how, const sycl::device& device) try {
  if (how.quick) return out.skip("trace", label(device), "left out by --quick");
  constexpr int commands = 20'000, rate = 10'000, seconds = 4;
  // A hundredth of the 100 us between two commands at that rate.
  out.add({"trace",
           "bursts",
           label(device),
           "a kernel with PRISM_TRACE, all threads",
           "without",
           traced_program(how, device, {std::to_string(commands)}, commands).measured(how.rounds),
           {goal::kind::excess, 1e-6}});
  const traced_program paced(how, device, {std::to_string(rate * seconds), "10", std::to_string(rate)},
                             seconds);
  out.add({"trace",
           "10,000 a second",
           label(device),
           "a second of 10,000 kernels with PRISM_TRACE, all threads",
           "without",
           paced.measured(std::min(how.rounds, 7)),
           {goal::kind::excess, 10e-3}});
} catch (const std::exception& error) {
  out.skip("trace", label(device), error.what(), true);
}

} // namespace bench
