// What hazards know of a command: whether it has finished.
#pragma once

#include <memory>

namespace prism::graph {

class node {
public:
  virtual ~node() = default;
  virtual bool finished() const = 0;
  /// Finished, and known to be so without asking a driver.
  virtual bool known_finished() const = 0;
};
using node_ref = std::shared_ptr<node>;

} // namespace prism::graph
