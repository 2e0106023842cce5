// Work on the threads of a device that are threads of this process, without a command: for a caller that
// would wait for the command at once, on an idle queue. A command costs a thousand lines of code, which come
// from memory behind an operation whose operands fill the caches.
//
// device::native(direct_runner_name) points to the device's; null where it has none, and of wrapped devices.
#pragma once

#include <cstdint>
#include <string_view>

namespace prism::devices {

inline constexpr std::string_view direct_runner_name = "direct_runner";

class direct_runner {
public:
  /// Calls part(owner, begin, end) for ranges that together cover [0, units), on this thread and others, and
  /// returns when all have returned. One unit may start threads of its own. An exception of a part is thrown.
  virtual void run_directly(std::uint64_t units,
                            void (*part)(const void* owner, std::uint64_t begin, std::uint64_t end),
                            const void* owner) = 0;

protected:
  ~direct_runner() = default;
};

} // namespace prism::devices
