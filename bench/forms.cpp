// One operation in the forms that programs use: each compared with the fastest one on the same device, and
// with hand-written code for the driver (forms_by_hand.hpp). Element-wise operations on USM in all forms;
// axpy also through accessors and a struct of pointers, with other index types and element types; dot
// products including their sums. Bound: 1.15 of both.
#include "bench/forms_by_hand.hpp"
#include "bench/rows.hpp"

#include <functional>

namespace bench {

namespace {

constexpr double bound = 1.15;
constexpr std::size_t width = form_width, count = form_count;

enum class form {
  range_id,
  range_item,
  groups_32,
  groups_256,
  groups_1024,
  guarded,
  guarded_early,
  grid_stride,
  hierarchical
};
constexpr const char* form_names[] = {"range, id",
                                      "range, item",
                                      "nd_range 32",
                                      "nd_range 256",
                                      "nd_range 1024",
                                      "nd_range 256, if (i < n)",
                                      "nd_range 256, if (i >= n) return",
                                      "grid-stride loop",
                                      "hierarchical"};

template <typename Operation, form Which, typename Index>
class form_kernel;

/// Calls `operation(k)` for every k below `elements`, in one form; `Index` is the type of k.
template <form Which, typename Index, typename Operation>
void submit(sycl::handler& h, std::size_t elements, const Operation& operation) {
  using name = form_kernel<Operation, Which, Index>;
  const Index n = Index(elements);
  const sycl::range<1> all(elements);
  if constexpr (Which == form::range_id)
    h.parallel_for<name>(all, [=](sycl::id<1> i) { operation(Index(i[0])); });
  else if constexpr (Which == form::range_item)
    h.parallel_for<name>(all, [=](sycl::item<1> i) { operation(Index(i.get_linear_id())); });
  else if constexpr (Which == form::groups_32)
    h.parallel_for<name>(sycl::nd_range<1>(all, 32),
                         [=](sycl::nd_item<1> i) { operation(Index(i.get_global_id(0))); });
  else if constexpr (Which == form::groups_256)
    h.parallel_for<name>(sycl::nd_range<1>(all, 256),
                         [=](sycl::nd_item<1> i) { operation(Index(i.get_global_id(0))); });
  else if constexpr (Which == form::groups_1024)
    h.parallel_for<name>(sycl::nd_range<1>(all, 1024),
                         [=](sycl::nd_item<1> i) { operation(Index(i.get_global_id(0))); });
  else if constexpr (Which == form::guarded)
    h.parallel_for<name>(sycl::nd_range<1>(all, 256), [=](sycl::nd_item<1> i) {
      const Index k = Index(i.get_group(0) * i.get_local_range(0) + i.get_local_id(0));
      if (k < n) operation(k);
    });
  else if constexpr (Which == form::guarded_early)
    h.parallel_for<name>(sycl::nd_range<1>(all, 256), [=](sycl::nd_item<1> i) {
      const Index k = Index(i.get_global_id(0));
      if (k >= n) return;
      operation(k);
    });
  else if constexpr (Which == form::grid_stride)
    h.parallel_for<name>(sycl::nd_range<1>(8192, 256), [=](sycl::nd_item<1> i) {
      for (Index k = Index(i.get_global_id(0)); k < n; k += Index(i.get_global_range(0))) operation(k);
    });
  else
    h.parallel_for_work_group<name>(sycl::range<1>(elements / 256), sycl::range<1>(256),
                                    [=](sycl::group<1> g) {
      g.parallel_for_work_item([&](sycl::h_item<1> i) { operation(Index(i.get_global_id(0))); });
    });
}

/// One of several ways to do the same, measured together.
struct way {
  std::string name;
  std::function<void(sycl::queue&)> launch;
};

/// What all operations of a device share. `hand` is null if the driver's own interface finds no such device.
struct context {
  report& out;
  const options& how;
  sycl::queue& queue;
  std::unique_ptr<forms_by_hand> hand;
};

/// The operation written by hand, ready to run and with the same result as the loops in plain C++; null if
/// there is none.
forms_by_hand* prepare_by_hand(context& in, const std::string& operation, const hand_operation& by_hand) {
  if (!in.hand) return nullptr;
  const auto skip = [&](const std::string& why, bool failed) {
    in.out.skip("by hand", label(in.queue.get_device()), operation + ": " + why, failed);
    return nullptr;
  };
  try {
    in.hand->prepare(by_hand);
  } catch (const std::exception& error) {
    return skip(error.what(), false);
  }
  in.hand->run();
  const auto reference = make_openmp_forms();
  try {
    reference->prepare(by_hand);
  } catch (const std::exception&) { // a type that plain C++ does not have
    return in.hand.get();
  }
  reference->run();
  const std::string wrong = difference(by_hand, in.hand->written(), reference->written());
  return wrong.empty() ? in.hand.get() : skip(wrong, true);
}

double median_wall(const std::vector<times>& measured) {
  std::vector<double> walls;
  for (const times& each : measured) walls.push_back(each.wall);
  return spread_of(walls).median;
}

/// The second of two runs: the first brings the memory into the caches.
times warm(const std::function<void()>& run) {
  run();
  return timed(run);
}

/// Measures all ways alternately; each gets a row that compares it with the fastest, and one that compares it
/// with the operation written by hand.
void compare(context& in, const std::string& operation, const std::vector<way>& ways,
             const hand_operation& by_hand) {
  const std::string device = label(in.queue.get_device());
  forms_by_hand* const hand = prepare_by_hand(in, operation, by_hand);
  std::vector<std::vector<times>> measured(ways.size());
  std::vector<times> of_hand;
  try {
    for (int round = -2; round < in.how.rounds; ++round) {
      for (std::size_t w = 0; w < ways.size(); ++w) {
        const times spent = warm([&] {
          ways[w].launch(in.queue);
          in.queue.wait_and_throw();
        });
        if (round >= 0) measured[w].push_back(spent);
      }
      if (!hand) continue;
      const times spent = warm([&] { hand->run(); });
      if (round >= 0) of_hand.push_back(spent);
    }
  } catch (const std::exception& error) {
    in.out.skip("forms", device, operation + ": " + error.what(), true);
    return;
  }
  std::size_t best = 0;
  for (std::size_t w = 1; w < ways.size(); ++w)
    if (median_wall(measured[w]) < median_wall(measured[best])) best = w;
  for (std::size_t w = 0; w < ways.size(); ++w) {
    const std::string name = operation + ": " + ways[w].name;
    const goal wanted{goal::kind::ratio, bound};
    in.out.add({"forms", name, device, ways[w].name, ways[best].name, {measured[w], measured[best]}, wanted});
    if (hand)
      in.out.add({"by hand", name, device, ways[w].name, hand->language(), {measured[w], of_hand}, wanted});
  }
}

template <form Which, typename Index = std::size_t, typename Operation>
way way_of(const Operation& operation, const std::string& prefix = "") {
  return {prefix + form_names[int(Which)], [=](sycl::queue& queue) {
    queue.submit([&](sycl::handler& h) { submit<Which, Index>(h, count, operation); });
  }};
}

template <typename Operation>
std::vector<way> all_forms(const Operation& operation) {
  return {way_of<form::range_id>(operation),      way_of<form::range_item>(operation),
          way_of<form::groups_32>(operation),     way_of<form::groups_256>(operation),
          way_of<form::groups_1024>(operation),   way_of<form::guarded>(operation),
          way_of<form::guarded_early>(operation), way_of<form::grid_stride>(operation),
          way_of<form::hierarchical>(operation)};
}

template <typename Index, typename Operation>
void add_indexed(std::vector<way>& to, const Operation& operation, const std::string& type) {
  to.push_back(way_of<form::range_id, Index>(operation, type + ", "));
  to.push_back(way_of<form::guarded, Index>(operation, type + ", "));
  to.push_back(way_of<form::grid_stride, Index>(operation, type + ", "));
}

// --- the operations; x, y and out have `count` elements
template <typename T>
struct axpy {
  T a;
  const T* x;
  T* y;
  template <typename I>
  void operator()(I k) const {
    y[k] = a * x[k] + y[k];
  }
};
struct fields_of_axpy {
  float a;
  const float* x;
  float* y;
};
struct axpy_by_struct {
  fields_of_axpy on;
  template <typename I>
  void operator()(I k) const {
    on.y[k] = on.a * on.x[k] + on.y[k];
  }
};
struct stencil {
  const float* x;
  float* out;
  template <typename I>
  void operator()(I k) const {
    if (k > 0 && k < I(count - 1)) out[k] = 0.25f * x[k - 1] + 0.5f * x[k] + 0.25f * x[k + 1];
  }
};
struct transpose {
  const float* x;
  float* out;
  template <typename I>
  void operator()(I k) const {
    out[k % width * width + k / width] = x[k];
  }
};
struct gather {
  const float* x;
  const int* places;
  float* out;
  template <typename I>
  void operator()(I k) const {
    out[k] = x[places[k]];
  }
};
struct histogram {
  const int* places;
  int* bins;
  template <typename I>
  void operator()(I k) const {
    sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device,
                     sycl::access::address_space::global_space>(bins[places[k] & 255])
        .fetch_add(1);
  }
};
struct branchy {
  const float* x;
  float* out;
  template <typename I>
  void operator()(I k) const {
    const float v = x[k];
    if (v > 30.0f) out[k] = sycl::sqrt(v);
    else if (v > 10.0f) out[k] = v * v - 1.0f;
    else out[k] = -v;
  }
};
struct functions {
  const float* x;
  float* out;
  template <typename I>
  void operator()(I k) const {
    const float v = x[k];
    out[k] = sycl::exp(v * -0.125f) * sycl::sin(v) + sycl::log(1.0f + v) * sycl::pow(v + 0.5f, 0.3f);
  }
};
/// Each of `width` work-items handles a row or a column of the matrix.
template <bool ByRows>
struct matrix_vector {
  const float *matrix, *x;
  float* out;
  template <typename I>
  void operator()(I k) const {
    float sum = 0;
    for (I j = 0; j < I(width); ++j) sum += matrix[ByRows ? k * I(width) + j : j * I(width) + k] * x[j];
    out[k] = sum;
  }
};
template <typename Operation, form... Which>
std::vector<way> over_rows(const Operation& operation) {
  return {way{form_names[int(Which)], [=](sycl::queue& queue) {
    queue.submit([&](sycl::handler& h) { submit<Which, std::size_t>(h, width, operation); });
  }}...};
}
template <typename Operation>
std::vector<way> matrix_forms(const Operation& operation) {
  return over_rows<Operation, form::range_id, form::range_item, form::groups_32, form::groups_256,
                   form::guarded, form::guarded_early>(operation);
}

template <typename T>
T* allocate(sycl::queue& queue) {
  T* memory = sycl::malloc_device<T>(count, queue);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

template <typename T>
void compare_types(context& in, const std::string& type) {
  sycl::queue& queue = in.queue;
  T *x = allocate<T>(queue), *y = allocate<T>(queue);
  queue.memset(x, 0, count * sizeof(T));
  queue.memset(y, 0, count * sizeof(T)).wait_and_throw();
  const axpy<T> operation{T(3), x, y};
  compare(in, "axpy, " + type,
          {way_of<form::range_id>(operation), way_of<form::groups_256>(operation),
           way_of<form::guarded>(operation), way_of<form::grid_stride>(operation)},
          {"axpy", type});
  sycl::free(x, queue);
  sycl::free(y, queue);
}

template <typename T>
void compare_dot(context& in, const std::string& type) {
  sycl::queue& queue = in.queue;
  T *x = allocate<T>(queue), *y = allocate<T>(queue), *sum = allocate<T>(queue);
  queue.memset(x, 0, count * sizeof(T));
  queue.memset(y, 0, count * sizeof(T)).wait_and_throw();
  const auto add_to = [](T* to, T value) {
    sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::device,
                     sycl::access::address_space::global_space>(*to)
        .fetch_add(value);
  };
  compare(in, "dot, " + type,
          {{"range, reduction",
            [=](sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      h.parallel_for(sycl::range<1>(count), sycl::reduction(sum, sycl::plus<T>()),
                     [=](sycl::id<1> i, auto& total) { total += x[i] * y[i]; });
    });
  }},
           {"nd_range, reduction",
            [=](sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      h.parallel_for(
          sycl::nd_range<1>(count, 256), sycl::reduction(sum, sycl::plus<T>()),
          [=](sycl::nd_item<1> i, auto& total) { total += x[i.get_global_id(0)] * y[i.get_global_id(0)]; });
    });
  }},
           {"reduce_over_group",
            [=](sycl::queue& q) {
    q.parallel_for(sycl::nd_range<1>(count, 1024), [=](sycl::nd_item<1> i) {
      const std::size_t k = i.get_global_id(0);
      const T total = sycl::reduce_over_group(i.get_group(), x[k] * y[k], sycl::plus<T>());
      if (i.get_local_id(0) == 0) add_to(sum, total);
    });
  }},
           {"grid-stride loop, reduce_over_group",
            [=](sycl::queue& q) {
    q.parallel_for(sycl::nd_range<1>(8192, 256), [=](sycl::nd_item<1> i) {
      T own = 0;
      for (std::size_t k = i.get_global_id(0); k < count; k += i.get_global_range(0)) own += x[k] * y[k];
      const T total = sycl::reduce_over_group(i.get_group(), own, sycl::plus<T>());
      if (i.get_local_id(0) == 0) add_to(sum, total);
    });
  }},
           {"tree in local memory",
            [=](sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      sycl::local_accessor<T> part(256, h);
      h.parallel_for(sycl::nd_range<1>(8192, 256), [=](sycl::nd_item<1> i) {
        const std::size_t l = i.get_local_id(0);
        T own = 0;
        for (std::size_t k = i.get_global_id(0); k < count; k += i.get_global_range(0)) own += x[k] * y[k];
        part[l] = own;
        for (std::size_t half = 128; half > 0; half /= 2) {
          sycl::group_barrier(i.get_group());
          if (l < half) part[l] += part[l + half];
        }
        if (l == 0) add_to(sum, part[0]);
      });
    });
  }}},
          {"dot_product", type});
  for (T* memory : {x, y, sum}) sycl::free(memory, queue);
}

void compare_memory(context& in, const axpy<float>& plain) {
  sycl::queue& queue = in.queue;
  const axpy_by_struct by_struct{{3.0f, plain.x, plain.y}};
  auto x = std::make_shared<sycl::buffer<float>>(sycl::range<1>(count)),
       y = std::make_shared<sycl::buffer<float>>(sycl::range<1>(count));
  const auto zero = [&](sycl::buffer<float>& b) {
    queue.submit(
        [&](sycl::handler& h) { h.fill(sycl::accessor(b, h, sycl::write_only, sycl::no_init), 0.0f); });
  };
  zero(*x);
  zero(*y);
  const auto by_accessor = [=](auto submit_with) {
    return [=](sycl::queue& q) {
      q.submit([&](sycl::handler& h) {
        sycl::accessor from(*x, h, sycl::read_only);
        sycl::accessor to(*y, h, sycl::read_write);
        submit_with(h, [=](auto k) { to[k] = 3.0f * from[k] + to[k]; });
      });
    };
  };
  compare(in, "axpy, memory",
          {way_of<form::range_id>(plain, "USM, "),
           way_of<form::guarded>(plain, "USM, "),
           way_of<form::grid_stride>(plain, "USM, "),
           way_of<form::range_id>(by_struct, "struct of pointers, "),
           way_of<form::guarded>(by_struct, "struct of pointers, "),
           way_of<form::grid_stride>(by_struct, "struct of pointers, "),
           {"accessors, range, id", by_accessor([](sycl::handler& h, auto operation) {
    submit<form::range_id, std::size_t>(h, count, operation);
  })},
           {"accessors, nd_range 256, if (i < n)", by_accessor([](sycl::handler& h, auto operation) {
    submit<form::guarded, std::size_t>(h, count, operation);
  })},
           {"accessors, grid-stride loop", by_accessor([](sycl::handler& h, auto operation) {
    submit<form::grid_stride, std::size_t>(h, count, operation);
  })}},
          {"axpy", "float"});
}

std::unique_ptr<forms_by_hand> make_by_hand(const options& how, const sycl::device& device) {
  const std::string name = driver_name(device);
  switch (device.get_backend()) {
    case sycl::backend::opencl: return make_opencl_forms(name, how.shaders);
    case sycl::backend::ext_prism_vulkan: return make_vulkan_forms(name, how.shaders);
    case sycl::backend::ext_prism_host: return make_openmp_forms();
    default: return nullptr;
  }
}

} // namespace

void measure_forms(report& out, const options& how, const sycl::device& device) {
  sycl::queue queue(device, sycl::property::queue::in_order{});
  float *x = allocate<float>(queue), *y = allocate<float>(queue), *result = allocate<float>(queue);
  int *places = allocate<int>(queue), *bins = allocate<int>(queue);
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
    x[i] = float(i[0] % 61) * 0.7f;
    y[i] = 0;
    places[i] = int(i[0] * 7919 % count);
    bins[i] = 0;
  });
  queue.wait_and_throw();
  context in{out, how, queue, make_by_hand(how, device)};
  const axpy<float> plain{3.0f, x, y};
  compare(in, "axpy", all_forms(plain), {"axpy", "float"});
  compare(in, "stencil", all_forms(stencil{x, result}), {"stencil", "float"});
  compare(in, "transpose", all_forms(transpose{x, result}), {"transpose", "float"});
  compare(in, "gather", all_forms(gather{x, places, result}), {"gather", "float"});
  compare(in, "histogram", all_forms(histogram{places, bins}), {"histogram", "int"});
  compare(in, "branchy", all_forms(branchy{x, result}), {"branchy", "float"});
  compare(in, "functions", all_forms(functions{x, result}), {"functions", "float"});
  compare(in, "matrix x vector, by rows", matrix_forms(matrix_vector<true>{x, y, result}),
          {"by_rows", "float"});
  compare(in, "matrix x vector, by columns", matrix_forms(matrix_vector<false>{x, y, result}),
          {"by_columns", "float"});
  std::vector<way> indexed;
  add_indexed<std::size_t>(indexed, plain, "size_t");
  add_indexed<int>(indexed, plain, "int");
  add_indexed<unsigned>(indexed, plain, "unsigned");
  add_indexed<std::int64_t>(indexed, plain, "int64_t");
  compare(in, "axpy, indices", indexed, {"axpy", "float"});
  compare_memory(in, plain);
  compare_types<int>(in, "int");
  compare_types<signed char>(in, "char");
  compare_types<sycl::float4>(in, "float4");
  if (device.has(sycl::aspect::fp64)) compare_types<double>(in, "double");
  if (device.has(sycl::aspect::fp16)) compare_types<sycl::half>(in, "half");
  compare_dot<float>(in, "float");
  if (device.has(sycl::aspect::fp64) && device.has(sycl::aspect::atomic64)) compare_dot<double>(in, "double");
  for (float* memory : {x, y, result}) sycl::free(memory, queue);
  for (int* memory : {places, bins}) sycl::free(memory, queue);
}

} // namespace bench
