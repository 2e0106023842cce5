// The interface through which hazards query whether a command has finished, and how.
#pragma once

#include <memory>

namespace prism::runtime {

class completable {
public:
  virtual ~completable() = default;
  virtual bool finished() const = 0;
  /// Finished, and this is known without a query to a driver.
  virtual bool known_finished() const = 0;
  /// How it finished: `failed`, and the program has not received the failure yet, or it has.
  enum class outcome { valid, failed, failed_and_reported };
  /// Only if it is finished.
  virtual outcome result() const = 0;
};
using completable_ref = std::shared_ptr<completable>;

} // namespace prism::runtime
