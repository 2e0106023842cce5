// The quantum field on every device: a picture, its coherence, the phi pattern and an animation, each checked
// against double precision; then the methods and tiles, measured.
//   05_quantum_field [frequency] [seconds] [points]
// Writes quantum_field.png, phi_pattern.png, quantum_field_animation.png (animated) and quantum_field.html.
#include "samples/field_animation.hpp"

#include <cmath>
#include <cstdio>
#include <iostream>

namespace {

using namespace samples;

constexpr std::size_t page_points = 96;
constexpr int page_frames = 12, frame_ms = 80;
constexpr double time_step = 0.12;

template <typename Seen, typename Expected>
double largest_error(const Seen& seen, const Expected& expected) {
  double worst = seen.size() == expected.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < seen.size() && i < expected.size(); ++i) {
    const double error = std::fabs(double(seen[i]) - double(expected[i]));
    if (!(error <= worst)) worst = error; // NaN counts
  }
  return worst;
}

/// Prints one line and returns whether the errors are small.
bool report(const std::string& what, double error, double coherence, double expected, double ms) {
  const bool right = error < 1e-4 && std::fabs(coherence - expected) < 1e-3;
  std::printf("  %-28s %8.3f ms  error %.1e  coherence %.5f (reference %.5f)  %s\n", what.c_str(), ms, error,
              coherence, expected, right ? "right" : "WRONG");
  return right;
}

void save(const std::vector<float>& values, std::size_t n, const std::string& path) {
  picture p(n, n);
  for (std::size_t i = 0; i < n * n; ++i) field_colour(values[i], p.rgb.data() + 3 * i);
  write_png(p, path);
}

bool show_device(sycl::queue& queue, std::size_t n, const std::string& frequency, double time) {
  bool right = true;
  for (const field_formula formula : {field_formula::spiral, field_formula::waves}) {
    const quantum_field seen = generate_quantum_field(queue, n, n, frequency, time, formula);
    double coherence = 0;
    const auto expected = reference_quantum_field(n, n, frequency, time, coherence, formula);
    right &= report(formula == field_formula::spiral ? "field" : "field of waves",
                    largest_error(seen.values, expected), seen.coherence, coherence, seen.time.kernel_ms);
    if (formula == field_formula::spiral) save(seen.values, n, "quantum_field.png");
  }
  const auto pattern = generate_phi_pattern(queue, n, n);
  right &= report("phi pattern", largest_error(pattern, reference_phi_pattern(n, n)),
                  calculate_field_coherence(queue, pattern), reference_coherence(pattern), 0);
  save(pattern, n, "phi_pattern.png");
  return right;
}

/// One recording; prints each frame's time and device.
bool record(sycl::queue& queue, const std::string& frequency, std::vector<field_recording>& all) {
  field_animation animation(queue, page_points, page_points, frequency, time_step);
  const auto costs = animation.compare_submission(100);
  std::printf(
      "  a frame of 5 kernels costs the submitting thread %.2f us as a graph, %.2f us as commands: %.2f\n",
      costs.replay_us, costs.resubmission_us, costs.replay_us / costs.resubmission_us);
  bool right = true;
  field_recording made{animation.device(), frequency, {}};
  for (int k = 0; k < page_frames; ++k) {
    made.frames.push_back(animation.next());
    const field_frame& f = made.frames.back();
    double coherence = 0;
    const auto expected = reference_quantum_field(page_points, page_points, frequency, f.time, coherence);
    char what[64];
    std::snprintf(what, sizeof what, "%s, frame at %.2f s", frequency.c_str(), f.time);
    right &= report(what, largest_error(f.values, expected), f.coherence, coherence, f.milliseconds);
  }
  all.push_back(std::move(made));
  return right;
}

bool show_methods(std::vector<sycl::queue>& queues, std::size_t n, const std::string& frequency) {
  std::printf("methods, ms:");
  for (const field_tier tier : field_tiers) std::printf(" %12s", name_of(tier));
  std::printf("\n");
  bool right = true;
  for (std::size_t size = n / 4; size <= n; size *= 2) {
    const field_choice choice = choose_field_tier(queues, size, size);
    std::printf("%5zu x %-4zu", size, size);
    for (const double ms : choice.milliseconds) std::printf(" %12.3f", ms);
    std::printf("  -> %s\n", name_of(choice.best));
  }
  double coherence = 0;
  const std::size_t odd = 101;
  const auto expected = reference_quantum_field(odd, odd + 2, frequency, 1, coherence);
  for (const field_tier tier : field_tiers) {
    std::vector<float> values;
    run_field_tier(tier, queues, values, odd, odd + 2, frequency, 1, {13, 5});
    const double error = largest_error(values, expected);
    if (!(error < 1e-4)) std::printf("  %s: error %.1e  WRONG\n", name_of(tier), error);
    right &= error < 1e-4;
  }
  const field_tuning tuned = tune_field_tile(queues[0], n, n);
  std::printf("tile %zu x %zu (%s): %.3f ms, the default 32 x 4: %.3f ms\n", tuned.best.columns,
              tuned.best.rows, tuned.family.c_str(), tuned.best_ms, tuned.plain_ms);
  const field_division divided = measure_field_division(queues, n, n);
  std::printf("shares of %zu devices: guided %.3f ms, even %.3f ms, powers of 1 / phi %.3f ms; best: %s%s\n",
              queues.size(), divided.guided_ms, divided.even_ms, divided.phi_ms, divided.best.c_str(),
              divided.right ? "" : "  WRONG");
  return right && divided.right;
}

} // namespace

int main(int argc, char** argv) try {
  const std::string frequency = argc > 1 ? argv[1] : "love";
  const double time = argc > 2 ? std::stod(argv[2]) : 1.0;
  const std::size_t n = argc > 3 ? std::stoul(argv[3]) : 256;
  bool right = true;
  std::vector<sycl::queue> queues;
  std::vector<field_recording> recordings;
  for (const sycl::device& device : sycl::device::get_devices()) queues.emplace_back(device);
  for (sycl::queue& queue : queues) {
    const sycl::device device = queue.get_device();
    std::cout << device.get_platform().get_info<sycl::info::platform::name>() << ": "
              << device.get_info<sycl::info::device::name>() << std::endl;
    right &= show_device(queue, n, frequency, time);
    right &= record(queue, frequency, recordings);
    if (frequency != "unity") right &= record(queue, "unity", recordings);
  }
  right &= show_methods(queues, n, frequency);
  write_animated_png(recordings.at(0).frames, frame_ms, "quantum_field_animation.png");
  write_field_page(recordings, frame_ms, "quantum_field.html");
  std::cout << (right ? "all right" : "WRONG RESULTS") << "; wrote quantum_field.png, phi_pattern.png, "
            << "quantum_field_animation.png, quantum_field.html\n";
  return right ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 2;
}
