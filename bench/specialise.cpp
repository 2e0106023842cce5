// Kernels with loops whose number of iterations is a captured value: the general build, the build for that
// value by prism::specialise, and one with the value in the source, as a programmer would do with -D.
// Products and sums are separate operations, so that Vulkan can take part (docs/specialising.md).
#include "bench/rows.hpp"

#include <prism/specialise.hpp>

#include <chrono>
#include <thread>

namespace bench {

namespace {

enum class build { general, specialised, in_source };

template <build Which, int Known>
constexpr int number(int captured) {
  return Which == build::in_source ? Known : captured;
}

template <build Which>
class convolution;
template <build Which>
class product;
template <build Which>
class smoothing;

/// Memory that all three kernels share, as many floats as the largest needs.
struct fields {
  explicit fields(const sycl::device& device)
      : queue(device, sycl::property::queue::in_order{}), in(sycl::malloc_device<float>(count, queue)),
        weights(sycl::malloc_device<float>(count, queue)), out(sycl::malloc_device<float>(count, queue)) {
    if (!in || !weights || !out) throw std::bad_alloc();
    const auto fill = [&](float* to, float by) {
      queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { to[i] = float(i[0] % 61) * by; });
    };
    fill(in, 0.37f);
    fill(weights, 0.011f);
    queue.wait_and_throw();
  }
  ~fields() {
    for (float* memory : {in, weights, out}) sycl::free(memory, queue);
  }
  static constexpr std::size_t count = 1u << 19;
  sycl::queue queue;
  float *in, *weights, *out;
};

template <build Which>
void convolve(fields& on, int captured_radius) {
  constexpr int known = 4;
  on.queue.parallel_for<convolution<Which>>(
      sycl::range<1>(fields::count - 2 * known),
      [=, in = on.in, weights = on.weights, out = on.out](sycl::id<1> at) {
    const int radius = number<Which, known>(captured_radius);
    float sum = 0;
    for (int k = 0; k <= 2 * radius; ++k) {
      const float term = in[at[0] + std::size_t(k)] * weights[k];
      sum = sum + term;
    }
    out[at] = sum;
  });
}

template <build Which>
void multiply(fields& on, int captured_size) {
  constexpr int known = 128;
  on.queue.parallel_for<product<Which>>(sycl::range<2>(known, known),
                                        [=, a = on.in, b = on.weights, out = on.out](sycl::id<2> at) {
    const int size = number<Which, known>(captured_size);
    float sum = 0;
    for (int k = 0; k < size; ++k) {
      const float term = a[int(at[0]) * size + k] * b[k * size + int(at[1])];
      sum = sum + term;
    }
    out[int(at[0]) * size + int(at[1])] = sum;
  });
}

template <build Which>
void smooth(fields& on, int captured_width) {
  constexpr int known = 512;
  on.queue.parallel_for<smoothing<Which>>(sycl::range<1>(fields::count - 2 * known),
                                          [=, in = on.in, out = on.out](sycl::id<1> from) {
    const int width = number<Which, known>(captured_width);
    const int at = int(from[0]) + width, x = at % width;
    float sum = in[at] * 4.0f;
    if (x > 0 && x < width - 1) {
      const float sides = in[at - 1] + in[at + 1], ends = in[at - width] + in[at + width];
      sum = sum + sides;
      sum = sum + ends;
    }
    out[at] = sum;
  });
}

/// Launches until the outcome is known, and returns it for the row's name.
template <typename Launch>
std::string specialise(fields& on, const sycl::kernel_id& kernel, Launch launch) {
  prism::specialise(on.queue.get_device(), {kernel});
  using state = prism::specialisation::state;
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
       std::chrono::steady_clock::now() < end;) {
    launch();
    on.queue.wait_and_throw();
    for (const prism::specialisation& one : prism::specialisations()) {
      if (one.kernel != kernel.get_name() ||
          one.device.rfind(backend_name(on.queue.get_device()) + ":", 0) != 0)
        continue;
      if (one.what == state::kept) return "specialised, kept";
      if (one.what == state::rejected) return "not kept: " + one.reason;
      if (one.what == state::refused) return "refused: " + one.reason;
    }
  }
  return "no outcome in a minute";
}

template <template <build> class Kernel, typename Launch>
void measure(report& out, const options& how, fields& on, const std::string& name, Launch launch) {
  const sycl::device device = on.queue.get_device();
  const auto run = [&](auto which) {
    return [&, which] {
      return timed([&] {
        launch(which);
        on.queue.wait_and_throw();
      });
    };
  };
  const std::integral_constant<build, build::general> general;
  const std::integral_constant<build, build::specialised> specialised;
  const std::integral_constant<build, build::in_source> in_source;
  const std::string outcome =
      specialise(on, sycl::get_kernel_id<Kernel<build::specialised>>(), [&] { launch(specialised); });
  out.add({"specialise",
           name,
           label(device),
           outcome,
           "the general build",
           alternate(how.rounds, run(specialised), run(general)),
           {}});
  out.add({"specialise",
           name + ", source",
           label(device),
           outcome,
           "the numbers in the source",
           alternate(how.rounds, run(specialised), run(in_source)),
           {}});
}

} // namespace

void measure_specialising(report& out, const options& how, const sycl::device& device) try {
  if (device.get_backend() == sycl::backend::ext_prism_host)
    return out.skip("specialise", label(device), "the host device has no compiler while a program runs");
  fields on(device);
  const volatile int radius = 4, size = 128, width = 512; // volatile, so that the compiler does not know them
  measure<convolution>(out, how, on, "convolution",
                       [&](auto which) { convolve<decltype(which)::value>(on, radius); });
  measure<product>(out, how, on, "gemm", [&](auto which) { multiply<decltype(which)::value>(on, size); });
  measure<smoothing>(out, how, on, "stencil", [&](auto which) { smooth<decltype(which)::value>(on, width); });
} catch (const std::exception& error) {
  out.skip("specialise", label(device), error.what(), true);
}

} // namespace bench
