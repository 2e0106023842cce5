// Programs as executable graphs of their steps (pieces.hpp). The last graphs are cached for loops, because
// recording and preparing one takes 0.3 to 1 ms. A graph contains the pointers and numbers of its program.
// Expressions in a loop have the same ones in each iteration, because freed memory is allocated again.
#pragma once

#include "kernels/array/pieces.hpp"

#include <list>
#include <string>

namespace prism::array_detail {

/// Of one device. The caller holds the device's lock.
class fused_graphs {
public:
  /// Runs the steps of `p`, whose fold is not run. `only_built`: only if the driver need not build anything
  /// for it; otherwise returns false and does nothing.
  bool run(sycl::queue& queue, arithmetic kind, const program& p, bool only_built);
  /// Forgets all, before memory is freed that they may use.
  void clear() { m_known.clear(); }

private:
  struct known_graph {
    std::string key;
    command_graph<graph_state::executable> graph;
    std::vector<piece_value> values; // which must live as long
  };
  bool run_known(sycl::queue& queue, const std::string& key);

  static constexpr std::size_t most_known = 32;
  std::list<known_graph> m_known; // the last used one first
};

} // namespace prism::array_detail
