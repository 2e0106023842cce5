// One operation, several kernels: the one that the device can run and that is predicted to be fastest there
// is taken, the fallback when no other fits. A variant is any callable that submits to a queue: a SYCL
// kernel, OpenCL C or a SPIR-V module through interop, a library.
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
      needs;        // entries as of execution_policy::require; "opencl" or "gpu" makes it a target
  double speed = 1; // a hint: how much faster than the prediction of the workload
  std::function<workload(const workload&)>
      model; // the work this variant does for a job; empty: the job itself
  bool is_fallback = false;
};

struct variant_choice {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t index = none;
  seconds predicted{0};
  std::vector<std::string> lines; // one a variant: chosen, slower, or what it lacks
  std::string explain() const;
};

/// Pure: which variant for this work on this device. `forced` names one; it is taken where its needs are met
/// and refused by sycl::exception (invalid) where they are not, or where there is none of that name.
variant_choice choose_variant(const std::string& operation, const std::vector<variant_description>& variants,
                              const device_description& device, const workload& work,
                              const std::string& forced = "");
/// What PRISM_VARIANT asks for this operation; empty: nothing.
std::string forced_variant(const std::string& operation);

template <typename Signature>
class variants;

template <typename Result, typename... Arguments>
class variants<Result(sycl::queue&, Arguments...)> {
public:
  using function = std::function<Result(sycl::queue&, Arguments...)>;
  explicit variants(std::string operation) : m_operation(std::move(operation)) {}

  variants& add(std::string name, function run, std::vector<std::string> needs = {}, double speed = 1,
                std::function<workload(const workload&)> model = {}) {
    m_described.push_back({std::move(name), std::move(needs), speed, std::move(model), false});
    m_functions.push_back(std::move(run));
    return *this;
  }
  /// Taken where nothing else fits; has no needs.
  variants& fallback(std::string name, function run) {
    m_described.push_back({std::move(name), {}, 1, {}, true});
    m_functions.push_back(std::move(run));
    return *this;
  }

  variant_choice choose(const device_description& device, const workload& work) const {
    return choose_variant(m_operation, m_described, device, work, forced_variant(m_operation));
  }
  variant_choice choose(const sycl::device& device, const workload& work) const {
    return choose(describe(device), work);
  }
  const std::string& name_of(const variant_choice& choice) const { return m_described.at(choice.index).name; }

  /// Throws no_candidate when nothing fits and there is no fallback.
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
