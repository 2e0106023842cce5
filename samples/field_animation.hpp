// The quantum field as an animation: each frame is one execution of a command graph, of which only the time
// changes. The time is a number in device memory that the graph's first kernel advances, so that nothing is
// updated or recorded again. Then come the field, its coherence, and the colours.
#pragma once

#include "samples/common/picture.hpp"
#include "samples/quantum_field.hpp"

#include <memory>
#include <string>
#include <vector>

namespace samples {

struct field_frame {
  picture image{0, 0};
  double time = 0;         // the time of the formula, in seconds
  double milliseconds = 0; // from the submission to the end
  float coherence = 0;
  std::vector<float> values;
};

/// From blue through grey to red for v in [-1, 1], with even differences in CIELAB and the lightest colour in
/// the middle, also for readers who confuse red and green: K. Moreland, "Diverging color maps for scientific
/// visualization" (2009).
void field_colour(float v, std::uint8_t* rgb);

class field_animation {
public:
  /// Frames at times 0, step, 2 step, ... on the queue's device.
  field_animation(const sycl::queue& like, std::size_t width, std::size_t height,
                  const std::string& frequency, double step);
  ~field_animation();
  /// Computes the next frame.
  field_frame next();
  std::string device() const;

  struct costs {
    double replay_us = 0, resubmission_us = 0; // of the submitting thread, per frame
  };
  /// Submits as many frames both ways, without using them. The next frame is the first again.
  costs compare_submission(int frames);

private:
  struct state;
  std::unique_ptr<state> m_state;
};

/// An animated PNG that repeats for ever. All frames have the size of the first one.
void write_animated_png(const std::vector<field_frame>& frames, int milliseconds, const std::string& path);

struct field_recording {
  std::string device, frequency;
  std::vector<field_frame> frames;
};
/// A page with one file: play and pause, frequency, device, and each frame's time, device and coherence.
void write_field_page(const std::vector<field_recording>& recordings, int milliseconds,
                      const std::string& path);

} // namespace samples
