// What the parts of oneDNN's provider share: its state, plans, and the number of threads of a run.
#pragma once

#include "kernels/provider/operation.hpp"
#include "providers/answers.hpp"

#include <dnnl.hpp>
#include <omp.h>

#include <algorithm>
#include <memory>
#include <string>

struct prism_provider_state {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  std::string version;
};

/// One operation, ready to run from several threads at once.
struct prism_provider_plan {
  virtual ~prism_provider_plan() = default;
  /// `first`: to each operand's first element. Throws what oneDNN throws.
  virtual void run(const prism_provider_run& run, char* const* first) const = 0;
};

namespace prism_onednn {

/// Lets the calling thread's OpenMP regions have as many threads.
class thread_limit {
public:
  explicit thread_limit(unsigned threads) : m_before(omp_get_max_threads()) {
    omp_set_num_threads(int(std::max(1u, threads)));
  }
  ~thread_limit() { omp_set_num_threads(m_before); }
  thread_limit(const thread_limit&) = delete;

private:
  int m_before;
};

/// The threads that are of use for the operation.
inline unsigned threads_for(const prism_provider_device& device, const prism_provider_operation& what) {
  constexpr double least = 2e5; // products for which a second thread is of use
  return prism::provider::work_of(what) >= least ? std::max(1u, device.threads) : 1;
}

/// Null, or the reason why the part does not support an operation of its kind that makes sense.
const char* convolution_refusal(const prism_provider_operation& what);
std::string product_refusal(const prism_provider_state& state, const prism_provider_operation& what);

/// Of a supported operation; made for so many threads first. Throws what oneDNN throws.
std::unique_ptr<prism_provider_plan> convolution_plan(const prism_provider_state& state,
                                                      const prism_provider_operation& what, unsigned threads);
std::unique_ptr<prism_provider_plan> product_plan(const prism_provider_state& state,
                                                  const prism_provider_operation& what, unsigned threads);

} // namespace prism_onednn
