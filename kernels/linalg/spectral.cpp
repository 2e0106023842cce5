// Decompositions by iteration and functions of matrices: one task of the host each, between copies into and
// out of temporary memory.
#include "kernels/linalg/decompose.hpp"
#include "kernels/linalg/host/spectral.hpp"
#include "kernels/linalg/operands.hpp"

#include <cstring>

namespace prism::linalg {
namespace {

template <typename T, typename Real>
number<T>* numbers(const host_memory<Real>& memory) {
  return reinterpret_cast<number<T>*>(&memory[0]);
}

} // namespace

template <typename T>
void hermitian_eigen(sequence& s, bool lower, const matrix<T>& a, const vector<real_of<T>>& w,
                     const matrix<T>& v, const indices& info) {
  if (described(PRISM_HEEV).add(a).add(w).add(v).add(info).uplo(lower).run_by_provider(s)) return;
  matrix<T> mirrored = a;
  mirrored.kind = blas::form::hermitian, mirrored.lower = lower;
  const bool wants = v.size() != 0;
  const matrix<T> all = temporary<T>(a.rows, a.rows), vectors = temporary<T>(v.rows, v.columns);
  const vector<real_of<T>> values = temporary_vector<real_of<T>>(w.size);
  const indices state = temporary_vector<std::int64_t>(1);
  copy(s, mirrored, all);
  const auto by = described(PRISM_HEEV).add(all).add(values).add(vectors).add(state).uplo(true).on_host(s);
  on_host(s, [=](const auto& of_all, const auto& of_values, const auto& of_vectors, const auto& result) {
    if (ran(by, {&of_all[0], &of_values[0], &of_vectors[0], &result[0]})) return;
    const host::dense<number<T>> in = seen(of_all, all);
    result[0] = host::hermitian_eigen(in, &of_values[0], wants);
    if (wants) std::copy_n(in.data, in.rows * in.columns, numbers<T>(of_vectors));
  }, *all.where.buffer, *values.where.buffer, *vectors.where.buffer, *state.where.buffer);
  copy(s, values, w);
  copy(s, vectors, v);
  copy(s, state, info);
}

template <typename T>
void general_eigen(sequence& s, const matrix<T>& a, const vector<complex_of<T>>& w,
                   const matrix<complex_of<T>>& left, const matrix<complex_of<T>>& v, const indices& info) {
  using C = complex_of<T>;
  const bool wants_left = left.size() != 0;
  if (!wants_left && described(PRISM_GEEV).add(a).add(w).add(v).add(info).run_by_provider(s)) return;
  const matrix<T> all = temporary<T>(a.rows, a.rows);
  const matrix<C> vectors = temporary<C>(v.rows, v.columns), of_left = temporary<C>(left.rows, left.columns);
  const vector<C> values = temporary_vector<C>(w.size);
  const indices state = temporary_vector<std::int64_t>(1);
  copy(s, a, all);
  const std::optional<provider::device_plan> by =
      wants_left ? std::nullopt
                 : described(PRISM_GEEV).add(all).add(values).add(vectors).add(state).on_host(s);
  on_host(s,
          [=](const auto& of_all, const auto& of_values, const auto& lefts, const auto& rights,
              const auto& result) {
    if (ran(by, {&of_all[0], &of_values[0], &rights[0], &result[0]})) return;
    result[0] =
        host::eigen(seen(of_all, all), numbers<C>(of_values), seen(lefts, of_left), seen(rights, vectors));
  },
          *all.where.buffer, *values.where.buffer, *of_left.where.buffer, *vectors.where.buffer,
          *state.where.buffer);
  copy(s, values, w);
  copy(s, of_left, left);
  copy(s, vectors, v);
  copy(s, state, info);
}

template <typename T>
void singular_values(sequence& s, const matrix<T>& a, const vector<real_of<T>>& values, const matrix<T>& u,
                     const matrix<T>& w, const indices& info) {
  if (described(PRISM_GESVD).add(a).add(values).add(u).add(w).add(info).run_by_provider(s)) return;
  const bool wants = u.size() != 0 || w.size() != 0;
  const matrix<T> all = temporary<T>(a.rows, a.columns), left = temporary<T>(u.rows, u.columns),
                  right = temporary<T>(w.rows, w.columns);
  const vector<real_of<T>> found = temporary_vector<real_of<T>>(values.size);
  const indices state = temporary_vector<std::int64_t>(1);
  copy(s, a, all);
  const auto by = described(PRISM_GESVD).add(all).add(found).add(left).add(right).add(state).on_host(s);
  on_host(s,
          [=](const auto& of_all, const auto& of_found, const auto& of_left, const auto& of_right,
              const auto& result) {
    if (ran(by, {&of_all[0], &of_found[0], &of_left[0], &of_right[0], &result[0]})) return;
    result[0] = host::singular_values(seen(of_all, all), &of_found[0], seen(of_left, left),
                                      seen(of_right, right), wants);
  },
          *all.where.buffer, *found.where.buffer, *left.where.buffer, *right.where.buffer,
          *state.where.buffer);
  copy(s, found, values);
  copy(s, left, u);
  copy(s, right, w);
  copy(s, state, info);
}

namespace {

/// `to` = f(A) by a task of the host.
template <typename T, typename Function>
void function_of(sequence& s, const matrix<T>& a, const matrix<T>& to, const indices& info, Function f) {
  const matrix<T> all = temporary<T>(a.rows, a.columns);
  const indices state = temporary_vector<std::int64_t>(1);
  copy(s, a, all);
  on_host(s, [=](const auto& memory, const auto& result) { result[0] = f(seen(memory, all)); },
          *all.where.buffer, *state.where.buffer);
  copy(s, all, to);
  copy(s, state, info);
}

} // namespace

template <typename T>
void exponential(sequence& s, const matrix<T>& a, const matrix<T>& to, const indices& info) {
  function_of(s, a, to, info, [](const host::dense<number<T>>& in) { return host::exponential(in); });
}

template <typename T>
void square_root(sequence& s, const matrix<T>& a, const matrix<T>& to, const indices& info) {
  using E = number<complex_of<T>>;
  function_of(s, a, to, info, [](const host::dense<number<T>>& in) {
    std::vector<E> complex(std::size_t(in.rows * in.rows));
    for (std::size_t i = 0; i < complex.size(); ++i) complex[i] = E(re_of(in.data[i]), im_of(in.data[i]));
    const std::int64_t info =
        host::square_root(host::dense<E>{complex.data(), in.rows, in.rows, in.leading}, parts_of<T> == 1);
    for (std::size_t i = 0; i < complex.size(); ++i) {
      if constexpr (parts_of<T> == 2) in.data[i] = complex[i];
      else in.data[i] = complex[i].re;
    }
    return info;
  });
}

#define PRISM_INSTANTIATE(T)                                                                                 \
  template void hermitian_eigen<T>(sequence&, bool, const matrix<T>&, const vector<real_of<T>>&,             \
                                   const matrix<T>&, const indices&);                                        \
  template void general_eigen<T>(sequence&, const matrix<T>&, const vector<complex_of<T>>&,                  \
                                 const matrix<complex_of<T>>&, const matrix<complex_of<T>>&,                 \
                                 const indices&);                                                            \
  template void singular_values<T>(sequence&, const matrix<T>&, const vector<real_of<T>>&, const matrix<T>&, \
                                   const matrix<T>&, const indices&);                                        \
  template void exponential<T>(sequence&, const matrix<T>&, const matrix<T>&, const indices&);               \
  template void square_root<T>(sequence&, const matrix<T>&, const matrix<T>&, const indices&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
PRISM_INSTANTIATE(std::complex<float>)
PRISM_INSTANTIATE(std::complex<double>)
#undef PRISM_INSTANTIATE

} // namespace prism::linalg
