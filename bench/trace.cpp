// What a trace costs the programs that write one: a command of many, and a second in which commands come at
// an even pace.
#include "bench/child.hpp"
#include "bench/rows.hpp"

#include <algorithm>
#include <filesystem>

namespace bench {

namespace {

/// Processor time of all threads of a program of so many commands, with its start and the writing of the
/// file, for each `share` of it; the wall clock has the other side of the machine in it.
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
  // A hundredth of the 100 us that a command has at that rate.
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
