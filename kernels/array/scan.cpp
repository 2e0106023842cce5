// Kernels of running sums and of scans of segments (moves.hpp).
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

template <typename T>
class segmented_parts;
template <typename T>
class segmented_scan_parts;

/// The operation is chosen while the kernel runs: it costs less than a memory access, and a kernel for each
/// would be built for each.
template <typename T>
T combined(reduction_op op, const T& a, const T& b) {
  if (op == reduction_op::sum) return functions<T>::add(a, b);
  if (op == reduction_op::prod) return functions<T>::multiply(a, b);
  if constexpr (!is_pair<T>)
    return op == reduction_op::min ? functions<T>::minimum(a, b) : functions<T>::maximum(a, b);
  else return a;
}

/// As scan_as(), of pairs of a value and whether a segment begins (Schwartz 1980).
template <typename T>
void scan_segments_as(device_state& device, reduction_op op, T* data, const std::uint8_t* begins,
                      std::int64_t elements) {
  constexpr std::int64_t part = 1024;
  const std::int64_t parts = (elements + part - 1) / part;
  const node_ref values = fresh(device, dtype::uint8, {parts * std::int64_t(sizeof(T))}),
                 flags = fresh(device, dtype::uint8, {parts});
  T* before = reinterpret_cast<T*>(values->data);
  auto* has_begin = reinterpret_cast<std::uint8_t*>(flags->data);
  if (parts > 1) {
    device.queue.parallel_for<segmented_parts<T>>(sycl::range<1>(std::size_t(parts)), [=](sycl::id<1> id) {
      const std::int64_t at = std::int64_t(id[0]), begin = at * part;
      const std::int64_t end = begin + part < elements ? begin + part : elements;
      T total = data[begin];
      std::uint8_t found = begins[begin];
      for (std::int64_t i = begin + 1; i < end; ++i) {
        total = begins[i] ? data[i] : combined(op, total, data[i]);
        found |= begins[i];
      }
      before[at] = total, has_begin[at] = found;
    });
    scan_segments_as<T>(device, op, before, has_begin, parts);
  }
  device.queue.parallel_for<segmented_scan_parts<T>>(sycl::range<1>(std::size_t(parts)), [=](sycl::id<1> id) {
    const std::int64_t at = std::int64_t(id[0]), begin = at * part;
    const std::int64_t end = begin + part < elements ? begin + part : elements;
    T total = data[begin];
    if (at > 0 && !begins[begin]) total = combined(op, before[at - 1], total);
    data[begin] = total;
    for (std::int64_t i = begin + 1; i < end; ++i) {
      total = begins[i] ? data[i] : combined(op, total, data[i]);
      data[i] = total;
    }
  });
}

} // namespace

void run_segmented_scan(device_state& device, arithmetic kind, reduction_op op, void* data,
                        const std::uint8_t* begins, std::int64_t elements) {
  const std::lock_guard guard(device.lock);
  device.busy = true;
  with_number(kind, [&]<typename T>(std::type_identity<T>) {
    scan_segments_as(device, op, static_cast<T*>(data), begins, elements);
  });
}

void run_scan(device_state& device, arithmetic kind, void* data, std::int64_t rows, std::int64_t elements) {
  const std::lock_guard guard(device.lock);
  device.busy = true;
  with_number(kind, [&]<typename T>(std::type_identity<T>) {
    scan_as(device, static_cast<T*>(data), rows, elements);
  });
}

} // namespace prism::array_detail
