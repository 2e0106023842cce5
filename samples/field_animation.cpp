#include "samples/field_animation.hpp"

#include "samples/quantum_field_formula.hpp"

#include <prism/graph.hpp>

#include <cmath>
#include <optional>
#include <time.h>

namespace samples {
namespace {

constexpr std::uint8_t colours[9][3] = {{59, 76, 192},   {98, 130, 234},  {141, 176, 254},
                                        {184, 208, 249}, {221, 221, 221}, {245, 196, 173},
                                        {244, 154, 123}, {222, 96, 77},   {180, 4, 38}};

/// What the frames share on the device.
struct clock_data {
  float frame; // number of the next frame
  float phase; // of the current one
  float coherence;
};

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

} // namespace

void field_colour(float v, std::uint8_t* rgb) {
  const float at = (v < -1 ? 0 : v > 1 ? 1 : (v + 1) / 2) * 8;
  const int k = at < 7 ? int(at) : 7;
  for (int c = 0; c < 3; ++c)
    rgb[c] = std::uint8_t(float(colours[k][c]) +
                          (at - float(k)) * (float(colours[k + 1][c]) - float(colours[k][c])) + 0.5f);
}

struct field_animation::state {
  sycl::queue queue;
  std::size_t width, height;
  spiral<float> formula;
  double step, time = 0;
  sycl::buffer<clock_data> clock{sycl::range<1>(1)};
  sycl::buffer<float> values;
  sycl::buffer<float> sums; // for each row the sums of cos and sin
  sycl::buffer<std::uint8_t> rgb;
  std::optional<prism::command_graph<prism::graph_state::executable>> graph;

  state(const sycl::queue& like, std::size_t w, std::size_t h, const std::string& frequency, double s)
      : queue(like.get_context(), like.get_device(), sycl::property::queue::in_order()), width(w), height(h),
        formula(make_spiral<float>(field_frequency(frequency), 0)), step(s), values(sycl::range<1>(w * h)),
        sums(sycl::range<1>(2 * h)), rgb(sycl::range<1>(3 * w * h)) {}

  void restart() {
    sycl::host_accessor(clock, sycl::write_only)[0] = {};
    time = 0;
  }
  void submit_clock() {
    const float phase_step = float(step * std::pow(golden_ratio, golden_ratio));
    queue.submit([&](sycl::handler& h) {
      sycl::accessor c(clock, h, sycl::read_write);
      h.single_task([=] {
        c[0].phase = c[0].frame * phase_step;
        c[0].frame += 1;
      });
    });
  }
  void submit_values() {
    queue.submit([&, w = width, ht = height, s = formula](sycl::handler& h) {
      sycl::accessor c(clock, h, sycl::read_only);
      sycl::accessor out(values, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<2>(ht, w), [=](sycl::id<2> i) {
        const spiral<float> now{s.by_distance, c[0].phase};
        out[i[0] * w + i[1]] = spiral_at(now, centred<float>(i[1], w), centred<float>(i[0], ht));
      });
    });
  }
  void submit_coherence() {
    constexpr float pi = 3.14159265358979323846f;
    queue.submit([&, w = width](sycl::handler& h) {
      sycl::accessor in(values, h, sycl::read_only);
      sycl::accessor out(sums, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<1>(height), [=](sycl::id<1> row) {
        float re = 0, im = 0;
        for (std::size_t x = 0; x < w; ++x) {
          re += std::cos(pi * in[row[0] * w + x]);
          im += std::sin(pi * in[row[0] * w + x]);
        }
        out[2 * row[0]] = re;
        out[2 * row[0] + 1] = im;
      });
    });
    queue.submit([&, w = width, ht = height](sycl::handler& h) {
      sycl::accessor in(sums, h, sycl::read_only);
      sycl::accessor c(clock, h, sycl::read_write);
      h.single_task([=] {
        float re = 0, im = 0;
        for (std::size_t row = 0; row < ht; ++row) {
          re += in[2 * row];
          im += in[2 * row + 1];
        }
        c[0].coherence = std::sqrt(re * re + im * im) / float(w * ht);
      });
    });
  }
  void submit_colours() {
    queue.submit([&](sycl::handler& h) {
      sycl::accessor in(values, h, sycl::read_only);
      sycl::accessor out(rgb, h, sycl::write_only, sycl::no_init);
      h.parallel_for(values.get_range(), [=](sycl::id<1> i) {
        std::uint8_t colour[3];
        field_colour(in[i], colour);
        for (std::size_t k = 0; k < 3; ++k) out[3 * i[0] + k] = colour[k];
      });
    });
  }
  void submit_frame() {
    submit_clock();
    submit_values();
    submit_coherence();
    submit_colours();
  }
};

field_animation::field_animation(const sycl::queue& like, std::size_t width, std::size_t height,
                                 const std::string& frequency, double step)
    : m_state(std::make_unique<state>(like, width, height, frequency, step)) {
  state& s = *m_state;
  s.restart();
  prism::command_graph<> graph(s.queue);
  graph.begin_recording(s.queue);
  s.submit_frame();
  graph.end_recording();
  s.graph = graph.finalize();
}
field_animation::~field_animation() = default;

std::string field_animation::device() const {
  const sycl::device device = m_state->queue.get_device();
  return device.get_platform().get_info<sycl::info::platform::name>() + ": " +
         device.get_info<sycl::info::device::name>();
}

field_frame field_animation::next() {
  state& s = *m_state;
  field_frame frame;
  const auto begin = std::chrono::steady_clock::now();
  prism::execute_graph(s.queue, *s.graph);
  s.queue.wait_and_throw();
  frame.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  frame.image = picture(s.width, s.height);
  const sycl::host_accessor rgb(s.rgb, sycl::read_only);
  std::copy(rgb.begin(), rgb.end(), frame.image.rgb.begin());
  const sycl::host_accessor values(s.values, sycl::read_only);
  frame.values.assign(values.begin(), values.end());
  frame.coherence = sycl::host_accessor(s.clock, sycl::read_only)[0].coherence;
  frame.time = s.time;
  s.time += s.step;
  return frame;
}

field_animation::costs field_animation::compare_submission(int frames) {
  state& s = *m_state;
  const auto measured = [&](const auto& submit) {
    double best = 1e9;
    for (int round = 0; round < 5; ++round) {
      const double begin = thread_seconds();
      for (int k = 0; k < frames; ++k) submit();
      best = std::min(best, (thread_seconds() - begin) / frames);
      s.queue.wait_and_throw();
    }
    return 1e6 * best;
  };
  costs found;
  found.replay_us = measured([&] { prism::execute_graph(s.queue, *s.graph); });
  found.resubmission_us = measured([&] { s.submit_frame(); });
  s.restart();
  return found;
}

} // namespace samples
