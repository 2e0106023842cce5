// Copies to host memory that a driver has not completed. NVIDIA's driver (580.159) reads the bytes of a small
// copy from the host when the copy is enqueued, even if an earlier copy in the queue, which writes these
// bytes, is not complete (seen in "more than fits": a piece missed what the piece before it had written). Any
// thread may call.
#pragma once

#include "devices/opencl/loader.hpp"

#include <cstdint>
#include <mutex>
#include <vector>

namespace prism::devices::opencl {

class downloads {
public:
  explicit downloads(const entry_points& api) : m_api(api) {}

  /// A copy to [begin, begin + bytes), enqueued with this event.
  void add(std::uint64_t begin, std::uint64_t bytes, cl_event ends);
  /// Waits for the copies that write one of these bytes.
  void wait_for(std::uint64_t begin, std::uint64_t bytes);

private:
  struct entry {
    std::uint64_t begin, end;
    event_handle ends;
  };
  const entry_points& m_api;
  std::mutex m_mutex;
  std::vector<entry> m_pending;
};

} // namespace prism::devices::opencl
