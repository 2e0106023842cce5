#include "devices/opencl/downloads.hpp"

#include <algorithm>

namespace prism::devices::opencl {

void downloads::add(std::uint64_t begin, std::uint64_t bytes, cl_event ends) {
  const std::lock_guard lock(m_mutex);
  std::erase_if(m_pending, [&](const entry& each) {
    cl_int status = CL_COMPLETE;
    m_api.clGetEventInfo(each.ends.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    return status <= CL_COMPLETE; // negative: it failed
  });
  if (m_api.clRetainEvent(ends) == CL_SUCCESS)
    m_pending.push_back({begin, begin + bytes, event_handle(m_api, ends)});
}

void downloads::wait_for(std::uint64_t begin, std::uint64_t bytes) {
  std::vector<entry> writing;
  {
    const std::lock_guard lock(m_mutex);
    const auto first = std::stable_partition(m_pending.begin(), m_pending.end(), [&](const entry& each) {
      return each.end <= begin || begin + bytes <= each.begin;
    });
    std::move(first, m_pending.end(), std::back_inserter(writing));
    m_pending.erase(first, m_pending.end());
  }
  for (const entry& each : writing) { // its failure is reported at its own point
    cl_event ends = each.ends.get();
    m_api.clWaitForEvents(1, &ends);
  }
}

} // namespace prism::devices::opencl
