// Includes PRISM's public headers in a program that defines every single letter, and the other names of
// user_macros_hide.hpp, as macros. Compiling this is the test; the sum shows that the program's macros are
// restored afterwards.
#pragma once

#include <gtest/gtest.h>

#define A 1
#define B 2
#define C 3
#define D 4
#define E 5
#define F 6
#define G 7
#define H 8
#define I 9
#define J 10
#define K 11
#define L 12
#define M 13
#define N 14
#define O 15
#define P 16
#define Q 17
#define R 18
#define S 19
#define T 20
#define U 21
#define V 22
#define W 23
#define X 24
#define Y 25
#define Z 26
#define a 27
#define b 28
#define c 29
#define d 30
#define e 31
#define f 32
#define g 33
#define h 34
#define i 35
#define j 36
#define k 37
#define l 38
#define m 39
#define n 40
#define o 41
#define p 42
#define q 43
#define r 44
#define s 45
#define t 46
#define u 47
#define v 48
#define w 49
#define x 50
#define y 51
#define z 52
#define PI 53
#define DIM 54
#define SIZE 55
#define real 56
#define min 57
#define max 58

#include <sycl/sycl.hpp>

#if defined(__clang__)
#pragma clang diagnostic ignored "-W#pragma-messages" // the header is deprecated
#endif
#include <CL/sycl.hpp>
#include <prism/prism.hpp>
#include <sycl/backend/ext_prism_vulkan.hpp>
#include <sycl/backend/opencl.hpp>

static_assert(A + B + C + D + E + F + G + H + I + J + K + L + M + N + O + P + Q + R + S + T + U + V + W + X +
                  Y + Z + a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r + s + t + u +
                  v + w + x + y + z + PI + DIM + SIZE + real + min + max ==
              1711);

#undef A
#undef B
#undef C
#undef D
#undef E
#undef F
#undef G
#undef H
#undef I
#undef J
#undef K
#undef L
#undef M
#undef N
#undef O
#undef P
#undef Q
#undef R
#undef S
#undef T
#undef U
#undef V
#undef W
#undef X
#undef Y
#undef Z
#undef a
#undef b
#undef c
#undef d
#undef e
#undef f
#undef g
#undef h
#undef i
#undef j
#undef k
#undef l
#undef m
#undef n
#undef o
#undef p
#undef q
#undef r
#undef s
#undef t
#undef u
#undef v
#undef w
#undef x
#undef y
#undef z
#undef PI
#undef DIM
#undef SIZE
#undef real
#undef min
#undef max
