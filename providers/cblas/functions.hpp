// The CBLAS functions of one loaded library, by type. Declared here and not by a vendor's header, so that
// several libraries serve one process and none is needed to compile. The interface is the reference CBLAS
// with 32-bit integers (Netlib, 2003).
#pragma once

#include <complex>
#include <string>
#include <type_traits>

namespace prism_cblas {

enum : int { row_major = 101, column_major = 102 };
enum : int { no_transpose = 111, transpose = 112, conjugate_transpose = 113, conjugate_no_transpose = 114 };
enum : int { upper = 121, lower = 122, non_unit = 131, unit = 132, left = 141, right = 142 };

template <typename T>
inline constexpr bool is_complex = false;
template <typename R>
inline constexpr bool is_complex<std::complex<R>> = true;
template <typename T>
struct real_type {
  using type = T;
};
template <typename R>
struct real_type<std::complex<R>> {
  using type = R;
};
template <typename T>
using real = typename real_type<T>::type;
/// How a scalar is passed: complex ones by address.
template <typename T>
using scalar = std::conditional_t<is_complex<T>, const T*, T>;

template <typename T>
scalar<T> pass(const T& value) {
  if constexpr (is_complex<T>) return &value;
  else return value;
}

/// Members are null where the type has no such routine or the library lacks it. The Hermitian ones of real
/// types are the symmetric.
template <typename T>
struct functions {
  using R = real<T>;
  void (*copy)(int, const T*, int, T*, int);
  void (*swap)(int, T*, int, T*, int);
  void (*scal)(int, scalar<T>, T*, int);
  void (*axpy)(int, scalar<T>, const T*, int, T*, int);
  T (*dot)(int, const T*, int, const T*, int);         // real
  void (*dotu)(int, const T*, int, const T*, int, T*); // complex
  void (*dotc)(int, const T*, int, const T*, int, T*); // complex
  R (*nrm2)(int, const T*, int);
  R (*asum)(int, const T*, int);
  bool adds_absolutes; // asum is right: OpenBLAS 0.3.21 has a wrong scasum for Cooper Lake
  std::size_t (*iamax)(int, const T*, int);
  void (*rot)(int, T*, int, T*, int, R, R);

  void (*gemv)(int, int, int, int, scalar<T>, const T*, int, const T*, int, scalar<T>, T*, int);
  void (*gbmv)(int, int, int, int, int, int, scalar<T>, const T*, int, const T*, int, scalar<T>, T*, int);
  void (*ger)(int, int, int, scalar<T>, const T*, int, const T*, int, T*, int);
  void (*gerc)(int, int, int, scalar<T>, const T*, int, const T*, int, T*, int);
  void (*hemv)(int, int, int, scalar<T>, const T*, int, const T*, int, scalar<T>, T*, int);
  void (*hbmv)(int, int, int, int, scalar<T>, const T*, int, const T*, int, scalar<T>, T*, int);
  void (*hpmv)(int, int, int, scalar<T>, const T*, const T*, int, scalar<T>, T*, int);
  void (*her)(int, int, int, R, const T*, int, T*, int);
  void (*hpr)(int, int, int, R, const T*, int, T*);
  void (*her2)(int, int, int, scalar<T>, const T*, int, const T*, int, T*, int);
  void (*hpr2)(int, int, int, scalar<T>, const T*, int, const T*, int, T*);
  void (*trmv)(int, int, int, int, int, const T*, int, T*, int);
  void (*trsv)(int, int, int, int, int, const T*, int, T*, int);
  void (*tbmv)(int, int, int, int, int, int, const T*, int, T*, int);
  void (*tbsv)(int, int, int, int, int, int, const T*, int, T*, int);
  void (*tpmv)(int, int, int, int, int, const T*, T*, int);
  void (*tpsv)(int, int, int, int, int, const T*, T*, int);

  void (*gemm)(int, int, int, int, int, int, scalar<T>, const T*, int, const T*, int, scalar<T>, T*, int);
  void (*symm)(int, int, int, int, int, scalar<T>, const T*, int, const T*, int, scalar<T>, T*, int);
  void (*hemm)(int, int, int, int, int, scalar<T>, const T*, int, const T*, int, scalar<T>, T*, int);
  void (*syrk)(int, int, int, int, int, scalar<T>, const T*, int, scalar<T>, T*, int);
  void (*herk)(int, int, int, int, int, R, const T*, int, R, T*, int);
  void (*syr2k)(int, int, int, int, int, scalar<T>, const T*, int, const T*, int, scalar<T>, T*, int);
  void (*her2k)(int, int, int, int, int, scalar<T>, const T*, int, const T*, int, R, T*, int);
  void (*trmm)(int, int, int, int, int, int, int, scalar<T>, const T*, int, T*, int);
  void (*trsm)(int, int, int, int, int, int, int, scalar<T>, const T*, int, T*, int);
};

/// A library, opened so that its symbols are seen by nobody else and its own calls find its own functions.
class library {
public:
  library() = default;
  library(const library&) = delete;
  ~library();
  /// Tries the names in order. False with the loader's words.
  bool open(const char* const* names, std::string& why);
  /// Null when it has none of that name.
  void* symbol(const std::string& name) const;
  /// Empty, or the name of a routine that every CBLAS has and this one lacks.
  std::string missing() const;

  template <typename T>
  const functions<T>& of() const {
    if constexpr (std::is_same_v<T, float>) return m_s;
    else if constexpr (std::is_same_v<T, double>) return m_d;
    else if constexpr (std::is_same_v<T, std::complex<float>>) return m_c;
    else return m_z;
  }
  /// Whether matrix products take conjugate_no_transpose, as OpenBLAS's do.
  bool has_conjugate_no_transpose = false;

private:
  template <typename T>
  void fill(functions<T>& to, char letter);
  void* m_handle = nullptr;
  functions<float> m_s{};
  functions<double> m_d{};
  functions<std::complex<float>> m_c{};
  functions<std::complex<double>> m_z{};
};

} // namespace prism_cblas
