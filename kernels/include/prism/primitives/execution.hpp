// How a primitive runs: its queue, its intermediate memory, and the only function in which a property of the
// device chooses between methods.
#pragma once

#include <prism/views.hpp>

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace prism::primitives {

/// Memory for intermediate results, which many calls can reuse. It grows to the largest call's need and stays
/// that large. Calls that share a workspace run one after the other, also on different queues. One thread at
/// a time may use a workspace. It may be destroyed while commands that use it are running.
class workspace {
public:
  workspace() = default;
  /// Its present size in bytes.
  std::size_t bytes() const noexcept {
    std::size_t sum = 0;
    for (const memory& each : m_parts) sum += each.size() * sizeof(std::uint64_t);
    return sum;
  }

private:
  friend class temporary_memory;
  using memory = sycl::buffer<std::uint64_t>;
  memory& part(std::size_t number, std::size_t words) {
    if (number == m_parts.size()) m_parts.emplace_back(sycl::range<1>(words));
    else if (m_parts[number].size() < words) m_parts[number] = memory(sycl::range<1>(words));
    return m_parts[number];
  }
  std::vector<memory> m_parts;
};

/// Requests the same bits on every device, with any number of threads. Sums of floating-point numbers then
/// have one fixed order, which depends only on the number of elements.
struct reproducible_t {};
inline constexpr reproducible_t reproducible{};

/// The method by which work is divided. Tests name one; in all other cases the device determines it.
enum class method {
  chosen,
  chained,    ///< one pass: a work-group waits for the previous one; only where started groups make progress
  chunks,     ///< one work-item for each contiguous chunk: processors
  work_groups ///< work-items of a group read neighbouring elements: graphics processors
};

/// The first argument of every primitive; a queue converts to it. `{queue, memory}` uses a workspace for
/// intermediate memory, `{queue, reproducible}` requests reproducible results.
class execution {
public:
  execution(sycl::queue& queue) : m_queue(&queue) {}
  execution(sycl::queue& queue, workspace& memory) : m_queue(&queue), m_workspace(&memory) {}
  execution(sycl::queue& queue, reproducible_t) : m_queue(&queue), m_reproducible(true) {}
  execution(sycl::queue& queue, workspace& memory, reproducible_t)
      : m_queue(&queue), m_workspace(&memory), m_reproducible(true) {}
  /// Uses this method on any device, for tests and measurements.
  execution with(method named) const {
    execution other = *this;
    other.m_method = named;
    return other;
  }

  sycl::queue& queue() const noexcept { return *m_queue; }
  bool is_reproducible() const noexcept { return m_reproducible; }
  /// Chained only where started groups are sure to make progress: on the host device, whose groups run in
  /// threads of the operating system. SYCL guarantees no progress among groups on other devices.
  method how() const {
    if (m_method != method::chosen) return m_method;
    const sycl::device device = m_queue->get_device();
    if (device.get_backend() == sycl::backend::ext_prism_host) return method::chained;
    return device.is_gpu() ? method::work_groups : method::chunks;
  }

private:
  template <typename Call>
  friend std::size_t workspace_bytes(sycl::queue& queue, Call&& call);
  friend class temporary_memory;
  friend class command_chain;
  sycl::queue* m_queue;
  workspace* m_workspace = nullptr;
  std::size_t* m_counted = nullptr; // for workspace_bytes: only counts, and submits nothing
  bool m_reproducible = false;
  method m_method = method::chosen;
};

/// The bytes of intermediate memory that a call needs. Nothing is submitted: `workspace_bytes(queue,
/// [&](const execution& on) { sort(on, keys); })`.
template <typename Call>
std::size_t workspace_bytes(sycl::queue& queue, Call&& call) {
  execution counting(queue);
  std::size_t bytes = 0;
  counting.m_counted = &bytes;
  call(static_cast<const execution&>(counting));
  return bytes;
}

/// `count` elements of a trivially copyable type in intermediate memory.
template <typename T>
struct temporary {
  sycl::buffer<std::uint64_t> memory;
  std::size_t count;
};

/// Allocates the intermediate memory of one call: from the workspace, or separately, to be freed after the
/// commands that use it.
class temporary_memory {
public:
  explicit temporary_memory(const execution& on) : m_on(&on) {}
  template <typename T>
  temporary<T> take(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>, "intermediate memory holds trivially copyable types");
    static_assert(alignof(T) <= 64, "intermediate memory is aligned to 64 bytes");
    const std::size_t words = std::max<std::size_t>(8, (count * sizeof(T) + 7) / 8);
    if (m_on->m_counted) {
      *m_on->m_counted += words * 8;
      return {sycl::buffer<std::uint64_t>(sycl::range<1>(1)), count};
    }
    if (m_on->m_workspace) return {m_on->m_workspace->part(m_taken++, words), count};
    return {sycl::buffer<std::uint64_t>(sycl::range<1>(words)), count};
  }

private:
  const execution* m_on;
  std::size_t m_taken = 0;
};

/// The commands of one call. Each follows the one before it, the first follows `depends`.
class command_chain {
public:
  command_chain(const execution& on, const std::vector<sycl::event>& depends)
      : m_on(&on), m_memory(on), m_waits(depends) {}
  template <typename Function>
  void submit(Function function) {
    if (m_on->m_counted) return;
    const sycl::event last = m_on->queue().submit([&](sycl::handler& h) {
      h.depends_on(m_waits);
      function(h);
    });
    m_waits.assign(1, last);
    m_submitted = true;
  }
  temporary_memory& memory() noexcept { return m_memory; }
  const execution& on() const noexcept { return *m_on; }
  /// The event of the last command; if there was nothing to do, the event of an empty command.
  sycl::event last() {
    if (m_on->m_counted) return {};
    return m_submitted ? m_waits.front() : m_on->queue().ext_oneapi_submit_barrier(m_waits);
  }

private:
  const execution* m_on;
  temporary_memory m_memory;
  std::vector<sycl::event> m_waits;
  bool m_submitted = false;
};

} // namespace prism::primitives
