// What prism.quantum_field calls by ctypes (samples/for_python.hpp): the field by its four methods, the
// measurement that chooses one, and the animation. Animations belong to the caller, who destroys them.
#include "samples/field_animation.hpp"
#include "samples/for_python.hpp"

#include <prism/scope.hpp>

#include <algorithm>
#include <sstream>

namespace {

using namespace samples;
using for_python::give, for_python::guarded;

/// A queue for each line, which names a device.
std::vector<sycl::queue> queues_of(const char* devices) {
  std::vector<sycl::queue> out;
  std::istringstream lines(devices);
  for (std::string each; std::getline(lines, each);)
    out.push_back(for_python::queue_of(prism::by_name(each).device()));
  if (out.empty()) throw std::invalid_argument("a field needs at least one device");
  return out;
}

field_animation& animation_of(void* which) { return *static_cast<field_animation*>(which); }

} // namespace

#define PRISM_FIELD extern "C" __attribute__((visibility("default")))

/// `tier`: a field_tier. `out`: height rows of width floats.
PRISM_FIELD int prism_field_run(const char* devices, int tier, std::size_t width, std::size_t height,
                                const char* frequency, double time, float* out, char* message,
                                std::size_t capacity) {
  return guarded({message, capacity}, [&] {
    std::vector<sycl::queue> queues = queues_of(devices);
    std::vector<float> values;
    run_field_tier(static_cast<field_tier>(tier), queues, values, width, height, frequency, time);
    give(out, values);
  });
}

/// Writes the milliseconds of each tier.
PRISM_FIELD int prism_field_choose(const char* devices, std::size_t width, std::size_t height,
                                   double* milliseconds, char* message, std::size_t capacity) {
  return guarded({message, capacity}, [&] {
    std::vector<sycl::queue> queues = queues_of(devices);
    const field_choice found = choose_field_tier(queues, width, height);
    std::copy(std::begin(found.milliseconds), std::end(found.milliseconds), milliseconds);
  });
}

/// Frames at times 0, step, 2 step, ... on the first of the devices.
PRISM_FIELD int prism_field_animate(const char* devices, std::size_t width, std::size_t height,
                                    const char* frequency, double step, void** out, char* message,
                                    std::size_t capacity) {
  return guarded({message, capacity}, [&] {
    *out = new field_animation(queues_of(devices).front(), width, height, frequency, step);
  });
}
PRISM_FIELD void prism_field_destroy(void* which) { delete static_cast<field_animation*>(which); }

/// The next frame: its values, three bytes of colour a point, and its time, milliseconds and coherence.
PRISM_FIELD int prism_field_next(void* which, float* values, void* colours, double* numbers, char* message,
                                 std::size_t capacity) {
  return guarded({message, capacity}, [&] {
    const field_frame frame = animation_of(which).next();
    give(values, frame.values);
    give(colours, frame.image.rgb);
    const double all[] = {frame.time, frame.milliseconds, frame.coherence};
    std::copy(std::begin(all), std::end(all), numbers);
  });
}

/// The next frames as an animated PNG, each shown for so many milliseconds.
PRISM_FIELD int prism_field_save(void* which, const char* file, std::size_t frames, int milliseconds,
                                 char* message, std::size_t capacity) {
  return guarded({message, capacity}, [&] {
    std::vector<field_frame> all;
    for (std::size_t k = 0; k < frames; ++k) all.push_back(animation_of(which).next());
    write_animated_png(all, milliseconds, file);
  });
}

/// Microseconds of the submitting thread for a frame: executed as a graph, and submitted as commands. The
/// next frame is the first again.
PRISM_FIELD int prism_field_costs(void* which, int frames, double* microseconds, char* message,
                                  std::size_t capacity) {
  return guarded({message, capacity}, [&] {
    const field_animation::costs found = animation_of(which).compare_submission(frames);
    microseconds[0] = found.replay_us, microseconds[1] = found.resubmission_us;
  });
}
