// <prism/nn.hpp>: convolutions and attention, by own kernels and by providers of their products, next to
// oneDNN where the benchmark was built with it, else next to PyTorch where Python finds it.
#include "bench/operands.hpp"
#include "bench/reference.hpp"
#include "bench/rows.hpp"
#if PRISM_BENCH_HAS_ONEDNN
#include "bench/onednn.hpp"
#endif

#include <prism/nn.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace bench {
namespace {

namespace nn = prism::nn;

#if !PRISM_BENCH_HAS_ONEDNN
struct image_convolution {
  int channels, filters, side, window, groups = 1;
};
struct attention_shape {
  int heads, length, width;
};
#endif

/// What a row is compared with.
struct reference {
  std::string name;
  std::function<times()> run; // empty: it is not here, and `name` says why
};

class references {
public:
  explicit references(const options& how) : m_how(how) {}

  reference of([[maybe_unused]] const image_convolution& c, [[maybe_unused]] const std::string& words) {
#if PRISM_BENCH_HAS_ONEDNN
    return {"oneDNN", [run = onednn_convolution(c)] { return timed(run); }};
#else
    return of_python(words);
#endif
  }
  reference of([[maybe_unused]] const attention_shape& a, [[maybe_unused]] const std::string& words) {
#if PRISM_BENCH_HAS_ONEDNN
    return {"oneDNN", [run = onednn_attention(a)] { return timed(run); }};
#else
    return of_python(words);
#endif
  }

private:
  [[maybe_unused]] reference of_python(const std::string& words) {
    if (!m_python) m_python.emplace(m_how.sources + "/bench/reference.py");
    if (const std::string why = m_python->obstacle(words); !why.empty())
      return {"built without oneDNN; PyTorch: " + why, {}};
    return {"PyTorch", [this, words] { return m_python->run(words); }};
  }

  const options& m_how;
  std::optional<python_reference> m_python;
};

struct implementation {
  const char *text, *suffix, *convolution, *product; // the last two: what conv2d and gemm are pinned to
  nn::method by;
  double least; // the goal, of the reference's speed
};

bool has_provider(const std::string& name) {
  const auto all = prism::blas::implementations();
  return std::any_of(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
}

void add_row(report& out, const options& how, const sycl::device& device, const std::string& name,
             const char* ours_name, const reference& other, const std::function<void()>& ours, goal wanted) {
  if (!other.run) return out.skip("operations", label(device), name + ": " + other.name);
  out.add({"operations", name, label(device), ours_name, other.name,
           alternate(how.rounds, [&] { return timed(ours); }, other.run), wanted});
}

void add_convolution(report& out, const options& how, sycl::queue& queue, references& others,
                     const image_convolution& c) {
  const std::size_t side = std::size_t(c.side), window = std::size_t(c.window),
                    from = std::size_t(c.channels), to = std::size_t(c.filters),
                    groups = std::size_t(c.groups);
  const device_array<float> x(queue, from * side * side), w(queue, to * (from / groups) * window * window),
      y(queue, to * side * side);
  const auto images = prism::tensor(x.data(), {1, from, side, side}),
             results = prism::tensor(y.data(), {1, to, side, side});
  const auto weights = prism::tensor(w.data(), {to, from / groups, window, window});
  std::string words = "convolution", text = "conv2d";
  for (const int n : {c.channels, c.filters, c.side, c.window, c.groups}) words += ' ' + std::to_string(n);
  text += ' ' + std::to_string(c.channels) + " to " + std::to_string(c.filters) + ", " +
          std::to_string(c.side) + "², " + std::to_string(c.window) + " x " + std::to_string(c.window);
  if (c.groups > 1) text += ", " + std::to_string(c.groups) + " groups";
  const reference other = others.of(c, words);
  const bool is_host = queue.get_device().get_backend() == sycl::backend::ext_prism_host;
  std::vector<implementation> all{{"own kernels", "", "prism", "prism", nn::method::automatic, 0.6}};
  if (is_host && c.groups == 1)
    all.push_back({"provider openblas", ", OpenBLAS", "prism", "openblas", nn::method::gemm, 0.6});
  if (is_host && has_provider("onednn"))
    all.push_back({"provider onednn", ", oneDNN", "onednn", "prism", nn::method::automatic, 0.95});
  for (const implementation& each : all) {
    const pinned choice("gemm", each.product), other_choice("conv2d", each.convolution);
    nn::convolution_options settings;
    settings.how.padding[0] = settings.how.padding[1] = window / 2;
    settings.groups = groups, settings.by = each.by;
    const auto ours = [&] { nn::conv2d<float, float*>(queue, images, weights, results, settings).wait(); };
    ours();
    std::vector<float> found(to * side * side);
    queue.copy(y.data(), found.data(), found.size()).wait();
    const std::size_t channels = from / groups;
    const double expected = double(channels * window * window); // in the middle
    if (std::abs(found[side / 2 * side + side / 2] - expected) > 1e-3 * expected)
      return out.skip("operations", label(queue.get_device()), text + " is wrong", true);
    add_row(out, how, queue.get_device(), text + each.suffix, each.text, other, ours,
            {goal::kind::ratio, 1 / each.least});
  }
}

void add_attention(report& out, const options& how, sycl::queue& queue, references& others,
                   const attention_shape& a) {
  const std::size_t heads = std::size_t(a.heads), length = std::size_t(a.length),
                    width = std::size_t(a.width);
  const device_array<float> q(queue, heads * length * width), k(queue, heads * length * width),
      v(queue, heads * length * width), y(queue, heads * length * width);
  const auto tensor = [&](const device_array<float>& of) {
    return prism::tensor(of.data(), {1, heads, length, width});
  };
  const std::string words =
      std::to_string(a.heads) + ' ' + std::to_string(a.length) + ' ' + std::to_string(a.width);
  const auto ours = [&] {
    nn::attention<float, float*>(queue, tensor(q), tensor(k), tensor(v), tensor(y)).wait();
  };
  ours();
  float found = 0;
  queue.copy(y.data() + 1, &found, 1).wait();
  const std::string text = "attention of " + std::to_string(a.heads) + " heads, " + std::to_string(a.length) +
                           " x " + std::to_string(a.width);
  if (std::abs(found - 1) > 1e-4f)
    return out.skip("operations", label(queue.get_device()), text + " is wrong", true);
  add_row(out, how, queue.get_device(), text, "own kernels", others.of(a, "attention " + words), ours,
          {goal::kind::ratio, 1 / 0.6});
}

} // namespace

void measure_networks(report& out, const options& how, const sycl::device& device) try {
  sycl::queue queue{device, sycl::property::queue::in_order()};
  references others(how);
  const bool is_host = device.get_backend() == sycl::backend::ext_prism_host;
  std::vector<image_convolution> images{{64, 64, 56, 3}, {64, 256, 56, 1}, {128, 128, 28, 3, 128}};
  if (is_host)
    images.insert(images.end(), {{128, 128, 28, 3}, {256, 256, 14, 3}, {3, 32, 224, 3}, {8, 8, 56, 3}});
  for (const image_convolution& each : images) add_convolution(out, how, queue, others, each);
  for (const int length : {128, 512, 2048})
    if (is_host || length < 2048) add_attention(out, how, queue, others, {8, length, 64});
} catch (const std::exception& error) {
  out.skip("operations", label(device), error.what(), true);
}

} // namespace bench
