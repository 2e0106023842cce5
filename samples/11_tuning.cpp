// Finds the fastest parameters of a reduction on the default device. Checks each result, and stores the
// measurements, so that the next run repeats no trial.
#include <prism/prism.hpp>
#include <iostream>

// The tuned kernel: each work-item adds up `items` numbers, each work-group the sums of its work-items, in
// one of two orders.
void reduce(sycl::queue& queue, const prism::configuration& how, sycl::buffer<int>& in,
            sycl::buffer<int>& out) {
  const std::size_t items = how.integer("items"), group = how.integer("group"), n = in.size();
  const bool strided = how.text("style") == "strided";
  queue.submit([&](sycl::handler& h) { h.fill(sycl::accessor(out, h, sycl::write_only, sycl::no_init), 0); });
  queue.submit([&](sycl::handler& h) {
    sycl::accessor from(in, h, sycl::read_only);
    sycl::accessor to(out, h, sycl::read_write);
    const std::size_t each = group * items, groups = (n + each - 1) / each;
    h.parallel_for(sycl::nd_range<1>(groups * group, group), [=](sycl::nd_item<1> it) {
      const std::size_t mine = it.get_local_id(0), first = it.get_group(0) * each;
      int sum = 0;
      for (std::size_t k = 0; k < items; ++k) {
        const std::size_t i = first + (strided ? k * group + mine : mine * items + k);
        if (i < n) sum += from[i];
      }
      sum = sycl::reduce_over_group(it.get_group(), sum, sycl::plus<int>());
      if (mine == 0)
        sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(to[0]) += sum;
    });
  });
}

int main() {
  constexpr int n = 100'000;
  prism::parameter_space space;
  space.powers_of_two("group", 16, 256).integers("items", {1, 4, 16}).choice("style", {"strided", "blocked"});
  space.constrain([](const prism::configuration& c) {
    return c.integer("group") * c.integer("items") <= 2048;
  }, "group times items is at most 2048");
  prism::tuner tuner(
      space, {{"group", std::int64_t(16)}, {"items", std::int64_t(1)}, {"style", std::string("strided")}});
  tuner.options().max_trials = 12;

  sycl::queue queue;
  sycl::buffer<int> in{sycl::range<1>(n)}, out{sycl::range<1>(1)};
  queue.submit([&](sycl::handler& h) { h.fill(sycl::accessor(in, h, sycl::write_only, sycl::no_init), 3); });

  prism::tuning_database database; // shared by all processes of this user
  const auto key = prism::key_for("my reduce", queue.get_device(), "version 1 of my kernel", n);
  const std::size_t known = database.trials(key).size();
  const auto result = tuner.run([&](const prism::configuration& c) {
    const prism::seconds took = prism::time_of(queue, [&](sycl::queue& q) { reduce(q, c, in, out); });
    return std::pair(took, sycl::host_accessor(out)[0] == 3 * n); // a wrong result never wins, however fast
  }, database, key);
  std::cout << known << " trials were known, now there are " << database.trials(key).size() << "; ended by "
            << result.ended << '\n'
            << "the best is " << result.gain()
            << " times as fast as the default: " << result.best->tried.to_text() << '\n';
  reduce(queue, tuner.stored(database, key), in, out); // in this process or any later one
  std::cout << "the sum is " << sycl::host_accessor(out)[0] << '\n';
}
