// Where and how a primitive runs: the queue, the memory that it uses besides its operands, and the one place
// in which a property of the device decides between methods.
#pragma once

#include <prism/views.hpp>

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace prism::primitives {

/// Memory for intermediate results, made once and used by many calls. It grows to what the largest call
/// needs and keeps it. Calls that share a workspace run one after the other, on whichever queues they are.
/// One thread at a time may use a workspace; it may be destroyed while commands that use it are running.
class workspace {
public:
  workspace() = default;
  /// What it holds now, in bytes.
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

/// Asks for the same bits on every device, with any number of threads. Sums of floating-point numbers then
/// have one fixed order, which depends on the number of elements only.
struct reproducible_t {};
inline constexpr reproducible_t reproducible{};

/// The method by which work is divided; tests name one, everyone else leaves the choice to the device.
enum class method {
  chosen,
  chained, ///< one pass: a work-group waits for the one before it. Only where started groups make progress.
  chunks,  ///< one work-item for each contiguous chunk: processors
  work_groups ///< work-items of a group read neighbouring elements: graphics processors
};

/// The first argument of every primitive; a queue converts to it. `{queue, memory}` takes intermediate memory
/// from a workspace, `{queue, reproducible}` asks for reproducible results.
class execution {
public:
  execution(sycl::queue& queue) : m_queue(&queue) {}
  execution(sycl::queue& queue, workspace& memory) : m_queue(&queue), m_workspace(&memory) {}
  execution(sycl::queue& queue, reproducible_t) : m_queue(&queue), m_reproducible(true) {}
  execution(sycl::queue& queue, workspace& memory, reproducible_t)
      : m_queue(&queue), m_workspace(&memory), m_reproducible(true) {}
  /// For tests and measurements: with this method, whatever the device.
  execution with(method named) const {
    execution other = *this;
    other.m_method = named;
    return other;
  }

  sycl::queue& queue() const noexcept { return *m_queue; }
  bool is_reproducible() const noexcept { return m_reproducible; }
  /// Chained where groups that have started are sure to run on: on the host device, whose groups are calls of
  /// threads of the operating system. SYCL promises no progress among groups elsewhere.
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
  std::size_t* m_counted = nullptr; // workspace_bytes: counts and submits nothing
  bool m_reproducible = false;
  method m_method = method::chosen;
};

/// Bytes of intermediate memory that a call needs; nothing is submitted:
/// `workspace_bytes(queue, [&](const execution& on) { sort(on, keys); })`.
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

/// Hands out the intermediate memory of one call: from the workspace, or made for the call and freed after
/// the commands that use it.
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

/// The commands of one call, each after the one before it; the first after `depends`.
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
  /// The event of the last command; where there was nothing to do, of a command that does nothing.
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
