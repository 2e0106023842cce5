// FFTW with plans that it measures. It is under the GPL: it is opened where it is installed, and nothing
// links it.
#pragma once

#include <complex>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <dlfcn.h>

namespace bench {

/// What is transformed: extents of 1 to 3 dimensions, so many times. A real one is transformed to complex
/// numbers.
struct transform {
  std::vector<int> extents;
  int count = 1;
  bool is_real = false, is_prime = false;

  std::size_t points() const {
    std::size_t out = 1;
    for (const int n : extents) out *= std::size_t(n);
    return out;
  }
  std::size_t results() const {
    const auto last = std::size_t(extents.back());
    return is_real ? points() / last * (last / 2 + 1) : points();
  }
  std::string text(const std::string& type) const {
    std::string out = "fft " + std::string(is_real ? "real " : "complex ") + type + " ";
    for (std::size_t d = 0; d < extents.size(); ++d) out += (d ? " x " : "") + std::to_string(extents[d]);
    return count == 1 ? out : out + ", " + std::to_string(count) + " times";
  }
};

/// FFTW for numbers of one type.
template <typename T>
class fftw {
public:
  explicit fftw(unsigned threads) {
    const std::string name = std::string("libfftw3") + (sizeof(T) == 4 ? "f" : "");
    m_prefix = sizeof(T) == 4 ? "fftwf_" : "fftw_";
    m_library = ::dlopen((name + ".so.3").c_str(), RTLD_NOW | RTLD_GLOBAL);
    void* const of_threads = ::dlopen((name + "_threads.so.3").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!m_library || !of_threads) return;
    const auto begin = reinterpret_cast<int (*)()>(::dlsym(of_threads, (m_prefix + "init_threads").c_str()));
    const auto take =
        reinterpret_cast<void (*)(int)>(::dlsym(of_threads, (m_prefix + "plan_with_nthreads").c_str()));
    is_there = begin && take && begin() != 0;
    if (is_there) take(int(threads));
  }
  bool is_there = false;

  /// Runs the transform out of place. Null where FFTW has no plan for it.
  std::function<void()> prepared(const transform& of, T* in, std::complex<T>* out) const {
    constexpr int forward = -1;
    constexpr unsigned measures = 0;
    const int rank = int(of.extents.size()), points = int(of.points()), results = int(of.results());
    void* plan = nullptr;
    if (of.is_real)
      plan = find<void*(int, const int*, int, T*, const int*, int, int, std::complex<T>*, const int*, int,
                        int, unsigned)>("plan_many_dft_r2c")(rank, of.extents.data(), of.count, in, nullptr,
                                                             1, points, out, nullptr, 1, results, measures);
    else
      plan = find<void*(int, const int*, int, void*, const int*, int, int, std::complex<T>*, const int*, int,
                        int, int, unsigned)>("plan_many_dft")(rank, of.extents.data(), of.count, in, nullptr,
                                                              1, points, out, nullptr, 1, results, forward,
                                                              measures);
    if (!plan) return {};
    return [plan, run = find<void(void*)>("execute")] { run(plan); };
  }

private:
  template <typename Function>
  Function* find(const char* name) const {
    const auto found = reinterpret_cast<Function*>(::dlsym(m_library, (m_prefix + name).c_str()));
    if (!found) throw std::runtime_error("FFTW lacks " + m_prefix + name);
    return found;
  }
  void* m_library = nullptr;
  std::string m_prefix;
};

} // namespace bench
