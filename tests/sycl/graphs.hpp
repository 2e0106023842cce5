// What the tests of command graphs share: device memory with a copy on the host, and commands on it.
#pragma once

#include "tests/sycl/common.hpp"

#include <prism/graph.hpp>

#include <cstdlib>
#include <string_view>

namespace prism_test {

/// Whether PRISM_SLICE splits launches: graphs then submit their commands one by one and fuse nothing.
inline bool splits_launches() {
  const char* const limit = std::getenv("PRISM_SLICE");
  return limit != nullptr && std::string_view(limit) != "off";
}

/// The commands that `record` submits to the queue, as an executable graph.
template <typename Record>
prism::command_graph<prism::graph_state::executable> finalized(sycl::queue& q, const Record& record,
                                                               bool fused) {
  prism::command_graph graph(q);
  graph.begin_recording(q);
  record();
  graph.end_recording();
  return fused ? graph.finalize(prism::property::graph::perform_fusion()) : graph.finalize();
}

/// Device memory and a copy of it on the host.
struct array {
  sycl::queue queue;
  std::size_t count;
  int* data;
  array(sycl::queue q, std::vector<int> values)
      : queue(q), count(values.size()), data(sycl::malloc_device<int>(count, q)) {
    queue.copy(values.data(), data, count).wait();
  }
  ~array() { sycl::free(data, queue); }
  std::vector<int> values() {
    std::vector<int> out(count);
    queue.copy(data, out.data(), count).wait();
    return out;
  }
};

#define SKIP_WITHOUT_USM(queue) SKIP_WITHOUT(queue, usm_device_allocations)

inline sycl::event add_to(sycl::queue& q, int* data, std::size_t n, int what,
                          const std::vector<sycl::event>& after = {}) {
  return q.parallel_for(sycl::range<1>(n), after,
                        [=](sycl::id<1> i) { data[i] = int(unsigned(data[i]) + unsigned(what)); });
}
inline sycl::event multiply(sycl::queue& q, int* data, std::size_t n, int by,
                            const std::vector<sycl::event>& after = {}) {
  return q.parallel_for(sycl::range<1>(n), after,
                        [=](sycl::id<1> i) { data[i] = int(unsigned(data[i]) * unsigned(by)); }); // may wrap
}

} // namespace prism_test
