#include "bench/raw_opencl.hpp"
#include "bench/raw_vulkan.hpp"
#include "bench/rows.hpp"
#include "bench/sycl_kernels.hpp"
#include "bench/usm_submitter.hpp"

#include <prism/graph.hpp>

namespace bench {

namespace {

constexpr std::size_t batch = 200;
constexpr std::size_t items = usm_submitter::items;

class buffer_submitter final : public submitter {
public:
  explicit buffer_submitter(const sycl::device& device)
      : m_queue(device), m_zero(items), m_x(m_zero), m_y(sycl::range<1>(items)) {}
  void submit(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) submit_buffers(m_queue, m_x, m_y);
  }
  void finish() override { m_queue.wait_and_throw(); }

private:
  checked_queue m_queue;
  const std::vector<float> m_zero;
  sycl::buffer<float> m_x, m_y;
};

/// A graph of kernels, one after the other, executed on an in-order queue.
class graph_submitter final : public submitter {
public:
  graph_submitter(const sycl::device& device, std::size_t launches)
      : m_queue(device), m_x(sycl::malloc_device<float>(items, m_queue)),
        m_y(sycl::malloc_device<float>(items, m_queue)), m_graph(make(launches)) {}
  ~graph_submitter() override {
    free_or_leave(m_x, m_queue);
    free_or_leave(m_y, m_queue);
  }
  void submit(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) prism::execute_graph(m_queue, m_graph);
  }
  void finish() override { m_queue.wait_and_throw(); }

private:
  prism::command_graph<prism::graph_state::executable> make(std::size_t launches) {
    if (!m_x || !m_y) throw std::bad_alloc();
    prism::command_graph graph(m_queue);
    graph.begin_recording(m_queue);
    for (std::size_t i = 0; i < launches; ++i) submit_usm(m_queue, m_x, m_y, items);
    graph.end_recording();
    return graph.finalize();
  }
  checked_queue m_queue;
  float *m_x, *m_y;
  prism::command_graph<prism::graph_state::executable> m_graph;
};

/// Four kernels that pass arrays on, as graphs: fused on request, not fused, and fused by hand.
class chain_graphs {
public:
  explicit chain_graphs(const sycl::device& device) : m_queue(device) {
    for (float*& each : m_kept) each = take({});
    for (float*& each : m_between) each = take(prism::property::promote_private());
    const auto chain = [&] { submit_chain(m_queue, m_kept[0], m_kept[1], m_between, m_kept[2], elements); };
    const auto by_hand = [&] { submit_fused_by_hand(m_queue, m_kept[0], m_kept[1], m_kept[2], elements); };
    m_graphs.push_back(made(chain, prism::property::graph::perform_fusion()));
    m_graphs.push_back(made(chain, {}));
    m_graphs.push_back(made(by_hand, {}));
  }
  ~chain_graphs() {
    for (float* each : m_kept) free_or_leave(each, m_queue);
    for (float* each : m_between) free_or_leave(each, m_queue);
  }
  chain_graphs(const chain_graphs&) = delete;
  std::string fusion() const { return m_graphs[0].describe(); }
  /// 0: fused on request, 1: not fused, 2: by hand.
  times run(std::size_t which) {
    constexpr std::size_t runs = 5;
    times spent = timed([&] {
      for (std::size_t i = 0; i < runs; ++i) prism::execute_graph(m_queue, m_graphs[which]);
      m_queue.wait_and_throw();
    });
    spent.wall /= runs;
    spent.processor /= runs;
    return spent;
  }

private:
  static constexpr std::size_t elements = std::size_t{1} << 22; // 16 MiB each: larger than any cache
  using executable = prism::command_graph<prism::graph_state::executable>;
  float* take(const sycl::property_list& how) {
    float* const made = sycl::malloc_device<float>(elements, m_queue, how);
    if (!made) throw std::bad_alloc();
    m_queue.fill(made, 0.25f, elements);
    return made;
  }
  template <typename Record>
  executable made(const Record& record, const sycl::property_list& how) {
    prism::command_graph graph(m_queue);
    graph.begin_recording(m_queue);
    record();
    graph.end_recording();
    return graph.finalize(how);
  }
  checked_queue m_queue;
  float *m_kept[3] = {}, *m_between[3] = {};
  std::vector<executable> m_graphs;
};

void measure_fusion(report& out, const options& how, const sycl::device& device) {
  chain_graphs graphs(device);
  const std::string ours =
      "a chain of 4 element-wise kernels on 4 Mi floats, fused (" + graphs.fusion() + ")";
  const auto run = [&](std::size_t which) { return [&graphs, which] { return graphs.run(which); }; };
  out.add({"submission",
           "graph, fusion",
           label(device),
           ours,
           "the 4 kernels as a graph",
           alternate(how.rounds, run(0), run(1)),
           {goal::kind::ratio, 1}});
  out.add({"submission",
           "graph, fused by hand",
           label(device),
           ours,
           "one kernel written by hand",
           alternate(how.rounds, run(0), run(2)),
           {}});
}

/// Executing a graph, against submitting the same kernels and against the driver's own command buffers.
void measure_graph(report& out, const options& how, const sycl::device& device, usm_submitter& plain) {
  constexpr std::size_t runs = 10, launches = 100;
  graph_submitter graph(device, launches);
  const auto run = [&] { return each(graph, runs, runs); };
  const bool vulkan = device.get_backend() == sycl::backend::ext_prism_vulkan;
  out.add({"submission", "graph", label(device), "a run of a graph of 100 USM kernels",
           "the 100 kernels submitted",
           alternate(how.rounds, run, [&] { return each(plain, runs * launches, runs); }),
           vulkan ? goal{goal::kind::ratio, 0.2} : goal()});
  if (device.get_backend() == sycl::backend::ext_prism_host) return;
  const std::string name = driver_name(device);
  const auto raw = vulkan ? make_vulkan_replayer(name, how.shaders, items, launches)
                          : make_opencl_replayer(name, how.shaders, items, launches);
  if (!raw)
    return out.skip("submission", label(device),
                    "the raw API finds no device of this name with command buffers");
  out.add({"submission",
           "graph, raw",
           label(device),
           "a run of a graph of 100 USM kernels",
           vulkan ? "vkQueueSubmit of one command buffer of 100 launches"
                  : "clEnqueueCommandBufferKHR of 100 launches",
           alternate(how.rounds, run, [&] { return each(*raw, runs, runs); }),
           {}});
}

/// Launches, alone and waited for, against the driver's own calls.
void measure_launches(report& out, const options& how, const sycl::device& device, submitter& usm) {
  const std::string name = driver_name(device);
  const bool opencl = device.get_backend() == sycl::backend::opencl;
  const auto raw = opencl ? make_opencl_submitter(name, how.shaders, items)
                          : make_vulkan_submitter(name, how.shaders, items);
  if (!raw) return out.skip("submission", label(device), "the raw API finds no device of this name");
  out.add({"submission",
           "usm",
           label(device),
           "queue::parallel_for on USM",
           opencl ? "clSetKernelArg and clEnqueueNDRangeKernel" : "record a command buffer and vkQueueSubmit",
           alternate(how.rounds, [&] { return each(usm); }, [&] { return each(*raw); }),
           {goal::kind::excess, opencl ? 1e-6 : 3e-6}});
  out.add({"submission",
           "launch and wait",
           label(device),
           "queue::parallel_for on USM, and wait",
           opencl ? "the same calls and clFinish" : "the same calls and vkQueueWaitIdle",
           alternate(how.rounds, [&] { return each_waited(usm); }, [&] { return each_waited(*raw); }),
           {}});
}

} // namespace

void measure_submission(report& out, const options& how, const sycl::device& device) try {
  usm_submitter usm(device);
  attempt(out, "submission", device, [&] {
    buffer_submitter buffers(device);
    out.add({"submission",
             "buffers",
             label(device),
             "a command group with two accessors",
             "a USM kernel of PRISM",
             alternate(how.rounds, [&] { return each(buffers); }, [&] { return each(usm); }),
             {goal::kind::excess, 2e-6}});
  });
  attempt(out, "submission", device, [&] { measure_graph(out, how, device, usm); });
  attempt(out, "submission", device, [&] { measure_fusion(out, how, device); });
  if (device.get_backend() != sycl::backend::ext_prism_host) // which has no raw calls to compare with
    attempt(out, "submission", device, [&] { measure_launches(out, how, device, usm); });
} catch (const std::exception& error) {
  out.skip("submission", label(device), error.what(), true);
}

} // namespace bench
