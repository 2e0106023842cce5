// An operation with data of one size on one queue, and with its correct result. The tuner, the measurements
// and prism-tune run it.
#pragma once

#include "kernels/trials/operations.hpp"

#include <memory>
#include <optional>

namespace prism::trials {

using blas::block_family;

class trial_job {
public:
  virtual ~trial_job() = default;
  virtual workload work() const = 0;
  /// Empty for an operation without parameters.
  virtual std::optional<parameter_space> space(block_family family = block_family::powers_of_two) const;
  virtual configuration initial(block_family family = block_family::powers_of_two) const;
  /// Submits once with these parameters, for the caller's own measurements.
  virtual void submit(const configuration& how);
  /// Whether the last result is correct.
  virtual bool is_right() const = 0;
  /// Overwrites the last result, so that is_right detects a kernel that does nothing.
  virtual void spoil() = 0;
  /// Runs and checks every variant that the queue's device supports, and stores the results. Variants that
  /// refuse jobs of this size are left out.
  virtual std::vector<trial> measure(const operations& all) = 0;
  /// The variant that the family would choose for this job, with the reason.
  virtual variant_choice choice(const operations& all) const = 0;
  virtual std::vector<variant_tier> tiers(const operations& all) const = 0;

  /// For the tuner: overwrites the result, runs, measures and checks.
  std::pair<seconds, bool> run(const configuration& how);
  /// The key of the operation's parameters.
  tuning_key key() const;
  sycl::queue& queue() { return m_queue; }

protected:
  trial_job(std::string operation, sycl::queue queue)
      : m_operation(std::move(operation)), m_queue(std::move(queue)) {}
  /// Returns is_right, and overwrites the result.
  bool checked();
  std::string m_operation;
  mutable sycl::queue m_queue;
};

/// "gemm", "gemm double", "reduce", "scan", "fft", "smith-waterman".
const std::vector<std::string>& trial_operations();
/// Whether the device has the type of the operation's elements.
bool runs_trials_of(const sycl::device& device, const std::string& operation);
/// `size`: rows of square matrices, elements, or reads of a hundred bases against a genome of 20,000. Throws
/// sycl::exception (invalid) for an unknown operation, and for a size that is 0 or too large for the loop of
/// one work-item.
std::unique_ptr<trial_job> make_trial_job(const std::string& operation, const sycl::queue& queue,
                                          std::size_t size);
/// Typical sizes for a first measurement, ascending.
std::vector<std::size_t> usual_sizes(const std::string& operation);

} // namespace prism::trials
