// A backend whose device is another process: the same program, started as a server (server.hpp). It executes
// the native work-group functions of its own copy of the code, on memory that has the same addresses in both.
// Uses only PRISM's installed files. Environment variables:
// - PRISM_REMOTE=unix:/path, tcp:127.0.0.1:port or spawn: where the server is. spawn starts one for this
//   program only.
// - PRISM_REMOTE_TOKEN_FILE=file or PRISM_REMOTE_TOKEN=text: the token that both ends must know. Not needed
//   with spawn.
// - PRISM_REMOTE_TIMEOUT_MS=10000: how long the server may be silent.
#include "client.hpp"
#include "token.hpp"

#include "devices/api/backend.hpp"
#include "devices/api/host_group.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <set>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace {

using namespace prism::devices;
using prism::image::kind;
using remote::box;
using remote::step;

constexpr std::uint64_t page = 4096;

// ---- memory: a range of the window

/// First fit, with an inaccessible page between two allocations.
class address_ranges {
public:
  address_ranges(std::uint64_t base, std::uint64_t bytes, std::uint64_t limit)
      : m_free{{base, bytes}}, m_limit(limit) {}
  std::uint64_t take(std::uint64_t bytes) {
    const std::lock_guard lock(m_mutex);
    const std::uint64_t wanted = bytes + page;
    const auto found =
        std::find_if(m_free.begin(), m_free.end(), [&](const auto& f) { return f.second >= wanted; });
    if (bytes > m_limit - m_used || found == m_free.end())
      throw device_error(error_category::out_of_memory, "",
                         "allocate " + std::to_string(bytes) + " bytes on the remote device: " +
                             std::to_string(m_used) + " of " + std::to_string(m_limit) + " are in use");
    const auto [address, size] = *found;
    m_free.erase(found);
    if (size > wanted) m_free.emplace(address + wanted, size - wanted);
    m_used += bytes;
    return address;
  }
  void give_back(std::uint64_t address, std::uint64_t bytes) {
    const std::lock_guard lock(m_mutex);
    m_used -= bytes;
    auto here = m_free.emplace(address, bytes + page).first;
    if (const auto next = std::next(here);
        next != m_free.end() && here->first + here->second == next->first) {
      here->second += next->second;
      m_free.erase(next);
    }
    if (here != m_free.begin())
      if (const auto before = std::prev(here); before->first + before->second == here->first) {
        before->second += here->second;
        m_free.erase(here);
      }
  }

private:
  std::mutex m_mutex;
  std::map<std::uint64_t, std::uint64_t> m_free; // address, bytes
  std::uint64_t m_limit, m_used = 0;
};

class remote_memory final : public memory {
public:
  remote_memory(remote::connection& to, address_ranges& ranges, std::uint64_t bytes, memory_kind kind)
      : m_to(to), m_ranges(ranges), m_bytes(bytes),
        m_reserved((std::max<std::uint64_t>(bytes, 1) + page - 1) / page * page),
        m_address(ranges.take(m_reserved)), m_kind(kind) {
    try {
      m_to.allocate(m_address, m_reserved);
    } catch (...) {
      m_ranges.give_back(m_address, m_reserved);
      throw;
    }
  }
  ~remote_memory() override {
    m_to.release(
        m_address); // before the range can be allocated again: the server gets both messages in this order
    m_ranges.give_back(m_address, m_reserved);
  }
  std::uint64_t size() const noexcept override { return m_bytes; }
  std::uint64_t address() const noexcept override { return m_address; }
  void* host_pointer() const noexcept override { return nullptr; }
  memory_kind kind() const noexcept override { return m_kind; }

private:
  remote::connection& m_to;
  address_ranges& m_ranges;
  std::uint64_t m_bytes, m_reserved, m_address;
  memory_kind m_kind;
};

// ---- program and kernel: the index of a function in the server

class remote_kernel final : public kernel {
public:
  remote_kernel(std::uint64_t function, const kernel_limits& limits,
                const prism::image::kernel_record* record)
      : m_function(function), m_limits(limits), m_record(record) {
    for (std::uint32_t i = 0; record && i < record->image_count; ++i)
      if (record->images[i].image_kind == kind::host_group) m_spill_bytes = record->images[i].spill_bytes;
  }
  kernel_limits limits() const override { return m_limits; }
  std::uint64_t function() const noexcept { return m_function; }
  std::uint64_t spill_bytes() const noexcept { return m_spill_bytes; }
  const prism::image::kernel_record* record() const noexcept { return m_record; }

private:
  std::uint64_t m_function, m_spill_bytes = 0;
  kernel_limits m_limits;
  const prism::image::kernel_record* m_record;
};

class remote_program final : public program {
public:
  remote_program(std::uint64_t function, const program_source& source, const kernel_limits& limits)
      : m_entry(source.record && source.record->entry ? source.record->entry : ""),
        m_kernel(function, limits, source.record) {}
  kernel& get_kernel(std::string_view entry) override {
    if (!m_entry.empty() && entry != m_entry)
      throw device_error(error_category::invalid, "",
                         "kernel \"" + std::string(entry) + "\" of a program that holds only \"" + m_entry +
                             "\"");
    return m_kernel;
  }
  const std::string& build_log() const noexcept override { return m_log; }
  std::vector<std::byte> binary() const override { return {}; } // the program contains it already

private:
  std::string m_entry, m_log;
  remote_kernel m_kernel;
};

// ---- queue and timeline

template <typename Command>
std::vector<std::byte> fields(const Command& what) {
  return (remote::writer() << what).result();
}

box box_of(const location& l, const copy_command& c) {
  const std::uint64_t start = l.object ? l.object->address() : reinterpret_cast<std::uint64_t>(l.host);
  return {start + l.offset, c.row_bytes, c.rows, c.slices, l.row_pitch, l.slice_pitch};
}

void encode(std::vector<step>& out, const copy_command& c) {
  if (c.row_bytes == 0 || c.rows == 0 || c.slices == 0) return;
  const box from = box_of(c.from, c), to = box_of(c.to, c);
  if (c.from.object && c.to.object)
    out.push_back({remote::type::copy, (remote::writer() << from << to).result(), {}, {}});
  else if (c.to.object) out.push_back({remote::type::write, fields(to), from, {}});
  else if (c.from.object) out.push_back({remote::type::read, fields(from), to, {}});
  else out.push_back({remote::type::copy, {}, from, to});
}
void encode(std::vector<step>& out, const fill_command& c) {
  if (c.bytes != 0)
    out.push_back({remote::type::fill,
                   (remote::writer() << c.object->address() + c.offset << c.bytes).bytes(c.pattern).result(),
                   {},
                   {}});
}
void encode(std::vector<step>& out, const dispatch_command& c) {
  const auto& k = static_cast<const remote_kernel&>(*c.object);
  std::vector<std::byte> arguments(c.arguments.begin(), c.arguments.end());
  for (std::size_t i = 0; k.record() && i < c.slots.size() && i < k.record()->slot_count; ++i) {
    const std::uint64_t word =
        c.slots[i].object ? c.slots[i].object->address() + c.slots[i].offset : c.slots[i].address;
    std::memcpy(arguments.data() + k.record()->slots[i].offset, &word, sizeof word);
  }
  remote::writer w;
  w << k.function() << c.groups << first_group_of(c) << group_counts_of(c) << c.local << c.local_bytes
    << k.spill_bytes() << std::uint64_t(k.record() && (k.record()->flags & prism::image::asks_fixed_order));
  out.push_back({remote::type::dispatch, w.bytes(arguments).result(), {}, {}});
}
void encode(std::vector<step>&, const barrier_command&) {} // all commands are in order

class remote_queue final : public queue, public timeline {
public:
  explicit remote_queue(remote::connection& to) : m_to(to) {}
  ~remote_queue() override {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_completed >= m_submitted && !m_calling_back; });
  }

  /// Needs no code for waits: what they wait for was submitted before, and the connection preserves that
  /// order.
  std::uint64_t submit(std::span<const command> commands, std::span<const timeline_point>) override {
    std::vector<step> steps;
    for (const command& c : commands) std::visit([&](const auto& what) { encode(steps, what); }, c);
    const std::uint64_t point = m_submitted + 1, now = now_ns();
    m_to.submit(std::move(steps),
                [this, point, now](const remote::completion& c) { complete(point, now, c); });
    return m_submitted = point;
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
  std::optional<device_error> failure(std::uint64_t point) const override {
    const std::lock_guard lock(m_mutex);
    const auto found = m_failures.find(point);
    return found == m_failures.end() ? std::nullopt : std::optional(found->second);
  }
  profile times(std::uint64_t point) const override {
    const std::lock_guard lock(m_mutex);
    const auto found = m_times.find(point);
    return found == m_times.end() ? profile{} : found->second;
  }
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
  static std::uint64_t now_ns() {
    return std::uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                             std::chrono::steady_clock::now().time_since_epoch())
                             .count());
  }
  void complete(std::uint64_t point, std::uint64_t submitted, const remote::completion& c) {
    std::vector<callback> reached;
    {
      const std::lock_guard lock(m_mutex);
      m_completed = point;
      if (c.failure) m_failures.emplace(point, *c.failure);
      // The server uses the same clock, so its times are valid here; times out of range are not trusted.
      const std::uint64_t started = std::clamp(c.started_ns, submitted, now_ns());
      m_times[point] = {submitted, started, std::clamp(c.ended_ns, started, now_ns())};
      const auto ready = std::stable_partition(m_callbacks.begin(), m_callbacks.end(),
                                               [&](const callback& each) { return each.point > point; });
      reached.assign(ready, m_callbacks.end());
      m_callbacks.erase(ready, m_callbacks.end());
      m_calling_back = !reached.empty();
      m_changed.notify_all(); // with the lock held: the woken thread may destroy the queue
    }
    if (reached.empty()) return;
    for (const callback& each : reached) each.then(each.context);
    const std::lock_guard lock(m_mutex);
    m_calling_back = false;
    m_changed.notify_all();
  }

  remote::connection& m_to;
  std::uint64_t m_submitted = 0;
  mutable std::mutex m_mutex;
  std::condition_variable m_changed;
  std::uint64_t m_completed = 0;
  bool m_calling_back = false;
  std::map<std::uint64_t, device_error> m_failures;
  std::map<std::uint64_t, profile> m_times;
  std::vector<callback> m_callbacks;
};

// ---- device

class remote_device final : public device {
public:
  remote_device(std::unique_ptr<remote::connection> to, const std::string& where, pid_t spawned)
      : m_to(std::move(to)),
        m_ranges(m_to->window_base(), remote::connection::window_bytes, m_to->facts().memory),
        m_spawned(spawned) {
    const remote::server_facts& facts = m_to->facts();
    m_info.name = "remote " + facts.processor;
    m_info.vendor = m_info.platform_vendor = "PRISM samples";
    m_info.version = m_info.driver_version = m_info.platform_version = "1.0";
    m_info.platform_name = "PRISM remote";
    m_info.physical_id = "remote:" + where;
    m_info.type = device_type::cpu;
    m_info.compute_units = facts.threads;
    m_info.global_memory = m_info.max_allocation = facts.memory;
    m_info.local_memory = 128 * 1024;
    m_info.max_argument_bytes = 64 * 1024;
    m_info.base_alignment = 128;
    m_info.cache_line = 64;
    m_info.max_group_size = 1024;
    m_info.max_local_size = {1024, 1024, 1024};
    using namespace prism::image;
    m_info.features = fp16 | fp64 | int8 | int16 | int64 | int64_atomics | sub_groups | float_atomic_add |
                      addresses | memory_model | signed_zero_inf_nan | fp16_storage | clock_sub_group |
                      clock_device;
    m_info.image_kinds = {prism::image::kind::host_group};
    m_info.sub_group_sizes.assign(std::begin(group_sub_group_sizes), std::end(group_sub_group_sizes));
    m_info.usm_device = m_info.addresses = m_info.profiling = true;
    m_info.atomic_orders = m_info.fence_orders = {0, 1, 2, 3, 4};
    m_info.atomic_scopes = m_info.fence_scopes = {0, 1, 2, 3};
  }
  ~remote_device() override {
    m_to.reset(); // the server process ends with its connection
    if (m_spawned > 0) waitpid(m_spawned, nullptr, 0);
  }
  const capabilities& info() const noexcept override { return m_info; }
  std::unique_ptr<memory> create_memory(std::uint64_t bytes, memory_kind kind, std::uint64_t) override {
    if (kind == memory_kind::host || kind == memory_kind::shared)
      throw device_error(error_category::unsupported, "",
                         "allocate on the remote device: the host cannot access its memory");
    return std::make_unique<remote_memory>(*m_to, m_ranges, bytes, kind);
  }
  std::unique_ptr<memory> adopt(void*, std::uint64_t) override { return nullptr; }
  std::unique_ptr<program> create_program(const program_source& source) override {
    if (source.kind != kind::host_group || source.data == nullptr)
      throw device_error(
          error_category::unsupported, "",
          "create a program on the remote device: it accepts only native work-group functions");
    const char* name = source.record && source.record->display_name ? source.record->display_name : "?";
    return std::make_unique<remote_program>(
        m_to->resolve(source.data, name), source,
        kernel_limits{m_info.max_group_size, 1, 0, source.record ? source.record->static_local_bytes : 0});
  }
  std::unique_ptr<program> create_program_from_binary(std::span<const std::byte>,
                                                      const program_source&) override {
    return nullptr;
  }
  std::unique_ptr<queue> create_queue(const queue_options&) override {
    return std::make_unique<remote_queue>(*m_to);
  }
  bool can_wait_for(const timeline& other) const noexcept override {
    return dynamic_cast<const remote_queue*>(&other) != nullptr;
  }
  std::string fingerprint() const override { return "remote 1.0 " + m_info.name; }
  void* native(std::string_view) const noexcept override { return nullptr; }

private:
  capabilities m_info;
  std::unique_ptr<remote::connection> m_to;
  address_ranges m_ranges;
  pid_t m_spawned;
};

// ---- opening

std::string variable(const char* name, const char* otherwise = "") {
  const char* value = std::getenv(name);
  return value ? value : otherwise;
}

std::string own_file() {
  Dl_info found{};
  char whole[4096];
  if (dladdr(reinterpret_cast<const void*>(&own_file), &found) == 0 ||
      realpath(found.dli_fname, whole) == nullptr)
    throw device_error(error_category::other, "",
                       "start a remote server: the module does not find its own file");
  return whole;
}

/// Starts this program again, as a server at the other end of a socket pair. Sets the process and returns
/// this end.
int spawn_server(const std::string& token, pid_t& child) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw device_error(error_category::other, std::strerror(errno), "start a remote server");
  std::vector<std::string> variables{"PRISM_REMOTE_SERVE=fd:3", "PRISM_REMOTE_TOKEN=" + token};
  const std::string preloaded = variable("LD_PRELOAD");
  variables.push_back("LD_PRELOAD=" + own_file() + (preloaded.empty() ? "" : ":" + preloaded));
  std::vector<char*> all;
  for (std::string& v : variables) all.push_back(v.data());
  for (char** v = environ; *v; ++v)
    if (std::strncmp(*v, "LD_PRELOAD=", 11) != 0 && std::strncmp(*v, "PRISM_REMOTE", 12) != 0)
      all.push_back(*v);
  all.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 3);
  char name[] = "prism-remote-server";
  char* arguments[] = {name, nullptr};
  const int code = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments, all.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (code == 0) return ends[0];
  close(ends[0]);
  throw device_error(error_category::other, std::strerror(code), "start a remote server");
}

std::vector<std::unique_ptr<device>> open_all() {
  const std::string where = variable("PRISM_REMOTE"), limit = variable("PRISM_REMOTE_TIMEOUT_MS", "10000");
  if (where.empty())
    throw device_error(error_category::unsupported, "",
                       "no server is named: set PRISM_REMOTE to unix:/path, tcp:127.0.0.1:port or spawn");
  char* rest = nullptr;
  const long silence = std::strtol(limit.c_str(), &rest, 10);
  if (*rest != '\0' || silence < 500 || silence > 3600000)
    throw device_error(error_category::invalid, "",
                       "PRISM_REMOTE_TIMEOUT_MS=" + limit + ": expected 500 to 3600000");
  pid_t child = 0;
  try {
    const bool spawns = where == "spawn";
    const std::string token =
        spawns ? remote::to_hex(remote::random_digest()) : remote::token_from_environment();
    const int socket = spawns ? spawn_server(token, child) : remote::connect_to(where);
    auto to = std::make_unique<remote::connection>(socket, token, std::chrono::milliseconds(silence));
    std::vector<std::unique_ptr<device>> all;
    all.push_back(std::make_unique<remote_device>(std::move(to), where, child));
    return all;
  } catch (const device_error&) {
    throw;
  } catch (const std::exception& e) {
    if (child > 0) waitpid(child, nullptr, 0); // it ends with its connection, which is closed by now
    throw device_error(error_category::other, "", "PRISM_REMOTE=" + where + ": " + e.what());
  }
}

const backend& record() {
  static const backend made = [] {
    backend b;
    b.name = "remote";
    b.display_name = "Remote process";
    b.type = "remote";
    b.own_version = "1.0";
    b.priority = -40;
    b.open = open_all;
    return b;
  }();
  return made;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const prism::devices::backend* prism_backend_entry() {
  return &record();
}
