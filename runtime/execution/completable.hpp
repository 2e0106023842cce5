// The interface through which hazards query whether a command has finished.
#pragma once

#include <memory>

namespace prism::runtime {

class completable {
public:
  virtual ~completable() = default;
  virtual bool finished() const = 0;
  /// Finished, and this is known without a query to a driver.
  virtual bool known_finished() const = 0;
};
using completable_ref = std::shared_ptr<completable>;

} // namespace prism::runtime
