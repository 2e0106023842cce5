// An operation with data of one size on one queue, its right result known: what the tuner, the measurements
// and prism-tune try.
#pragma once

#include <prism/kernels/operations.hpp>
#include <prism/kernels/tunable.hpp>

#include <memory>
#include <optional>

namespace prism::kernels {

class trial_job {
public:
  virtual ~trial_job() = default;
  virtual workload work() const = 0;
  /// Empty for an operation without parameters.
  virtual std::optional<parameter_space> space(block_family family = block_family::powers_of_two) const;
  virtual configuration initial(block_family family = block_family::powers_of_two) const;
  /// Submits once with these parameters, for measurements of one's own.
  virtual void submit(const configuration& how);
  /// Whether what was computed last is right.
  virtual bool is_right() const = 0;
  /// Forgets the last result, so that a kernel which does nothing is found out.
  virtual void spoil() = 0;
  /// Runs, checks and stores every variant that the queue's device can run.
  virtual std::vector<trial> measure(const operations& all) = 0;
  /// What the family would take for this job, and why.
  virtual variant_choice choice(const operations& all) const = 0;
  virtual std::vector<variant_tier> tiers(const operations& all) const = 0;

  /// For the tuner: spoils, times, checks.
  std::pair<seconds, bool> run(const configuration& how);
  tuning_key key() const;
  sycl::queue& queue() { return m_queue; }

protected:
  trial_job(std::string operation, sycl::queue queue)
      : m_operation(std::move(operation)), m_queue(std::move(queue)) {}
  /// is_right, and spoils.
  bool checked();
  std::string m_operation;
  mutable sycl::queue m_queue;
};

/// "gemm", "reduce", "scan", "fft", "smith-waterman".
const std::vector<std::string>& trial_operations();
/// `size`: rows of square matrices, elements, or reads of a hundred bases against a genome of 20,000. Throws
/// sycl::exception (invalid) for an unknown operation or a size that is 0 or too large for one work-item's
/// loop.
std::unique_ptr<trial_job> make_trial_job(const std::string& operation, const sycl::queue& queue,
                                          std::size_t size);
/// Sizes that a person would try first, from small to large.
std::vector<std::size_t> usual_sizes(const std::string& operation);

} // namespace prism::kernels
