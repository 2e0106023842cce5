#include "providers/cblas/functions.hpp"

#include <dlfcn.h>

#include <vector>

namespace prism_cblas {

namespace {
// Without it the library would call the program's functions in place of its own if the program has other BLAS
// symbols. The sanitizers' run-time libraries refuse it, because it hides their malloc.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int binding = RTLD_NOW | RTLD_LOCAL;
#else
constexpr int binding = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif
} // namespace

library::~library() {
  // Never unloaded, because its threads may still be about to sleep. The only cost is one more reference.
}

bool library::open(const char* const* names, std::string& why) {
  for (; *names && !m_handle; ++names) {
    m_handle = dlopen(*names, binding);
    if (m_handle) break;
    const char* const said = dlerror();
    why += (why.empty() ? "" : "; ") + std::string(said ? said : *names);
  }
  if (!m_handle) return false;
  fill(m_s, 's');
  fill(m_d, 'd');
  fill(m_c, 'c');
  fill(m_z, 'z');
  fill(m_lapack_s, 's');
  fill(m_lapack_d, 'd');
  fill(m_lapack_c, 'c');
  fill(m_lapack_z, 'z');
  if (const std::string lacking = missing(); !lacking.empty()) {
    why = "the library lacks " + lacking;
    return false;
  }
  why.clear();
  return true;
}

void* library::symbol(const std::string& name) const {
  return m_handle ? dlsym(m_handle, name.c_str()) : nullptr;
}

std::string library::missing() const {
  for (const char* name : {"cblas_sgemm", "cblas_dgemm", "cblas_cgemm", "cblas_zgemm", "cblas_ztrsm",
                           "cblas_zgemv", "cblas_ddot"})
    if (!symbol(name)) return name;
  return {};
}

/// Whether the sums of up to 130 absolute values are right. They are small integers, so exact in any order.
template <typename T, typename R>
bool adds_absolutes(R (*asum)(int, const T*, int)) {
  std::vector<T> x;
  R expected = 0;
  for (int n = 1; n <= 130; ++n) {
    if constexpr (is_complex<T>) x.emplace_back(R(n), R(-n - 1)), expected += R(2 * n + 1);
    else x.push_back(n % 2 == 0 ? R(n) : R(-n)), expected += R(n);
    if (asum(n, x.data(), 1) != expected) return false;
  }
  return true;
}

template <typename T>
void library::fill(lapack_functions<T>& to, char letter) {
  const auto get = [&](auto& into, const std::string& name) {
    into = reinterpret_cast<std::remove_reference_t<decltype(into)>>(symbol(letter + name + "_"));
  };
  get(to.getrf, "getrf"), get(to.potrf, "potrf"), get(to.geqrf, "geqrf"), get(to.geqp3, "geqp3");
  get(to.heevd, is_complex<T> ? "heevd" : "syevd"), get(to.geev, "geev"), get(to.gesdd, "gesdd");
}

template <typename T>
void library::fill(functions<T>& to, char letter) {
  const std::string own(1, letter);
  const auto get = [this](auto& into, const std::string& name) {
    into = reinterpret_cast<std::remove_reference_t<decltype(into)>>(symbol("cblas_" + name));
  };
  constexpr bool is_c = is_complex<T>;
  const std::string norm = !is_c           ? own
                           : letter == 'c' ? "sc"
                                           : "dz",
                    turn = !is_c           ? own
                           : letter == 'c' ? "cs"
                                           : "zd";
  get(to.copy, own + "copy"), get(to.swap, own + "swap"), get(to.scal, own + "scal"),
      get(to.axpy, own + "axpy");
  if constexpr (is_c) get(to.dotu, own + "dotu_sub"), get(to.dotc, own + "dotc_sub");
  else get(to.dot, own + "dot");
  get(to.nrm2, norm + "nrm2"), get(to.asum, norm + "asum"), get(to.iamax, "i" + own + "amax"),
      get(to.rot, turn + "rot");
  to.adds_absolutes = to.asum == nullptr || adds_absolutes<T>(to.asum);
  get(to.gemv, own + "gemv"), get(to.gbmv, own + "gbmv");
  get(to.ger, own + (is_c ? "geru" : "ger")), get(to.gerc, own + (is_c ? "gerc" : "ger"));
  const std::string he = own + (is_c ? "he" : "sy"), hb = own + (is_c ? "hb" : "sb"),
                    hp = own + (is_c ? "hp" : "sp");
  get(to.hemv, he + "mv"), get(to.hbmv, hb + "mv"), get(to.hpmv, hp + "mv");
  get(to.her, he + "r"), get(to.hpr, hp + "r"), get(to.her2, he + "r2"), get(to.hpr2, hp + "r2");
  get(to.trmv, own + "trmv"), get(to.trsv, own + "trsv"), get(to.tbmv, own + "tbmv"),
      get(to.tbsv, own + "tbsv");
  get(to.tpmv, own + "tpmv"), get(to.tpsv, own + "tpsv");
  get(to.gemm, own + "gemm"), get(to.symm, own + "symm"), get(to.hemm, he + "mm");
  get(to.syrk, own + "syrk"), get(to.herk, he + "rk"), get(to.syr2k, own + "syr2k"),
      get(to.her2k, he + "r2k");
  get(to.trmm, own + "trmm"), get(to.trsm, own + "trsm");
}

} // namespace prism_cblas
