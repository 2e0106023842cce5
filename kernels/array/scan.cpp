// Kernels of running sums (moves.hpp).
#include "kernels/array/moves.hpp"

#include <prism/array/number.hpp>

namespace prism::array_detail {
namespace {

template <typename T>
class sum_parts;
template <typename T>
class scan_parts;

/// Blelloch 1990: sums of parts, then each part begins with the sum of those before it.
template <typename T>
void scan_as(device_state& device, T* data, std::int64_t rows, std::int64_t elements) {
  constexpr std::int64_t part = 1024;
  const std::int64_t parts = (elements + part - 1) / part;
  const node_ref sums = fresh(device, dtype::uint8, {rows * parts * std::int64_t(sizeof(T))});
  T* before = reinterpret_cast<T*>(sums->data);
  if (parts > 1) {
    device.queue.parallel_for<sum_parts<T>>(sycl::range<1>(std::size_t(rows * parts)), [=](sycl::id<1> id) {
      const std::int64_t at = std::int64_t(id[0]), row = at / parts, begin = at % parts * part;
      const std::int64_t end = begin + part < elements ? begin + part : elements;
      T total = T(0);
      for (std::int64_t i = begin; i < end; ++i) total = functions<T>::add(total, data[row * elements + i]);
      before[at] = total;
    });
    scan_as<T>(device, before, rows, parts);
  }
  device.queue.parallel_for<scan_parts<T>>(sycl::range<1>(std::size_t(rows * parts)), [=](sycl::id<1> id) {
    const std::int64_t at = std::int64_t(id[0]), row = at / parts, begin = at % parts * part;
    const std::int64_t end = begin + part < elements ? begin + part : elements;
    T total = at % parts > 0 ? before[at - 1] : T(0);
    for (std::int64_t i = begin; i < end; ++i) {
      total = functions<T>::add(total, data[row * elements + i]);
      data[row * elements + i] = total;
    }
  });
}

} // namespace

void run_scan(device_state& device, arithmetic kind, void* data, std::int64_t rows, std::int64_t elements) {
  const std::lock_guard guard(device.lock);
  device.busy = true;
  with_number(kind, [&]<typename T>(std::type_identity<T>) {
    scan_as(device, static_cast<T*>(data), rows, elements);
  });
}

} // namespace prism::array_detail
