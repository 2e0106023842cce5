// <prism/task_graph.hpp>. A task that becomes ready is spawned as a task of oneTBB, on the deque of the
// thread that made it ready; idle threads steal from there. Tasks of high priority go through a queue that
// every thread empties before it runs another task; those of low priority through one that is looked at only
// when nothing else is ready.
//
// A task that returned an event is completed by one of a few threads that do nothing but wait for events.
#include "extras/invalid.hpp"
#include "runtime/api/impl.hpp"

#include <prism/task_graph.hpp>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <thread>

namespace prism {

namespace detail {

struct task_link {
  std::shared_ptr<task_node> later;
  task_link* next;
};

task_node::~task_node() = default;

} // namespace detail

namespace {

using node_ptr = std::shared_ptr<detail::task_node>;

/// Stands in task_node::next of a complete task.
detail::task_link closed{nullptr, nullptr};

/// The graph whose task this thread runs.
thread_local const void* running_graph = nullptr;

std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "threw something that is no std::exception";
  }
}

} // namespace

/// Threads that wait for events of tasks. They are started when there are more events than threads, up to a
/// limit; further events wait in order.
class event_waiters {
public:
  static constexpr std::size_t most_threads = 16;
  ~event_waiters() {
    {
      const std::lock_guard lock(m_mutex);
      m_ends = true;
    }
    m_changed.notify_all();
    for (std::thread& t : m_threads) t.join();
  }
  void add(std::function<void()> wait) {
    const std::lock_guard lock(m_mutex);
    m_waits.push_back(std::move(wait));
    if (m_idle < m_waits.size() && m_threads.size() < most_threads)
      m_threads.emplace_back([this] { serve(); });
    m_changed.notify_one();
  }

private:
  void serve() {
    std::unique_lock lock(m_mutex);
    for (;;) {
      ++m_idle;
      m_changed.wait(lock, [&] { return m_ends || !m_waits.empty(); });
      --m_idle;
      if (m_waits.empty()) return;
      const std::function<void()> wait = std::move(m_waits.front());
      m_waits.pop_front();
      lock.unlock();
      wait();
      lock.lock();
    }
  }
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::deque<std::function<void()>> m_waits;
  std::vector<std::thread> m_threads;
  std::size_t m_idle = 0;
  bool m_ends = false;
};

struct task_graph::state {
  explicit state(unsigned threads) : arena(static_cast<int>(threads), threads > 1 ? 1 : 0) {}

  void spawn(node_ptr ready);
  void run_one(node_ptr own);
  void execute(const node_ptr& task);
  void finish(const node_ptr& task, std::exception_ptr failure);
  void complete(const node_ptr& task);
  sycl::queue& queue_of(const sycl::device& device);
  std::uint64_t pending() const { return added.load() - done.load(); }
  void wait_until_done(const std::function<bool()>& is_done);

  tbb::task_arena arena;
  tbb::task_group group;
  tbb::concurrent_queue<node_ptr> high, low;
  std::atomic<std::uint64_t> added{0}, done{0}, failed{0}, cancelled{0};
  std::atomic<bool> is_cancelled{false};
  std::atomic<std::size_t> waiting{0}; // threads that sleep in wait_until_done()

  std::mutex mutex; // guards what follows
  std::condition_variable changed;
  std::exception_ptr first_error;
  std::vector<std::pair<sycl::device, std::unique_ptr<sycl::queue>>> queues;
  event_waiters waiters; // last: its threads use all of the above
};

namespace {

/// Marks this thread as one that runs a task of `graph`.
class running_in {
public:
  explicit running_in(const void* graph) : m_before(std::exchange(running_graph, graph)) {}
  ~running_in() { running_graph = m_before; }
  running_in(const running_in&) = delete;

private:
  const void* m_before;
};

} // namespace

void task_graph::state::spawn(node_ptr ready) {
  node_ptr own;
  switch (ready->priority) {
    case task_priority::high: high.push(std::move(ready)); break;
    case task_priority::low: low.push(std::move(ready)); break;
    case task_priority::normal: own = std::move(ready); break;
  }
  const bool normal = own != nullptr;
  auto body = [this, own = std::move(own)] { run_one(own); };
  if (normal && running_graph == this)
    group.run(std::move(body));                     // on this thread's deque, from which others steal
  else arena.enqueue(group.defer(std::move(body))); // behind the tasks of all deques
}

void task_graph::state::run_one(node_ptr own) {
  const running_in here(this);
  node_ptr urgent;
  while (high.try_pop(urgent)) execute(urgent);
  if (own) return execute(own);
  if (node_ptr idle; low.try_pop(idle)) execute(idle);
}

sycl::queue& task_graph::state::queue_of(const sycl::device& device) {
  const std::lock_guard lock(mutex);
  for (auto& [of, queue] : queues)
    if (of == device) return *queue;
  return *queues.emplace_back(device, std::make_unique<sycl::queue>(device, [](sycl::exception_list) {
  })).second;
}

void task_graph::state::execute(const node_ptr& task) {
  if (task->failure) return finish(task, task->failure); // of a task that it depends on
  if (is_cancelled) {
    ++cancelled;
    return finish(task, std::make_exception_ptr(task_cancelled(task->name)));
  }
  std::optional<sycl::event> event;
  try {
    event = task->run(task->device ? &queue_of(*task->device) : nullptr);
  } catch (...) {
    const std::exception_ptr cause = std::current_exception();
    ++failed;
    return finish(task, std::make_exception_ptr(task_error(task->name, message_of(cause), cause)));
  }
  if (!event) return finish(task, nullptr);
  waiters.add([this, task, event = *event]() mutable {
    event.wait();
    const auto& impl = sycl::detail::access_impl::get(event);
    const command_ptr& command = impl->command();
    const std::exception_ptr cause =
        command && command->failure() ? sycl::detail::as_sycl_exception(command->failure(), impl->context())
                                      : nullptr;
    if (cause) ++failed;
    finish(task, cause ? std::make_exception_ptr(task_error(task->name, message_of(cause), cause)) : nullptr);
  });
}

void task_graph::state::finish(const node_ptr& task, std::exception_ptr failure) {
  task->release();
  task->failure = failure;
  if (failure) {
    bool reported = false; // a cancelled task is no error of the graph
    try {
      std::rethrow_exception(failure);
    } catch (const task_cancelled&) {
    } catch (...) {
      reported = true;
    }
    const std::lock_guard lock(mutex);
    if (reported && !first_error) first_error = failure;
  }
  complete(task);
}

void task_graph::state::complete(const node_ptr& task) {
  detail::task_link* link = task->next.exchange(&closed, std::memory_order_acq_rel);
  while (link != nullptr) {
    const std::unique_ptr<detail::task_link> taken(link);
    link = taken->next;
    detail::task_node& later = *taken->later;
    if (task->failure && !later.failed_before.exchange(true)) later.failure = task->failure;
    if (later.waits_for.fetch_sub(1, std::memory_order_acq_rel) == 1) spawn(std::move(taken->later));
  }
  ++done;
  if (waiting == 0) return; // a thread that begins to sleep right now looks again soon
  const std::lock_guard lock(mutex);
  changed.notify_all();
}

void task_graph::state::wait_until_done(const std::function<bool()>& is_done) {
  if (running_graph == this)
    invalid(
        "a task waits for tasks of its own graph, which could need the thread that it holds. Give the task "
        "that it waits for as an input of add()");
  while (!is_done()) {
    arena.execute([&] { group.wait(); }); // runs tasks
    std::unique_lock lock(mutex);
    ++waiting;
    changed.wait_for(lock, std::chrono::milliseconds(1),
                     is_done); // for events of devices, and tasks that other threads add
    --waiting;
  }
}

task_graph::task_graph(task_graph_options options)
    : m_state(std::make_shared<state>(options.threads != 0
                                          ? options.threads
                                          : static_cast<unsigned>(tbb::this_task_arena::max_concurrency()))) {
}

task_graph::~task_graph() {
  m_state->wait_until_done(
      [&] { return m_state->pending() == 0; }); // throws, and ends the process, inside an own task
  m_state->arena.execute(
      [&] { m_state->group.wait(); }); // until no thread is inside of a function of the state
}

sycl::device task_graph::device_for(const task_options& options) const {
  if (!options.prefer.empty()) return prism::prefer(options.prefer).device();
  return selector(options.policy, options.work).device();
}

void task_graph::depend(const node_ptr& later, detail::task_node* earlier, const void* graph_of_earlier) {
  if (earlier == nullptr)
    invalid("prism::task_graph: an input of task \"" + later->name + "\" is an empty prism::task");
  if (graph_of_earlier != m_state.get())
    invalid("prism::task_graph: task \"" + later->name + "\" depends on \"" + earlier->name +
            "\" of another graph. Use get() of it, or one graph for both");
  auto link = std::make_unique<detail::task_link>(detail::task_link{later, nullptr});
  later->waits_for.fetch_add(1, std::memory_order_relaxed);
  detail::task_link* head = earlier->next.load(std::memory_order_acquire);
  while (head != &closed) {
    link->next = head;
    if (earlier->next.compare_exchange_weak(head, link.get(), std::memory_order_acq_rel,
                                            std::memory_order_acquire)) {
      link.release(); // complete() frees it
      return;
    }
  }
  if (earlier->failure && !later->failed_before.exchange(true)) later->failure = earlier->failure;
  later->waits_for.fetch_sub(1, std::memory_order_acq_rel);
}

void task_graph::start(node_ptr made) {
  ++m_state->added;
  if (made->waits_for.fetch_sub(1, std::memory_order_acq_rel) == 1) m_state->spawn(std::move(made));
}

bool task_graph::is_done(const detail::task_node& node) noexcept {
  return node.next.load(std::memory_order_acquire) == &closed;
}

void task_graph::wait_for(const std::shared_ptr<void>& graph, const detail::task_node& node) {
  if (!is_done(node)) static_cast<state*>(graph.get())->wait_until_done([&] { return is_done(node); });
  if (node.failure) std::rethrow_exception(node.failure);
}

void task_graph::wait() {
  m_state->wait_until_done([&] { return m_state->pending() == 0; });
  m_state->is_cancelled = false;
  std::exception_ptr error;
  {
    const std::lock_guard lock(m_state->mutex);
    error = std::exchange(m_state->first_error, nullptr);
  }
  if (error) std::rethrow_exception(error);
}

void task_graph::cancel() { m_state->is_cancelled = true; }

task_graph_statistics task_graph::statistics() const {
  task_graph_statistics s;
  s.added = m_state->added;
  s.completed = m_state->done;
  s.failed = m_state->failed;
  s.cancelled = m_state->cancelled;
  return s;
}

} // namespace prism
