// The standard library in kernels: the same function runs on host and device.
#include "tests/sycl/common.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace {

using namespace sycl;

constexpr int items = 40;

/// Runs `body(i, results)` for each i on host and device and compares; floats may differ by a few units in
/// the last place.
template <int Results, typename Body>
void expect_same(Body body) {
  queue q;
  std::vector<float> expected(items * Results), found(items * Results);
  for (int i = 0; i < items; ++i) body(i, &expected[i * Results]);
  {
    buffer<float> b(found);
    q.submit([&](handler& h) {
      accessor<float, 1, access_mode::write> o(b, h);
      h.parallel_for(range<1>(items), [=](id<1> i) {
        float r[Results];
        body(int(i[0]), r);
        for (int k = 0; k < Results; ++k) o[i[0] * Results + k] = r[k];
      });
    });
  }
  for (int i = 0; i < items * Results; ++i) {
    EXPECT_NEAR(found[i], expected[i], 4e-6f * std::fabs(expected[i]) + 1e-6f)
        << "item " << i / Results << ", result " << i % Results;
  }
}

// Arguments are multiples of 1/16, so that contracted and separate operations agree.
TEST(standard_library, math_functions) {
  expect_same<8>([](int i, float* r) {
    const float x = 0.25f + float(i) * 0.125f;
    r[0] = std::sqrt(x) + std::sin(x) + std::pow(x, 2.5f) + std::atan2(x, 2.0f) + std::fmod(x, 0.75f);
    r[1] = std::floor(x) + std::exp(-x) + std::log1p(x) + std::hypot(x, 2.0f) + std::round(x);
    r[2] = float(std::isnan(x)) + float(std::isinf(x)) + float(std::signbit(-x)) + float(std::isfinite(x));
    r[3] = float(std::ilogb(x)) + float(std::lround(x)) + std::copysign(1.0f, -x) + std::fma(x, x, x) +
           std::tgamma(x + 1);
    float whole = 0;
    r[4] = std::modf(x * 3, &whole) + whole * 10;
    int exponent = 0;
    r[5] = std::frexp(x, &exponent) + float(exponent) * 10;
    r[6] =
        std::ldexp(x, 3) + std::cbrt(x) + std::erf(x) + std::remainder(x, 0.375f) + std::nextafter(x, 2.0f);
    r[7] = std::fdim(x, 1.0f) + std::trunc(x * 7) + std::rint(x * 5) + std::exp2(x) + std::log2(x) +
           std::sinh(x) + std::acosh(1 + x);
  });
}

TEST(standard_library, complex_numbers) {
  expect_same<16>([](int i, float* r) {
    const std::complex<float> z(float(i) * 0.125f - 2.0f, 1.0f - float(i) * 0.0625f), w(1.5f, -0.5f);
    const auto put = [&](int k, const std::complex<float>& v) {
      r[2 * k] = v.real(), r[2 * k + 1] = v.imag();
    };
    put(0, z * w / (z + std::complex<float>(0, 4)));
    put(1, std::exp(z));
    put(2, std::sqrt(z));
    put(3, std::log(z + 3.0f));
    put(4, std::pow(z + 3.0f, w));
    put(5, std::sin(z) + std::cosh(z));
    put(6, std::tanh(z) - std::conj(std::polar(2.0f, float(i))));
    put(7, {std::abs(z), std::arg(z + 5.0f) + std::norm(z)});
  });
}

TEST(standard_library, inverse_functions_of_complex_numbers) {
  expect_same<12>([](int i, float* r) {
    // All quadrants, near to and far from the branch points, on both sides of the branch cuts, and values
    // that overflow when squared.
    const float parts[] = {0.0f, -0.0f, 0.25f, -0.75f, 1.0f, -1.0f, 3.5f, -1e-6f, 1e25f};
    const std::complex<float> z(parts[i % 9], parts[(i * 4 + i / 9) % 9]);
    const auto put = [&](int k, const std::complex<float>& v) {
      r[2 * k] = v.real(), r[2 * k + 1] = v.imag();
    };
    put(0, std::asin(z));
    put(1, std::acos(z));
    put(2, std::asinh(z));
    put(3, std::acosh(z));
    // The logarithm has its poles next to +-1 and +-i.
    const bool pole =
        (std::abs(z.real()) == 1 && z.imag() == 0) || (z.real() == 0 && std::abs(z.imag()) == 1);
    put(4, pole ? z : std::atan(z));
    put(5, pole ? z : std::atanh(z));
  });
}

TEST(standard_library, containers_and_algorithms) {
  expect_same<6>([](int i, float* r) {
    std::array<int, 5> a{5, 3, 1, 4, i};
    for (int k = 0; k < 4; ++k) {
      for (int m = 0; m < 4 - k; ++m) {
        if (a[m + 1] < a[m]) std::swap(a[m], a[m + 1]);
      }
    }
    r[0] = float(a[0] + 10 * a[1] + 100 * a[4]) + float(std::accumulate(a.begin(), a.end(), 0));
    std::reverse(a.begin(), a.end());
    r[1] = float(*std::max_element(a.begin(), a.end()) + std::count(a.begin(), a.end(), 3));
    auto tuple = std::make_tuple(i, 0.5f, 2.0f);
    std::get<1>(tuple) += 1;
    const auto [first, second, third] = tuple;
    std::pair<int, float> pair{i, 1.5f};
    r[2] = float(first) + second * third + float(pair.first) * pair.second;
    std::optional<int> maybe;
    if (i & 1) maybe = i;
    r[3] = float(maybe.value_or(-1));
    r[4] = float(std::max(i, 3) + std::min(i, 7) + std::clamp(i, 2, 5) + std::abs(-i)) + std::fabs(-1.5f);
    r[5] = std::numeric_limits<float>::max() > float(i) ? std::numeric_limits<std::int8_t>::max() : -1;
  });
}

TEST(standard_library, characters) {
  expect_same<6>([](int i, float* r) {
    char text[16] = "a few letters";
    text[i % 13] = 'z';
    const std::string_view all(text), some(text + i % 5, 4);
    r[0] = float(all.size() + std::strlen(text + i % 13)) + float(some == "few " || some == " few");
    r[1] = float(all.find('z')) + 100.0f * float(all.find("let", std::size_t(i % 3)) == 6);
    r[2] = float(some < std::string_view("lets") ? 1 : 2) + (all.compare("a few z") < 0 ? 10.0f : 20.0f);
    const unsigned char small[3] = {1, 2, 3}, large[3] = {1, static_cast<unsigned char>(200 + i), 0};
    r[3] = std::memcmp(small, large, 3) < 0 && std::memcmp(large, small, std::size_t(1 + i % 3)) >= 0 ? 5.0f
                                                                                                      : 6.0f;
    r[4] = float(std::equal(text, text + i % 13, "a few letters")) +
           2 * float(std::strcmp(text, "a few") > 0) + 4 * float(std::strncmp(text, "a few", 5) == 0);
    r[5] = std::memchr(text, 'q', 13) == nullptr
               ? float(static_cast<const char*>(std::memchr(text, 'z', 13)) - text)
               : -1.0f;
  });
}

TEST(standard_library, characters_in_buffers) {
  queue q;
  const std::string text = "abcabcababcabcabxabcab";
  constexpr std::string_view wanted = "abcab";
  std::vector<int> found(text.size() - wanted.size() + 1, -1);
  {
    buffer<char> t(text.begin(), text.end());
    buffer<int> f(found);
    q.submit([&](handler& h) {
      accessor in(t, h, read_only);
      accessor out(f, h, write_only, no_init);
      h.parallel_for(range<1>(found.size()),
                     [=](id<1> i) { out[i] = std::string_view(&in[0] + i[0], 5) == "abcab"; });
    });
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i], text.compare(i, wanted.size(), wanted) == 0) << i;
}

constexpr float table[5] = {1.5f, 2.5f, 3.5f, 4.5f, 5.5f};
struct fields {
  int a : 5;
  unsigned b : 11;
  char c;
  short d;
};
union word {
  float number;
  unsigned bits;
};

TEST(language, tables_bit_fields_unions_and_memory_functions) {
  expect_same<4>([](int i, float* r) {
    fields f{};
    f.a = i;
    f.b = 77u * unsigned(i);
    f.c = 'c';
    r[0] = float(f.a) + float(f.b) + float(f.c) + table[i % 5];
    word w;
    w.number = 0.25f + float(i) * 0.125f;
    r[1] = float(w.bits >> 20);
    char bytes[16];
    std::memcpy(bytes, &w.number, 4);
    std::memset(bytes + 4, 7, 12);
    std::memmove(bytes + 2, bytes, 8);
    float back = 0;
    std::memcpy(&back, bytes + 2, 4);
    r[2] = back + float(bytes[9]);
    static constexpr int steps[] = {1, 10, 100};
    int sum = 0;
    for (int s : steps) sum += s * i;
    r[3] = float(sum);
  });
}

} // namespace
