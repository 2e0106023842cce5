// Discrete Fourier transforms of 2 to 16 points in registers, forward (exp(-2 pi i / n)), for any type V with
// +, - and * by a real: a number, or a vector of numbers. Real and imaginary parts are apart. The backward
// transform is the forward one with the parts exchanged.
//
// Sources: powers of two by Cooley & Tukey 1965; odd sizes by the symmetry of sine and cosine, about
// (n - 1)^2 operations, of which all but additions fuse (Singleton 1969); 9 = 3 x 3.
#pragma once

#include <cstddef>

namespace prism::fft {

/// cos and sin of 2 pi k / n as constants. 40 digits: exact in every type.
template <int N>
struct roots;
template <>
struct roots<3> {
  static constexpr double cos[] = {-0.5};
  static constexpr double sin[] = {0.866025403784438646763723170752936183};
};
template <>
struct roots<5> {
  static constexpr double cos[] = {0.309016994374947424102293417182819059,
                                   -0.809016994374947424102293417182819059};
  static constexpr double sin[] = {0.951056516295153572116439333379382143,
                                   0.587785252292473129168705954639072769};
};
template <>
struct roots<7> {
  static constexpr double cos[] = {0.623489801858733530525004884004239811,
                                   -0.222520933956314404288902564496794759,
                                   -0.900968867902419126236102319507445051};
  static constexpr double sin[] = {0.781831482468029808708444526674057750,
                                   0.974927912181823607018131682993931217,
                                   0.433883739117558120475768332848358754};
};
template <>
struct roots<9> {
  static constexpr double cos[] = {0.766044443118978035202392650555416673,
                                   0.173648177666930348851716626769314796, -0.5,
                                   -0.939692620785908384054109277324731469};
  static constexpr double sin[] = {
      0.642787609686539326322643409907263432, 0.984807753012208059366743024589523013,
      0.866025403784438646763723170752936183, 0.342020143325668733044099614682259580};
};
template <>
struct roots<11> {
  static constexpr double cos[] = {
      0.841253532831181168861811648919367717, 0.415415013001886425529274149229623203,
      -0.142314838273285140443792668616369668, -0.654860733945285064056925072466293553,
      -0.959492973614497389890368057066327699};
  static constexpr double sin[] = {
      0.540640817455597582107635954318691695, 0.909631995354518371411715383079028460,
      0.989821441880932732376092037776718787, 0.755749574354258283774035843972344420,
      0.281732556841429697711417915346616899};
};
template <>
struct roots<13> {
  static constexpr double cos[] = {
      0.885456025653209895797104163044379450,  0.568064746731155801180464303005204706,
      0.120536680255323016098209440586003690,  -0.354604887042535625969637892600018475,
      -0.748510748171101098634630599701351384, -0.970941817426052027156982276293789227};
  static constexpr double sin[] = {
      0.464723172043768545700430021345016195, 0.822983865893656400029036653386880180,
      0.992708874098054008711936846391066840, 0.935016242685414800072352064230054390,
      0.663122658240795312160110406023838730, 0.239315664287557714811101403930073980};
};

/// Odd n: pairs j and n - j share their products.
template <int N, typename Real, typename V>
inline __attribute__((always_inline)) void butterfly_odd(V (&re)[N], V (&im)[N]) {
  constexpr int half = (N - 1) / 2;
  V sum_re[half], sum_im[half], difference_re[half], difference_im[half];
  V first_re = re[0], first_im = im[0];
#pragma GCC unroll 16
  for (int j = 0; j < half; ++j) {
    sum_re[j] = re[j + 1] + re[N - 1 - j], sum_im[j] = im[j + 1] + im[N - 1 - j];
    difference_re[j] = re[j + 1] - re[N - 1 - j], difference_im[j] = im[j + 1] - im[N - 1 - j];
  }
  V all_re = first_re, all_im = first_im;
#pragma GCC unroll 16
  for (int j = 0; j < half; ++j) all_re = all_re + sum_re[j], all_im = all_im + sum_im[j];
  re[0] = all_re, im[0] = all_im;
#pragma GCC unroll 16
  for (int k = 1; k <= half; ++k) {
    V even_re = first_re, even_im = first_im;
    V odd_re = difference_im[0] * Real(roots<N>::sin[k - 1]),
      odd_im = difference_re[0] * Real(roots<N>::sin[k - 1]);
#pragma GCC unroll 16
    for (int j = 1; j <= half; ++j) {
      const int turn = j * k % N, place = (turn <= half ? turn : N - turn) - 1;
      const Real cosine = Real(roots<N>::cos[place]);
      even_re = even_re + sum_re[j - 1] * cosine, even_im = even_im + sum_im[j - 1] * cosine;
      if (j == 1) continue;
      const Real sine = turn <= half ? Real(roots<N>::sin[place]) : -Real(roots<N>::sin[place]);
      odd_re = odd_re + difference_im[j - 1] * sine, odd_im = odd_im + difference_re[j - 1] * sine;
    }
    re[k] = even_re + odd_re, im[k] = even_im - odd_im;
    re[N - k] = even_re - odd_re, im[N - k] = even_im + odd_im;
  }
}

template <int N, typename Real>
struct butterfly {
  template <typename V>
  static inline __attribute__((always_inline)) void apply(V (&re)[N], V (&im)[N]) {
    butterfly_odd<N, Real>(re, im);
  }
};

template <typename Real>
struct butterfly<2, Real> {
  template <typename V>
  static inline __attribute__((always_inline)) void apply(V (&re)[2], V (&im)[2]) {
    const V a = re[0], b = im[0];
    re[0] = a + re[1], im[0] = b + im[1];
    re[1] = a - re[1], im[1] = b - im[1];
  }
};

template <typename Real>
struct butterfly<4, Real> {
  template <typename V>
  static inline __attribute__((always_inline)) void apply(V (&re)[4], V (&im)[4]) {
    const V a_re = re[0] + re[2], a_im = im[0] + im[2], b_re = re[0] - re[2], b_im = im[0] - im[2];
    const V c_re = re[1] + re[3], c_im = im[1] + im[3], d_re = re[1] - re[3], d_im = im[1] - im[3];
    re[0] = a_re + c_re, im[0] = a_im + c_im;
    re[2] = a_re - c_re, im[2] = a_im - c_im;
    re[1] = b_re + d_im, im[1] = b_im - d_re;
    re[3] = b_re - d_im, im[3] = b_im + d_re;
  }
};

template <typename Real>
struct butterfly<8, Real> {
  template <typename V>
  static inline __attribute__((always_inline)) void apply(V (&re)[8], V (&im)[8]) {
    V even_re[4] = {re[0], re[2], re[4], re[6]}, even_im[4] = {im[0], im[2], im[4], im[6]};
    V odd_re[4] = {re[1], re[3], re[5], re[7]}, odd_im[4] = {im[1], im[3], im[5], im[7]};
    butterfly<4, Real>::apply(even_re, even_im);
    butterfly<4, Real>::apply(odd_re, odd_im);
    constexpr Real h = Real(0.707106781186547524400844362104849039);
    const V s1 = odd_re[1] + odd_im[1], d1 = odd_im[1] - odd_re[1];
    const V s3 = odd_re[3] + odd_im[3], d3 = odd_im[3] - odd_re[3];
    re[0] = even_re[0] + odd_re[0], im[0] = even_im[0] + odd_im[0];
    re[4] = even_re[0] - odd_re[0], im[4] = even_im[0] - odd_im[0];
    re[1] = even_re[1] + s1 * h, im[1] = even_im[1] + d1 * h;
    re[5] = even_re[1] - s1 * h, im[5] = even_im[1] - d1 * h;
    re[2] = even_re[2] + odd_im[2], im[2] = even_im[2] - odd_re[2];
    re[6] = even_re[2] - odd_im[2], im[6] = even_im[2] + odd_re[2];
    re[3] = even_re[3] + d3 * h, im[3] = even_im[3] - s3 * h;
    re[7] = even_re[3] - d3 * h, im[7] = even_im[3] + s3 * h;
  }
};

template <typename V, typename Real>
inline __attribute__((always_inline)) void turn(V& re, V& im, Real cosine,
                                                Real sine) { // times (cosine, -sine)
  const V r = re, i = im;
  re = r * cosine + i * sine;
  im = i * cosine - r * sine;
}

template <typename Real>
struct butterfly<16, Real> {
  template <typename V>
  static inline __attribute__((always_inline)) void apply(V (&re)[16], V (&im)[16]) {
    constexpr Real c1 = Real(0.923879532511286756128183189396788287),
                   s1 = Real(0.382683432365089771728459984030398867),
                   h = Real(0.707106781186547524400844362104849039);
    V a_re[4][4], a_im[4][4];
#pragma GCC unroll 16
    for (int j = 0; j < 4; ++j) {
#pragma GCC unroll 16
      for (int i = 0; i < 4; ++i) a_re[j][i] = re[j + 4 * i], a_im[j][i] = im[j + 4 * i];
      butterfly<4, Real>::apply(a_re[j], a_im[j]);
    }
    // a[j][k] times the root j k of 16
    turn(a_re[1][1], a_im[1][1], c1, s1);
    turn(a_re[1][2], a_im[1][2], h, h);
    turn(a_re[1][3], a_im[1][3], s1, c1);
    turn(a_re[2][1], a_im[2][1], h, h);
    turn(a_re[2][3], a_im[2][3], -h, h);
    turn(a_re[3][1], a_im[3][1], s1, c1);
    turn(a_re[3][2], a_im[3][2], -h, h);
    turn(a_re[3][3], a_im[3][3], -c1, -s1);
    const V swapped = a_re[2][2];
    a_re[2][2] = a_im[2][2], a_im[2][2] = -swapped;
#pragma GCC unroll 16
    for (int k = 0; k < 4; ++k) {
      V b_re[4] = {a_re[0][k], a_re[1][k], a_re[2][k], a_re[3][k]};
      V b_im[4] = {a_im[0][k], a_im[1][k], a_im[2][k], a_im[3][k]};
      butterfly<4, Real>::apply(b_re, b_im);
#pragma GCC unroll 16
      for (int i = 0; i < 4; ++i) re[k + 4 * i] = b_re[i], im[k + 4 * i] = b_im[i];
    }
  }
};

template <typename Real>
struct butterfly<9, Real> {
  template <typename V>
  static inline __attribute__((always_inline)) void apply(V (&re)[9], V (&im)[9]) {
    V a_re[3][3], a_im[3][3];
#pragma GCC unroll 16
    for (int j = 0; j < 3; ++j) {
#pragma GCC unroll 16
      for (int i = 0; i < 3; ++i) a_re[j][i] = re[j + 3 * i], a_im[j][i] = im[j + 3 * i];
      butterfly_odd<3, Real>(a_re[j], a_im[j]);
    }
#pragma GCC unroll 16
    for (int j = 1; j < 3; ++j)
#pragma GCC unroll 16
      for (int k = 1; k < 3; ++k)
        turn(a_re[j][k], a_im[j][k], Real(roots<9>::cos[j * k - 1]), Real(roots<9>::sin[j * k - 1]));
#pragma GCC unroll 16
    for (int k = 0; k < 3; ++k) {
      V b_re[3] = {a_re[0][k], a_re[1][k], a_re[2][k]}, b_im[3] = {a_im[0][k], a_im[1][k], a_im[2][k]};
      butterfly_odd<3, Real>(b_re, b_im);
#pragma GCC unroll 16
      for (int i = 0; i < 3; ++i) re[k + 3 * i] = b_re[i], im[k + 3 * i] = b_im[i];
    }
  }
};

} // namespace prism::fft
