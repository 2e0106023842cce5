// Task graphs: functions that run as soon as the tasks they depend on are complete, on the threads of
// oneTBB's work-stealing scheduler and on devices. A task's result is handed to the tasks that name it.
//
//   prism::task_graph graph;
//   auto left = graph.add("left", [] { return load("left"); });
//   auto right = graph.add("right", [] { return load("right"); });
//   auto sum = graph.add("sum", [](sycl::queue& q, const field& a, const field& b) { return add(q, a, b); },
//   left, right); show(sum.get());
//
// Scheduling follows Blumofe and Leiserson, "Scheduling multithreaded computations by work stealing", J. ACM
// 46 (1999).
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/scope.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace prism {

class task_graph;

/// Among tasks that could run, those of a higher priority begin first. A running task is never interrupted.
enum class task_priority { low, normal, high };

/// Thrown by task::get() and task_graph::wait(). what() is "task "sum": " and the message of what the task
/// threw, which cause() returns. Tasks that depend on a failed one do not run and fail with the same error.
class task_error : public sycl::exception {
public:
  task_error(std::string task, const std::string& words, std::exception_ptr cause)
      : sycl::exception(sycl::make_error_code(sycl::errc::runtime), "task \"" + task + "\": " + words),
        m_task(std::move(task)), m_cause(std::move(cause)) {}
  const std::string& task() const noexcept { return m_task; }
  const std::exception_ptr& cause() const noexcept { return m_cause; }

private:
  std::string m_task;
  std::exception_ptr m_cause;
};

/// Thrown by task::get() of a task that was cancelled before it began.
class task_cancelled : public sycl::exception {
public:
  explicit task_cancelled(const std::string& task)
      : sycl::exception(sycl::make_error_code(sycl::errc::runtime),
                        "task \"" + task + "\" was cancelled before it began") {}
};

namespace detail {

struct task_link;

/// A task without the type of its result. Its graph owns it until it is complete, and every prism::task of
/// it.
struct task_node {
  task_node() = default;
  task_node(const task_node&) = delete;
  virtual ~task_node();
  /// Calls the function and stores its result. Returns the event that completes the task, if the function
  /// returned one.
  virtual std::optional<sycl::event> run(sycl::queue* on) = 0;
  /// Frees the function and its references to other tasks.
  virtual void release() noexcept = 0;

  std::string name;
  task_priority priority = task_priority::normal;
  std::optional<sycl::device> device;    // of a function that takes a queue
  std::atomic<int> waits_for{1};         // dependencies that are not complete, and one while the task is made
  std::atomic<task_link*> next{nullptr}; // tasks that depend on this one; `closed` once it is complete
  std::atomic<bool> failed_before{false};
  std::exception_ptr failure; // written before completion
};

template <typename T>
struct task_result : task_node {
  std::optional<T> value;
};
template <>
struct task_result<void> : task_node {};

} // namespace detail

/// Options of one task. An aggregate.
struct task_options {
  std::string name;
  task_priority priority = task_priority::normal;
  execution_policy
      policy; // selects the device of a function that takes a queue; the empty policy is `automatic`
  workload work = typical_workload(); // for the policy
  std::vector<std::string> prefer;    // instead of a policy: the first available device of the list
};

/// The future result of a task. Copies share it. Thread-safe.
template <typename T>
class task {
public:
  task() = default;
  /// Waits and returns the result. Throws task_error or task_cancelled; errc::invalid inside a task of the
  /// same graph, where waiting could take the thread that the other task needs: give it as a dependency
  /// instead.
  template <typename U = T>
  std::enable_if_t<!std::is_void_v<U>, const U&> get() const {
    wait();
    return *m_result->value;
  }
  template <typename U = T>
  std::enable_if_t<std::is_void_v<U>> get() const {
    wait();
  }
  /// Whether the task is complete, failed or cancelled.
  bool is_done() const noexcept;

private:
  friend class task_graph;
  void wait() const;
  std::shared_ptr<detail::task_result<T>> m_result;
  std::shared_ptr<void> m_graph; // its state, which outlives the task_graph
};

struct task_graph_options {
  unsigned threads = 0; // that run tasks at the same time; 0: as many as the process has processors
};
struct task_graph_statistics {
  std::uint64_t added = 0, completed = 0, failed = 0,
                cancelled = 0; // failed: with those that depend on failed ones
};

/// A set of tasks that grows while it runs. All functions are thread-safe, and tasks may add tasks.
class task_graph {
public:
  explicit task_graph(task_graph_options options = {});
  /// Waits for all tasks. Errors that wait() did not throw are lost. Must not be called by one of its own
  /// tasks.
  ~task_graph();
  task_graph(const task_graph&) = delete;
  task_graph& operator=(const task_graph&) = delete;

  /// Adds a task that calls `function(results...)` or `function(queue, results...)` once all of `inputs` are
  /// complete; inputs without a result (task<void>) are dependencies only. The queue is of the device that
  /// the options choose. A function with a queue may return a sycl::event: the task is complete when that is,
  /// and no thread waits for it meanwhile that could run other tasks. Throws no_candidate if no device fits,
  /// errc::invalid for a task of another graph.
  template <typename F, typename... Ts>
  auto add(task_options options, F function, const task<Ts>&... inputs);
  template <typename F, typename... Ts>
  auto add(std::string name, F function, const task<Ts>&... inputs) {
    task_options options;
    options.name = std::move(name);
    return add(std::move(options), std::move(function), inputs...);
  }

  /// Waits until all tasks are complete; the calling thread runs tasks meanwhile. Throws the task_error of
  /// the first task that failed since the last call. errc::invalid inside a task of this graph.
  void wait();
  /// Tasks that did not begin do not run, and get() of them throws task_cancelled. Tasks that run go on. The
  /// graph can be used again after wait().
  void cancel();
  task_graph_statistics statistics() const;

private:
  struct state;
  template <typename T>
  friend class task;
  static void wait_for(const std::shared_ptr<void>& graph, const detail::task_node& node);
  static bool is_done(const detail::task_node& node) noexcept;
  sycl::device device_for(const task_options& options) const;
  void depend(const std::shared_ptr<detail::task_node>& later, detail::task_node* earlier,
              const void* graph_of_earlier);
  void start(std::shared_ptr<detail::task_node> made);

  std::shared_ptr<state> m_state;
};

namespace detail {

template <typename R>
struct task_value {
  using type = R;
};
template <>
struct task_value<sycl::event> {
  using type = void;
};

/// Results of tasks as arguments: none for tasks without a result.
template <typename T>
std::tuple<const T&> task_argument(const std::shared_ptr<task_result<T>>& input) {
  return std::tuple<const T&>(*input->value);
}
inline std::tuple<> task_argument(const std::shared_ptr<task_result<void>>&) { return {}; }

template <typename F, typename Tuple>
struct task_call;
template <typename F, typename... As>
struct task_call<F, std::tuple<As...>> {
  static constexpr bool takes_queue = std::is_invocable_v<F&, sycl::queue&, As...>;
  static_assert(
      takes_queue || std::is_invocable_v<F&, As...>,
      "the function must be callable with the results of its inputs, or with a sycl::queue& and these");
  template <bool queue>
  static auto result() {
    if constexpr (queue) return std::invoke_result<F&, sycl::queue&, As...>{};
    else return std::invoke_result<F&, As...>{};
  }
  using returned = typename decltype(result<takes_queue>())::type;
};

template <typename... Ts>
using task_arguments =
    decltype(std::tuple_cat(task_argument(std::declval<const std::shared_ptr<task_result<Ts>>&>())...));

template <typename F, typename... Ts>
struct task_work final
    : task_result<typename task_value<typename task_call<F, task_arguments<Ts...>>::returned>::type> {
  using call = task_call<F, task_arguments<Ts...>>;
  struct parts {
    F function;
    std::tuple<std::shared_ptr<task_result<Ts>>...> inputs;
  };
  task_work(F f, std::tuple<std::shared_ptr<task_result<Ts>>...> in)
      : m_parts(parts{std::move(f), std::move(in)}) {}

  std::optional<sycl::event> run(sycl::queue* on) override {
    auto arguments =
        std::apply([](const auto&... in) { return std::tuple_cat(task_argument(in)...); }, m_parts->inputs);
    const auto called = [&](auto&... as) -> typename call::returned {
      if constexpr (call::takes_queue) return m_parts->function(*on, as...);
      else return m_parts->function(as...);
    };
    if constexpr (std::is_same_v<typename call::returned, sycl::event>) {
      return std::apply(called, arguments);
    } else if constexpr (std::is_void_v<typename call::returned>) {
      (void)on;
      std::apply(called, arguments);
    } else {
      this->value.emplace(std::apply(called, arguments));
    }
    return std::nullopt;
  }
  void release() noexcept override { m_parts.reset(); }

private:
  std::optional<parts> m_parts;
};

} // namespace detail

template <typename F, typename... Ts>
auto task_graph::add(task_options options, F function, const task<Ts>&... inputs) {
  using work = detail::task_work<F, Ts...>;
  using value = typename detail::task_value<typename work::call::returned>::type;
  auto made = std::make_shared<work>(std::move(function), std::make_tuple(inputs.m_result...));
  made->priority = options.priority;
  if constexpr (work::call::takes_queue) made->device = device_for(options);
  made->name = std::move(options.name);
  (depend(made, inputs.m_result.get(), inputs.m_graph.get()), ...);
  task<value> result;
  result.m_result = made;
  result.m_graph = m_state;
  start(made);
  return result;
}

template <typename T>
bool task<T>::is_done() const noexcept {
  return m_result && task_graph::is_done(*m_result);
}
template <typename T>
void task<T>::wait() const {
  if (!m_result)
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), "prism::task: get() of an empty task");
  task_graph::wait_for(m_graph, *m_result);
}

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
