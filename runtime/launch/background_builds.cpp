#include "runtime/launch/background_builds.hpp"

#include "runtime/device/device_state.hpp"
#include "runtime/launch/local_size.hpp"
#include "runtime/launch/retired_programs.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <link.h>
#include <set>
#include <thread>

namespace prism::runtime {

namespace {

// a driver's compiler may need several hundred megabytes for each thread
constexpr unsigned most_threads = 16;

/// A reference that keeps the library with this address loaded; null for the program itself.
std::shared_ptr<void> keep_loaded(const void* address) {
  Dl_info found{};
  link_map* map = nullptr;
  if (dladdr1(address, &found, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr ||
      map->l_name == nullptr || *map->l_name == 0)
    return nullptr;
  void* const handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
  return handle == nullptr ? nullptr : std::shared_ptr<void>(handle, [](void* h) { dlclose(h); });
}

/// Does the work that drivers defer until the first launch, for the group size that large ranges get. Group
/// sizes of an nd_range are only known at its launch, unless the kernel requires one.
void build_for_usual_groups(device_state& device, const image::kernel_record& record,
                            const images::built_kernel& built) {
  const bool is_required = record.required_local_size[0] != 0;
  if (built.object == nullptr ||
      (!is_required &&
       (record.flags & (image::uses_barrier | image::uses_local_memory | image::uses_group_operation)) != 0))
    return;
  const local_size_limits limits = limits_of(device.info(), &built.limits, &record);
  built.object->prepare({choose_local_size({1u << 20, 1, 1}, limits), record.static_local_bytes, {}});
}

void build_kernel(const background_builds::job& what) {
  what.device->programs().store_at_once();
  const images::built_kernel& built = program_of(*what.device, *what.record);
  if (built.refusal.empty()) build_for_usual_groups(*what.device, *what.record, built);
}

} // namespace

class background_builds::preparation final : public preparation_node {
public:
  explicit preparation(const std::vector<job>& jobs) : m_asked(jobs.size()) {
    std::set<const void*> seen;
    for (const job& j : jobs) {
      Dl_info found{};
      if (dladdr(j.record, &found) == 0 || !seen.insert(found.dli_fbase).second) continue;
      if (auto library = keep_loaded(j.record)) m_libraries.push_back(std::move(library));
    }
  }
  std::size_t asked() const override { return m_asked; }
  std::size_t done() const override {
    const std::lock_guard lock(m_mutex);
    return m_done;
  }
  void wait() const override {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_done == m_asked || m_given_up; });
  }
  std::vector<std::string> failures() const override {
    const std::lock_guard lock(m_mutex);
    return m_failures;
  }
  void finish_one(std::string failure) {
    std::vector<std::shared_ptr<void>> unused; // a library's destructors run without the lock
    const std::lock_guard lock(m_mutex);
    if (!failure.empty()) m_failures.push_back(std::move(failure));
    if (++m_done == m_asked) unused.swap(m_libraries);
    m_changed.notify_all();
  }
  void give_up() {
    const std::lock_guard lock(m_mutex);
    m_given_up = true;
    m_changed.notify_all();
  }

private:
  const std::size_t m_asked;
  mutable std::mutex m_mutex;
  mutable std::condition_variable m_changed;
  std::size_t m_done = 0;
  bool m_given_up = false;
  std::vector<std::string> m_failures;
  std::vector<std::shared_ptr<void>> m_libraries;
};

background_builds::background_builds()
    : m_queue(std::clamp(std::thread::hardware_concurrency(), 1u, most_threads), run) {}

std::shared_ptr<preparation_node> background_builds::add(std::vector<job> jobs) {
  auto made = std::make_shared<preparation>(jobs);
  const std::lock_guard lock(m_mutex);
  if (m_ending) {
    made->give_up();
    return made;
  }
  for (job& j : jobs) m_queue.post({std::move(j), made});
  return made;
}

void background_builds::run(entry& next) {
  std::string failure;
  try {
    if (next.what.build) next.what.build();
    else build_kernel(next.what);
  } catch (const std::exception& e) { // the launch tries again and throws the same error
    failure = std::string("kernel \"") + next.what.record->display_name + "\" on " +
              next.what.device->label() + ": " + e.what();
  }
  next.of->finish_one(std::move(failure));
}

void background_builds::end() noexcept {
  std::deque<entry> left;
  if (!m_completes) {
    const std::lock_guard lock(m_mutex);
    m_ending = true;
    left = m_queue.take_waiting();
  }
  for (bool ended = false; !ended;) {
    m_queue.wait_until_idle();
    const std::lock_guard lock(m_mutex);
    ended = m_queue.is_idle(); // another thread may have added builds
    m_ending = m_ending || ended;
  }
  for (const entry& e : left) e.of->give_up();
}

} // namespace prism::runtime
