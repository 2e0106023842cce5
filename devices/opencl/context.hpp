// What all devices of one OpenCL platform share: the cl_context, the live blocks of memory with addresses,
// and the thread that calls completion callbacks. A platform has one context, so a device can wait for events
// of another.
#pragma once

#include "devices/opencl/downloads.hpp"
#include "devices/opencl/convert.hpp"
#include "devices/opencl/device_addresses.hpp"
#include "devices/opencl/usm.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace prism::devices::opencl {

/// Calls functions on a separate thread. Drivers run event callbacks with their locks held (rusticl), so a
/// callback must not call anything directly. The thread starts with the first callback.
class notifier {
public:
  ~notifier();
  void post(void (*then)(void*), void* context);

private:
  struct notice {
    void (*then)(void*);
    void* context;
  };
  void run();
  std::mutex m_mutex;
  std::condition_variable m_arrived;
  std::deque<notice> m_notices;
  std::thread m_thread;
  bool m_stop = false;
};

/// What gives a block of memory its address.
enum class address_kind { svm, usm, memory_object };

/// Live blocks of memory with addresses, for kernels that follow pointers that no argument names
/// (clSetKernelExecInfo).
class svm_registry {
public:
  void add(void* base, std::uint64_t bytes, address_kind kind);
  void remove(void* base);
  /// Changes when a block is allocated or freed. An address that was set as an argument under another epoch
  /// must be set again.
  std::uint64_t epoch() const noexcept { return m_epoch.load(std::memory_order_acquire); }
  std::vector<void*> blocks(address_kind kind) const;
  bool contains(std::uint64_t address) const;
  /// Whether the address lies in a block of that kind.
  bool is(address_kind kind, std::uint64_t address) const;
  /// Held while the driver allocates or frees a block: NVIDIA's (580.159) returned null once in a test with
  /// threads; whether this lock prevents it is not known.
  std::mutex calls;

private:
  struct live_block {
    void* base;
    std::uint64_t bytes;
    address_kind kind;
    bool contains(std::uint64_t address) const noexcept {
      return address - reinterpret_cast<std::uint64_t>(base) < bytes;
    }
  };
  mutable std::mutex m_mutex;
  std::vector<live_block> m_blocks;
  std::atomic<std::uint64_t> m_epoch{1};
};

struct platform_context {
  platform_context(const entry_points& entry, cl_platform_id id, std::vector<cl_device_id> members);
  /// Takes over a context that the program made; holds one reference.
  platform_context(const entry_points& entry, cl_platform_id id, std::vector<cl_device_id> members,
                   context_handle made);
  const entry_points& api;
  cl_platform_id platform;
  std::vector<cl_device_id> devices;
  context_handle context;
  bool has_svm;
  usm_calls usm;                            // null if no device uses it
  set_device_pointer set_pointer = nullptr; // null if no device uses addresses of memory objects
  /// Oclgrind runs commands only inside clFinish, on the calling thread. It is not thread-safe, nor are its
  /// programs, which all belong to one context of its compiler.
  bool is_simulator;
  std::recursive_mutex simulation;
  std::unique_lock<std::recursive_mutex> lock_simulation() {
    return is_simulator ? std::unique_lock(simulation) : std::unique_lock<std::recursive_mutex>();
  }
  /// An argument of a kernel object that was an SVM pointer can never be a cl_mem or null again (NVIDIA).
  bool keeps_svm_arguments;
  /// The driver reads a small copy's bytes when it is enqueued (NVIDIA).
  bool reads_early;
  downloads to_host{api};
  svm_registry svm;
  notifier notices;

  /// Whether kernels can have addresses.
  bool has_addresses() const noexcept { return has_svm || usm || set_pointer; }
  /// Sets a kernel's argument to an address. The context must have addresses.
  cl_int set_address(cl_kernel kernel, cl_uint index, std::uint64_t address) const;

  /// The error of a failed call. After the driver has stopped a command (category lost), all calls of the
  /// context fail, each with its own code: those errors are of category lost, too.
  device_error error(cl_int code, const std::string& asked);
  /// Throws error() unless `code` is CL_SUCCESS.
  void check(cl_int code, const char* asked);
  /// Whether an error() was of category lost.
  bool is_lost() const noexcept { return m_lost.load(std::memory_order_acquire); }
  /// Throws device_error{lost} if is_lost(): some calls of a dead context succeed without effect.
  void check_not_lost(const char* asked);

private:
  std::atomic<bool> m_lost{false};
};
using context_ptr = std::shared_ptr<platform_context>;

} // namespace prism::devices::opencl
