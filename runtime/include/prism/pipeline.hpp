// Streams of items through typed stages that run at the same time: on the host or on devices chosen by
// policy, replicated, ordered or not, with bounded channels between them, so that a slow stage holds the
// others back and memory stays bounded.
//
//   auto report = prism::from<record>("read", read_next)                         // std::optional<record>()
//                     .stage("align", align, {.replicas = 2, .policy = cheap})    // hit(sycl::queue&,
//                     record) or hit(record) .batch(64) .into("write", write) // void(std::vector<hit>)
//                     .run();
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

/// What can be said of a stage. Copyable aggregates only, so that {.replicas = 2} reads well in C++20.
struct stage_options {
  std::size_t replicas = 1; // items of the stage that run at the same time; its callable must bear that
  bool ordered = true;      // its results leave in the order in which its items came
  std::size_t capacity = 8; // items that may wait before and behind it, besides those that run
  execution_policy policy;  // of stages with a queue: which device; the empty policy is `automatic`
  workload work = typical_workload(); // of one item, for the policy
  std::vector<std::string> prefer;    // instead of a policy: the first device of the list that is there
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
  std::uint64_t skipped = 0; // items given up by pipeline_options::skip
  /// Of the stage that bounds the throughput: its busy time per replica over the wall time; 1 is the best
  /// possible.
  double efficiency() const noexcept;
  std::string text() const;
  std::vector<std::size_t> replicas; // of the stages, for efficiency()
};

/// A stage threw. what() = "stage "align", item 17: <its words>"; the exception itself is in `cause`.
class pipeline_error : public sycl::exception {
public:
  pipeline_error(std::string stage, std::uint64_t item, const std::string& words, std::exception_ptr cause)
      : sycl::exception(sycl::make_error_code(sycl::errc::runtime),
                        "stage \"" + stage + "\", item " + std::to_string(item) + ": " + words),
        m_stage(std::move(stage)), m_item(item), m_cause(std::move(cause)) {}
  const std::string& stage() const noexcept { return m_stage; }
  std::uint64_t item() const noexcept { return m_item; } // of the source, from 0; of a batch, its first
  const std::exception_ptr& cause() const noexcept { return m_cause; }

private:
  std::string m_stage;
  std::uint64_t m_item;
  std::exception_ptr m_cause;
};

/// Ends a run from outside or from a callback; copies mean the same run.
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
      progress; // about every interval, and at the end; one call at a time
  seconds progress_interval{0.1};
  std::function<bool(const pipeline_error&)>
      skip; // true: go on without the item; else the run ends with the error
  std::map<std::string, std::vector<std::string>>
      targets; // a strategy: stage -> devices in order of preference
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

/// A pipeline that ends in a sink. May be run again when its source can.
class pipeline {
public:
  explicit pipeline(detail::pipeline_plan plan)
      : m_plan(std::make_shared<detail::pipeline_plan>(std::move(plan))) {}
  /// Until the source ends, a stage throws, or it is cancelled. Throws pipeline_error, or no_candidate for a
  /// stage whose policy no device fits (before anything runs).
  pipeline_report run(const pipeline_options& how = {}) const { return detail::run_pipeline(*m_plan, how); }

private:
  std::shared_ptr<const detail::pipeline_plan> m_plan;
};

/// A pipeline so far, whose last stage gives items of type T.
template <typename T>
class pipeline_of {
public:
  explicit pipeline_of(detail::pipeline_plan plan) : m_plan(std::move(plan)) {}

  /// U f(T) or U f(sycl::queue&, T); a stage with a queue waits for its work itself.
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

  /// std::optional<U> f(T): items without a value go no further.
  template <typename F>
  auto filter(const std::string& name, F f, stage_options options = {}) && {
    using result = typename std::decay_t<std::invoke_result_t<F&, T>>::value_type;
    add(name, std::move(options), false,
        [f](sycl::queue*, detail::pipeline_item item, const detail::pipeline_emit& emit) mutable {
      if (auto kept = f(std::move(detail::item_as<T>(item))))
        emit(std::make_shared<result>(std::move(*kept)));
    });
    return pipeline_of<result>(std::move(m_plan));
  }

  /// `count` items become one vector; the last may be shorter.
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
  /// Of a vector, its elements.
  auto unbatch() && {
    using element = typename T::value_type;
    add("unbatch", {}, false,
        [](sycl::queue*, detail::pipeline_item item, const detail::pipeline_emit& emit) {
      for (element& e : detail::item_as<T>(item)) emit(std::make_shared<element>(std::move(e)));
    });
    return pipeline_of<element>(std::move(m_plan));
  }

  /// void f(T).
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

/// Begins with what `next` gives, one call at a time, until it gives nothing.
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
