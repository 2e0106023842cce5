// Kernels that other languages launch by name (prism.h, Python): functions of a shared object compiled by
// prism++.
//
//   #include <prism/kernel_library.hpp>
//   void saxpy(sycl::id<1> i, float a, const float* x, float* y) { y[i] += a * x[i]; }
//   PRISM_EXPORT_KERNEL(saxpy)
//
//   prism++ -O2 -fPIC -shared kernels.cpp -o libkernels.so
//
// The first parameter is the work-item: sycl::id<D> or sycl::item<D> for kernels over items, sycl::nd_item<D>
// for kernels over work-groups. The others are arithmetic values, pointers to registered memory, and
// prism::local_memory<T>, which the launch gives as a number of elements for each work-group. The function is
// not overloaded and not a template; it may be in a namespace if the macro is there too.
//
// PRISM_EXPORT_TASKS(steps, saxpy, scale) makes a set of kernels over sycl::id<1> whose launches can be tasks
// of one prism::task_batch (prism_tasks_create, prism.PersistentKernel).
//
// A library's list of kernels is its own: libraries may export equal names. The list is built before main, or
// when the library is loaded, and does not change after that.
#pragma once

#include <prism/provider.h>

#include <prism/task_batch.hpp>
#include <sycl/sycl.hpp>

#include <complex>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace prism {

/// Local memory of a work-group, as a parameter of an exported kernel.
template <typename T>
struct local_memory {
  sycl::local_accessor<T, 1> elements;
  T& operator[](std::size_t i) const { return elements[i]; }
  std::size_t size() const { return elements.size(); }
};

namespace exported {

enum class kind : int { value = 1, pointer = 2, local = 3 }; // PRISM_ARGUMENT_*

/// A parameter as the launcher of another language sees it.
struct parameter {
  kind what = kind::value;
  int type = 0; // PRISM_F32, ...
  bool is_const = false;
};
/// An argument: the address of the value, the pointer, or the number of elements.
struct argument {
  const void* value = nullptr;
  std::size_t count = 0;
};

struct kernel {
  const char* name = nullptr;
  int dimensions = 1;
  bool has_groups = false; // nd_item
  const parameter* parameters = nullptr;
  std::size_t parameter_count = 0;
  void (*launch)(sycl::handler& group, const std::size_t* global, const std::size_t* local,
                 const argument* arguments) = nullptr;
  const kernel* next = nullptr;
};

template <typename T>
constexpr int type_of() {
  using plain = std::remove_cv_t<T>;
  static_assert(std::is_arithmetic_v<plain> || std::is_same_v<plain, sycl::half> ||
                    std::is_same_v<plain, std::complex<float>> || std::is_same_v<plain, std::complex<double>>,
                "parameters of an exported kernel are numbers, pointers to numbers and local_memory");
  if constexpr (std::is_same_v<plain, sycl::half>) return PRISM_F16;
  else if constexpr (std::is_same_v<plain, float>) return PRISM_F32;
  else if constexpr (std::is_same_v<plain, double>) return PRISM_F64;
  else if constexpr (std::is_same_v<plain, std::complex<float>>) return PRISM_C32;
  else if constexpr (std::is_same_v<plain, std::complex<double>>) return PRISM_C64;
  else return int(sizeof(plain)) * 0x800 + (std::is_signed_v<plain> ? 4 : 5); // PRISM_S8 to PRISM_U64
}

/// How one parameter is made of an argument.
template <typename T>
struct taken {
  static constexpr parameter as{kind::value, type_of<T>(), true};
  static T from(const argument& a, sycl::handler&) {
    T value;
    std::memcpy(&value, a.value, sizeof value);
    return value;
  }
};
template <typename T>
struct taken<T*> {
  static constexpr parameter as{kind::pointer, type_of<T>(), std::is_const_v<T>};
  static T* from(const argument& a, sycl::handler&) { return static_cast<T*>(const_cast<void*>(a.value)); }
};
template <typename T>
struct taken<local_memory<T>> {
  static constexpr parameter as{kind::local, type_of<T>(), false};
  static local_memory<T> from(const argument& a, sycl::handler& group) {
    return {sycl::local_accessor<T, 1>(sycl::range<1>(a.count), group)};
  }
};

/// Which launches a first parameter belongs to.
template <typename Item>
struct shape_of;
template <int D>
struct shape_of<sycl::id<D>> {
  static constexpr int dimensions = D;
  static constexpr bool has_groups = false;
};
template <int D>
struct shape_of<sycl::item<D>> {
  static constexpr int dimensions = D;
  static constexpr bool has_groups = false;
};
template <int D>
struct shape_of<sycl::nd_item<D>> {
  static constexpr int dimensions = D;
  static constexpr bool has_groups = true;
};

template <int D>
sycl::range<D> range_of(const std::size_t* extents) {
  if constexpr (D == 1) return sycl::range<1>(extents[0]);
  else if constexpr (D == 2) return sycl::range<2>(extents[0], extents[1]);
  else return sycl::range<3>(extents[0], extents[1], extents[2]);
}

template <auto Function, typename Signature = decltype(Function)>
struct maker;
template <auto Function, typename Item, typename... Parameters>
struct maker<Function, void (*)(Item, Parameters...)> {
  using shape = shape_of<std::decay_t<Item>>;
  // One element more: an array without elements does not exist.
  static constexpr parameter parameters[sizeof...(Parameters) + 1] = {taken<std::decay_t<Parameters>>::as...,
                                                                      parameter{}};

  template <std::size_t... I>
  static void submit(sycl::handler& group, const std::size_t* global, const std::size_t* local,
                     const argument* arguments, std::index_sequence<I...>) {
    (void)arguments, (void)local;
    run(group, global, local, taken<std::decay_t<Parameters>>::from(arguments[I], group)...);
  }
  static void run(sycl::handler& group, const std::size_t* global, const std::size_t* local,
                  std::decay_t<Parameters>... values) {
    constexpr int d = shape::dimensions;
    (void)local;
    if constexpr (shape::has_groups)
      group.parallel_for(sycl::nd_range<d>(range_of<d>(global), range_of<d>(local)),
                         [=](sycl::nd_item<d> item) { Function(item, values...); });
    else group.parallel_for(range_of<d>(global), [=](std::decay_t<Item> item) { Function(item, values...); });
  }
  static void launch(sycl::handler& group, const std::size_t* global, const std::size_t* local,
                     const argument* arguments) {
    submit(group, global, local, arguments, std::index_sequence_for<Parameters...>());
  }
};

/// The first kernel of this shared object.
__attribute__((visibility("hidden"))) inline const kernel* first = nullptr;

struct entry {
  kernel own;
  template <typename Maker>
  entry(const char* name, Maker) {
    own.name = name;
    own.dimensions = Maker::shape::dimensions, own.has_groups = Maker::shape::has_groups;
    own.parameters = Maker::parameters;
    own.parameter_count = sizeof(Maker::parameters) / sizeof(parameter) - 1;
    own.launch = &Maker::launch;
    own.next = first;
    first = &own;
  }
};

/// The arguments of a task. Not std::tuple, which is not trivially copyable.
template <typename... T>
struct packed {};
template <typename First, typename... Rest>
struct packed<First, Rest...> {
  First first;
  packed<Rest...> rest;
};
template <auto Function, typename... Done>
void call_packed(sycl::id<1> i, const packed<>&, const Done&... done) {
  Function(i, done...);
}
template <auto Function, typename First, typename... Rest, typename... Done>
void call_packed(sycl::id<1> i, const packed<First, Rest...>& from, const Done&... done) {
  call_packed<Function>(i, from.rest, done..., from.first);
}

/// A kernel as the body of tasks.
template <auto Function, typename Signature = decltype(Function)>
struct task_of {
  static_assert(Function == nullptr,
                "a kernel of PRISM_EXPORT_TASKS takes sycl::id<1> and then values and pointers");
};
template <auto Function, typename... Parameters>
struct task_of<Function, void (*)(sycl::id<1>, Parameters...)> {
  packed<std::decay_t<Parameters>...> values;
  void operator()(std::size_t i) const { call_packed<Function>(sycl::id<1>(i), values); }

  static task_of made(const argument* arguments) { return {from<std::decay_t<Parameters>...>(arguments)}; }

private:
  template <typename... T>
  static packed<T...> from(const argument* arguments) {
    if constexpr (sizeof...(T) == 0) return {};
    else return from_first<T...>(arguments);
  }
  template <typename First, typename... Rest>
  static packed<First, Rest...> from_first(const argument* arguments) {
    First value;
    if constexpr (std::is_pointer_v<First>) value = static_cast<First>(const_cast<void*>(arguments->value));
    else std::memcpy(&value, arguments->value, sizeof value);
    return {value, from<Rest...>(arguments + 1)};
  }
};

/// Tasks of one set, by the numbers of its kernels.
class tasks {
public:
  virtual ~tasks() = default;
  virtual void add(std::size_t kernel, std::size_t items, const argument* arguments,
                   const std::vector<batched_task>& after) = 0;
  virtual batched_task last() const = 0;
  virtual sycl::event run(sycl::queue& queue) = 0;
  virtual std::string describe() = 0;
};

template <auto... Functions>
class tasks_of final : public tasks {
public:
  explicit tasks_of(const sycl::queue& queue) : m_batch(queue) {}
  void add(std::size_t kernel, std::size_t items, const argument* arguments,
           const std::vector<batched_task>& after) override {
    std::size_t number = 0;
    ((number++ == kernel ? void(m_last = m_batch.add(task_of<Functions>::made(arguments), items, after))
                         : void()),
     ...);
  }
  batched_task last() const override { return m_last; }
  sycl::event run(sycl::queue& queue) override { return m_batch.submit(queue); }
  std::string describe() override { return m_batch.describe(); }

private:
  task_batch<task_of<Functions>...> m_batch;
  batched_task m_last;
};

struct task_set {
  const char* name = nullptr;
  const char* kernels = nullptr; // as the macro lists them: "saxpy, scale"
  std::unique_ptr<tasks> (*make)(const sycl::queue& queue) = nullptr;
  const task_set* next = nullptr;
};
__attribute__((visibility("hidden"))) inline const task_set* first_tasks = nullptr;

struct task_entry {
  task_set own;
  task_entry(const char* name, const char* kernels, std::unique_ptr<tasks> (*make)(const sycl::queue&))
      : own{name, kernels, make, first_tasks} {
    first_tasks = &own;
  }
};
template <auto... Functions>
std::unique_ptr<tasks> make_tasks(const sycl::queue& queue) {
  return std::make_unique<tasks_of<Functions...>>(queue);
}

} // namespace exported
} // namespace prism

/// The sets of tasks, for prism_library_open. `layout`: sizeof(prism::exported::task_set).
extern "C" __attribute__((weak, visibility("default"))) const void*
prism_exported_tasks(std::size_t* layout) {
  *layout = sizeof(prism::exported::task_set);
  return prism::exported::first_tasks;
}

/// The list, for prism_library_open. `layout`: sizeof(prism::exported::kernel), which both sides compare.
extern "C" __attribute__((weak, visibility("default"))) const void*
prism_exported_kernels(std::size_t* layout) {
  *layout = sizeof(prism::exported::kernel);
  return prism::exported::first;
}

#define PRISM_EXPORT_KERNEL(function)                                                                        \
  namespace {                                                                                                \
  const ::prism::exported::entry prism_exported_##function{#function,                                        \
                                                           ::prism::exported::maker<&function>{}};           \
  }

#define PRISM_EXPORT_TASKS(name, ...)                                                                        \
  namespace {                                                                                                \
  const ::prism::exported::task_entry prism_exported_tasks_##name{                                           \
      #name, #__VA_ARGS__, &::prism::exported::make_tasks<__VA_ARGS__>};                                     \
  }
