// Linear algebra, Fourier transforms and einsum of arrays (prism/array/linalg.hpp, prism/array/fft.hpp,
// prism/array/einsum.hpp) for prism_array_call, by NumPy's names: "linalg.solve", "fft.rfft".
#include "bindings/c/arrays.hpp"

#include <prism/array/einsum.hpp>
#include <prism/array/fft.hpp>
#include <prism/array/linalg.hpp>

#include <iterator>

namespace prism::c_interface {
namespace {

using arguments = const given_arguments&;
using results = std::vector<any_array>;

std::optional<double> real_or_none(arguments a, std::size_t i) {
  return a.has(i) ? std::optional<double>(a.real(i)) : std::nullopt;
}

/// A number, "fro" or "nuc".
linalg::norm_order order_of(arguments a, std::size_t i) {
  if (!a.is_text(i)) return {a.real(i)};
  const std::string name = a.text(i);
  if (name == "fro") return linalg::frobenius;
  if (name == "nuc") return linalg::nuclear;
  throw failure(PRISM_INVALID,
                "argument " + std::to_string(i) + " is \"" + name + "\"; it may be a number, fro, nuc");
}
results call_norm(arguments a, int) {
  const auto order = a.has(1) ? std::optional(order_of(a, 1)) : std::nullopt;
  return {linalg::norm(a.array(0), order, a.axis(2), a.flag(3, false))};
}
results call_matrix_norm(arguments a, int) {
  return {linalg::matrix_norm(a.array(0), a.has(1) ? order_of(a, 1) : linalg::frobenius, a.flag(2, false))};
}
results call_lstsq(arguments a, int) {
  linalg::lstsq_result out = linalg::lstsq(a.array(0), a.array(1), real_or_none(a, 2));
  return {out.x, out.residuals, out.rank, out.s};
}
results call_slogdet(arguments a, int) {
  linalg::slogdet_result out = linalg::slogdet(a.array(0));
  return {out.sign, out.logabsdet};
}
results call_qr(arguments a, int) {
  linalg::qr_result out = linalg::qr(a.array(0), a.flag(1, false));
  return {out.q, out.r};
}
results call_svd(arguments a, int) {
  linalg::svd_result out = linalg::svd(a.array(0), a.flag(1, true));
  return {out.u, out.s, out.vh};
}
results call_eigh(arguments a, int) {
  linalg::eig_result out = linalg::eigh(a.array(0));
  return {out.eigenvalues, out.eigenvectors};
}
results call_eig(arguments a, int) {
  linalg::eig_result out = linalg::eig(a.array(0));
  return {out.eigenvalues, out.eigenvectors};
}
/// Pairs of axes, or without them a count, by default 2.
results call_tensordot(arguments a, int) {
  if (a.has(3)) return {linalg::tensordot(a.array(0), a.array(1), a.list(2), a.list(3))};
  const std::int64_t count = a.integer(2, 2);
  if (count < 0 || count > max_rank)
    throw failure(PRISM_INVALID, "argument 2 is " + std::to_string(count) + "; arrays have 0 to " +
                                     std::to_string(max_rank) + " axes");
  return {linalg::tensordot(a.array(0), a.array(1), int(count))};
}

results call_einsum(arguments a, int) {
  return {einsum::einsum(a.text(0), a.is_array(1) ? results{a.array(1)} : a.arrays(1))};
}

// ---- transforms

fft::scaling scaling_of(arguments a, std::size_t i) {
  static const char* const names[] = {"backward", "ortho", "forward"};
  if (!a.has(i)) return fft::scaling::backward;
  const std::string name = a.text(i);
  for (int k = 0; k < 3; ++k)
    if (name == names[k]) return static_cast<fft::scaling>(k);
  throw failure(PRISM_INVALID,
                "argument " + std::to_string(i) + " is \"" + name + "\"; it may be backward, ortho, forward");
}

using of_one_axis = any_array (*)(const any_array&, std::optional<std::int64_t>, std::int64_t, fft::scaling);
const of_one_axis along_axis[] = {fft::fft, fft::ifft, fft::rfft, fft::irfft, fft::hfft, fft::ihfft};
results call_along_axis(arguments a, int which) {
  return {along_axis[which](a.array(0), a.optional_integer(1), a.integer(2, -1), scaling_of(a, 3))};
}

using of_axes = any_array (*)(const any_array&, const fft::lengths&, const axes&, fft::scaling);
const of_axes along_axes[] = {fft::fftn, fft::ifftn, fft::rfftn, fft::irfftn};
/// `which` of 4 and more: of the last two axes by default.
results call_along_axes(arguments a, int which) {
  const axes usual = which < 4 ? axes{} : fft::last_two;
  return {along_axes[which % 4](a.array(0), a.axis(1), a.has(2) ? a.axis(2) : usual, scaling_of(a, 3))};
}

results call_frequencies(arguments a, int half) {
  return {(half != 0 ? fft::rfftfreq : fft::fftfreq)(
      a.integer(0), a.real(1, 1.0), a.optional_type(2).value_or(dtype::float64), a.device())};
}

} // namespace

std::vector<array_function> algebra_functions() {
  std::vector<array_function> out{
      {"linalg.solve", "a b",
       [](arguments a, int) { return results{linalg::solve(a.array(0), a.array(1))}; }},
      {"linalg.lstsq", "a b rcond=", call_lstsq},
      {"linalg.inv", "a", [](arguments a, int) { return results{linalg::inv(a.array(0))}; }},
      {"linalg.pinv", "a rtol=",
       [](arguments a, int) {
    return results{a.is_array(1) ? linalg::pinv(a.array(0), a.array(1))
                                 : linalg::pinv(a.array(0), real_or_none(a, 1))};
  }},
      {"linalg.det", "a", [](arguments a, int) { return results{linalg::det(a.array(0))}; }},
      {"linalg.slogdet", "a", call_slogdet},
      {"linalg.cholesky", "a upper=false",
       [](arguments a, int) { return results{linalg::cholesky(a.array(0), a.flag(1, false))}; }},
      {"linalg.qr", "a complete=false", call_qr},
      {"linalg.eigh", "a", call_eigh},
      {"linalg.eigvalsh", "a", [](arguments a, int) { return results{linalg::eigvalsh(a.array(0))}; }},
      {"linalg.eig", "a", call_eig},
      {"linalg.eigvals", "a", [](arguments a, int) { return results{linalg::eigvals(a.array(0))}; }},
      {"linalg.svd", "a full_matrices=true", call_svd},
      {"linalg.svdvals", "a", [](arguments a, int) { return results{linalg::svdvals(a.array(0))}; }},
      {"linalg.matrix_rank", "a rtol=",
       [](arguments a, int) {
    return results{a.is_array(1) ? linalg::matrix_rank(a.array(0), a.array(1))
                                 : linalg::matrix_rank(a.array(0), real_or_none(a, 1))};
  }},
      {"linalg.matrix_power", "a n",
       [](arguments a, int) { return results{linalg::matrix_power(a.array(0), a.integer(1))}; }},
      {"linalg.vector_norm", "a axis= keepdims=false order=2",
       [](arguments a, int) {
    return results{linalg::vector_norm(a.array(0), a.axis(1), a.flag(2, false), a.real(3, 2.0))};
  }},
      {"linalg.matrix_norm", "a order=fro keepdims=false", call_matrix_norm},
      {"linalg.norm", "a order= axis= keepdims=false", call_norm},
      {"linalg.cross", "a b axis=-1",
       [](arguments a, int) { return results{linalg::cross(a.array(0), a.array(1), a.integer(2, -1))}; }},
      {"linalg.outer", "a b",
       [](arguments a, int) { return results{linalg::outer(a.array(0), a.array(1))}; }},
      {"linalg.vecdot", "a b axis=-1",
       [](arguments a, int) { return results{linalg::vecdot(a.array(0), a.array(1), a.integer(2, -1))}; }},
      {"linalg.tensordot", "a b axes_of_a=2 axes_of_b=", call_tensordot},
      {"linalg.matrix_transpose", "a",
       [](arguments a, int) { return results{linalg::matrix_transpose(a.array(0))}; }},
      {"linalg.diagonal", "a offset=0",
       [](arguments a, int) { return results{linalg::diagonal(a.array(0), a.integer(1, 0))}; }},
      {"linalg.trace", "a offset=0",
       [](arguments a, int) { return results{linalg::trace(a.array(0), a.integer(1, 0))}; }},
      {"einsum", "expression arrays", call_einsum},
      {"fft.fftfreq", "n d=1 type=float64", call_frequencies, 0},
      {"fft.rfftfreq", "n d=1 type=float64", call_frequencies, 1},
      {"fft.fftshift",
       "x axes=", [](arguments a, int) { return results{fft::fftshift(a.array(0), a.axis(1))}; }},
      {"fft.ifftshift",
       "x axes=", [](arguments a, int) { return results{fft::ifftshift(a.array(0), a.axis(1))}; }}};
  static const char* const of_axis[] = {"fft.fft",   "fft.ifft", "fft.rfft",
                                        "fft.irfft", "fft.hfft", "fft.ihfft"};
  for (int i = 0; i < int(std::size(of_axis)); ++i)
    out.push_back({of_axis[i], "x n= axis=-1 norm=backward", call_along_axis, i});
  static const char* const of_several[] = {"fft.fftn", "fft.ifftn", "fft.rfftn", "fft.irfftn",
                                           "fft.fft2", "fft.ifft2", "fft.rfft2", "fft.irfft2"};
  for (int i = 0; i < int(std::size(of_several)); ++i)
    out.push_back({of_several[i], i < 4 ? "x s= axes= norm=backward" : "x s= axes=-2,-1 norm=backward",
                   call_along_axes, i});
  return out;
}

} // namespace prism::c_interface
