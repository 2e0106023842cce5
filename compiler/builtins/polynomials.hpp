// Written by fit_polynomials.py; do not edit. Chebyshev fits: the comment gives what is approximated and the
// largest absolute error of the float and the double polynomial (before rounding of the coefficients).
#pragma once

#include "compiler/builtins/core.hpp"

namespace prism::builtins {

// (e^r - 1 - r) / r^2, |r| <= 0.5; errors 2^-26.2, 2^-59.3
inline float exp_tail(float x) {
  return horner(x, 0x1.0000000000000p-1f, 0x1.5555560000000p-3f, 0x1.5553800000000p-5f, 0x1.1110400000000p-7f,
                0x1.6e88dc0000000p-10f, 0x1.a2463a0000000p-13f);
}
inline double exp_tail(double x) {
  return horner(x, 0x1.0000000000000p-1, 0x1.5555555555555p-3, 0x1.555555555558ep-5, 0x1.1111111111120p-7,
                0x1.6c16c16c02003p-10, 0x1.a01a01a00ef0fp-13, 0x1.a01a01f8a44eap-16, 0x1.71de3a84a10c3p-19,
                0x1.27e450c2e35f7p-22, 0x1.ae63a07779c78p-26, 0x1.201cd8001288bp-29, 0x1.6267cf434f12cp-33);
}

// (2 atanh(s) / s - 2) / z, z = s^2, |s| <= 0.172; errors 2^-29.7, 2^-58.7
inline float log_tail(float x) {
  return horner(x, 0x1.5555560000000p-1f, 0x1.9999ec0000000p-2f, 0x1.245ba60000000p-2f,
                0x1.ddf01a0000000p-3f);
}
inline double log_tail(double x) {
  return horner(x, 0x1.5555555555555p-1, 0x1.9999999999a3ep-2, 0x1.2492492475dbcp-2, 0x1.c71c720302bd8p-3,
                0x1.745cf85360411p-3, 0x1.3b1c5ae500a38p-3, 0x1.0fbaab3c72fc6p-3, 0x1.0c2c748b6f13cp-3);
}

// ((atanh(s) / s - 1) / z - 1/3) / z, z = s^2; errors 2^-23.6, 2^-52.6
inline float pow_tail(float x) {
  return horner(x, 0x1.9999a40000000p-3f, 0x1.2479ec0000000p-3f, 0x1.d81f560000000p-4f);
}
inline double pow_tail(double x) {
  return horner(x, 0x1.999999999999fp-3, 0x1.249249248e311p-3, 0x1.c71c71d86031fp-4, 0x1.745d09a3fd596p-4,
                0x1.3b18cea014f09p-4, 0x1.1015df21fef0fp-4, 0x1.089b2b8396334p-4);
}

// (sin x - x) / x^3, z = x^2, |x| <= pi/4; errors 2^-34.9, 2^-66.0
inline float sin_tail(float x) {
  return horner(x, -0x1.5555560000000p-3f, 0x1.11110e0000000p-7f, -0x1.a013620000000p-13f,
                0x1.6da7a40000000p-19f);
}
inline double sin_tail(double x) {
  return horner(x, -0x1.5555555555555p-3, 0x1.1111111111110p-7, -0x1.a01a01a019874p-13, 0x1.71de3a54490a5p-19,
                -0x1.ae6453ea500e6p-26, 0x1.61215f52027b0p-33, -0x1.ab05530bed06ep-41);
}

// (cos x - 1 + z/2) / z^2; errors 2^-28.8, 2^-59.3
inline float cos_tail(float x) {
  return horner(x, 0x1.5555540000000p-5f, -0x1.6c12a80000000p-10f, 0x1.9bc1820000000p-16f);
}
inline double cos_tail(double x) {
  return horner(x, 0x1.5555555555555p-5, -0x1.6c16c16c1691ap-10, 0x1.a01a019f3cd0fp-16,
                -0x1.27e4fa00ec0bbp-22, 0x1.1eeb5144ec937p-29, -0x1.906cc8e9926ecp-37);
}

// (atan x - x) / x^3, z = x^2, |x| <= tan(pi/8); errors 2^-30.8, 2^-64.3
inline float atan_tail(float x) {
  return horner(x, -0x1.5555560000000p-2f, 0x1.99997a0000000p-3f, -0x1.248a120000000p-3f,
                0x1.c57ade0000000p-4f, -0x1.613e3a0000000p-4f, 0x1.9d6be60000000p-5f);
}
inline double atan_tail(double x) {
  return horner(x, -0x1.5555555555555p-2, 0x1.9999999999997p-3, -0x1.24924924920a6p-3, 0x1.c71c71c6dd538p-4,
                -0x1.745d17354bd3ep-4, 0x1.3b13aea671ef0p-4, -0x1.1110ce9b3f808p-4, 0x1.e1d8e103c7a90p-5,
                -0x1.aebccb05d29e8p-5, 0x1.829ac6ea2558cp-5, -0x1.5033bdf344ecap-5, 0x1.f5c7f627c1867p-6,
                -0x1.c7c2a937ca6fep-7);
}

// (asin x - x) / x^3, z = x^2, |x| <= 1/2; errors 2^-27.8, 2^-55.9
inline float asin_tail(float x) {
  return horner(x, 0x1.5555540000000p-3f, 0x1.3334320000000p-4f, 0x1.6d5b8e0000000p-5f, 0x1.fd921a0000000p-6f,
                0x1.18e1f60000000p-6f, 0x1.14138c0000000p-5f);
}
inline double asin_tail(double x) {
  return horner(x, 0x1.5555555555556p-3, 0x1.3333333332ec4p-4, 0x1.6db6db6e3292ep-5, 0x1.f1c71c1d4aa0dp-6,
                0x1.6e8bb1d89492bp-6, 0x1.1c4d343fa57f6p-6, 0x1.c9cf3759fd8ffp-7, 0x1.78246f32d075cp-7,
                0x1.524ea8b3aad31p-7, 0x1.653a8f8cfd43dp-8, 0x1.1d661531b222ep-6, -0x1.e7a24f548c99dp-7,
                0x1.d78189767524ep-6);
}

// erf(x) / x - 1, z = x^2, |x| <= 1; errors 2^-34.8, 2^-68.7
inline float erf_tail(float x) {
  return polynomial(x, 0x1.06eba80000000p-3f, -0x1.8127460000000p-2f, 0x1.ce2f080000000p-4f,
                    -0x1.b829c80000000p-6f, 0x1.562a600000000p-8f, -0x1.bccf660000000p-11f,
                    0x1.d887500000000p-14f, -0x1.445f480000000p-17f);
}
inline double erf_tail(double x) {
  return polynomial(x, 0x1.06eba8214db69p-3, -0x1.812746b0379e7p-2, 0x1.ce2f21a042bdep-4,
                    -0x1.b82ce312889bap-6, 0x1.565bcd0e6502dp-8, -0x1.c02db3feeb579p-11,
                    0x1.f9a326c233146p-14, -0x1.f4d2561aeafd4p-17, 0x1.b9e6509b9867dp-20,
                    -0x1.5f6d925a0bc7ap-23, 0x1.fc4356498c2d9p-27, -0x1.4e607b41a6416p-30,
                    0x1.7f072188e194dp-34, -0x1.29b9f1b3df556p-38);
}

// (1 + 2x) e^(x^2) erfc(x), variable (x - 4) / (x + 4), 0.5 <= x <= 28; errors 2^-28.3, 2^-65.1
inline float erfcx_scaled(float x) {
  return polynomial(x, 0x1.3ba5920000000p+0f, -0x1.1df1ac0000000p-3f, 0x1.f7f8e80000000p-7f,
                    0x1.16ecbe0000000p-4f, -0x1.9de2860000000p-4f, 0x1.7ff0700000000p-4f,
                    -0x1.0f7baa0000000p-4f, 0x1.305fd40000000p-5f, -0x1.0c10f00000000p-6f,
                    0x1.4be47c0000000p-8f, -0x1.0a973c0000000p-11f, -0x1.f8cee80000000p-13f);
}
inline double erfcx_scaled(double x) {
  return polynomial(x, 0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a28ep-3, 0x1.f7f5df66fd7bep-7,
                    0x1.16ecefcfa538cp-4, -0x1.9ddb23c3e910fp-4, 0x1.7fee004e1271dp-4, -0x1.0fb06dfe489c1p-4,
                    0x1.3079edf67d41cp-5, -0x1.096238854d4c4p-6, 0x1.49c67288576e4p-8, -0x1.8d4a998d7b1d0p-11,
                    -0x1.a1df27808e223p-13, 0x1.3be032d015e6ap-13, -0x1.9958f5ba7b535p-16,
                    -0x1.788199d83f2c5p-17, 0x1.7f250f383da30p-18, 0x1.3868db1f7c718p-22,
                    -0x1.badcf6645ee1ap-21, 0x1.526347592e935p-24, 0x1.d76b70724dc07p-24,
                    -0x1.73f8c9c50f092p-26, -0x1.e5a61a00f32f2p-27, 0x1.fbbd2de69c152p-29,
                    0x1.71a98e15014d2p-30, -0x1.9f12403aae9b3p-32);
}

// gamma(x), variable x - 1.5, 1 <= x <= 2; errors 2^-29.5, 2^-57.5
inline float gamma_unit(float x) {
  return horner(x, 0x1.c5bf8a0000000p-1f, 0x1.08ea8a0000000p-5f, 0x1.a8c4ec0000000p-2f,
                -0x1.b77aee0000000p-4f, 0x1.2835c60000000p-3f, -0x1.3d80be0000000p-4f, 0x1.e1b8e00000000p-5f,
                -0x1.385eb80000000p-5f, 0x1.8f9b880000000p-6f, -0x1.0a5afc0000000p-6f, 0x1.0b93f20000000p-6f,
                -0x1.65187c0000000p-7f);
}
inline double gamma_unit(double x) {
  return horner(x, 0x1.c5bf891b4ef6bp-1, 0x1.08ea88ee5619cp-5, 0x1.a8c4dba620d58p-2, -0x1.b77ac1ca2dcabp-4,
                0x1.283bd374eadabp-3, -0x1.3d88cfe56716ep-4, 0x1.e022b743d0702p-5, -0x1.374fd5a85a843p-5,
                0x1.a752c67eb605dp-6, -0x1.1a2c30f8def74p-6, 0x1.7991e760184a3p-7, -0x1.f7fa735e7333ep-8,
                0x1.504d6f0e1fffep-8, -0x1.c0c9137946e79p-9, 0x1.2b48ecb68cfadp-9, -0x1.8cf2aff0a8622p-10,
                0x1.08a9773a0b118p-10, -0x1.74558a9281aefp-11, 0x1.f076f989ef310p-12, -0x1.bbd59618e79efp-13,
                0x1.27e540fa0105ep-13, -0x1.1123e91f561a5p-12, 0x1.6c3032e6c6f69p-13);
}

// log(gamma(x)) / ((x - 1)(x - 2)), variable x - 1.5, 1 <= x <= 2; errors 2^-33.9, 2^-62.7
inline float lgamma_unit(float x) {
  return horner(x, 0x1.eeb95c0000000p-2f, -0x1.2aed060000000p-3f, 0x1.01af660000000p-4f,
                -0x1.007aac0000000p-5f, 0x1.1331b00000000p-6f, -0x1.34d8ca0000000p-7f, 0x1.6595460000000p-8f,
                -0x1.a5d11a0000000p-9f, 0x1.e4c0e60000000p-10f, -0x1.252f700000000p-10f,
                0x1.f688ea0000000p-11f, -0x1.36641a0000000p-11f);
}
inline double lgamma_unit(double x) {
  return horner(x, 0x1.eeb95b094c191p-2, -0x1.2aed059bd608ap-3, 0x1.01af62a2929e8p-4, -0x1.007aa83cee106p-5,
                0x1.1334235278e97p-6, -0x1.34dbda14a534ep-7, 0x1.64f066526297dp-8, -0x1.a5035229e81b4p-9,
                0x1.f814b7a8ea944p-10, -0x1.313e8bbbf0a5cp-10, 0x1.750aeafce189cp-11, -0x1.cb449093f4d2bp-12,
                0x1.1c73d7bb3879ap-12, -0x1.624418c291d11p-13, 0x1.bb1b2f70eda70p-14, -0x1.153682ea04d6ap-14,
                0x1.5d42c628edbecp-15, -0x1.caf7091c01f9bp-16, 0x1.22f60ff768e29p-16, -0x1.0f1aa0b730e2ep-17,
                0x1.5841c8f950e54p-18, -0x1.0b7547cbef874p-17, 0x1.5690ac55f96fcp-18);
}

// x (log(gamma(x)) - (x - 1/2) log x + x - log(2 pi)/2), variable 1/x^2, x >= 8; errors 2^-33.8, 2^-66.1
inline float stirling(float x) {
  return horner(x, 0x1.5555560000000p-4f, -0x1.6c14180000000p-9f, 0x1.98f67c0000000p-11f);
}
inline double stirling(double x) {
  return horner(x, 0x1.5555555555555p-4, -0x1.6c16c16c16b29p-9, 0x1.a01a019ee0dbep-11, -0x1.38137ec070147p-11,
                0x1.b94f6d6592192p-11, -0x1.f5ff2fdcdf048p-10, 0x1.96db40614b193p-8, -0x1.55b3a71b66a2ep-6);
}

} // namespace prism::builtins
