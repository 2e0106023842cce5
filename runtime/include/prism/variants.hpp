// An operation with several implementations. Of the variants that the device can run, the one with the
// shortest predicted time is used; if none fits, the fallback. A variant is any callable that submits to a
// queue: a SYCL kernel, OpenCL C or a SPIR-V module through interop, or a library call.
//
//   prism::variants<sycl::event(sycl::queue&, float*, std::size_t)> scale("scale");
//   scale.add("sub-group", by_sub_groups, {"subgroups>=2"}, 1.5).fallback("plain", plain);
//   scale(queue, work, data, n);
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/devices.hpp>
#include <prism/selection.hpp>
#include <sycl/queue.hpp>

#include <functional>
#include <utility>

namespace prism {

struct variant_description {
  std::string name;
  std::vector<std::string>
      needs;        // entries as in execution_policy::require; "opencl" or "gpu" restricts it to such devices
  double speed = 1; // a hint: the predicted time of the workload is divided by it
  std::function<workload(const workload&)>
      model; // returns the work that this variant does for a job; empty: the job itself
  bool is_fallback = false;
};

struct variant_choice {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t index = none;
  seconds predicted{0};
  std::vector<std::string> lines; // one per variant: that it was chosen, is slower, or what the device lacks
  /// Returns the lines as one text.
  std::string explain() const;
};

/// Chooses the variant for this work on this device. Pure. `forced` is the name of the variant to use. Throws
/// sycl::exception (invalid) if there is no variant of that name or the device does not meet its needs.
variant_choice choose_variant(const std::string& operation, const std::vector<variant_description>& variants,
                              const device_description& device, const workload& work,
                              const std::string& forced = "");
/// Returns the variant that PRISM_VARIANT requests for this operation; empty: none.
std::string forced_variant(const std::string& operation);

template <typename Signature>
class variants;

template <typename Result, typename... Arguments>
class variants<Result(sycl::queue&, Arguments...)> {
public:
  using function = std::function<Result(sycl::queue&, Arguments...)>;
  explicit variants(std::string operation) : m_operation(std::move(operation)) {}

  /// Adds a variant; see variant_description for the parameters.
  variants& add(std::string name, function run, std::vector<std::string> needs = {}, double speed = 1,
                std::function<workload(const workload&)> model = {}) {
    m_described.push_back({std::move(name), std::move(needs), speed, std::move(model), false});
    m_functions.push_back(std::move(run));
    return *this;
  }
  /// Adds the fallback. It has no needs and is used if no other variant fits.
  variants& fallback(std::string name, function run) {
    m_described.push_back({std::move(name), {}, 1, {}, true});
    m_functions.push_back(std::move(run));
    return *this;
  }

  /// Returns the choice for a job on a device; index is variant_choice::none if no variant fits and there is
  /// no fallback.
  variant_choice choose(const device_description& device, const workload& work) const {
    return choose_variant(m_operation, m_described, device, work, forced_variant(m_operation));
  }
  variant_choice choose(const sycl::device& device, const workload& work) const {
    return choose(describe(device), work);
  }
  const std::string& name_of(const variant_choice& choice) const { return m_described.at(choice.index).name; }

  /// Runs the chosen variant. Throws no_candidate if no variant fits and there is no fallback.
  template <typename... Given>
  Result operator()(sycl::queue& queue, const workload& work, Given&&... arguments) const {
    const variant_choice choice = choose(queue.get_device(), work);
    if (choice.index == variant_choice::none) throw no_candidate(choice.explain(), {});
    return m_functions[choice.index](queue, std::forward<Given>(arguments)...);
  }

private:
  std::string m_operation;
  std::vector<variant_description> m_described;
  std::vector<function> m_functions;
};

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
