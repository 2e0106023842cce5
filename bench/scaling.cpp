// The operations library by the number of threads, on sub-devices of the host device; the cost of a choice
// between implementations; and the reproducible mode against the ordinary one.
#include "bench/operands.hpp"
#include "bench/rows.hpp"

#include <prism/fft.hpp>
#include <prism/native.hpp>
#include <prism/primitives.hpp>
#include <prism/reproducible.hpp>

#include <complex>
#include <functional>
#include <memory>

namespace bench {
namespace {

std::string text_of(unsigned threads) {
  return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

/// 1, 2, 4, ... and all of the device's processors.
std::vector<unsigned> thread_counts(const sycl::device& device) {
  const unsigned all = device.get_info<sycl::info::device::max_compute_units>();
  std::vector<unsigned> out;
  for (unsigned n = 1; n < all; n *= 2) out.push_back(n);
  out.push_back(all);
  return out;
}

/// The host device, or a part of it with so many threads.
sycl::queue queue_of(const sycl::device& device, unsigned threads) {
  using sycl::info::partition_property;
  const sycl::device used =
      threads == device.get_info<sycl::info::device::max_compute_units>()
          ? device
          : device.create_sub_devices<partition_property::partition_by_counts>({threads}).front();
  return sycl::queue(used, sycl::property::queue::in_order());
}

/// A call on a queue, with memory of its own.
using call_on = std::function<std::function<void()>(sycl::queue&)>;

/// A row for each number of threads above one: it against one thread, both by PRISM.
void add_threads(report& out, const options& how, const sycl::device& device, const std::string& name,
                 double seconds, const call_on& make) {
  const std::vector<unsigned> counts = thread_counts(device);
  sycl::queue alone = queue_of(device, 1);
  const std::size_t calls = calls_of(seconds);
  const auto repeated = [&](const std::function<void()>& call) {
    return [call, calls] {
      for (std::size_t i = 0; i < calls; ++i) call();
    };
  };
  const std::function<void()> one = repeated(make(alone));
  for (const unsigned threads : counts) {
    if (threads == 1) continue;
    sycl::queue queue = queue_of(device, threads);
    const std::function<void()> all = repeated(make(queue));
    all(), one();
    out.add({"operations",
             name + ", " + text_of(threads),
             label(device),
             text_of(threads),
             text_of(1),
             alternate(how.rounds, [&] { return timed_each(calls, all); },
                       [&] { return timed_each(calls, one); }),
             {}});
  }
}

/// Memory that lives as long as the call that uses it.
template <typename T>
std::shared_ptr<device_array<T>> array_on(sycl::queue& queue, std::size_t count) {
  return std::make_shared<device_array<T>>(queue, count);
}

void add_gemm_by_threads(report& out, const options& how, const sycl::device& device,
                         const std::string& provider, std::size_t n) {
  const pinned choice("gemm", provider.c_str());
  add_threads(out, how, device, "gemm float " + std::to_string(n) + " by " + provider,
              2e-11 * double(n) * double(n) * double(n), [n](sycl::queue& queue) {
    const auto a = array_on<float>(queue, n * n), b = array_on<float>(queue, n * n),
               c = array_on<float>(queue, n * n);
    return [&queue, n, a, b, c] {
      prism::blas::gemm(queue, 1, prism::row_major(a->data(), n, n), prism::row_major(b->data(), n, n), 0,
                        prism::row_major(c->data(), n, n))
          .wait();
    };
  });
}

void add_transform_by_threads(report& out, const options& how, const sycl::device& device, std::size_t n) {
  using number = std::complex<float>;
  const pinned choice("fft", "prism");
  add_threads(out, how, device, "fft complex float " + std::to_string(n) + ", own", 1e-8 * double(n),
              [n](sycl::queue& queue) {
    const auto in = array_on<number>(queue, n), to = array_on<number>(queue, n);
    return [&queue, n, in, to] {
      prism::fft::forward(queue, prism::fft::grid(in->data(), {n}), prism::fft::grid(to->data(), {n})).wait();
    };
  });
}

void add_primitives_by_threads(report& out, const options& how, const sycl::device& device, std::size_t n) {
  namespace primitives = prism::primitives;
  const std::string text = " of " + std::to_string(n) + " floats";
  add_threads(out, how, device, "sum" + text, 1e-9 * double(n), [n](sycl::queue& queue) {
    const auto in = array_on<float>(queue, n), sum = array_on<float>(queue, 1);
    return [&queue, n, in, sum] {
      primitives::reduce(queue, prism::vector_view<float>(in->data(), n),
                         prism::vector_view<float>(sum->data(), 1))
          .wait();
    };
  });
  add_threads(out, how, device, "inclusive scan" + text, 2e-9 * double(n), [n](sycl::queue& queue) {
    const auto in = array_on<float>(queue, n), sums = array_on<float>(queue, n);
    return [&queue, n, in, sums] {
      primitives::inclusive_scan(queue, prism::vector_view<float>(in->data(), n),
                                 prism::vector_view<float>(sums->data(), n))
          .wait();
    };
  });
}

/// What a call whose shape was chosen before costs its thread, against the submission of a native command:
/// the views, the checks and the choice.
void add_warm_choice(report& out, const options& how, sycl::queue& queue) {
  const device_array<float> x(queue, 1);
  const prism::vector_view<float> one(x.data(), 1);
  constexpr std::size_t calls = 200;
  const auto spent = [&](const auto& call) {
    call();
    times total;
    for (std::size_t i = 0; i < calls; ++i) { // an idle queue: nothing of an earlier command is measured
      const times each = thread_timed(call);
      total.wall += each.wall / calls, total.processor += each.processor / calls;
      queue.wait();
    }
    return total;
  };
  const auto ours = [&] { prism::blas::scal(queue, 1, one); };
  const auto theirs = [&] {
    queue.submit([&](sycl::handler& h) {
      prism::native_command(h, [](const prism::native_work&) -> void* { return nullptr; }, x.data());
    });
  };
  out.add({"operations",
           "a call of a known shape",
           label(queue.get_device()),
           "scal of one float",
           "a native command",
           alternate(how.rounds, [&] { return spent(ours); }, [&] { return spent(theirs); }),
           {goal::kind::excess, 2e-6}});
}

template <typename T>
void add_reproducible(report& out, const options& how, const sycl::device& device, const char* type) {
  constexpr std::size_t n = std::size_t(1) << 24;
  sycl::queue ordinary{device, sycl::property::queue::in_order()};
  sycl::queue fixed{device, {sycl::property::queue::in_order(), prism::property::queue::reproducible()}};
  const device_array<T> x(ordinary, n), sum(ordinary, 1);
  const T* const from = x.data();
  const auto add_up = [&](sycl::queue& queue) {
    return [&queue, from, to = sum.data()] {
      queue
          .submit([&](sycl::handler& h) {
        h.parallel_for(
            sycl::range<1>(n),
            sycl::reduction(to, sycl::plus<T>(), sycl::property::reduction::initialize_to_identity{}),
            [=](sycl::id<1> i, auto& s) { s += from[i]; });
      }).wait();
    };
  };
  const std::function<void()> ours = add_up(fixed), theirs = add_up(ordinary);
  ours();
  T found = 0;
  ordinary.copy(sum.data(), &found, 1).wait();
  const std::string text = std::string("sycl::reduction of 16 Mi ") + type;
  if (found != T(n)) return out.skip("operations", label(device), text + " is wrong", true);
  out.add({"operations",
           text,
           label(device),
           "reproducible",
           "ordinary",
           alternate(how.rounds, [&] { return timed(ours); }, [&] { return timed(theirs); }),
           {goal::kind::ratio, 1.5}});
}

} // namespace

void measure_scaling(report& out, const options& how, const sycl::device& device) try {
  if (device.has(sycl::aspect::usm_device_allocations)) {
    add_reproducible<float>(out, how, device, "floats");
    if (device.has(sycl::aspect::fp64)) add_reproducible<double>(out, how, device, "doubles");
  }
  if (device.get_backend() != sycl::backend::ext_prism_host) return;
  sycl::queue queue{device, sycl::property::queue::in_order()};
  add_warm_choice(out, how, queue);
  if (thread_counts(device).size() == 1)
    return out.skip("operations", label(device), "one processor: no rows by the number of threads");
  for (const std::size_t n : {64, 128, 256, 512, 1024, 2048}) {
    add_gemm_by_threads(out, how, device, "prism", n);
    for (const prism::blas::implementation& one : prism::blas::implementations())
      if (one.name == "openblas") add_gemm_by_threads(out, how, device, "openblas", n);
  }
  for (const std::size_t n : {std::size_t(1) << 12, std::size_t(1) << 16, std::size_t(1) << 20})
    add_transform_by_threads(out, how, device, n);
  for (const std::size_t n : {std::size_t(1) << 16, std::size_t(1) << 20, std::size_t(1) << 24})
    add_primitives_by_threads(out, how, device, n);
} catch (const std::exception& error) {
  out.skip("operations", label(device), error.what(), true);
}

} // namespace bench
