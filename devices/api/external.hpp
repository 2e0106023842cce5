// Memory and semaphores that a device shares with other programs, and with other interfaces of its driver, by
// file descriptors. A descriptor means the same allocation only to the driver that made it, on the same
// device. Errors are device_error; the rules of device.hpp hold.
#pragma once

#include "devices/api/device.hpp"

namespace prism::devices {

struct exported_memory {
  int descriptor = -1;           // of the caller, who closes it
  std::uint64_t bytes = 0;       // of the whole allocation: an import states this size
  std::uint32_t memory_type = 0; // its index: an import by Vulkan states it
};

/// binary: each signal lets one wait pass, and must be submitted before that wait. timeline: counts up, and a
/// wait passes when the count is reached.
enum class semaphore_kind { binary, timeline };

class external_semaphore {
public:
  virtual ~external_semaphore() = default;
  /// The device whose queues take command().
  virtual const device& owner() const noexcept = 0;
  /// The wait or the signal as a command that the driver's queue orders: a kernel for dispatches of a
  /// native_kernel, without arguments. It lives shorter than this. Null: the host has to wait.
  virtual std::shared_ptr<kernel> command(bool waits, std::uint64_t value) = 0;
  // Of a timeline:
  /// Blocks until it has reached the value.
  virtual void wait(std::uint64_t value) = 0;
  /// Sets it to a larger value now.
  virtual void signal(std::uint64_t value) = 0;
  /// Makes a new descriptor. Throws device_error{invalid} for a semaphore that was imported.
  virtual int export_descriptor() = 0;
};

class external_memory {
public:
  virtual ~external_memory() = default;
  /// Device memory that export_memory accepts. Throws device_error{out_of_memory}.
  virtual std::unique_ptr<memory> create_exportable(std::uint64_t bytes, std::uint64_t alignment) = 0;
  /// Makes a new descriptor. Throws device_error{invalid} for memory that create_exportable did not make.
  virtual exported_memory export_memory(memory& what) = 0;
  /// `bytes`: of the whole allocation. The descriptor stays the caller's. Throws device_error{invalid} if the
  /// driver does not accept it.
  virtual std::unique_ptr<memory> import_memory(int descriptor, std::uint64_t bytes) = 0;

  /// Why semaphores of the kind cannot be shared, with the names of the device and of what its driver lacks;
  /// empty if they can. The two functions below are called only then.
  virtual std::string no_semaphore_reason(semaphore_kind kind) const = 0;
  virtual std::unique_ptr<external_semaphore> create_semaphore(semaphore_kind kind) = 0;
  /// The descriptor stays the caller's.
  virtual std::unique_ptr<external_semaphore> import_semaphore(int descriptor, semaphore_kind kind) = 0;
};

} // namespace prism::devices
