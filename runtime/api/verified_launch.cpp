// Saves the inputs of a verified launch, repeats it on the host device, and compares the memory.
#include "runtime/api/verified_launch.hpp"

#include "runtime/api/verification_results.hpp"
#include "runtime/support/log.hpp"

#include <cstring>
#include <new>
#include <optional>
#include <span>

namespace sycl {
inline namespace _V1 {
namespace detail {
namespace verification {

using prism::support::level;

/// The memory of an area for the reference: with the alignment of the device's memory, and a guard page on
/// each side.
class guarded_memory {
public:
  guarded_memory(const std::vector<std::byte>& contents, std::uint64_t skew)
      : m_bytes(contents.size()), m_skew(skew),
        m_block(
            static_cast<std::byte*>(::operator new(m_bytes + m_skew + 2 * page, std::align_val_t(page)))) {
    std::memset(m_block.get(), mark, m_bytes + m_skew + 2 * page);
    if (m_bytes != 0) std::memcpy(data(), contents.data(), m_bytes);
  }
  std::byte* data() const { return m_block.get() + page + m_skew; }
  std::span<const std::byte> bytes() const { return {data(), m_bytes}; }
  /// Returns the position of the first byte that was written outside of the area, relative to its begin;
  /// empty: none.
  std::optional<std::int64_t> written_outside() const {
    const std::byte* const all = m_block.get();
    for (std::uint64_t at = 0; at < m_bytes + m_skew + 2 * page; ++at) {
      if (at == page + m_skew) at += m_bytes;
      if (at < m_bytes + m_skew + 2 * page && all[at] != std::byte{mark})
        return std::int64_t(at) - std::int64_t(page + m_skew);
    }
    return std::nullopt;
  }

private:
  static constexpr std::uint64_t page = 4096;
  static constexpr unsigned char mark = 0xc3;
  struct release {
    void operator()(std::byte* block) const { ::operator delete(block, std::align_val_t(page)); }
  };
  std::uint64_t m_bytes, m_skew;
  std::unique_ptr<std::byte, release> m_block;
};

namespace {

/// Reads the current bytes of an area. For a buffer, a host task that uses it must be running; for an
/// allocation, no command may use it.
void read(const area& from, int task, std::byte* to) {
  if (from.bytes == 0) return;
  if (from.buffer) {
    if (from.sources[task] != nullptr) std::memcpy(to, from.sources[task], from.bytes);
    return;
  }
  prism::command_group group;
  prism::copy_request copy;
  copy.from.pointer = from.usm;
  copy.to.pointer = to;
  copy.bytes = copy.from_pitch = copy.to_pitch = from.bytes;
  group.what = std::move(copy);
  const prism::queue_ptr queue = prism::create_queue(*from.owner, {});
  const prism::command_ptr command = prism::submit(*queue, std::move(group));
  command->wait();
  queue->take_failures();
  if (const std::exception_ptr failed = command->failure()) std::rethrow_exception(failed);
}

} // namespace

prism::command_ptr verified_launch::submit_task(prism::queue_node& queue,
                                                std::vector<prism::command_ptr> after, int which,
                                                std::function<void()> body) {
  prism::command_group group;
  if (which == 1 && module) group.keep_alive.push_back(module);
  group.dependencies = std::move(after);
  for (area& each : areas) {
    if (!each.buffer) continue;
    prism::requirement r;
    r.buffer = each.buffer;
    r.mode = prism::access_mode::read;
    r.region = each.region;
    r.on_host = true;
    r.host_pointer = &each.sources[which];
    group.requirements.push_back(std::move(r));
  }
  group.what = prism::host_task_request{std::move(body)};
  return prism::submit(queue, std::move(group));
}

void verified_launch::save_inputs() try {
  for (area& each : areas) {
    each.before.assign(each.bytes, std::byte{0});
    read(each, 0, each.before.data());
  }
} catch (const std::exception& failed) {
  obstacle = std::string("its inputs could not be copied: ") + failed.what();
  for (area& each : areas) each.before = {};
}

void verified_launch::run_reference(const std::vector<guarded_memory>& memory) const {
  prism::command_group group;
  prism::kernel_command own = kernel;
  for (const pointer& p : pointers) {
    const auto address = reinterpret_cast<std::uint64_t>(memory[p.area].data()) + p.offset;
    std::memcpy(own.captured.data() + p.at, &address, sizeof address);
  }
  group.what = std::move(own);
  const prism::queue_ptr queue = prism::create_queue(prism::reference_device(), {});
  const prism::command_ptr command = prism::submit(*queue, std::move(group));
  command->wait();
  queue->take_failures();
  if (const std::exception_ptr failed = command->failure()) std::rethrow_exception(failed);
}

void verified_launch::compare_all() {
  std::vector<guarded_memory> memory;
  for (const area& each : areas) memory.emplace_back(each.before, each.skew);
  run_reference(memory);
  bool differs = false;
  const auto report = [&](const std::string& what) {
    differs = true;
    prism::support::log(level::error, "PRISM_VERIFY: kernel \"" + name + "\" on " + where + " " + what);
  };
  for (std::size_t i = 0; i < areas.size(); ++i) {
    if (const auto at = memory[i].written_outside(); at && areas[i].is_compared)
      report("writes outside of " + areas[i].name + ": " +
             (*at < 0 ? std::to_string(-*at) + " bytes before it"
                      : std::to_string(*at - std::int64_t(areas[i].bytes)) + " bytes after it"));
    if (!areas[i].is_compared) continue;
    std::vector<std::byte> found(areas[i].bytes);
    read(areas[i], 1, found.data());
    const auto wrong =
        prism::memory::first_difference(found, memory[i].bytes(), areas[i].before, areas[i].how);
    if (!wrong) continue;
    report(
        "differs from the reference in " + areas[i].name + ": element " + std::to_string(wrong->element) +
        (wrong->byte != 0 ? ", byte " + std::to_string(wrong->byte) + " of it," : "") + " is " +
        wrong->found + ", the reference has " + wrong->expected + " (" + std::to_string(wrong->count) +
        " numbers differ)" +
        (sub_groups_differ ? "; its sub-groups have another size on the host device, which may be why" : ""));
  }
  tally::get().compared(differs);
}

void verified_launch::compare() {
  try {
    if (obstacle.empty()) return compare_all();
  } catch (const std::exception& failed) {
    obstacle = std::string("the reference could not be run: ") + failed.what();
  }
  tally::get().left_out(name, obstacle);
}

}
}
}
} // namespace sycl::_V1::detail::verification
