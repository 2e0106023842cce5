// fma: a * b + c with one rounding. For float: an exact product in double and a sum rounded to odd (S. Boldo,
// G. Melquiond, "Emulation of a FMA and correctly rounded sums", 2008). For double, and for devices without
// fp64: integer arithmetic. The product is two words, the addend is aligned to it, one sticky bit stands for
// the lost bits, and the end rounds once.
#include "compiler/builtins/core.hpp"

namespace prism::builtins {

// An unsigned number of two words.
template <typename W>
struct wide {
  W hi, lo;
};
template <typename W>
inline constexpr int word_bits = int(8 * sizeof(W));

inline wide<std::uint32_t> full_product(std::uint32_t a, std::uint32_t b) {
  const std::uint64_t p = std::uint64_t(a) * b;
  return {std::uint32_t(p >> 32), std::uint32_t(p)};
}
inline wide<std::uint64_t> full_product(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t low = 0xffffffffu, al = a & low, ah = a >> 32, bl = b & low, bh = b >> 32;
  const std::uint64_t ll = al * bl, cross = (ll >> 32) + (ah * bl & low) + al * bh;
  return {ah * bh + (ah * bl >> 32) + (cross >> 32), a * b};
}
template <typename W>
inline wide<W> shift_left(wide<W> x, int by) {
  if (by == 0) return x;
  if (by >= word_bits<W>) return {W(x.lo << (by - word_bits<W>)), 0};
  return {W(x.hi << by | x.lo >> (word_bits<W> - by)), W(x.lo << by)};
}
/// Sets the lowest bit of the result if bits were lost.
template <typename W>
inline wide<W> shift_right_sticky(wide<W> x, int by) {
  constexpr int n = word_bits<W>;
  if (by == 0) return x;
  if (by >= 2 * n) return {0, W((x.hi | x.lo) != 0)};
  if (by >= n) {
    const int rest = by - n;
    const W lost = rest == 0 ? x.lo : W(x.lo | W(x.hi << (n - rest)));
    return {0, W((x.hi >> rest) | W(lost != 0))};
  }
  const W lost = W(x.lo << (n - by));
  return {W(x.hi >> by), W(W(x.hi << (n - by)) | (x.lo >> by) | W(lost != 0))};
}
template <typename W>
inline bool less(wide<W> a, wide<W> b) {
  return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}
template <typename W>
inline wide<W> sum(wide<W> a, wide<W> b) {
  const W lo = W(a.lo + b.lo);
  return {W(a.hi + b.hi + (lo < a.lo ? 1 : 0)), lo};
}
template <typename W>
inline wide<W> difference(wide<W> a, wide<W> b) {
  return {W(a.hi - b.hi - (a.lo < b.lo ? 1 : 0)), W(a.lo - b.lo)};
}

/// A finite number other than zero as integer * 2^e with the leading bit at position `fraction`.
template <typename T>
struct integer_form {
  bits_t<T> m;
  int e;
};
template <typename T>
inline integer_form<T> to_integer_form(T x) {
  const normalised<T> n = normalise(x);
  return {(to_bits(n.m) & fraction_mask<T>) | (bits_t<T>(1) << format<T>::fraction),
          n.e - format<T>::fraction};
}

/// significand * 2^e rounded to nearest, ties to even; the lowest bit of the significand is sticky.
template <typename T>
inline T round_wide(wide<bits_t<T>> x, int e, bool negative) {
  using W = bits_t<T>;
  constexpr int n = word_bits<W>;
  const int zeros = x.hi != 0 ? leading_zeros(x.hi) : n + leading_zeros(x.lo);
  x = shift_left(x, zeros);
  const int top = e - zeros + 2 * n - 1;                 // exponent of the leading bit
  const int keep_down = 2 * n - 1 - format<T>::fraction; // positions below the last bit of a normal result
  const int extra = top < format<T>::min_exponent ? format<T>::min_exponent - top : 0;
  // Two more bits remain: the rounding bit and the sticky bit.
  const wide<W> y = shift_right_sticky(x, keep_down - 2 + extra);
  W m = W(y.lo >> 2);
  const W rest = W(y.lo & 3);
  if (rest > 2 || (rest == 2 && (m & 1) != 0)) m += 1;
  const W sign = negative ? sign_bit<T> : W(0);
  if (extra != 0) return from_bits<T>(sign | m); // a carry makes it the smallest normal number
  const W biased = W(top + format<T>::bias);
  if (top > format<T>::max_exponent) return from_bits<T>(sign | infinity_bits<T>);
  // The leading bit of m adds one to the exponent field. A carry out of m makes the result infinite.
  return from_bits<T>(sign | ((W(biased - 1) << format<T>::fraction) + m));
}

template <typename T>
inline T fma_by_integers(T a, T b, T c) {
  using W = bits_t<T>;
  if (!is_finite(a) || !is_finite(b) || !is_finite(c)) {
    if (is_finite(a) && is_finite(b)) return c; // c is NaN or infinite, and the product is finite
    return a * b + c;
  }
  if (is_zero(a) || is_zero(b)) return a * b + c;
  const integer_form<T> x = to_integer_form(a), y = to_integer_form(b);
  const bool product_negative = is_negative(a) != is_negative(b);
  // Two free bits above the product.
  constexpr int up = 2 * word_bits<W> - 3 - (2 * format<T>::fraction + 1);
  wide<W> p = shift_left(full_product(x.m, y.m), up);
  int e = x.e + y.e - up;
  if (is_zero(c)) return round_wide<T>(p, e, product_negative);
  const integer_form<T> z = to_integer_form(c);
  constexpr int place = 2 * word_bits<W> - 3 - format<T>::fraction;
  wide<W> q = shift_left(wide<W>{0, z.m}, place);
  const int ce = z.e - place;
  if (e >= ce) {
    q = shift_right_sticky(q, e - ce < 4 * word_bits<W> ? e - ce : 4 * word_bits<W>);
  } else {
    p = shift_right_sticky(p, ce - e < 4 * word_bits<W> ? ce - e : 4 * word_bits<W>);
    e = ce;
  }
  if (product_negative == is_negative(c)) return round_wide<T>(sum(p, q), e, product_negative);
  if (p.hi == q.hi && p.lo == q.lo) return T(0);
  const bool product_smaller = less(p, q);
  return round_wide<T>(product_smaller ? difference(q, p) : difference(p, q), e,
                       product_smaller ? is_negative(c) : product_negative);
}

inline float fma_by_double(float a, float b, float c) {
  const double p = double(a) * double(b), d = double(c); // exact
  const double s = p + d;
  if (!is_finite(s)) return float(s);
  const double v = s - p, error = (p - (s - v)) + (d - v);
  std::uint64_t bits = to_bits(s);
  if (error != 0.0 && (bits & 1u) == 0) bits = (error > 0.0) == (s > 0.0) ? bits + 1u : bits - 1u;
  return float(from_bits<double>(bits));
}

} // namespace prism::builtins

extern "C" {
float PRISM_BUILTIN(fmaf)(float a, float b, float c) { return prism::builtins::fma_by_double(a, b, c); }
float PRISM_BUILTIN(fmaf_nofp64)(float a, float b, float c) {
  return prism::builtins::fma_by_integers(a, b, c);
}
double PRISM_BUILTIN(fma)(double a, double b, double c) { return prism::builtins::fma_by_integers(a, b, c); }
}
