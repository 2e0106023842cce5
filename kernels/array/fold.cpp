// Kernels of reductions and running sums (fold.hpp).
#include "kernels/array/fold.hpp"

#include "kernels/array/machine.hpp"

#include <algorithm>

namespace prism::array_detail {
namespace {

template <typename T>
class fold_parts;
template <typename T>
class fold_results;
template <typename T>
class sum_parts;
template <typename T>
class scan_parts;

std::int64_t fold_offset(const fold& f, std::int64_t i, int first, int last) {
  std::int64_t offset = 0;
  for (int d = last - 1; d >= first; --d) {
    const std::int64_t rest = i / f.extent[d];
    offset += (i - rest * f.extent[d]) * f.in.strides[d];
    i = rest;
  }
  return offset;
}

template <typename T>
T neutral(fold_op op, T first) {
  switch (op) {
  case fold_op::sum:
  case fold_op::any:
  case fold_op::count: return T(0);
  case fold_op::product:
  case fold_op::all: return T(1);
  default: return first;
  }
}

template <typename T, typename E>
T prepared(fold_op op, E x) {
  const T value = converted<T>(x);
  return op == fold_op::any || op == fold_op::all || op == fold_op::count ? T(functions<T>::truth(value)) : value;
}

template <typename T>
T combined(fold_op op, T a, T b) {
  using f = functions<T>;
  switch (op) {
  case fold_op::sum:
  case fold_op::count: return f::add(a, b);
  case fold_op::product: return f::multiply(a, b);
  case fold_op::any: return T(f::truth(a) | f::truth(b));
  case fold_op::all: return T(f::truth(a) & f::truth(b));
  default:
    if constexpr (!f::is_complex) return op == fold_op::minimum ? f::minimum(a, b) : f::maximum(a, b);
    else return a;
  }
}

/// Whether b is the better extreme; a NaN is better than any number.
template <typename T>
bool is_better(fold_op op, T a, T b) {
  if constexpr (functions<T>::is_complex) return false;
  else return op == fold_op::first_minimum ? (b < a || (b != b && a == a)) : (a < b || (b != b && a == a));
}

template <typename T, typename E>
T fold_run(fold_op op, T start, const E* from, std::int64_t stride, std::int64_t count) {
  constexpr int lanes = 16;
  std::int64_t i = 0;
  T total = start;
  if (count >= 2 * lanes) {
    T lane[lanes];
    const T begin = neutral(op, prepared<T>(op, from[0]));
    for (int l = 0; l < lanes; ++l) lane[l] = begin;
    const auto add = [&](auto combine) {
      if (stride == 1)
        for (; i + lanes <= count; i += lanes)
          for (int l = 0; l < lanes; ++l) lane[l] = combine(lane[l], prepared<T>(op, from[i + l]));
      else
        for (; i + lanes <= count; i += lanes)
          for (int l = 0; l < lanes; ++l) lane[l] = combine(lane[l], prepared<T>(op, from[(i + l) * stride]));
    };
    if (op == fold_op::sum) add([](T a, T b) { return functions<T>::add(a, b); });
    else add([op](T a, T b) { return combined(op, a, b); });
    for (int half = lanes / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) lane[l] = combined(op, lane[l], lane[l + half]);
    total = combined(op, total, lane[0]);
  }
  for (; i < count; ++i) total = combined(op, total, prepared<T>(op, from[i * stride]));
  return total;
}

template <typename T, typename E>
void fold_part(const fold& f, const E* data, std::int64_t begin, std::int64_t end, std::int64_t at) {
  const int first = f.rank - f.reduced;
  const std::int64_t inner = f.extent[f.rank - 1], stride = f.in.strides[f.rank - 1];
  if (f.op >= fold_op::first_minimum) {
    std::int64_t best = begin;
    T value = converted<T>(data[fold_offset(f, begin, first, f.rank)]);
    for (std::int64_t i = begin + 1; i < end; ++i) {
      const T x = converted<T>(data[fold_offset(f, i, first, f.rank)]);
      if (is_better(f.op, value, x)) value = x, best = i;
    }
    static_cast<std::int64_t*>(f.partial)[at] = best;
    return;
  }
  T total = neutral(f.op, prepared<T>(f.op, data[fold_offset(f, begin, first, f.rank)]));
  for (std::int64_t i = begin; i < end;) {
    const std::int64_t left = inner - i % inner, run = left < end - i ? left : end - i;
    total = fold_run<T>(f.op, total, data + fold_offset(f, i, first, f.rank), stride, run);
    i += run;
  }
  static_cast<T*>(f.partial)[at] = total;
}

template <typename T>
sycl::event fold_as(sycl::queue& queue, const fold* f, const fold& host) {
  queue.parallel_for<fold_parts<T>>(sycl::range<1>(std::size_t(host.results * host.parts)), [=](sycl::id<1> id) {
    const std::int64_t at = std::int64_t(id[0]), result = at / f->parts, part = at % f->parts;
    const std::int64_t begin = part * f->part_elements, most = begin + f->part_elements;
    const std::int64_t base = fold_offset(*f, result, 0, f->rank - f->reduced);
    with_type<T>(f->in.type, [&](auto element) {
      using E = decltype(element);
      fold_part<T>(*f, reinterpret_cast<const E*>(f->in.data) + base, begin, most < f->elements ? most : f->elements, at);
    });
  });
  return queue.parallel_for<fold_results<T>>(sycl::range<1>(std::size_t(host.results)), [=](sycl::id<1> id) {
    const std::int64_t result = std::int64_t(id[0]), parts = f->parts;
    if (f->op >= fold_op::first_minimum) {
      const auto* found = static_cast<const std::int64_t*>(f->partial) + result * parts;
      const std::int64_t base = fold_offset(*f, result, 0, f->rank - f->reduced);
      std::int64_t best = found[0];
      with_type<T>(f->in.type, [&](auto element) {
        using E = decltype(element);
        const E* data = reinterpret_cast<const E*>(f->in.data) + base;
        const int first = f->rank - f->reduced;
        T value = converted<T>(data[fold_offset(*f, best, first, f->rank)]);
        for (std::int64_t k = 1; k < parts; ++k) {
          const T x = converted<T>(data[fold_offset(*f, found[k], first, f->rank)]);
          if (is_better(f->op, value, x)) value = x, best = found[k];
        }
      });
      static_cast<std::int64_t*>(f->out)[result] = best;
      return;
    }
    const T* part = static_cast<const T*>(f->partial) + result * parts;
    T total = part[0];
    for (std::int64_t k = 1; k < parts; ++k) total = combined(f->op, total, part[k]);
    with_type<T>(f->result_type, [&](auto element) {
      using E = decltype(element);
      static_cast<E*>(f->out)[result] = converted<E>(total);
    });
  });
}

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

sycl::event run_fold(sycl::queue& queue, arithmetic kind, const fold* f, const fold& host) {
  switch (kind) {
  case arithmetic::integer: return fold_as<std::int64_t>(queue, f, host);
  case arithmetic::unsigned_integer: return fold_as<std::uint64_t>(queue, f, host);
  case arithmetic::single: return fold_as<float>(queue, f, host);
  case arithmetic::real: return fold_as<double>(queue, f, host);
  case arithmetic::single_complex: return fold_as<pair<float>>(queue, f, host);
  default: return fold_as<pair<double>>(queue, f, host);
  }
}

void run_scan(device_state& device, arithmetic kind, void* data, std::int64_t rows, std::int64_t elements) {
  const std::lock_guard guard(device.lock);
  device.busy = true;
  switch (kind) {
  case arithmetic::integer: return scan_as(device, static_cast<std::int64_t*>(data), rows, elements);
  case arithmetic::unsigned_integer: return scan_as(device, static_cast<std::uint64_t*>(data), rows, elements);
  case arithmetic::single: return scan_as(device, static_cast<float*>(data), rows, elements);
  case arithmetic::real: return scan_as(device, static_cast<double*>(data), rows, elements);
  case arithmetic::single_complex: return scan_as(device, static_cast<pair<float>*>(data), rows, elements);
  default: return scan_as(device, static_cast<pair<double>*>(data), rows, elements);
  }
}

} // namespace prism::array_detail
