// Where the provider under test runs: on the host, or on the first OpenCL device with a given name. Handles
// memory and the lifetime of plans, and returns results as operands.
#pragma once

#include "tests/providers/conformance/job.hpp"

#include <memory>

namespace provider_test {

/// The provider that the command line names.
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
  /// Waits for the device. Returns the status of run, and the operands afterwards in `after`.
  virtual prism_status run(const prism_provider_plan* plan, const job& what, std::uint32_t threads,
                           std::vector<operand>& after, std::string& why) = 0;
  virtual std::string name() const = 0;
};
/// The present devices of all kinds that the provider supports; for the others `missing` has the reason.
const std::vector<std::unique_ptr<target>>& all_targets();
const std::vector<std::string>& missing_targets();
std::unique_ptr<target> make_opencl_target(std::string& why);

struct plan_dropper {
  void operator()(prism_provider_plan* plan) const { the_subject().table->drop(plan); }
};
using plan_ptr = std::unique_ptr<prism_provider_plan, plan_dropper>;

prism_provider_support query(const target& on, const prism_provider_operation& what);
/// Null, with the provider's reason, if it rejects the operation.
plan_ptr plan(const target& on, const prism_provider_operation& what, std::string* why = nullptr,
              prism_status* status = nullptr);
/// Empty if the provider's result agrees with the reference; otherwise it describes the difference.
std::string wrong_result(target& on, const job& what, std::uint32_t threads = 1);

} // namespace provider_test
