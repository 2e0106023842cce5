// How well one job scales over 2 to 64 equal devices of the shipped fleet, in simulated time. Divides the
// work by the rules of prism::co_execute (guided chunks); the dashed limit is a perfect division, with one
// range for each device. Prints a table and draws it. Needs no device. usage: 10_scaling [fleet.yaml
// [picture.png]]
#include "samples/common/picture.hpp"

#include <prism/prism.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace {

using samples::picture;

struct job {
  const char* name;
  double flops, bytes_to_move;
  float red, green, blue;
};
constexpr job jobs[] = {{"1e15 flops", 1e15, 1e8, 0.1f, 0.3f, 0.8f},
                        {"1e12 flops", 1e12, 1e8, 0.1f, 0.6f, 0.2f},
                        {"1e11 flops", 1e11, 1e8, 0.9f, 0.5f, 0.0f},
                        {"1e10 flops", 1e10, 1e8, 0.8f, 0.1f, 0.1f}};
constexpr std::size_t items = 1 << 24, counts[] = {1, 2, 4, 8, 16, 32, 64};

/// A glyph of 3 x 5 pixels: a row has three bits, the top row comes first.
constexpr unsigned glyph_of(char c) {
  constexpr unsigned digits[] = {075557, 026227, 071747, 071717, 055711,
                                 074717, 074757, 071111, 075757, 075717};
  return c >= '0' && c <= '9' ? digits[c - '0'] : c == '.' ? 000002 : c == '%' ? 051245 : 0;
}

struct plot {
  picture image{640, 420};
  static constexpr int left = 60, right = 620, top = 20, bottom = 380;
  static int x_of(double count) { return left + int(std::lround(std::log2(count) / 6 * (right - left))); }
  static int y_of(double efficiency) {
    return bottom - int(std::lround(std::min(efficiency, 1.0) * (bottom - top)));
  }

  plot() {
    std::fill(image.rgb.begin(), image.rgb.end(), 255);
    for (int step = 0; step <= 10; ++step) {
      for (int x = left; x <= right; ++x)
        image.set(std::size_t(x), std::size_t(y_of(step / 10.0)), 0.85f, 0.85f, 0.85f);
      if (step % 2 == 0) text(left - 50, y_of(step / 10.0) - 7, std::to_string(step * 10) + "%");
    }
    for (const std::size_t count : counts) {
      for (int y = top; y <= bottom; ++y)
        image.set(std::size_t(x_of(double(count))), std::size_t(y), 0.85f, 0.85f, 0.85f);
      text(x_of(double(count)) - 6, bottom + 12, std::to_string(count));
    }
  }
  void text(int x, int y, const std::string& what) {
    for (const char c : what) {
      for (int bit = 0; bit < 15; ++bit)
        if (glyph_of(c) >> (14 - bit) & 1)
          for (int i = 0; i < 9; ++i)
            image.set(std::size_t(x + bit % 3 * 3 + i % 3), std::size_t(y + bit / 3 * 3 + i / 3), 0.2f, 0.2f,
                      0.2f);
      x += 12;
    }
  }
  /// Dashed: draws eight of every sixteen pixels, in black over the colour.
  void line(double count, double from, double next, double to, const job& j, bool dashed) {
    const int begin = x_of(count), end = x_of(next);
    for (int x = begin; x <= end; ++x) {
      if (dashed && x / 8 % 2 != 0) continue;
      const double share = double(x - begin) / (end - begin);
      const int y = y_of(from + (to - from) * share), thick = dashed ? 2 : 4;
      for (int dy = 0; dy < thick; ++dy)
        image.set(std::size_t(x), std::size_t(y - dy), dashed ? 0 : j.red, dashed ? 0 : j.green,
                  dashed ? 0 : j.blue);
    }
  }
};

/// The time of a division in which all devices compute all the time, apart from launching and coordinating.
double limit_of(const prism::prediction& alone, double count) {
  const double ideal = (alone.total - alone.launch).count() / count;
  return ideal /
         (ideal + alone.launch.count() +
          prism::coordination.count() * (count - 1) / count); // the first device needs no coordination
}

} // namespace

#ifndef PRISM_SAMPLES // set by CMakeLists.txt
#define PRISM_SAMPLES "samples"
#endif

int main(int argc, char** argv) {
  try {
    const std::string file = argc > 1 ? argv[1] : PRISM_SAMPLES "/fleet/fleet.yaml";
    bool good = true;
    plot drawn;
    for (const prism::device_description& one : prism::load_devices(file)) {
      if (one.name != "A100 40GB") continue;
      std::cout << "efficiency of dividing a job over equal devices (" << one.name << ")\n";
      for (const job& j : jobs) {
        prism::workload w;
        w.flops = j.flops;
        w.bytes_to_move = j.bytes_to_move;
        const prism::prediction alone = prism::predict(one, w);
        double before = 0, limit_before = 0;
        std::cout << j.name << ':';
        for (const std::size_t count : counts) {
          std::vector<prism::device_description> fleet(count, one);
          for (std::size_t i = 0; i < count; ++i) fleet[i].name += " " + std::to_string(i);
          const prism::advice a = prism::advise(w, items, fleet);
          const double whole = (alone.total - alone.launch).count(), limit = limit_of(alone, double(count));
          const double efficiency =
              whole / (prism::rehearse(w, items, {}, fleet).wall.count() * double(count));
          good = good && (count == 1 || std::abs(whole / (a.together.count() * double(count)) - limit) <
                                            0.01); // the threshold of advise()
          std::cout << ' ' << count << ' ' << std::lround(100 * efficiency) << "% of "
                    << std::lround(100 * limit) << '%' << (a.divides || count == 1 ? "" : " (declined)");
          good = good && efficiency <= limit * 1.001 && efficiency >= limit * 0.95;
          if (count > 1) {
            drawn.line(double(count) / 2, before, double(count), efficiency, j, false);
            drawn.line(double(count) / 2, limit_before, double(count), limit, j, true);
          }
          before = efficiency, limit_before = limit;
        }
        std::cout << '\n';
      }
    }
    if (argc > 2) samples::write_png(drawn.image, argv[2]);
    std::cout << (good ? "every division is within a twentieth of its limit, and none is better\n"
                       : "a division is not within a twentieth of its limit, or advise() says otherwise\n");
    return good ? 0 : 1;
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
