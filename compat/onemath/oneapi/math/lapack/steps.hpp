// What the routines of <oneapi/math/lapack.hpp> are made of: temporary memory of the kind that the operands
// have, tasks of the host for what no kernel of PRISM does (pivots count from 1 in oneMath), and the check of
// the result when the device is done.
#pragma once

#include <oneapi/math/blas/operand.hpp>
#include <oneapi/math/lapack/exceptions.hpp>

#include <prism/linalg.hpp>

#include <complex>
#include <memory>
#include <vector>

namespace oneapi::math::lapack::detail {

namespace la = prism::linalg;
namespace own = prism::blas;
using blas::detail::are_real;
using blas::detail::are_supported;
using blas::detail::element;
using blas::detail::events;
using blas::detail::result;
using blas::detail::traits;

inline std::int64_t least(std::int64_t m, std::int64_t n) { return m < n ? m : n; }
/// Of oneMath's scratchpad PRISM uses nothing; one element, so that a buffer of that size can be made.
inline constexpr std::int64_t scratchpad = 1;

/// LAPACK's matrices are stored by columns.
template <typename Memory>
auto matrix(const char* name, Memory& memory, std::int64_t rows, std::int64_t columns, std::int64_t leading,
            std::int64_t from = 0) {
  return blas::detail::matrix<false>(name, memory, rows, columns, leading, from);
}
template <typename Memory>
auto vector(const char* name, Memory& memory, std::int64_t size, std::int64_t from = 0) {
  return blas::detail::vector(name, memory, size, 1, from);
}
/// The same elements with strides of any sign, from that at `from` on.
template <typename Memory>
auto strided(Memory& memory, std::int64_t from, std::int64_t rows, std::int64_t columns, std::int64_t down,
             std::int64_t across) {
  using M = traits<Memory>;
  return prism::matrix_view<typename M::viewed, typename M::place>(M::at(memory, from), std::size_t(rows),
                                                                   std::size_t(columns), down, across);
}

/// The commands of one call, in order.
template <bool IsPointer>
class steps {
public:
  template <typename T>
  using memory = std::conditional_t<IsPointer, T*, sycl::buffer<T, 1>>;

  sycl::queue& queue;
  events before;

  steps(const char* name, sycl::queue& on, const events& depends)
      : queue(on), before(depends), m_name(name) {}
  void then(const sycl::event& done) {
    if constexpr (IsPointer) before = {done};
  }
  /// Temporary memory, which lives until the last command is complete.
  template <typename T>
  memory<T> take(std::int64_t size) {
    const std::size_t count = size > 0 ? std::size_t(size) : 1;
    if constexpr (IsPointer) {
      T* const made = sycl::malloc_device<T>(count, queue);
      if (made == nullptr) throw device_bad_alloc("LAPACK", m_name, queue.get_device());
      m_held.push_back(std::shared_ptr<void>(made, [on = queue](void* p) { sycl::free(p, on); }));
      return made;
    } else {
      return sycl::buffer<T, 1>(sycl::range<1>(count));
    }
  }
  /// to = from + amount.
  void add(memory<std::int64_t> from, std::int64_t at, memory<std::int64_t> to, std::int64_t at_to,
           std::int64_t count, std::int64_t amount) {
    if (count == 0) return;
    if constexpr (IsPointer) {
      const auto on_host = hold<std::int64_t>(count);
      then(queue.copy(from + at, on_host->data(), std::size_t(count), before));
      task([on_host, amount] {
        for (std::int64_t& each : *on_host) each += amount;
      });
      then(queue.copy(on_host->data(), to + at_to, std::size_t(count), before));
    } else {
      queue.submit([&](sycl::handler& h) {
        const sycl::accessor<std::int64_t, 1, sycl::access_mode::read, sycl::target::host_task> in(from, h);
        const sycl::accessor<std::int64_t, 1, sycl::access_mode::read_write, sycl::target::host_task> out(to,
                                                                                                          h);
        h.host_task([=] {
          for (std::int64_t i = 0; i < count; ++i)
            out[std::size_t(at_to + i)] = in[std::size_t(at + i)] + amount;
        });
      });
    }
  }
  /// The last command: `judge` gets the elements and throws what the queue reports.
  template <typename T, typename Judge>
  sycl::event finish(memory<T> values, std::int64_t count, const Judge& judge) {
    if constexpr (IsPointer) {
      const auto on_host = hold<T>(count);
      if (count != 0) then(queue.copy(values, on_host->data(), std::size_t(count), before));
      return task([on_host, judge, held = m_held] { judge(on_host->data()); });
    } else {
      return queue.submit([&](sycl::handler& h) {
        const sycl::accessor<T, 1, sycl::access_mode::read, sycl::target::host_task> in(values, h);
        h.host_task([=] {
          std::vector<T> found;
          for (std::int64_t i = 0; i < count; ++i) found.push_back(in[std::size_t(i)]);
          judge(found.data());
        });
      });
    }
  }
  sycl::event finish() {
    if constexpr (IsPointer) {
      if (!m_held.empty()) return task([held = m_held] {});
      return before.size() == 1 ? before[0] : queue.ext_oneapi_submit_barrier(before);
    } else {
      return {};
    }
  }
  /// By LAPACK's info of one matrix.
  sycl::event finish_by_info(memory<std::int64_t> info, const char* why) {
    return finish<std::int64_t>(info, 1, [name = std::string(m_name), why](const std::int64_t* found) {
      if (*found != 0)
        throw computation_error(name, why + (" (info " + std::to_string(*found)) + ")", *found);
    });
  }
  /// By one info for each member of a batch.
  sycl::event finish_batch(memory<std::int64_t> info, std::int64_t count, const char* why) {
    return finish<std::int64_t>(info, count, [=, name = std::string(m_name)](const std::int64_t* found) {
      judge_batch(name, found, count, why);
    });
  }
  /// By the diagonal of a triangle, which must have no zero.
  template <typename T>
  sycl::event finish_by_diagonal(memory<T> diagonal, std::int64_t count) {
    return finish<T>(diagonal, count, [=, name = std::string(m_name)](const T* found) {
      for (std::int64_t i = 0; i < count; ++i)
        if (found[i] == T(0)) throw computation_error(name, "the matrix is singular", i + 1);
    });
  }
  /// The same for a batch, whose members have diagonals of these sizes.
  template <typename T>
  sycl::event finish_batch_by_diagonals(memory<T> diagonals, const std::vector<std::int64_t>& sizes) {
    std::int64_t count = 0;
    for (const std::int64_t each : sizes) count += each;
    return finish<T>(diagonals, count, [=, name = std::string(m_name)](const T* found) {
      std::vector<std::int64_t> infos;
      for (const std::int64_t each : sizes) {
        std::int64_t info = 0;
        for (std::int64_t i = 0; i < each && info == 0; ++i)
          if (found[i] == T(0)) info = i + 1;
        infos.push_back(info), found += each;
      }
      judge_batch(name, infos.data(), std::int64_t(infos.size()), "the matrix is singular");
    });
  }

private:
  static void judge_batch(const std::string& name, const std::int64_t* infos, std::int64_t count,
                          const char* why) {
    std::vector<std::int64_t> ids;
    std::vector<std::exception_ptr> all;
    for (std::int64_t i = 0; i < count; ++i) {
      if (infos[i] == 0) continue;
      ids.push_back(i);
      all.push_back(std::make_exception_ptr(computation_error(name, why, infos[i])));
    }
    const auto failed = std::int64_t(ids.size());
    if (failed != 0) throw batch_error(name, why, failed, ids, all);
  }
  template <typename T>
  std::shared_ptr<std::vector<T>> hold(std::int64_t count) {
    const auto made = std::make_shared<std::vector<T>>(std::size_t(count));
    m_held.push_back(made);
    return made;
  }
  template <typename Body>
  sycl::event task(const Body& body) {
    const sycl::event done = queue.submit([&](sycl::handler& h) {
      h.depends_on(before);
      h.host_task(body);
    });
    then(done);
    return done;
  }

  const char* m_name;
  std::vector<std::shared_ptr<void>> m_held;
};

/// Calls `body(steps)`, which returns the event; errors of arguments are oneMath's.
template <typename Memory, typename Body>
result<Memory> run(const char* name, sycl::queue& queue, std::int64_t scratchpad_size, const events& depends,
                   const Body& body) {
  if constexpr (!are_supported<Memory>) {
    throw unimplemented("LAPACK", name, "for these types");
  } else {
    if (scratchpad_size < scratchpad)
      throw invalid_argument(name, "the scratchpad is too small", 0, scratchpad);
    try {
      steps<traits<Memory>::is_pointer> all(name, queue, depends);
      if constexpr (traits<Memory>::is_pointer) return body(all);
      else body(all);
    } catch (const sycl::exception& error) {
      if (error.code() == sycl::errc::invalid) throw invalid_argument(name, error.what());
      if (error.code() == sycl::errc::feature_not_supported)
        throw unsupported_device(std::string("LAPACK"), name, error.what());
      throw;
    }
  }
}

} // namespace oneapi::math::lapack::detail
