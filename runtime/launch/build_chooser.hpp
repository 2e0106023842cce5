// Who may choose another build of a kernel for a launch. A device has one only where something asked for it,
// so that launches elsewhere cost one load and a branch. Any thread.
#pragma once

#include "runtime/execution/submission_method.hpp"
#include "runtime/launch/prepare_kernel.hpp"

#include <memory>
#include <vector>

namespace prism::runtime {

class build_chooser {
public:
  virtual ~build_chooser() = default;
  /// The launch may get another build of its kernel, and be submitted to `on` otherwise than usual: then not
  /// null. After the captured block is complete.
  virtual std::unique_ptr<submission_method> choose(prepared_kernel& kernel, driver_queue& on) = 0;
  /// From its next launch on the kernel is watched, and its values are wanted at once.
  virtual void request(const image::kernel_record& record) = 0;
  /// What is known of records that go away.
  virtual std::vector<std::shared_ptr<void>> forget(const image::kernel_record* first,
                                                    std::uint64_t count) = 0;
  /// Times that have come in meanwhile are looked at.
  virtual void collect() = 0;
  virtual void report(std::vector<specialised_kernel>& into) = 0;
};

} // namespace prism::runtime
