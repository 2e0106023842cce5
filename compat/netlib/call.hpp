// From the arguments of the Fortran BLAS and LAPACK to requests of <prism/blas.hpp> and <prism/linalg.hpp>,
// for libprism_blas.so and libprism_lapack.so: an operand is memory of the program with extents and strides;
// a call submits, waits, and is counted. Every argument is a pointer.
//
// On the host device operands are used where they are, on other devices as buffers over the program's memory.
// Banded and packed matrices, which PRISM's kernels do not have, pass through full ones (stored.hpp).
//
// Errors of arguments are reported by xerbla_ with the argument's number, as the reference does, and the call
// does nothing. What PRISM throws ends the process with its message: Fortran has no way to report it.
// Threads: calls wait for each other.
#pragma once

#include <prism/linalg.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

extern "C" void xerbla_(const char* name, const int* info, std::size_t length);

namespace prism::netlib {

template <typename T>
inline constexpr bool is_complex = false;
template <typename R>
inline constexpr bool is_complex<std::complex<R>> = true;
template <typename T>
using real_of = typename blas::detail::type_of<T>::real;

/// The queue of all calls, and how often each routine was served.
struct service {
  std::mutex mutex;
  sycl::queue queue{sycl::property::queue::in_order()};
  bool is_host = queue.get_backend() == sycl::backend::ext_prism_host;
  std::map<std::string, std::uint64_t> served;
  void count(const char* routine) {
    const std::lock_guard lock(mutex);
    ++served[routine];
  }
  static service& of_process();
};

inline bool is_letter(const char* given, char letter) { return (*given & ~0x20) == letter; }

/// The first wrong argument of a routine.
class arguments {
public:
  explicit arguments(const char* routine) : m_routine(routine) { m_routine.resize(6, ' '); }
  void require(int number, bool holds) {
    if (m_wrong == 0 && !holds) m_wrong = number;
  }
  void letter(int number, const char* given, const char* allowed) {
    require(number, std::string(allowed).find(char(*given & ~0x20)) != std::string::npos);
  }
  /// Reports it.
  bool are_wrong() const {
    if (m_wrong != 0) xerbla_(m_routine.c_str(), &m_wrong, m_routine.size());
    return m_wrong != 0;
  }
  /// The same for LAPACK, which returns the negative number too, or 0. A call whose arguments are right is
  /// counted, unless it only asks for the size of the workspace.
  bool are_wrong(int* info, bool asks_for_size = false) const {
    *info = -m_wrong;
    if (m_wrong == 0 && !asks_for_size) service::of_process().count(m_routine.c_str());
    return are_wrong();
  }

private:
  std::string m_routine;
  int m_wrong = 0;
};

/// A matrix in the program's memory: element (i, j) at data + i down + j across.
template <typename T>
struct matrix {
  T* data;
  int rows, columns;
  std::int64_t down, across;
  bool conjugate = false;
  matrix transposed() const { return {data, columns, rows, across, down, conjugate}; }
  matrix conjugated() const { return {data, rows, columns, down, across, !conjugate}; }
  /// op(A) by the letter N, T or C.
  matrix by(const char* letter) const {
    return is_letter(letter, 'N') ? *this : is_letter(letter, 'T') ? transposed() : transposed().conjugated();
  }
};
template <typename T>
matrix<T> columns_of(const T* data, int rows, int columns, int leading) {
  return {const_cast<T*>(data), rows, columns, 1, leading};
}
/// The triangle that is used of op(A).
inline std::int32_t triangle(const char* uplo, const char* op = "N") {
  return is_letter(uplo, 'U') == is_letter(op, 'N') ? PRISM_UPLO_UPPER : PRISM_UPLO_LOWER;
}

template <typename T>
struct vector {
  T* data; // of the first element
  int size;
  std::int64_t stride;
};
template <typename T>
vector<T> elements(const T* data, int n, int increment) {
  return {const_cast<T*>(data) +
              (increment < 0 && n > 1 ? std::int64_t(n - 1) * -std::int64_t(increment) : 0),
          n, increment};
}

/// The operands of one request. `Derived` is the class whose functions return itself.
template <typename Derived, typename Request>
class operands {
public:
  template <typename T>
  Derived& add(const matrix<T>& a) {
    prism_provider_operand& o = m_request.template next<T>(2, a.conjugate);
    o.extent[0] = a.rows, o.extent[1] = a.columns, o.stride[0] = a.down, o.stride[1] = a.across;
    return put(a.data, o);
  }
  template <typename T>
  Derived& add(const vector<T>& v, bool conjugate = false) {
    prism_provider_operand& o = m_request.template next<T>(1, conjugate);
    o.extent[0] = v.size, o.stride[0] = v.stride;
    return put(v.data, o);
  }

protected:
  template <typename... Given>
  explicit operands(Given... given) : m_request(given...) {}
  /// Waits for the event, and writes the results to the program's memory.
  void finish(sycl::event done) {
    done.wait_and_throw();
    for (blas::detail::memory& each : m_request.operands) each.buffer.reset();
  }
  Request m_request;

private:
  template <typename T>
  Derived& put(T* data, const prism_provider_operand& o) {
    blas::detail::memory& m = m_request.operands[m_request.what.operand_count - 1];
    m.pointer = data;
    if (service::of_process().is_host) return static_cast<Derived&>(*this);
    std::int64_t low = 0, high = 1;
    for (int d = 0; d < o.rank; ++d) {
      if (o.extent[d] == 0) low = 0, high = 0;
      const std::int64_t far = (o.extent[d] - 1) * o.stride[d];
      if (high != 0) (far < 0 ? low : high) += far;
    }
    if (high == 0) return static_cast<Derived&>(*this);
    m.identity = std::size_t(m_request.what.operand_count);
    m.offset = std::uint64_t(-low), m.pointer = nullptr;
    m.buffer.emplace(reinterpret_cast<std::uint8_t*>(data + low),
                     sycl::range<1>(std::size_t(high - low) * sizeof(T)));
    return static_cast<Derived&>(*this);
  }
};

/// Ends the process.
[[noreturn]] void fail(const char* routine, const std::exception& error);

/// An operation of <prism/blas.hpp>, which is counted for `routine`, or is a step of a routine that is.
class call : public operands<call, blas::detail::request> {
public:
  call(const char* routine, std::int32_t operation, bool is_step = false)
      : operands(operation), m_routine(routine), m_is_step(is_step) {}
  template <typename T>
  call& alpha(const T& value) {
    m_request.set(m_request.alpha, value);
    return *this;
  }
  template <typename T>
  call& beta(const T& value) {
    m_request.set(m_request.beta, value);
    return *this;
  }
  call& uplo(std::int32_t which) { return m_request.what.uplo = which, *this; }
  call& side(const char* letter) {
    m_request.what.side = is_letter(letter, 'L') ? PRISM_SIDE_LEFT : PRISM_SIDE_RIGHT;
    return *this;
  }
  call& diag(const char* letter) {
    m_request.what.diag = is_letter(letter, 'U') ? PRISM_DIAG_UNIT : PRISM_DIAG_NON_UNIT;
    return *this;
  }
  /// Waits for the result. Rotations that are made (rotg) have a function of their own.
  void run(bool makes_rotation = false);

private:
  const char* m_routine;
  bool m_is_step;
};

} // namespace prism::netlib

/// `X(letter, type)` for the four types, or for the two real or complex ones.
#define PRISM_FOR_REAL(X) X(s, S, float) X(d, D, double)
#define PRISM_FOR_COMPLEX(X) X(c, C, std::complex<float>) X(z, Z, std::complex<double>)
#define PRISM_FOR_ALL(X) PRISM_FOR_REAL(X) PRISM_FOR_COMPLEX(X)
