#include "bench/build_shapes.hpp"

#include <fmt/format.h>

namespace bench {

namespace {

const char* const heading =
    "#include <sycl/sycl.hpp>\n#include <array>\n#include <cstdint>\n#include <tuple>\n"
    "#include <utility>\n";

/// Forty kernels over tuples and functions of functions.
std::string templates_text() {
  return std::string(heading) + R"(
template <class T, std::size_t N> struct point { std::array<T, N> at{}; };
template <class T, std::size_t N, class F, std::size_t... I>
point<T, N> each(const point<T, N>& a, const point<T, N>& b, F f, std::index_sequence<I...>) { return {{f(a.at[I], b.at[I])...}}; }
template <class T, std::size_t N> point<T, N> operator+(const point<T, N>& a, const point<T, N>& b) {
  return each(a, b, [](T x, T y) { return x + y; }, std::make_index_sequence<N>());
}
template <class T, std::size_t N> point<T, N> operator*(const point<T, N>& a, const point<T, N>& b) {
  return each(a, b, [](T x, T y) { return x * y; }, std::make_index_sequence<N>());
}
template <class... F> auto chain(F... f) {
  return [=](auto x) { std::apply([&](auto... g) { ((x = g(x)), ...); }, std::tuple<F...>(f...)); return x; };
}
template <int Steps, class P> P repeated(P a, const P& b) {
  if constexpr (Steps == 0) return a;
  else return repeated<Steps - 1>(a * b + b, a);
}
template <int> class name;
template <int N> void one(sycl::queue& q, float* v) {
  q.parallel_for<name<N>>(sycl::range<1>(64), [=](sycl::id<1> i) {
    using p = point<float, N % 4 + 1>;
    const auto f = chain([](p x) { return repeated<N % 5 + 1>(x, x); }, [](p x) { return x + x; }, [](p x) { return x * x; });
    p x;
    for (float& each : x.at) each = v[i];
    for (float each : f(x).at) v[i] += each;
  });
}
template <int... N> void all(sycl::queue& q, float* v, std::integer_sequence<int, N...>) { (one<N>(q, v), ...); }
void run(sycl::queue& q, float* v) { all(q, v, std::make_integer_sequence<int, 40>()); }
)";
}

/// Points of an elliptic curve over numbers of 256 bits in four words, as in secp256k1.
std::string words_text() {
  return std::string(heading) + R"(
using word = std::uint64_t;
struct field { word w[4]; };
inline word plus(word a, word b, word& carry) { const word s = a + b, t = s + carry; carry = (s < a) + (t < s); return t; }
inline field product(const field& a, const field& b) {
  word wide[8] = {};
  for (int i = 0; i < 4; ++i) {
    word high = 0;
    for (int j = 0; j < 4; ++j) {
      word carry = 0;
      const word low = plus(plus(a.w[i] * b.w[j], wide[i + j], carry), high, carry);
      high = sycl::mul_hi(a.w[i], b.w[j]) + carry;
      wide[i + j] = low;
    }
    wide[i + 4] = high;
  }
  for (int round = 0; round < 2; ++round) {
    word high = 0;
    for (int i = 0; i < 4; ++i) {
      word carry = 0;
      const word low = plus(plus(wide[i + 4] * 0x1000003D1u, wide[i], carry), high, carry);
      high = sycl::mul_hi(wide[i + 4], word(0x1000003D1u)) + carry;
      wide[i] = low, wide[i + 4] = 0;
    }
    wide[4] = high;
  }
  return {{wide[0], wide[1], wide[2], wide[3]}};
}
inline field sum(const field& a, const field& b) { field r; word carry = 0; for (int i = 0; i < 4; ++i) r.w[i] = plus(a.w[i], b.w[i], carry); return r; }
void run(sycl::queue& q, field* p) {
  q.parallel_for<class doubled>(sycl::range<1>(64), [=](sycl::id<1> i) {
    field x = p[3 * i], y = p[3 * i + 1], z = p[3 * i + 2];
    for (int bit = 0; bit < 256; ++bit) {
      const field a = product(x, x), b = product(y, y), c = product(b, b), d = sum(product(x, b), c), e = sum(sum(a, a), a);
      z = product(sum(y, y), z), x = sum(product(e, e), sum(d, d)), y = sum(product(e, sum(d, x)), c);
      if (p[i].w[bit / 64] >> (bit % 64) & 1) x = product(x, z), y = product(y, product(z, z)), z = sum(product(a, z), e);
    }
    p[3 * i] = x, p[3 * i + 1] = y, p[3 * i + 2] = z;
  });
}
)";
}

/// Transforms of 64 numbers in private memory, of every direction and order, unrolled.
std::string transforms_text() {
  std::string text = std::string(heading) + R"(
struct number { float re, im; };
template <int Direction> inline void transform(number (&x)[64]) {
#pragma unroll
  for (int half = 1; half < 64; half *= 2)
#pragma unroll
    for (int j = 0; j < 32; ++j) {
      const int k = j % half, a = (j / half) * 2 * half + k, b = a + half;
      const float angle = Direction * 3.14159265f * k / half, c = sycl::cos(angle), s = sycl::sin(angle);
      const number t{x[b].re * c - x[b].im * s, x[b].re * s + x[b].im * c};
      x[b] = {x[a].re - t.re, x[a].im - t.im}, x[a] = {x[a].re + t.re, x[a].im + t.im};
    }
}
template <int> class name;
)";
  for (int k = 0; k < 4; ++k)
    text += fmt::format(
        "void run{0}(sycl::queue& q, number* v) {{ q.parallel_for<name<{0}>>(sycl::range<1>(64), [=](sycl::id<1> i) {{ "
        "number x[64]; for (int j = 0; j < 64; ++j) x[j] = v[64 * i + {1}]; transform<{2}>(x); "
        "for (int j = 0; j < 64; ++j) v[64 * i + j] = x[{3}]; }}); }}\n",
        k, k & 1 ? "63 - j" : "j", k & 2 ? 1 : -1, k & 1 ? "j" : "63 - j");
  return text;
}

std::string group_kernel(const std::string& body) {
  return std::string(heading) +
         "void run(sycl::queue& q, int* v, int turn) { q.submit([&](sycl::handler& h) { sycl::local_accessor<int> l(16, h);\n"
         "h.parallel_for<class group_kernel>(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> it) {\n"
         "const int lid = it.get_local_id(0); int x = v[it.get_global_id(0)];\n" +
         body + "v[it.get_global_id(0)] = x; }); }); }\n";
}

std::string step(int k) {
  return fmt::format("l[lid] = x + {}; sycl::group_barrier(it.get_group()); x += l[(lid + {}) % 16]; "
                     "sycl::group_barrier(it.get_group());",
                     k, k % 7 + 1);
}

std::string barriers_in_a_line_text() {
  std::string body;
  for (int k = 0; k < 200; ++k) body += step(k) + "\n";
  return group_kernel(body);
}

std::string barriers_in_a_switch_text() {
  std::string body = "for (int k = 0; k < 3; ++k) switch ((turn + k) % 90) {\n";
  for (int k = 0; k < 90; ++k)
    body += fmt::format("case {}: {} {}\n", k, step(k), k % 3 == 0 ? "[[fallthrough]];" : "break;");
  return group_kernel(body + "}\n");
}

/// `N` values, each computed from others between six barriers (without barriers, if `waits` is false).
std::string live_kernel(int count, bool waits) {
  std::string text =
      fmt::format("if (what == \"{} {}\") return first_less_second(q, [](sycl::queue& q, int* v) {{ "
                  "q.parallel_for(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> it) {{\n"
                  "const int e = it.get_global_id(0);\n",
                  waits ? "live" : "plain", count);
  unsigned random = 1;
  const auto next = [&] { return (random = random * 1664525u + 1013904223u) >> 8; };
  for (int k = 0; k < count; ++k) text += fmt::format("int x{} = v[(e + {}) & 63] * {} + e;\n", k, k, k + 3);
  for (int phase = 0; phase < 7; ++phase) {
    if (phase && waits) text += "sycl::group_barrier(it.get_group());\n";
    for (int k = 0; k < count; ++k)
      text += fmt::format("x{} {} x{} {} x{};\n", next() % count,
                          "+^"[next() % 2] == '+' ? "+=" : "^=", next() % count, "+-*^"[next() % 4],
                          next() % count);
  }
  text += "int r = 0;\n";
  for (int k = 0; k < count; ++k) text += fmt::format("r = r * 31 + x{};\n", k);
  return text + "v[64 + e] = r; }); });\n";
}

} // namespace

std::vector<build_shape> compiled_shapes() {
  return {{"forty kernels of templates", templates_text()},
          {"64-bit words of long numbers", words_text()},
          {"unrolled Fourier transforms", transforms_text()},
          {"400 barriers in a line", barriers_in_a_line_text()},
          {"180 barriers in a switch in a loop", barriers_in_a_switch_text()}};
}

std::string callers_text(int file, int kernels) {
  std::string text =
      std::string(heading) + "SYCL_EXTERNAL float shared_step(float x, int k);\ntemplate <int> class name;\n";
  for (int k = file * kernels; k < (file + 1) * kernels; ++k)
    text +=
        fmt::format("void run{0}(sycl::queue& q, float* v) {{ q.parallel_for<name<{0}>>(sycl::range<1>(64), "
                    "[=](sycl::id<1> i) {{ v[i] = shared_step(v[i], {0}) + {0}; }}); }}\n",
                    k);
  return text;
}

std::string callee_text() {
  return std::string(heading) +
         "SYCL_EXTERNAL float shared_step(float x, int k) { for (int i = 0; i < k % 8; ++i) x = x * 0.5f + sycl::sqrt(x + float(i)); return x; }\n";
}

std::string launched_text() {
  std::string text = std::string(heading) + R"(
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
template <int N> constexpr std::array<unsigned, N> numbers() {
  std::array<unsigned, N> a{};
  unsigned x = 1;
  for (unsigned& each : a) each = x = x * 1664525u + 1013904223u;
  return a;
}
template <int N> constexpr std::array<unsigned, N> table = numbers<N>();
template <class F> int first_less_second(sycl::queue& q, F launch) {
  int* v = sycl::malloc_shared<int>(128 + 4096, q);
  for (int i = 0; i < 128 + 4096; ++i) v[i] = i * i % 1009;
  const auto once = [&] {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t used = std::clock();
    launch(q, v);
    q.wait_and_throw();
    return std::pair(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                     double(std::clock() - used) / CLOCKS_PER_SEC);
  };
  const auto first = once(), second = once();
  sycl::free(v, q);
  std::printf("%f %f\n", first.first - second.first, first.second - second.second);
  return 0;
}
int main(int, char** words) {
  const std::string what = words[1];
  sycl::queue q;
)";
  for (int n : table_sizes) {
    const char* const kernel =
        "if (what == \"{0} {1}\") return first_less_second(q, [](sycl::queue& q, int* v) {{ "
        "q.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) {{ "
        "v[i] = {2}[(i * 79 + v[64 + i]) % {1}]; }}); }});\n";
    text += fmt::format(fmt::runtime(kernel), "table", n, fmt::format("table<{}>", n));
    text += fmt::format(fmt::runtime(kernel), "buffer", n, "(v + 128)");
  }
  for (int n : live_counts) text += live_kernel(n, true) + live_kernel(n, false);
  return text + "return 2; }\n";
}

} // namespace bench
