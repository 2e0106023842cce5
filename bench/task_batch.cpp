// The cost of a task of prism::task_batch, added, ordered and run, against a launch of the same body on an
// in-order queue. Sixteen items each, so that the cost around the body is what is measured.
#include "bench/checked_queue.hpp"
#include "bench/rows.hpp"

#include <prism/task_batch.hpp>

namespace bench {

namespace {

constexpr std::uint32_t tasks = 10'000, items = 16;

struct axpy_task {
  const float* x;
  float* y;
  void operator()(std::size_t i) const { y[i] = 2 * x[i] + y[i]; }
};
struct scale_task { // a second body, so that the launch chooses between two
  float* y;
  void operator()(std::size_t i) const { y[i] *= 0.5f; }
};

class task_arrays {
public:
  explicit task_arrays(const sycl::device& device)
      : queue(device), x(sycl::malloc_device<float>(tasks * items, queue)),
        y(sycl::malloc_device<float>(tasks * items, queue)) {
    if (!x || !y) throw std::bad_alloc();
    queue.fill(x, 1.0f, tasks * items);
    queue.fill(y, 1.0f, tasks * items).wait();
  }
  ~task_arrays() {
    free_or_leave(x, queue);
    free_or_leave(y, queue);
  }
  task_arrays(const task_arrays&) = delete;
  checked_queue queue;
  float *x, *y;
};

using batch_of_tasks = prism::task_batch<axpy_task, scale_task>;

/// The inputs of task k: none, the one before, or two of the hundred before.
struct batch_shape {
  const char *name, *text;
  int before;
};
constexpr batch_shape batch_shapes[] = {{"batch, independent", "10,000 tasks without dependencies", 0},
                                        {"batch, a chain", "a chain of 10,000 tasks", 1},
                                        {"batch, a grid", "10,000 tasks after two of 100 others", 100}};

batch_of_tasks make_batch(task_arrays& in, int before) {
  batch_of_tasks batch(in.queue);
  std::vector<prism::batched_task> made;
  made.reserve(tasks);
  for (int k = 0; k < int(tasks); ++k) {
    const axpy_task first{in.x + k * items, in.y + k * items};
    const scale_task second{in.y + k * items};
    const auto add = [&](std::initializer_list<prism::batched_task> after) {
      return k % 2 == 0 ? batch.add(first, items, after) : batch.add(second, items, after);
    };
    if (before == 0 || k < before) made.push_back(add({}));
    else if (before == 1) made.push_back(add({made[k - 1]}));
    else made.push_back(add({made[k - before], made[k - before + (k % before == before - 1 ? -1 : 1)]}));
  }
  return batch;
}

void run_launches(task_arrays& in) {
  for (std::uint32_t k = 0; k < tasks; ++k) {
    const axpy_task first{in.x + k * items, in.y + k * items};
    const scale_task second{in.y + k * items};
    if (k % 2 == 0) in.queue.parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) { first(i[0]); });
    else in.queue.parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) { second(i[0]); });
  }
  in.queue.wait_and_throw();
}

} // namespace

void measure_task_batch(report& out, const options& how, const sycl::device& device) {
  task_arrays in(device);
  for (const batch_shape& shape : batch_shapes)
    out.add({"submission",
             shape.name,
             label(device),
             std::string(shape.text) + ", added and run: " + make_batch(in, shape.before).describe(),
             "10,000 launches of these bodies",
             alternate(how.rounds,
                       [&] { return timed([&] { make_batch(in, shape.before).submit().wait_and_throw(); }); },
                       [&] { return timed([&] { run_launches(in); }); }),
             {goal::kind::ratio, device.get_backend() == sycl::backend::ext_prism_vulkan ? 1 : 0.2}});
}

} // namespace bench
