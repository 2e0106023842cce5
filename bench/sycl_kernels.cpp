#include "bench/sycl_kernels.hpp"


namespace bench {

namespace {

constexpr std::uint32_t tile = workload::tile, group = workload::group;

void gemm(sycl::queue& queue, const float* a, const float* b, float* c, std::uint32_t n) {
  queue.submit([&](sycl::handler& h) {
    // One dimension: a local_accessor's extents are not known to the compiler, those of the baselines' arrays are.
    sycl::local_accessor<float> ta(tile * tile, h), tb(tile * tile, h);
    h.parallel_for(sycl::nd_range<2>({n, n}, {tile, tile}), [=](sycl::nd_item<2> item) {
      const std::size_t x = item.get_local_id(1), y = item.get_local_id(0);
      const std::size_t column = item.get_global_id(1), row = item.get_global_id(0);
      float sum = 0;
      for (std::size_t k = 0; k < n; k += tile) {
        ta[y * tile + x] = a[row * n + k + x];
        tb[y * tile + x] = b[(k + y) * n + column];
        sycl::group_barrier(item.get_group());
        for (std::size_t i = 0; i < tile; ++i) sum += ta[y * tile + i] * tb[i * tile + x];
        sycl::group_barrier(item.get_group());
      }
      c[row * n + column] = sum;
    });
  });
}

void nbody(sycl::queue& queue, const sycl::float4* position, sycl::float4* acceleration, std::uint32_t n) {
  queue.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) {
    const sycl::float4 here = position[i];
    float x = 0, y = 0, z = 0;
    for (std::uint32_t j = 0; j < n; ++j) {
      const sycl::float4 other = position[j];
      const float dx = other.x() - here.x(), dy = other.y() - here.y(), dz = other.z() - here.z();
      const float inverse = 1.0f / sycl::sqrt(dx * dx + dy * dy + dz * dz + 1e-2f);
      const float scale = other.w() * inverse * inverse * inverse;
      x += dx * scale;
      y += dy * scale;
      z += dz * scale;
    }
    acceleration[i] = sycl::float4(x, y, z, 0);
  });
}

void reduce(sycl::queue& queue, const float* x, float* partial, std::uint32_t n) {
  queue.submit([&](sycl::handler& h) {
    sycl::local_accessor<float> sums(group, h);
    h.parallel_for(sycl::nd_range<1>(workload::reduce_groups * group, group), [=](sycl::nd_item<1> item) {
      const std::size_t l = item.get_local_id(0), stride = item.get_global_range(0);
      float sum = 0;
      for (std::size_t i = item.get_global_id(0); i < n; i += stride) sum += x[i];
      sums[l] = sum;
      sycl::group_barrier(item.get_group());
      for (std::size_t half_size = group / 2; half_size > 0; half_size /= 2) {
        if (l < half_size) sums[l] += sums[l + half_size];
        sycl::group_barrier(item.get_group());
      }
      if (l == 0) partial[item.get_group(0)] = sums[0];
    });
  });
}

void triad(sycl::queue& queue, const float* x, const float* y, float* z, std::size_t count) {
  const float a = workload::a;
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { z[i] = x[i] + a * y[i]; });
}

class sycl_set final : public kernel_set {
public:
  sycl_set(const workload& work, const sycl::device& device)
      : m_queue(device, sycl::property::queue::in_order{}), m_x(put(work.x)), m_y(put(work.y)), m_left(put(work.left)),
        m_right(put(work.right)), m_product(make(work.left.size())), m_bodies(put(work.bodies)),
        m_acceleration(make(work.bodies.size())), m_partial(make(workload::reduce_groups)), m_x2(put(work.x2)), m_triad(make(work.x.size())) {}
  ~sycl_set() override {
    for (float* memory : m_all) sycl::free(memory, m_queue);
  }

  void run(kernel_id kernel) override {
    switch (kernel) {
    case kernel_id::axpy: submit_usm(m_queue, m_x, m_y, workload::vector_size); break;
    case kernel_id::gemm: gemm(m_queue, m_left, m_right, m_product, workload::matrix_size); break;
    case kernel_id::nbody:
      nbody(m_queue, reinterpret_cast<sycl::float4*>(m_bodies), reinterpret_cast<sycl::float4*>(m_acceleration),
            workload::body_count);
      break;
    case kernel_id::reduce: reduce(m_queue, m_x, m_partial, workload::vector_size); break;
    case kernel_id::triad: triad(m_queue, m_x, m_x2, m_triad, workload::vector_size); break;
    }
    m_queue.wait_and_throw();
  }
  std::vector<float> result(kernel_id kernel) override {
    const float* const written[] = {m_y, m_product, m_acceleration, m_partial, m_triad};
    return result_of(kernel, [&](std::size_t count) { return get(written[std::size_t(kernel)], count); });
  }

private:
  float* make(std::size_t count) {
    float* memory = sycl::malloc_device<float>(count, m_queue);
    if (!memory) throw std::bad_alloc();
    m_all.push_back(memory);
    return memory;
  }
  float* put(const std::vector<float>& data) {
    float* memory = make(data.size());
    m_queue.memcpy(memory, data.data(), data.size() * sizeof(float)).wait();
    return memory;
  }
  std::vector<float> get(const float* memory, std::size_t count) {
    std::vector<float> out(count);
    m_queue.memcpy(out.data(), memory, count * sizeof(float)).wait();
    return out;
  }

  sycl::queue m_queue;
  std::vector<float*> m_all;
  float *m_x, *m_y, *m_left, *m_right, *m_product, *m_bodies, *m_acceleration, *m_partial, *m_x2, *m_triad;
};

} // namespace

std::unique_ptr<kernel_set> make_sycl_set(const workload& work, const sycl::device& device) {
  return std::make_unique<sycl_set>(work, device);
}

void submit_usm(sycl::queue& queue, const float* x, float* y, std::size_t count) {
  const float a = workload::a;
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { y[i] = a * x[i] + y[i]; });
}

void submit_chain(sycl::queue& queue, const float* x, const float* y, float* const (&between)[3], float* z, std::size_t count) {
  float *const a = between[0], *const b = between[1], *const c = between[2];
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { a[i] = 1.5f * x[i]; });
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { b[i] = a[i] + y[i]; });
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { c[i] = b[i] < 0 ? -b[i] : b[i]; });
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { z[i] = 0.5f * z[i] + c[i]; });
}

void submit_fused_by_hand(sycl::queue& queue, const float* x, const float* y, float* z, std::size_t count) {
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
    const float b = 1.5f * x[i] + y[i];
    z[i] = 0.5f * z[i] + (b < 0 ? -b : b);
  });
}

void write_buffer(sycl::queue& queue, sycl::buffer<float>& x, sycl::buffer<float>& y) {
  queue.submit([&](sycl::handler& h) {
    const sycl::accessor from(x, h, sycl::read_only);
    const sycl::accessor to(y, h, sycl::write_only, sycl::no_init);
    h.parallel_for(y.get_range(), [=](sycl::id<1> i) { to[i] = 2.0f * from[i] + 1.0f; });
  });
}

void submit_buffers(sycl::queue& queue, sycl::buffer<float>& x, sycl::buffer<float>& y) {
  queue.submit([&](sycl::handler& h) {
    sycl::accessor in(x, h, sycl::read_only);
    sycl::accessor out(y, h, sycl::read_write);
    const float a = workload::a;
    h.parallel_for(x.get_range(), [=](sycl::id<1> i) { out[i] = a * in[i] + out[i]; });
  });
}

} // namespace bench
