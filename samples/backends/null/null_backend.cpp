// A backend in one file: a device that accepts everything, moves data and computes nothing. It counts the
// calls it gets. The time of a program on it is the time of PRISM itself. It is also a template for your own
// backend: it has every class that a backend needs, in the order of devices/api/device.hpp. Uses only PRISM's
// installed files.
//
// PRISM_BACKEND_PATH=<folder of null.so> PRISM_DEVICE_SELECTOR=null ./program
// PRISM_NULL_REPORT=1 prints the counts at the end.
#include "devices/api/backend.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace {

using namespace prism::devices;
using prism::image::kind;

struct counts {
  std::atomic<std::uint64_t> memories{0}, programs{0}, submissions{0}, copies{0}, copied_bytes{0}, fills{0},
      kernels{0}, groups{0};
  ~counts() {
    if (std::getenv("PRISM_NULL_REPORT"))
      std::fprintf(
          stderr,
          "null: %llu submissions, %llu kernels of %llu groups, %llu copies of %llu bytes, %llu fills, "
          "%llu memories, %llu programs\n",
          as_number(submissions), as_number(kernels), as_number(groups), as_number(copies),
          as_number(copied_bytes), as_number(fills), as_number(memories), as_number(programs));
  }
  static unsigned long long as_number(const std::atomic<std::uint64_t>& n) { return n.load(); }
};
counts counted;

// ---- memory: host bytes that only copies may access

class null_memory final : public memory {
public:
  null_memory(std::uint64_t bytes, memory_kind kind, std::uint64_t alignment,
              std::atomic<std::uint64_t>& used)
      : m_bytes(bytes), m_kind(kind), m_used(used) {
    alignment = std::max<std::uint64_t>(alignment, 64);
    m_data = std::aligned_alloc(alignment,
                                (std::max<std::uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment);
    if (m_data == nullptr)
      throw device_error(error_category::out_of_memory, "",
                         "allocate " + std::to_string(bytes) +
                             " bytes on the null device: the host has no memory left");
    m_used += bytes;
    ++counted.memories;
  }
  ~null_memory() override {
    std::free(m_data);
    m_used -= m_bytes;
  }
  std::uint64_t size() const noexcept override { return m_bytes; }
  std::uint64_t address() const noexcept override { return reinterpret_cast<std::uint64_t>(m_data); }
  void* host_pointer() const noexcept override {
    return m_kind == memory_kind::host || m_kind == memory_kind::shared ? m_data : nullptr;
  }
  memory_kind kind() const noexcept override { return m_kind; }
  std::byte* bytes() const noexcept { return static_cast<std::byte*>(m_data); }

private:
  void* m_data = nullptr;
  std::uint64_t m_bytes;
  memory_kind m_kind;
  std::atomic<std::uint64_t>& m_used;
};

// ---- program and kernel: a name

class null_kernel final : public kernel {
public:
  explicit null_kernel(const kernel_limits& limits) : m_limits(limits) {}
  kernel_limits limits() const override { return m_limits; }

private:
  kernel_limits m_limits;
};

class null_program final : public program {
public:
  null_program(const program_source& source, const kernel_limits& limits)
      : m_entry(source.record && source.record->entry ? source.record->entry : ""), m_limits(limits) {
    ++counted.programs;
  }
  kernel& get_kernel(std::string_view entry) override {
    if (!m_entry.empty() && entry != m_entry)
      throw device_error(error_category::invalid, "",
                         "kernel \"" + std::string(entry) + "\" of a program that holds only \"" + m_entry +
                             "\"");
    return m_kernels.try_emplace(std::string(entry), m_limits).first->second;
  }
  const std::string& build_log() const noexcept override { return m_log; }
  std::vector<std::byte> binary() const override { return {}; } // nothing worth caching

private:
  std::string m_entry, m_log;
  kernel_limits m_limits;
  std::map<std::string, null_kernel> m_kernels;
};

// ---- queue and timeline: submit does the work, so every point is complete when its number is known

class null_queue final : public queue, public timeline {
public:
  std::uint64_t submit(std::span<const command> commands, std::span<const timeline_point> waits) override {
    for (const timeline_point& w : waits) // of queues of this device: complete once submitted
      if (w.owner != nullptr && w.owner != this) w.owner->wait(w.value);
    for (const command& c : commands) std::visit([this](const auto& what) { run(what); }, c);
    ++counted.submissions;
    std::vector<callback> reached;
    std::uint64_t point;
    {
      const std::lock_guard lock(m_mutex);
      point = ++m_completed;
      const auto ready = std::stable_partition(m_callbacks.begin(), m_callbacks.end(),
                                               [&](const callback& c) { return c.point > point; });
      reached.assign(ready, m_callbacks.end());
      m_callbacks.erase(ready, m_callbacks.end());
    }
    m_changed.notify_all();
    for (const callback& c : reached) c.then(c.context);
    return point;
  }
  void flush() override {}
  timeline& points() noexcept override { return *this; }

  std::uint64_t completed() const override {
    const std::lock_guard lock(m_mutex);
    return m_completed;
  }
  bool wait(std::uint64_t point, std::optional<std::chrono::nanoseconds> limit) override {
    std::unique_lock lock(m_mutex);
    const auto done = [&] { return m_completed >= point; };
    if (!limit) return m_changed.wait(lock, done), true;
    return m_changed.wait_for(lock, *limit, done);
  }
  std::optional<device_error> failure(std::uint64_t) const override { return std::nullopt; }
  profile times(std::uint64_t) const override { return {}; }
  void on_completion(std::uint64_t point, void (*then)(void*), void* context) override {
    {
      const std::lock_guard lock(m_mutex);
      if (m_completed < point) {
        m_callbacks.push_back({point, then, context});
        return;
      }
    }
    then(context);
  }

private:
  struct callback {
    std::uint64_t point;
    void (*then)(void*);
    void* context;
  };
  static std::byte* bytes_of(const location& l) {
    return (l.object ? static_cast<null_memory*>(l.object)->bytes() : static_cast<std::byte*>(l.host)) +
           l.offset;
  }
  void run(const copy_command& c) {
    for (std::uint64_t slice = 0; slice < c.slices; ++slice)
      for (std::uint64_t row = 0; row < c.rows; ++row)
        std::memmove(bytes_of(c.to) + slice * c.to.slice_pitch + row * c.to.row_pitch,
                     bytes_of(c.from) + slice * c.from.slice_pitch + row * c.from.row_pitch, c.row_bytes);
    ++counted.copies;
    counted.copied_bytes += c.row_bytes * c.rows * c.slices;
  }
  void run(const fill_command& c) {
    std::byte* to = static_cast<null_memory*>(c.object)->bytes() + c.offset;
    for (std::uint64_t at = 0; at < c.bytes; at += c.pattern.size())
      std::memcpy(to + at, c.pattern.data(), c.pattern.size());
    ++counted.fills;
  }
  void run(const dispatch_command& c) {
    ++counted.kernels;
    counted.groups += c.groups[0] * c.groups[1] * c.groups[2];
  }
  void run(const barrier_command&) {}

  mutable std::mutex m_mutex;
  std::condition_variable m_changed;
  std::uint64_t m_completed = 0;
  std::vector<callback> m_callbacks;
};

// ---- device

class null_device final : public device {
public:
  null_device() {
    m_info.name = "null device";
    m_info.vendor = m_info.platform_vendor = "PRISM samples";
    m_info.version = m_info.driver_version = m_info.platform_version = "1.0";
    m_info.platform_name = "PRISM null";
    m_info.physical_id = "null";
    m_info.type = device_type::custom;
    m_info.global_memory = m_info.max_allocation = std::uint64_t(1) << 30;
    m_info.local_memory = 64 * 1024;
    m_info.max_argument_bytes = 64 * 1024;
    m_info.max_group_size = 1024;
    m_info.max_local_size = {1024, 1024, 1024};
    m_info.features = ~std::uint64_t(0) >> 52; // every feature, since nothing is computed
    m_info.image_kinds = {kind::opencl_c, kind::vulkan_spirv, kind::host_group};
    m_info.addresses = true;
  }
  const capabilities& info() const noexcept override { return m_info; }
  std::unique_ptr<memory> create_memory(std::uint64_t bytes, memory_kind kind,
                                        std::uint64_t alignment) override {
    if (bytes > m_info.max_allocation || m_used + bytes > m_info.global_memory)
      throw device_error(error_category::out_of_memory, "",
                         "allocate " + std::to_string(bytes) +
                             " bytes on the null device: " + std::to_string(m_used) + " of " +
                             std::to_string(m_info.global_memory) + " are in use");
    return std::make_unique<null_memory>(bytes, kind, alignment, m_used);
  }
  std::unique_ptr<memory> adopt(void*, std::uint64_t) override { return nullptr; }
  std::unique_ptr<program> create_program(const program_source& source) override {
    if (std::find(m_info.image_kinds.begin(), m_info.image_kinds.end(), source.kind) ==
        m_info.image_kinds.end())
      throw device_error(error_category::unsupported, "",
                         "create a program on the null device: it does not accept this kind of image");
    return std::make_unique<null_program>(
        source,
        kernel_limits{m_info.max_group_size, 1, 0, source.record ? source.record->static_local_bytes : 0});
  }
  std::unique_ptr<program> create_program_from_binary(std::span<const std::byte>,
                                                      const program_source&) override {
    return nullptr;
  }
  std::unique_ptr<queue> create_queue(const queue_options&) override {
    return std::make_unique<null_queue>();
  }
  bool can_wait_for(const timeline& other) const noexcept override {
    return dynamic_cast<const null_queue*>(&other) != nullptr;
  }
  std::string fingerprint() const override {
    return "null 1.0";
  } // "null ": the conformance kit then expects kernels to do nothing
  void* native(std::string_view) const noexcept override { return nullptr; }

private:
  capabilities m_info;
  std::atomic<std::uint64_t> m_used{0};
};

const backend& record() {
  static const backend made = [] {
    backend b;
    b.name = "null";
    b.display_name = "Null device";
    b.type = "null";
    b.own_version = "1.0";
    b.priority = -50;
    b.open = [] {
      std::vector<std::unique_ptr<device>> all;
      all.push_back(std::make_unique<null_device>());
      return all;
    };
    return b;
  }();
  return made;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const prism::devices::backend* prism_backend_entry() {
  return &record();
}
