// Programs as executable graphs of their steps (pieces.hpp). The last graphs are cached for loops, because
// recording and preparing one takes 0.3 to 1 ms. A graph contains the pointers and numbers of its program.
// Expressions in a loop have the same ones in each iteration, because freed memory is allocated again.
#pragma once

#include "kernels/array/pieces.hpp"

#include <sycl/event.hpp>

#include <list>
#include <string>

namespace prism::array_detail {

/// How a fold is fused with its steps: in chunks or not, and with the fold of its parts, if any.
struct fused_fold {
  bool in_chunks;
  const program* rest;
  std::int32_t* counters; // device_state::counters()
};

/// Of one device. The caller holds the device's lock.
class fused_graphs {
public:
  /// Runs the steps of `p`, and their fold if it is given. `only_built`: only if the driver need not build
  /// anything for it; otherwise returns false and does nothing. Throws errc::kernel_not_supported if the fold
  /// cannot be in one launch with the steps.
  bool run(sycl::queue& queue, arithmetic kind, const program& p, bool only_built, const fused_fold* fold);
  /// Forgets all, before memory is freed that they may use.
  void clear();

private:
  struct known_graph {
    std::string key;
    command_graph<graph_state::executable> graph;
    std::vector<piece_value> values; // which must live as long
    int place = -1;                  // of its fold's programs
    sycl::event last;                // its last execution
  };
  /// Memory for two programs that no graph uses; its number is `place`.
  program* programs_of_fold(sycl::queue& queue, int& place);
  void forget(std::list<known_graph>::iterator graph);
  bool run_known(sycl::queue& queue, const std::string& key);

  static constexpr std::size_t most_known = 32;
  std::list<known_graph> m_known; // the last used one first
  program* m_programs = nullptr;  // two for each graph: of its fold, and of the fold of the parts
  std::vector<program> m_copied;  // host memory for each of m_programs; empty if they are host memory
  std::vector<int> m_free_places;
};

} // namespace prism::array_detail
