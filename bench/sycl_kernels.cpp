#include "bench/sycl_kernels.hpp"

#include "bench/checked_queue.hpp"

namespace bench {

namespace {

constexpr std::uint32_t tile = workload::tile, group = workload::group;

void gemm(sycl::queue& queue, const float* a, const float* b, float* c, std::uint32_t n) {
  queue.submit([&](sycl::handler& h) {
    // One dimension, because the compiler does not know a local_accessor's extents but knows those of the
    // baselines' arrays.
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

/// Sums every chunk; then each group scans its chunk, starting from the sum of the chunks before, `group`
/// elements at a time.
void scan(sycl::queue& queue, const float* x, float* sums, float* out, std::uint32_t chunk) {
  const sycl::nd_range<1> groups(workload::reduce_groups * group, group);
  queue.submit([&](sycl::handler& h) {
    sycl::local_accessor<float> parts(group, h);
    h.parallel_for(groups, [=](sycl::nd_item<1> item) {
      const std::uint32_t l = item.get_local_id(0), begin = item.get_group(0) * chunk;
      float sum = 0;
      for (std::uint32_t i = l; i < chunk; i += group) sum += x[begin + i];
      parts[l] = sum;
      sycl::group_barrier(item.get_group());
      for (std::uint32_t half_size = group / 2; half_size > 0; half_size /= 2) {
        if (l < half_size) parts[l] += parts[l + half_size];
        sycl::group_barrier(item.get_group());
      }
      if (l == 0) sums[item.get_group(0)] = parts[0];
    });
  });
  queue.submit([&](sycl::handler& h) {
    sycl::local_accessor<float> parts(2 * group, h);
    h.parallel_for(groups, [=](sycl::nd_item<1> item) {
      const std::uint32_t l = item.get_local_id(0), begin = item.get_group(0) * chunk;
      float before = 0;
      for (std::uint32_t i = 0; i < item.get_group(0); ++i) before += sums[i];
      for (std::uint32_t i = 0; i < chunk; i += group) {
        std::uint32_t from = 0;
        parts[l] = x[begin + i + l];
        sycl::group_barrier(item.get_group());
        for (std::uint32_t apart = 1; apart < group; apart *= 2) {
          const float here = parts[from + l];
          parts[(group - from) + l] = l >= apart ? here + parts[from + l - apart] : here;
          from = group - from;
          sycl::group_barrier(item.get_group());
        }
        out[begin + i + l] = before + parts[from + l];
        before += parts[from + group - 1];
        sycl::group_barrier(item.get_group());
      }
    });
  });
}

void stencil(sycl::queue& queue, const float* in, float* out, std::uint32_t n) {
  queue.parallel_for(sycl::range<2>(n, n), [=](sycl::id<2> at) {
    const std::uint32_t i = at[0], j = at[1], here = i * n + j;
    const bool border = i == 0 || j == 0 || i == n - 1 || j == n - 1;
    out[here] = border ? in[here] : 0.25f * (in[here - n] + in[here + n] + in[here - 1] + in[here + 1]);
  });
}

void histogram(sycl::queue& queue, const float* x, float* counts, std::uint32_t n) {
  constexpr std::uint32_t bins = workload::bins;
  static_assert(bins == group);
  queue.submit([&](sycl::handler& h) {
    sycl::local_accessor<std::uint32_t> mine(bins, h);
    h.parallel_for(sycl::nd_range<1>(workload::reduce_groups * group, group), [=](sycl::nd_item<1> item) {
      const std::uint32_t l = item.get_local_id(0), stride = item.get_global_range(0);
      mine[l] = 0;
      sycl::group_barrier(item.get_group());
      for (std::uint32_t i = item.get_global_id(0); i < n; i += stride) {
        const auto bin = sycl::min(static_cast<std::uint32_t>((x[i] + 0.5f) * float(bins)), bins - 1);
        sycl::atomic_ref<std::uint32_t, sycl::memory_order::relaxed, sycl::memory_scope::work_group,
                         sycl::access::address_space::local_space>(mine[bin])
            .fetch_add(1);
      }
      sycl::group_barrier(item.get_group());
      counts[item.get_group(0) * bins + l] = float(mine[l]);
    });
  });
}

/// Stockham's FFT with radix 2: one group transforms one signal in local memory.
void fft(sycl::queue& queue, const sycl::float2* in, const sycl::float2* turns, sycl::float2* out) {
  constexpr std::uint32_t points = workload::fft_points, half = points / 2;
  queue.submit([&](sycl::handler& h) {
    sycl::local_accessor<sycl::float2> parts(2 * points, h);
    h.parallel_for(sycl::nd_range<1>(workload::fft_count * half, half), [=](sycl::nd_item<1> item) {
      const std::uint32_t t = item.get_local_id(0), begin = item.get_group(0) * points;
      parts[t] = in[begin + t];
      parts[t + half] = in[begin + t + half];
      sycl::group_barrier(item.get_group());
      std::uint32_t from = 0;
      for (std::uint32_t m = 1; m < points; m *= 2) {
        const std::uint32_t first = t & ~(m - 1), to = points - from + t + first;
        const sycl::float2 a = parts[from + t], b = parts[from + t + half], w = turns[first], d = a - b;
        parts[to] = a + b;
        parts[to + m] = sycl::float2(w.x() * d.x() - w.y() * d.y(), w.x() * d.y() + w.y() * d.x());
        from = points - from;
        sycl::group_barrier(item.get_group());
      }
      out[begin + t] = parts[from + t];
      out[begin + t + half] = parts[from + t + half];
    });
  });
}

sycl::event triad(sycl::queue& queue, const float* x, const float* y, float* z, std::size_t count) {
  const float a = workload::a;
  return queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { z[i] = x[i] + a * y[i]; });
}

class sycl_set final : public kernel_set {
public:
  sycl_set(const workload& work, const sycl::device& device)
      : m_queue(device), m_x(put(work.x)), m_x2(put(work.x2)), m_left(put(work.left)),
        m_right(put(work.right)), m_bodies(put(work.bodies)), m_turns(put(work.turns)),
        m_sums(make(workload::reduce_groups)) {
    for (kernel_id kernel : all_kernels)
      m_out[std::size_t(kernel)] =
          kernel == kernel_id::axpy ? put(work.y) : make(workload::output_size(kernel));
  }
  ~sycl_set() override {
    for (float* memory : m_all) free_or_leave(memory, m_queue);
  }

  void start(kernel_id kernel) override {
    float* const out = m_out[std::size_t(kernel)];
    switch (kernel) {
      case kernel_id::axpy: submit_usm(m_queue, m_x, out, workload::vector_size); break;
      case kernel_id::fft:
        fft(m_queue, reinterpret_cast<const sycl::float2*>(m_x),
            reinterpret_cast<const sycl::float2*>(m_turns), reinterpret_cast<sycl::float2*>(out));
        break;
      case kernel_id::gemm: gemm(m_queue, m_left, m_right, out, workload::matrix_size); break;
      case kernel_id::histogram: histogram(m_queue, m_x, out, workload::vector_size); break;
      case kernel_id::nbody:
        nbody(m_queue, reinterpret_cast<sycl::float4*>(m_bodies), reinterpret_cast<sycl::float4*>(out),
              workload::body_count);
        break;
      case kernel_id::reduce: reduce(m_queue, m_x, out, workload::vector_size); break;
      case kernel_id::scan: scan(m_queue, m_x, m_sums, out, workload::chunk); break;
      case kernel_id::stencil: stencil(m_queue, m_x, out, workload::field_side); break;
      case kernel_id::triad: triad(m_queue, m_x, m_x2, out, workload::vector_size); break;
    }
  }
  void wait() override { m_queue.wait_and_throw(); }
  std::vector<float> result(kernel_id kernel) override {
    std::vector<float> out(workload::output_size(kernel));
    m_queue.memcpy(out.data(), m_out[std::size_t(kernel)], out.size() * sizeof(float)).wait();
    return result_of(kernel, std::move(out));
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

  checked_queue m_queue;
  std::vector<float*> m_all;
  float *m_x, *m_x2, *m_left, *m_right, *m_bodies, *m_turns, *m_sums;
  std::array<float*, all_kernels.size()> m_out{};
};

} // namespace

std::unique_ptr<kernel_set> make_sycl_set(const workload& work, const sycl::device& device) {
  return std::make_unique<sycl_set>(work, device);
}

sycl::event submit_triad(sycl::queue& queue, const float* x, const float* y, float* z, std::size_t count) {
  return triad(queue, x, y, z, count);
}

sycl::event submit_usm(sycl::queue& queue, const float* x, float* y, std::size_t count) {
  const float a = workload::a;
  return queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { y[i] = a * x[i] + y[i]; });
}

void submit_barriers(sycl::queue& queue, float* x, std::size_t count) {
  queue.submit([&](sycl::handler& h) {
    sycl::local_accessor<float> turned(count, h);
    h.parallel_for(sycl::nd_range<1>(count, count), [=](sycl::nd_item<1> item) {
      const std::size_t i = item.get_local_id(0), last = item.get_local_range(0) - 1;
      turned[i] = x[i];
      sycl::group_barrier(item.get_group());
      const float other = turned[last - i];
      sycl::group_barrier(item.get_group());
      x[i] = other;
    });
  });
}

void submit_chain(sycl::queue& queue, const float* x, const float* y, float* const (&between)[3], float* z,
                  std::size_t count) {
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
