// Expressions of prism::array<float>, which are compiled with the program, and the same ones of any_array, of
// 1000 x 1000 numbers; one line for each on the device of PRISM_DEVICE_SELECTOR. Both run one after the other
// in each round, and the times are medians of the rounds; the ratio is that of each round.
// `./prism bench --arrays` runs it.
#include <prism/array.hpp>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using prism::any_array;
using floats = prism::array<float>;
using clock_type = std::chrono::steady_clock;

constexpr int rounds = 15;
constexpr std::int64_t side = 1000;
constexpr double shortest = 4; // milliseconds of one measurement

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

/// Milliseconds of one of `calls` calls, each of which is waited for.
template <typename Call>
double time_of(const Call& call, int calls) {
  const auto begin = clock_type::now();
  for (int i = 0; i < calls; ++i) call().wait();
  return std::chrono::duration<double, std::milli>(clock_type::now() - begin).count() / calls;
}

void require_equal(const char* what, const any_array& typed, const any_array& other) {
  const std::vector<double> a = typed.astype(prism::dtype::float64).to_vector<double>(),
                            b = other.astype(prism::dtype::float64).to_vector<double>();
  double worst = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    worst = std::max(worst, std::abs(a[i] - b[i]) / std::max(1.0, std::abs(b[i])));
  if (worst <= 1e-4) return;
  std::fprintf(stderr, "%s: array<float> and any_array differ by %g\n", what, worst);
  std::exit(1);
}

template <typename Typed, typename Other>
void row(const char* what, const Typed& typed, const Other& other) {
  const auto run_typed = [&] { return typed().any(); };
  const auto run_other = [&] {
    any_array made = other();
    made.evaluate();
    return made;
  };
  require_equal(what, run_typed(), run_other());
  for (int i = 0; i < 10; ++i) run_typed().wait(), run_other().wait(); // builds, and the choice among them
  const int calls = std::max(1, int(shortest / std::max(0.01, time_of(run_other, 3))));
  std::vector<double> of_typed, of_other, ratio;
  for (int r = 0; r < rounds; ++r) {
    of_typed.push_back(time_of(run_typed, calls)), of_other.push_back(time_of(run_other, calls));
    ratio.push_back(of_typed.back() / of_other.back());
  }
  std::printf("| `%s` | %.3f | %.3f | %.2f |\n", what, median(of_typed), median(of_other), median(ratio));
  std::fflush(stdout);
}

} // namespace

int main() {
  const auto numbers = [](const prism::extents& shape, int step) {
    return floats(
        (prism::arange(0, shape.product()) * step % 1009).astype(prism::dtype::float32).reshape(shape) /
        1009);
  };
  const floats x = numbers({side, side}, 7), y = numbers({side, side}, 5), line = numbers({side}, 3),
               column = numbers({side, 1}, 11);
  const any_array &a = x.any(), &b = y.any(), &r = line.any(), &c = column.any();
  for (const any_array* each : {&a, &b, &r, &c}) each->evaluate();
  std::printf(
      "%s, 1000 x 1000 float32 in C++, milliseconds\n\n| expression | array<float> | any_array | ratio "
      "|\n|---|---|---|---|\n",
      sycl::device().get_info<sycl::info::device::name>().c_str());
  row("x * y + x", [&] { return floats(x * y + x); }, [&] { return a * b + a; });
  row("x * row + column", [&] { return floats(x * line + column); }, [&] { return a * r + c; });
  row("sum(x * row)", [&] { return sum(x * line); }, [&] { return prism::sum(a * r); });
  row("sum(x * column)", [&] { return sum(x * column); }, [&] { return prism::sum(a * c); });
  row("sum(x * y, 0)", [&] { return sum(x * y, 0); }, [&] { return prism::sum(a * b, {{0}}); });
  row("sum(x * y, 1)", [&] { return sum(x * y, 1); }, [&] { return prism::sum(a * b, {{1}}); });
  row("argmax(x * y, 0)", [&] { return argmax(x * y, 0); }, [&] { return prism::argmax(a * b, {{0}}); });
  row("argmax(x * y, 1)", [&] { return argmax(x * y, 1); }, [&] { return prism::argmax(a * b, {{1}}); });
  row("argmax(x * y)", [&] { return argmax(x * y); }, [&] { return prism::argmax(a * b); });
  row("max(x * column, 0)", [&] { return max(x * column, 0); }, [&] { return prism::max(a * c, {{0}}); });
  row("var(x * y, 1)", [&] { return var(x * y, 1); }, [&] { return prism::var(a * b, {{1}}); });
  return 0;
}
