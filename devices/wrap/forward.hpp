// Base classes of all wrappers: a device, program, queue and timeline that forward every call to the wrapped
// ones. A wrapper overrides what it changes. Memory and kernels are the wrapped device's own objects unless a
// wrapper says otherwise.
#pragma once

#include "devices/api/device.hpp"
#include "devices/api/direct_runner.hpp"

#include <map>
#include <mutex>

namespace prism::devices::wrap {

/// The record of each kernel object, which backends do not provide; dispatches contain only the object.
class known_kernels {
public:
  void remember(const kernel& k, const image::kernel_record* record) {
    const std::lock_guard lock(m_mutex);
    m_records[&k] = record;
  }
  /// Null for kernels without a record.
  const image::kernel_record* record_of(const kernel* k) const {
    const std::lock_guard lock(m_mutex);
    const auto found = m_records.find(k);
    return found == m_records.end() ? nullptr : found->second;
  }

private:
  mutable std::mutex m_mutex;
  std::map<const kernel*, const image::kernel_record*> m_records;
};

class forwarding_program final : public program {
public:
  forwarding_program(std::unique_ptr<program> whole, std::shared_ptr<known_kernels> known,
                     const image::kernel_record* record)
      : m_wrapped(std::move(whole)), m_known(std::move(known)), m_record(record) {}
  kernel& get_kernel(std::string_view entry) override {
    kernel& k = m_wrapped->get_kernel(entry);
    m_known->remember(k, m_record);
    return k;
  }
  const std::string& build_log() const noexcept override { return m_wrapped->build_log(); }
  std::vector<std::byte> binary() const override { return m_wrapped->binary(); }
  void* native(std::string_view what) const noexcept override { return m_wrapped->native(what); }

private:
  std::unique_ptr<program> m_wrapped;
  std::shared_ptr<known_kernels> m_known;
  const image::kernel_record* m_record;
};

class forwarding_queue : public queue, public timeline {
public:
  explicit forwarding_queue(std::unique_ptr<queue> whole) : m_wrapped(std::move(whole)) {}
  std::uint64_t submit(std::span<const command> commands, std::span<const timeline_point> waits) override {
    return m_wrapped->submit(commands, inner(waits));
  }
  void flush() override { m_wrapped->flush(); }
  timeline& points() noexcept override { return *this; }
  void* native(std::string_view what) const noexcept override { return m_wrapped->native(what); }

  std::uint64_t completed() const override { return m_wrapped->points().completed(); }
  bool wait(std::uint64_t point, std::optional<std::chrono::nanoseconds> limit) override {
    return m_wrapped->points().wait(point, limit);
  }
  std::optional<device_error> failure(std::uint64_t point) const override {
    return m_wrapped->points().failure(point);
  }
  profile times(std::uint64_t point) const override { return m_wrapped->points().times(point); }
  void on_completion(std::uint64_t point, void (*then)(void*), void* context) override {
    m_wrapped->points().on_completion(point, then, context);
  }

  queue& whole() const noexcept { return *m_wrapped; }
  /// Replaces points of wrapping queues by those of the wrapped queues.
  static std::vector<timeline_point> inner(std::span<const timeline_point> waits) {
    std::vector<timeline_point> out(waits.begin(), waits.end());
    for (timeline_point& w : out)
      if (auto* wrapped = dynamic_cast<forwarding_queue*>(w.owner)) w.owner = &wrapped->m_wrapped->points();
    return out;
  }

private:
  std::unique_ptr<queue> m_wrapped;
};

/// Its memories, programs and queues are the wrapped device's own.
class passing_device : public device {
public:
  explicit passing_device(std::unique_ptr<device> whole)
      : m_wrapped(std::move(whole)), m_info(m_wrapped->info()) {
    m_info.partitions = {}; // the sub-devices would not be wrapped
  }
  /// `info`: what it reports instead.
  passing_device(std::unique_ptr<device> whole, capabilities info) : passing_device(std::move(whole)) {
    info.partitions = {};
    m_info = std::move(info);
  }
  const capabilities& info() const noexcept override { return m_info; }
  std::unique_ptr<memory> create_memory(std::uint64_t bytes, memory_kind kind,
                                        std::uint64_t alignment) override {
    return m_wrapped->create_memory(bytes, kind, alignment);
  }
  std::unique_ptr<memory> adopt(void* host, std::uint64_t bytes) override {
    return m_wrapped->adopt(host, bytes);
  }
  std::unique_ptr<program> create_program(const program_source& source) override {
    return m_wrapped->create_program(source);
  }
  std::unique_ptr<program> create_program_from_binary(std::span<const std::byte> binary,
                                                      const program_source& source) override {
    return m_wrapped->create_program_from_binary(binary, source);
  }
  std::unique_ptr<queue> create_queue(const queue_options& options) override {
    return m_wrapped->create_queue(options);
  }
  bool can_wait_for(const timeline& other) const noexcept override { return m_wrapped->can_wait_for(other); }
  std::string fingerprint() const override { return m_wrapped->fingerprint(); }
  /// But for work that would pass the wrapper.
  void* native(std::string_view what) const noexcept override {
    return what == direct_runner_name ? nullptr : m_wrapped->native(what);
  }

protected:
  device& whole() const noexcept { return *m_wrapped; }

private:
  std::unique_ptr<device> m_wrapped;
  capabilities m_info;
};

/// Its programs know the records of their kernels, and its queues may be wrapped.
class forwarding_device : public passing_device {
public:
  explicit forwarding_device(std::unique_ptr<device> whole) : passing_device(std::move(whole)) {}
  std::unique_ptr<program> create_program(const program_source& source) override {
    return known(passing_device::create_program(source), source);
  }
  std::unique_ptr<program> create_program_from_binary(std::span<const std::byte> binary,
                                                      const program_source& source) override {
    return known(passing_device::create_program_from_binary(binary, source), source);
  }
  bool can_wait_for(const timeline& other) const noexcept override {
    const auto* wrapped = dynamic_cast<const forwarding_queue*>(&other);
    return passing_device::can_wait_for(wrapped != nullptr ? wrapped->whole().points() : other);
  }

protected:
  const std::shared_ptr<known_kernels>& kernels() const noexcept { return m_kernels; }

private:
  std::unique_ptr<program> known(std::unique_ptr<program> made, const program_source& source) {
    if (made == nullptr) return nullptr;
    return std::make_unique<forwarding_program>(std::move(made), m_kernels, source.record);
  }
  std::shared_ptr<known_kernels> m_kernels = std::make_shared<known_kernels>();
};

} // namespace prism::devices::wrap
