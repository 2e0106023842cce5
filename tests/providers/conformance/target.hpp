// Where a provider under test runs: the host, or the first OpenCL device of a name. One place for what tests
// would repeat: memory, plans that are dropped, the result back as operands.
#pragma once

#include "tests/providers/conformance/job.hpp"

#include <memory>

namespace provider_test {

/// The provider that the kit was started with.
struct subject {
  const prism_provider* table = nullptr;
  prism_provider_state* state = nullptr;
  std::string opencl_device = "Portable"; // a part of its name
};
subject& the_subject();

class target {
public:
  virtual ~target() = default;
  virtual const prism_provider_device& device() const = 0;
  /// The status of run and the operands afterwards, in `after`. Waits for the device.
  virtual prism_status run(const prism_provider_plan* plan, const job& what, std::uint32_t threads,
                           std::vector<operand>& after, std::string& why) = 0;
  virtual std::string name() const = 0;
};
/// All kinds of device that the provider serves and that are here; for the others `missing` says why not.
const std::vector<std::unique_ptr<target>>& all_targets();
const std::vector<std::string>& missing_targets();
std::unique_ptr<target> make_opencl_target(std::string& why);

struct plan_dropper {
  void operator()(prism_provider_plan* plan) const { the_subject().table->drop(plan); }
};
using plan_ptr = std::unique_ptr<prism_provider_plan, plan_dropper>;

prism_provider_support query(const target& on, const prism_provider_operation& what);
/// Null with the provider's words.
plan_ptr plan(const target& on, const prism_provider_operation& what, std::string* why = nullptr,
              prism_status* status = nullptr);
/// Empty when the provider computes the job as the reference does; what was wrong otherwise.
std::string wrong_result(target& on, const job& what, std::uint32_t threads = 1);

} // namespace provider_test
