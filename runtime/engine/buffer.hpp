// Buffers: memory that the runtime copies between host and devices as commands need it. Access to buffers by
// the host.
#pragma once

#include "runtime/engine/device.hpp"
#include "runtime/engine/error.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace prism {

enum class access_mode : std::uint8_t { read, write, read_write, no_init_write, no_init_read_write };

/// A box of elements; dimension 0 is SLOWEST here (SYCL order), unused leading dimensions have extent 1.
struct box {
  std::uint64_t offset[3] = {0, 0, 0};
  std::uint64_t extent[3] = {1, 1, 1};
};

/// A buffer's bytes, on the host and on devices. Made by create_buffer. When the last owner is destroyed, all
/// copies are freed after the commands that use them; the destructor never blocks. The SYCL layer calls
/// wait_for_users or read_back first where the standard requires it.
class buffer_node {
public:
  virtual ~buffer_node() = default;
  virtual std::uint64_t bytes() const = 0;
};
using buffer_ptr = std::shared_ptr<buffer_node>;

struct buffer_options {
  std::uint64_t extent[3] = {1, 1, 1}; // elements, SYCL order
  std::uint64_t element_bytes = 1;
  // the program's memory to adopt (use_host_ptr or a constructor with a pointer); may be null
  void* host = nullptr;
  bool host_is_initial_data = false; // the bytes at `host` are the initial contents
  bool host_read_only = false;       // constructed from const T*: copied in, never written
  bool promoted = false;             // fused kernels of a graph need not write their results to it
};
buffer_ptr create_buffer(const buffer_options& options);
/// A view of a contiguous byte range (sub-buffer). Hazards are tracked against the parent; commands that use
/// disjoint sub-buffers run concurrently.
buffer_ptr create_sub_buffer(const buffer_ptr& parent, std::uint64_t byte_offset,
                             const buffer_options& options);
/// The bytes of a buffer or sub-buffer. Two spans of one root may overlap.
struct buffer_span {
  const void* root;
  std::uint64_t begin, end;
};
buffer_span span_of(const buffer_node& buffer);
/// Waits for all users, then copies the current bytes to `to` (or makes the adopted pointer hold them).
/// `line` is for the transfer log.
void read_back(buffer_node& buffer, void* to, const source_line& line = {});
/// For a program that does not want the buffer's bytes in the memory it was made from: moves the host's copy
/// to memory owned by the buffer. Does nothing if that memory has already been used in place (what was
/// written there stays), or while a command or a host access uses the buffer. `before_use`: does nothing
/// either if a device has a copy.
void leave_host_memory(buffer_node& buffer, bool before_use);
/// Waits for every command that uses the buffer.
void wait_for_users(buffer_node& buffer);
/// The buffer is finished and no command uses it: the program owns the adopted memory again.
void end_of_buffer(buffer_node& buffer);
/// Whether any command or host access has written it since creation.
bool was_written(const buffer_node& buffer);
/// Whether every byte has a value, from the initial data or from commands submitted so far.
bool is_defined(const buffer_node& buffer);
/// True when the host reads the buffer from the memory that the program passed (adopted).
bool uses_host_pointer(const buffer_node& buffer);
/// One line for each of the first 1,024 copies made for this buffer, such as "1048576 B host -> opencl:0:
/// first use on device". For tests and the transfer log.
std::vector<std::string> copy_history(const buffer_node& buffer);

/// The bytes of a device_global on a device: at first those at `object`, then what commands write. Lives
/// until the process ends.
buffer_ptr device_global_on(device_node& device, const void* object, std::uint64_t bytes);

/// Host access: blocks until the bytes are on the host, then delays conflicting commands until it is
/// destroyed.
class host_access {
public:
  virtual ~host_access() = default;
  virtual void* data() const = 0; // first byte of the whole buffer
};
std::shared_ptr<host_access> acquire_host_access(const buffer_ptr& buffer, access_mode mode,
                                                 const box& region, const source_line& line = {});

} // namespace prism
