// Pipelines: a stream of items passes through typed stages that run concurrently, on the host or on devices
// chosen by a policy. Stages can be replicated and can preserve the order of items. Bounded channels connect
// the stages: a slow stage blocks the stages before it, so memory use is bounded.
//
//   auto report = prism::from<record>("read", read_next)  // std::optional<record>()
//       .stage("align", align, {.replicas = 2, .policy = cheap})  // hit(sycl::queue&, record) or hit(record)
//       .batch(64)
//       .into("write", write)  // void(std::vector<hit>)
//       .run();
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/scope.hpp>
#include <sycl/queue.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace prism {

/// Options of a stage. An aggregate, so that {.replicas = 2} works in C++20.
struct stage_options {
  std::size_t replicas = 1; // items that run at the same time; the callable must then be thread-safe
  bool ordered = true;      // results leave in the order in which items arrived
  std::size_t capacity = 8; // items that may wait before it and behind it, in addition to those that run
  execution_policy policy;  // selects the device of a stage with a queue; the empty policy is `automatic`
  workload work = typical_workload(); // of one item, for the policy
  std::vector<std::string> prefer;    // instead of a policy: the first available device of the list
};

struct stage_report {
  std::string name, device; // device: empty for stages without a queue
  std::uint64_t in = 0, out = 0;
  seconds busy{0}; // running, all replicas together
};
struct pipeline_report {
  std::vector<stage_report> stages;
  seconds wall{0};
  bool cancelled = false;
  std::uint64_t skipped = 0; // items that pipeline_options::skip dropped
  /// Returns, for the stage that limits the throughput, its busy time per replica divided by the wall time.
  /// The best possible value is 1.
  double efficiency() const noexcept;
  /// Returns the report as a table.
  std::string text() const;
  std::vector<std::size_t> replicas; // of each stage, for efficiency()
};

/// Thrown when a stage threw. what() is "stage "align", item 17: " and the message of that exception, which
/// cause() returns.
class pipeline_error : public sycl::exception {
public:
  pipeline_error(std::string stage, std::uint64_t item, const std::string& words, std::exception_ptr cause)
      : sycl::exception(sycl::make_error_code(sycl::errc::runtime),
                        "stage \"" + stage + "\", item " + std::to_string(item) + ": " + words),
        m_stage(std::move(stage)), m_item(item), m_cause(std::move(cause)) {}
  const std::string& stage() const noexcept { return m_stage; }
  std::uint64_t item() const noexcept {
    return m_item;
  } // its number at the source, from 0; for a batch, that of its first item
  const std::exception_ptr& cause() const noexcept { return m_cause; }

private:
  std::string m_stage;
  std::uint64_t m_item;
  std::exception_ptr m_cause;
};

/// Cancels a run, from another thread or from a callback. Copies share their state. Thread-safe.
class cancellation {
public:
  void cancel() noexcept { *m_flag = true; }
  bool requested() const noexcept { return *m_flag; }

private:
  std::shared_ptr<std::atomic<bool>> m_flag = std::make_shared<std::atomic<bool>>(false);
};

struct pipeline_options {
  prism::cancellation cancellation;
  std::function<void(const pipeline_report&)>
      progress; // called about once an interval and at the end; calls do not overlap
  seconds progress_interval{0.1};
  std::function<bool(const pipeline_error&)>
      skip; // returns true: the run continues without the item; false: it ends with the error
  std::map<std::string, std::vector<std::string>> targets; // stage name -> devices in order of preference
};

namespace detail {

/// An item of any type.
using pipeline_item = std::shared_ptr<void>;
using pipeline_emit = std::function<void(pipeline_item)>;
struct pipeline_stage {
  std::string name;
  stage_options options;
  bool wants_queue = false;
  std::function<void(sycl::queue*, pipeline_item, const pipeline_emit&)> run;
  std::function<void(const pipeline_emit&)> finish; // at the end of the stream; may be empty
};
struct pipeline_plan {
  std::string source_name;
  std::function<pipeline_item()> source; // null: the end
  std::vector<pipeline_stage> stages;
};
pipeline_report run_pipeline(const pipeline_plan& plan, const pipeline_options& how);

template <typename T>
T& item_as(const pipeline_item& item) {
  return *static_cast<T*>(item.get());
}

} // namespace detail

/// A complete pipeline, which ends in a sink. It can run again if its source can.
class pipeline {
public:
  explicit pipeline(detail::pipeline_plan plan)
      : m_plan(std::make_shared<detail::pipeline_plan>(std::move(plan))) {}
  /// Runs until the source ends, a stage throws, or the run is cancelled. Throws pipeline_error. Throws
  /// no_candidate, before any stage runs, if no device fits the policy of a stage.
  pipeline_report run(const pipeline_options& how = {}) const { return detail::run_pipeline(*m_plan, how); }

private:
  std::shared_ptr<const detail::pipeline_plan> m_plan;
};

/// An incomplete pipeline, whose last stage returns items of type T.
template <typename T>
class pipeline_of {
public:
  explicit pipeline_of(detail::pipeline_plan plan) : m_plan(std::move(plan)) {}

  /// Adds a stage U f(T) or U f(sycl::queue&, T). A function with a queue must wait for the work that it
  /// submits.
  template <typename F>
  auto stage(const std::string& name, F f, stage_options options = {}) && {
    if constexpr (std::is_invocable_v<F&, sycl::queue&, T>) {
      using result = std::decay_t<std::invoke_result_t<F&, sycl::queue&, T>>;
      add(name, std::move(options), true,
          [f](sycl::queue* q, detail::pipeline_item item, const detail::pipeline_emit& emit) mutable {
        emit(std::make_shared<result>(f(*q, std::move(detail::item_as<T>(item)))));
      });
      return pipeline_of<result>(std::move(m_plan));
    } else {
      static_assert(std::is_invocable_v<F&, T>,
                    "a stage is called with an item, or with a queue and an item");
      using result = std::decay_t<std::invoke_result_t<F&, T>>;
      add(name, std::move(options), false,
          [f](sycl::queue*, detail::pipeline_item item, const detail::pipeline_emit& emit) mutable {
        emit(std::make_shared<result>(f(std::move(detail::item_as<T>(item)))));
      });
      return pipeline_of<result>(std::move(m_plan));
    }
  }

  /// Adds a stage std::optional<U> f(T). Items for which it returns no value are dropped.
  template <typename F>
  auto filter(const std::string& name, F f, stage_options options = {}) && {
    using result = typename std::decay_t<std::invoke_result_t<F&, T>>::value_type;
    add(name, std::move(options), false,
        [f](sycl::queue*, detail::pipeline_item item, const detail::pipeline_emit& emit) mutable {
      if (auto passed = f(std::move(detail::item_as<T>(item))))
        emit(std::make_shared<result>(std::move(*passed)));
    });
    return pipeline_of<result>(std::move(m_plan));
  }

  /// Collects `count` items in one vector. The last vector may be shorter.
  pipeline_of<std::vector<T>> batch(std::size_t count) && {
    auto collected = std::make_shared<std::vector<T>>();
    const auto hand_on = [collected](const detail::pipeline_emit& emit) {
      emit(std::make_shared<std::vector<T>>(std::exchange(*collected, {})));
    };
    add("batch of " + std::to_string(count), {}, false,
        [=](sycl::queue*, detail::pipeline_item item, const detail::pipeline_emit& emit) {
      collected->push_back(std::move(detail::item_as<T>(item)));
      if (collected->size() >= count) hand_on(emit);
    });
    m_plan.stages.back().finish = [=](const detail::pipeline_emit& emit) {
      if (!collected->empty()) hand_on(emit);
    };
    return pipeline_of<std::vector<T>>(std::move(m_plan));
  }
  /// Passes on the elements of each vector one by one.
  auto unbatch() && {
    using element = typename T::value_type;
    add("unbatch", {}, false,
        [](sycl::queue*, detail::pipeline_item item, const detail::pipeline_emit& emit) {
      for (element& e : detail::item_as<T>(item)) emit(std::make_shared<element>(std::move(e)));
    });
    return pipeline_of<element>(std::move(m_plan));
  }

  /// Ends the pipeline with a sink void f(T).
  template <typename F>
  pipeline into(const std::string& name, F f, stage_options options = {}) && {
    add(name, std::move(options), false,
        [f](sycl::queue*, detail::pipeline_item item, const detail::pipeline_emit&) mutable {
      f(std::move(detail::item_as<T>(item)));
    });
    return pipeline(std::move(m_plan));
  }

private:
  template <typename Run>
  void add(const std::string& name, stage_options options, bool wants_queue, Run run) {
    m_plan.stages.push_back({name, std::move(options), wants_queue, std::move(run), {}});
  }
  detail::pipeline_plan m_plan;
};

/// Begins a pipeline with the items that `next` returns. Calls of `next` do not overlap; the stream ends when
/// it returns no value.
template <typename T, typename F>
pipeline_of<T> from(const std::string& name, F next) {
  detail::pipeline_plan plan;
  plan.source_name = name;
  plan.source = [next]() mutable -> detail::pipeline_item {
    std::optional<T> item = next();
    return item ? std::make_shared<T>(std::move(*item)) : nullptr;
  };
  return pipeline_of<T>(std::move(plan));
}

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
