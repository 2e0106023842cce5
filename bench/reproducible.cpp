// The cost of a choice between implementations for a call of a known shape; the reproducible mode against the
// ordinary one.
#include "bench/operands.hpp"
#include "bench/rows.hpp"

#include <prism/native.hpp>
#include <prism/reproducible.hpp>

#include <functional>

namespace bench {
namespace {

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

void measure_reproducible(report& out, const options& how, const sycl::device& device) try {
  if (device.has(sycl::aspect::usm_device_allocations)) {
    add_reproducible<float>(out, how, device, "floats");
    if (device.has(sycl::aspect::fp64)) add_reproducible<double>(out, how, device, "doubles");
  }
  if (device.get_backend() != sycl::backend::ext_prism_host) return;
  sycl::queue queue{device, sycl::property::queue::in_order()};
  add_warm_choice(out, how, queue);
} catch (const std::exception& error) {
  out.skip("operations", label(device), error.what(), true);
}

} // namespace bench
