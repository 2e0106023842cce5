// Interface for choosing another build of a kernel at its launch. A device has one only if specialisation was
// requested, so that other launches cost one load and a branch. Any thread.
#pragma once

#include "runtime/execution/submission_method.hpp"
#include "runtime/launch/prepare_kernel.hpp"

#include <memory>
#include <vector>

namespace prism::runtime {

class build_chooser {
public:
  virtual ~build_chooser() = default;
  /// May replace the build of the kernel. Returns a submission method if the launch must be submitted to `on`
  /// in another way, otherwise null. Call when the captured block is complete.
  virtual std::unique_ptr<submission_method> choose(prepared_kernel& kernel, driver_queue& on) = 0;
  /// From its next launch on, the kernel is observed and specialised for its values without waiting for
  /// repetitions.
  virtual void request(const image::kernel_record& record) = 0;
  /// Removes and returns the state of records whose module is unloaded.
  virtual std::vector<std::shared_ptr<void>> forget(const image::kernel_record* first,
                                                    std::uint64_t count) = 0;
  /// Evaluates times measured since the last call.
  virtual void collect() = 0;
  virtual void report(std::vector<specialised_kernel>& into) = 0;
};

} // namespace prism::runtime
