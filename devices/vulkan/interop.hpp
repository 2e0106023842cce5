// Programs that call Vulkan themselves (devices/api/vulkan_interop.hpp): their VkDevice becomes a device,
// their buffers and semaphores are used in place. Any thread.
#pragma once

#include "devices/vulkan/loader.hpp"

#include "devices/api/vulkan_interop.hpp"

#include <atomic>

namespace prism::devices::vulkan {

class device;

/// How many objects of a device live that destroy something of its VkDevice at their end.
struct live_objects {
  std::atomic<unsigned> memories{0}, queues{0}, programs{0}, command_buffers{0}, semaphores{0};
};

/// Counts the object that it is a member of.
class counted_object {
public:
  explicit counted_object(std::atomic<unsigned>& in) : m_in(in) {
    m_in.fetch_add(1, std::memory_order_relaxed);
  }
  ~counted_object() { m_in.fetch_sub(1, std::memory_order_relaxed); }
  counted_object(const counted_object&) = delete;
  counted_object& operator=(const counted_object&) = delete;

private:
  std::atomic<unsigned>& m_in;
};

class native_interop final : public vulkan_interop {
public:
  explicit native_interop(device& owner) : m_device(owner) {}
  const devices::device& owner() const noexcept override;
  vulkan_needs needs_of(const vulkan_device_handles& program) const override;
  std::unique_ptr<devices::device> adopt_device(const vulkan_device_handles& program) const override;
  std::unique_ptr<devices::memory> adopt_buffer(const vulkan_buffer& what) override;
  vulkan_image_copy copy_image(const vulkan_image_part& what, bool into_image) override;
  std::unique_ptr<devices::queue> adopt_queue(void* queue) override;
  std::unique_ptr<devices::external_semaphore> adopt_semaphore(void* semaphore, semaphore_kind kind,
                                                               bool device_waits) override;
  vulkan_point handles_of(const timeline_point& what) const override;
  bool only_programs_live() const noexcept override;
  void give_back() override;

private:
  device& m_device;
};

/// external_semaphore.cpp: a semaphore that stays the program's.
std::unique_ptr<devices::external_semaphore> use_semaphore(device& owner, VkSemaphore semaphore,
                                                           semaphore_kind kind, bool device_waits);

} // namespace prism::devices::vulkan
