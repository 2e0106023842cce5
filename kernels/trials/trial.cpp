// The jobs of trial.hpp: data from a fixed random generator, references computed on the host.
#include "kernels/trials/trial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace prism::trials {

namespace {

template <typename T = float>
std::vector<T> noise(std::size_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<T> between(-1, 1);
  std::vector<T> out(n);
  for (T& x : out) x = between(engine);
  return out;
}

constexpr float nothing = std::numeric_limits<float>::quiet_NaN();

double wider(float x) { return x; }
long double wider(double x) { return x; }

template <typename T>
void fill(sycl::queue& queue, sycl::buffer<T>& data, T value) {
  queue.submit(
      [&](sycl::handler& h) { h.fill(sycl::accessor(data, h, sycl::write_only, sycl::no_init), value); });
  queue.wait_and_throw();
}

template <typename T>
class gemm_job final : public trial_job {
  using matrix = matrix_of<T>;
  static constexpr bool is_double = std::is_same_v<T, double>;
  static const auto& variants_in(const operations& all) {
    if constexpr (is_double) return all.gemm_double;
    else return all.gemm;
  }

public:
  gemm_job(const sycl::queue& queue, std::size_t n)
      : trial_job(is_double ? "gemm double" : "gemm", queue), m_n(n), m_left(noise<T>(n * n, 1)),
        m_right(noise<T>(n * n, 2)), m_expected(n * n) {
    std::vector<decltype(wider(T()))> row(n);
    for (std::size_t i = 0; i < n; ++i) {
      std::fill(row.begin(), row.end(), 0);
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < n; ++j) {
          const auto left = wider(m_left[i * n + k]), right = wider(m_right[k * n + j]);
          row[j] += left * right;
        }
      for (std::size_t j = 0; j < n; ++j) m_expected[i * n + j] = T(row[j]);
    }
    m_a = matrix(m_left.data(), {n, n}), m_b = matrix(m_right.data(), {n, n}), m_c = matrix({n, n});
  }
  workload work() const override {
    return is_double ? gemm_double_work(m_n, m_n, m_n) : gemm_work(m_n, m_n, m_n);
  }
  std::optional<parameter_space> space(block_family family) const override {
    return blas::gemm_space(m_queue.get_device(), family);
  }
  configuration initial(block_family family) const override {
    return blas::gemm_initial(m_queue.get_device(), family);
  }
  void submit(const configuration& how) override {
    blas::gemm_with(m_queue, how, 1, view_of(m_a), view_of(m_b), 0, view_of(m_c));
  }
  bool is_right() const override {
    const sycl::host_accessor found(m_c, sycl::read_only);
    for (std::size_t i = 0; i < m_n; ++i)
      for (std::size_t j = 0; j < m_n; ++j)
        if (!(std::abs(found[i][j] - m_expected[i * m_n + j]) <= near * T(m_n + 8))) return false;
    return true;
  }
  void spoil() override {
    m_queue.submit([&](sycl::handler& h) {
      h.fill(sycl::accessor(m_c, h, sycl::write_only, sycl::no_init), T(nothing));
    });
    m_queue.wait_and_throw();
  }
  std::vector<trial> measure(const operations& all) override {
    std::vector<trial> out =
        variants_in(all).measure(m_queue, work(), [this] { return checked(); }, T(1), m_a, m_b, T(0), m_c);
    out.erase(std::remove_if(out.begin(), out.end(),
                             [](const trial& t) { return t.failure.rfind(refused, 0) == 0; }),
              out.end());
    return out;
  }
  variant_choice choice(const operations& all) const override {
    return variants_in(all).choose(m_queue.get_device(), work());
  }
  std::vector<variant_tier> tiers(const operations& all) const override {
    return variants_in(all).tiers(m_queue.get_device());
  }

private:
  static constexpr T near = is_double ? T(2e-15) : T(1e-6);
  std::size_t m_n;
  std::vector<T> m_left, m_right, m_expected;
  matrix m_a{sycl::range<2>(1, 1)}, m_b{sycl::range<2>(1, 1)};
  mutable matrix m_c{sycl::range<2>(1, 1)};
};

class reduce_job final : public trial_job {
public:
  reduce_job(const sycl::queue& queue, std::size_t n)
      : trial_job("reduce", queue), m_values(noise(n, 3)), m_x(m_values.data(), sycl::range<1>(n)) {
    for (const float x : m_values) m_expected += x, m_size += std::abs(x);
  }
  workload work() const override { return reduce_work(m_values.size()); }
  bool is_right() const override { // a chain has 128 additions, in three levels at most
    return std::abs(double(sycl::host_accessor(m_sum, sycl::read_only)[0]) - m_expected) <= 1e-5 * m_size;
  }
  void spoil() override { fill(m_queue, m_sum, nothing); }
  std::vector<trial> measure(const operations& all) override {
    return all.reduce.measure(m_queue, work(), [this] { return checked(); }, m_x, m_sum);
  }
  variant_choice choice(const operations& all) const override {
    return all.reduce.choose(m_queue.get_device(), work());
  }
  std::vector<variant_tier> tiers(const operations& all) const override {
    return all.reduce.tiers(m_queue.get_device());
  }

private:
  std::vector<float> m_values;
  double m_expected = 0, m_size = 0;
  floats m_x;
  mutable floats m_sum{sycl::range<1>(1)};
};

class scan_job final : public trial_job {
public:
  scan_job(const sycl::queue& queue, std::size_t n)
      : trial_job("scan", queue), m_values(noise(n, 4)), m_in(m_values.data(), sycl::range<1>(n)),
        m_out(sycl::range<1>(n)) {}
  workload work() const override { return scan_work(m_values.size()); }
  bool is_right() const override {
    const sycl::host_accessor found(m_out, sycl::read_only);
    double sum = 0, size = 0;
    for (std::size_t i = 0; i < m_values.size(); ++i) {
      sum += m_values[i], size += std::abs(m_values[i]);
      if (!(std::abs(found[i] - sum) <= 1e-5 * size + 1e-6)) return false;
    }
    return true;
  }
  void spoil() override { fill(m_queue, m_out, nothing); }
  std::vector<trial> measure(const operations& all) override {
    return all.scan.measure(m_queue, work(), [this] { return checked(); }, m_in, m_out);
  }
  variant_choice choice(const operations& all) const override {
    return all.scan.choose(m_queue.get_device(), work());
  }
  std::vector<variant_tier> tiers(const operations& all) const override {
    return all.scan.tiers(m_queue.get_device());
  }

private:
  std::vector<float> m_values;
  floats m_in;
  mutable floats m_out;
};

/// In place: each call transforms the result of the one before. time_of makes six calls, and six forward
/// transforms of n values give n^3 times the mirrored values.
class fft_job final : public trial_job {
public:
  fft_job(const sycl::queue& queue, std::size_t n)
      : trial_job("fft", queue), m_values(noise(n, 5)), m_data(sycl::range<1>(n)),
        m_plan(m_queue, fft::direction::forward, fft::grid_view(view_of(m_data)),
               fft::grid_view(view_of(m_data))) {
    spoil();
  }
  workload work() const override { return fft_work(m_values.size()); }
  bool is_right() const override {
    const std::size_t n = m_values.size();
    const double height = std::pow(double(n), 3);
    const sycl::host_accessor found(m_data, sycl::read_only);
    double error = 0, whole = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::complex<double> x(found[i]), expected(m_values[(n - i) % n]);
      error += std::norm(x / height - expected), whole += std::norm(expected);
    }
    return error <= 1e-8 * whole; // false for NaN
  }
  void spoil() override {
    const sycl::host_accessor out(m_data, sycl::write_only, sycl::no_init);
    for (std::size_t i = 0; i < m_values.size(); ++i) out[i] = m_values[i];
  }
  std::vector<trial> measure(const operations& all) override {
    return all.fft.measure(m_queue, work(), [this] { return checked(); }, m_plan, m_data);
  }
  variant_choice choice(const operations& all) const override {
    return all.fft.choose(m_queue.get_device(), work());
  }
  std::vector<variant_tier> tiers(const operations& all) const override {
    return all.fft.tiers(m_queue.get_device());
  }

private:
  std::vector<float> m_values;
  mutable points m_data;
  fft::plan m_plan;
};

using align::gap_extend_cost;
using align::gap_open_cost;

int reference_score(const std::vector<std::uint8_t>& read, const std::vector<std::uint8_t>& genome) {
  const std::size_t n = read.size();
  std::vector<int> h(n + 1, 0), gap(n + 1, -gap_open_cost);
  int best = 0;
  for (const std::uint8_t base : genome) {
    int diagonal = 0, f = -gap_open_cost;
    for (std::size_t i = 1; i <= n; ++i) {
      gap[i] = std::max(h[i] - gap_open_cost, gap[i] - gap_extend_cost);
      f = std::max(h[i - 1] - gap_open_cost, f - gap_extend_cost);
      const int pair = align::score_of(base, read[i - 1]);
      const int here = std::max({0, diagonal + pair, gap[i], f});
      diagonal = h[i];
      h[i] = here;
      best = std::max(best, here);
    }
  }
  return best;
}

class align_job final : public trial_job {
public:
  align_job(const sycl::queue& queue, std::size_t count)
      : trial_job("smith-waterman", queue), m_genome(20000) {
    std::mt19937 engine(6);
    for (auto& base : m_genome) base = std::uint8_t(engine() % 4);
    std::vector<std::vector<std::uint8_t>> reads(count);
    for (auto& r : reads) {
      const auto from = m_genome.begin() + std::ptrdiff_t(engine() % (m_genome.size() - 100));
      r.assign(from, from + 100);
      for (int changes = 0; changes < 4; ++changes) r[engine() % 100] = std::uint8_t(engine() % 4);
    }
    m_reads = align::pack(reads);
    for (std::size_t i = 0; i < count; i += 1 + count / 16)
      m_expected.emplace_back(i, reference_score(reads[i], m_genome));
    m_bases = sycl::buffer<std::uint8_t>(m_genome.data(), sycl::range<1>(m_genome.size()));
  }
  workload work() const override { return align_work(100 * m_reads.starts.size(), m_genome.size()); }
  bool is_right() const override {
    for (const auto& [read, score] : m_expected)
      if (m_found.size() != m_reads.starts.size() || m_found[read].score != score) return false;
    return true;
  }
  void spoil() override { m_found.clear(); }
  std::vector<trial> measure(const operations& all) override {
    spoil();
    auto keeping = all.smith_waterman.keeping(m_found);
    return keeping.measure(m_queue, work(), [this] { return checked(); }, m_reads, m_bases);
  }
  variant_choice choice(const operations& all) const override {
    return all.smith_waterman.choose(m_queue.get_device(), work());
  }
  std::vector<variant_tier> tiers(const operations& all) const override {
    return all.smith_waterman.tiers(m_queue.get_device());
  }

private:
  std::vector<std::uint8_t> m_genome;
  align::packed_reads m_reads;
  std::vector<std::pair<std::size_t, int>> m_expected;
  std::vector<align::alignment> m_found;
  sycl::buffer<std::uint8_t> m_bases{sycl::range<1>(1)};
};

} // namespace

std::optional<parameter_space> trial_job::space(block_family) const { return std::nullopt; }
configuration trial_job::initial(block_family) const { return {}; }
void trial_job::submit(const configuration&) {
  throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                        m_operation + " has no parameters; gemm and gemm double have");
}
tuning_key trial_job::key() const {
  return key_for(m_operation + " parameters", m_queue.get_device(), blas::measured_version, work().items);
}

std::pair<seconds, bool> trial_job::run(const configuration& how) {
  spoil();
  const seconds took = time_of(m_queue, [&](sycl::queue&) { submit(how); });
  return {took, is_right()};
}

bool trial_job::checked() {
  const bool right = is_right();
  spoil();
  return right;
}

const std::vector<std::string>& trial_operations() {
  static const std::vector<std::string> all{"gemm", "gemm double", "reduce", "scan", "fft", "smith-waterman"};
  return all;
}

bool runs_trials_of(const sycl::device& device, const std::string& operation) {
  return operation != "gemm double" || device.has(sycl::aspect::fp64);
}

std::unique_ptr<trial_job> make_trial_job(const std::string& operation, const sycl::queue& queue,
                                          std::size_t size) {
  const auto sized = [&](std::size_t most) {
    if (size < 1 || size > most)
      throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                            operation + ": size " + std::to_string(size) +
                                " is out of range; trials have sizes 1 to " + std::to_string(most));
  };
  if (operation == "gemm") return sized(4096), std::make_unique<gemm_job<float>>(queue, size);
  if (operation == "gemm double") {
    if (!runs_trials_of(queue.get_device(), operation))
      throw sycl::exception(sycl::make_error_code(sycl::errc::feature_not_supported),
                            operation + ": " + queue.get_device().get_info<sycl::info::device::name>() +
                                " has no double precision (aspect fp64)");
    return sized(4096), std::make_unique<gemm_job<double>>(queue, size);
  }
  if (operation == "reduce") return sized(1u << 28), std::make_unique<reduce_job>(queue, size);
  if (operation == "scan") return sized(1u << 28), std::make_unique<scan_job>(queue, size);
  if (operation == "fft") return sized(1u << 24), std::make_unique<fft_job>(queue, size);
  if (operation == "smith-waterman") return sized(100000), std::make_unique<align_job>(queue, size);
  std::string known;
  for (const std::string& name : trial_operations()) known += (known.empty() ? "" : ", ") + name;
  throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                        "there is no operation \"" + operation + "\"; known: " + known);
}

std::vector<std::size_t> usual_sizes(const std::string& operation) {
  if (operation == "gemm" || operation == "gemm double") return {32, 128, 384};
  if (operation == "smith-waterman") return {1, 16};
  if (operation == "fft") return {256, 4096, 65536};
  return {1024, 65536, 1u << 21};
}

} // namespace prism::trials
