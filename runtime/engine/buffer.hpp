// Buffers: bytes that the runtime moves where commands need them; access to them by the host.
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

/// A buffer's bytes wherever they are. Made by create_buffer; the last owner's destruction frees all copies
/// (after the commands that use them) and never blocks: the SYCL layer calls release_to_host first where the
/// standard says so.
class buffer_node {
public:
  virtual ~buffer_node() = default;
  virtual std::uint64_t bytes() const = 0;
};
using buffer_ptr = std::shared_ptr<buffer_node>;

struct buffer_options {
  std::uint64_t extent[3] = {1, 1, 1}; // elements, SYCL order
  std::uint64_t element_bytes = 1;
  void* host = nullptr; // user's memory to adopt (use_host_ptr or pointer constructor); may be null
  bool host_is_initial_data = false; // the bytes at `host` are the contents now
  bool host_read_only = false;       // constructed from const T*: copied in, never written
  bool promoted = false;             // joined kernels of a graph need not leave their results in it
};
buffer_ptr create_buffer(const buffer_options& options);
/// A view of a contiguous part (sub-buffer); hazards are tracked against the parent, disjoint siblings run
/// concurrently.
buffer_ptr create_sub_buffer(const buffer_ptr& parent, std::uint64_t byte_offset,
                             const buffer_options& options);
/// Which bytes a buffer or sub-buffer is: those of one root may overlap.
struct buffer_span {
  const void* root;
  std::uint64_t begin, end;
};
buffer_span span_of(const buffer_node& buffer);
/// Waits for all users and makes `to` (or the adopted pointer) hold the current bytes. `line`: for the
/// ledger.
void read_back(buffer_node& buffer, void* to, const source_line& line = {});
/// The program does not want the buffer's bytes in the memory it was made from: the host's copy moves to
/// memory of the buffer's own. Does nothing where that memory has been used in place already (what was
/// written there stays), or while a command or a host access uses the buffer; `before_use`: also where a
/// device has a copy of it.
void leave_host_memory(buffer_node& buffer, bool before_use);
/// Waits for every command that uses the buffer.
void wait_for_users(buffer_node& buffer);
/// The program has its own memory back: the buffer was finished, and nothing that uses it still runs.
void end_of_buffer(buffer_node& buffer);
/// Whether any command or host access has written it since creation.
bool was_written(const buffer_node& buffer);
/// Whether all of the buffer has been given values, by its initial data or by commands submitted so far.
bool is_defined(const buffer_node& buffer);
/// True when the buffer's user host pointer is the storage that the host reads (adopted).
bool uses_host_pointer(const buffer_node& buffer);
/// One line per copy made for this buffer, the first 1,024: "1048576 B host -> opencl:0: first use on device"
/// (tests, ledger).
std::vector<std::string> copy_history(const buffer_node& buffer);

/// The bytes of a device_global on a device: what is at `object` at first, then what commands write. Lives
/// with the program.
buffer_ptr device_global_on(device_node& device, const void* object, std::uint64_t bytes);

/// Host access: blocks until the bytes are on the host, keeps conflicting commands back until destroyed.
class host_access {
public:
  virtual ~host_access() = default;
  virtual void* data() const = 0; // first byte of the whole buffer
};
std::shared_ptr<host_access> acquire_host_access(const buffer_ptr& buffer, access_mode mode,
                                                 const box& region, const source_line& line = {});

} // namespace prism
