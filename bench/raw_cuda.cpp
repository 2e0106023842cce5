#include "bench/raw_cuda.hpp"

namespace bench {

namespace {

class cuda_set final : public kernel_set {
public:
  cuda_set(const workload& work, cuda_side& side)
      : m_side(side), m_x(side.memory(work.x)), m_x2(side.memory(work.x2)), m_left(side.memory(work.left)),
        m_right(side.memory(work.right)), m_bodies(side.memory(work.bodies)),
        m_turns(side.memory(work.turns)), m_sums(side.memory(workload::reduce_groups * sizeof(float))) {
    for (kernel_id kernel : all_kernels)
      m_out[std::size_t(kernel)] = kernel == kernel_id::axpy
                                       ? side.memory(work.y)
                                       : side.memory(workload::output_size(kernel) * sizeof(float));
  }

  void start(kernel_id kernel) override {
    constexpr unsigned group = workload::group, tile = workload::tile, lanes = workload::reduce_groups,
                       size = workload::vector_size, chunk = workload::chunk, field = workload::field_side,
                       matrix = workload::matrix_size, bodies = workload::body_count;
    const cuda::function what = m_side.kernel(name_of(kernel));
    const cuda::address out = m_out[std::size_t(kernel)];
    switch (kernel) {
      case kernel_id::axpy:
        return m_side.launch(what, {size / group, 1}, {group, 1}, m_x, out, workload::a, size);
      case kernel_id::fft:
        return m_side.launch(what, {workload::fft_count, 1}, {workload::fft_group, 1}, m_x, m_turns, out);
      case kernel_id::gemm:
        return m_side.launch(what, {matrix / tile, matrix / tile}, {tile, tile}, m_left, m_right, out,
                             matrix);
      case kernel_id::nbody:
        return m_side.launch(what, {bodies / group, 1}, {group, 1}, m_bodies, out, bodies);
      case kernel_id::histogram:
      case kernel_id::reduce: return m_side.launch(what, {lanes, 1}, {group, 1}, m_x, out, size);
      case kernel_id::scan:
        m_side.launch(m_side.kernel("scan_sums"), {lanes, 1}, {group, 1}, m_x, m_sums, chunk);
        return m_side.launch(what, {lanes, 1}, {group, 1}, m_x, m_sums, out, chunk);
      case kernel_id::stencil:
        return m_side.launch(what, {field / group, field}, {group, 1}, m_x, out, field);
      case kernel_id::triad:
        return m_side.launch(what, {size / group, 1}, {group, 1}, m_x, m_x2, out, workload::a, size);
    }
  }
  void wait() override { m_side.wait(); }
  std::vector<float> result(kernel_id kernel) override {
    return result_of(kernel, m_side.read(m_out[std::size_t(kernel)], workload::output_size(kernel)));
  }

private:
  cuda_side& m_side;
  cuda::address m_x, m_x2, m_left, m_right, m_bodies, m_turns, m_sums;
  std::array<cuda::address, all_kernels.size()> m_out{};
};

class cuda_submitter final : public submitter {
public:
  cuda_submitter(cuda_side& side, std::size_t items)
      : m_side(side), m_items(unsigned(items)), m_x(side.memory(std::vector<float>(items))),
        m_y(side.memory(std::vector<float>(items))), m_kernel(side.kernel("axpy")) {}
  void submit(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i)
      m_side.launch(m_kernel, {(m_items + 63) / 64, 1}, {64, 1}, m_x, m_y, workload::a, m_items);
  }
  void finish() override { m_side.wait(); }

private:
  cuda_side& m_side;
  unsigned m_items;
  cuda::address m_x, m_y;
  cuda::function m_kernel;
};

} // namespace

std::unique_ptr<kernel_set> make_cuda_set(const workload& work, cuda_side& side) {
  return std::make_unique<cuda_set>(work, side);
}

std::unique_ptr<submitter> make_cuda_submitter(cuda_side& side, std::size_t items) {
  return std::make_unique<cuda_submitter>(side, items);
}

} // namespace bench
