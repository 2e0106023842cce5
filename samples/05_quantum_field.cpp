// The quantum field at a named frequency: 05_quantum_field [love|ground|heart|voice|vision|unity] [seconds]
#include "samples/common/picture.hpp"
#include "samples/quantum_field.hpp"

#include <iostream>

int main(int argc, char** argv) try {
  const std::string frequency = argc > 1 ? argv[1] : "love";
  const float time = argc > 2 ? std::stof(argv[2]) : 1.0f;
  const std::size_t n = 512;
  sycl::queue queue;
  const auto field = samples::generate_quantum_field(queue, n, n, frequency, time);
  samples::picture picture(n, n);
  for (std::size_t i = 0; i < n * n; ++i) samples::diverging(picture, i % n, i / n, field.values[i] / 2);
  samples::write_png(picture, "quantum_field.png");
  double coherence = 0;
  samples::reference_quantum_field(n, n, frequency, time, coherence);
  std::cout << frequency << ": coherence " << field.coherence << " (reference " << coherence << "), kernel "
            << field.time.kernel_ms << " ms, picture quantum_field.png\n";
  return std::abs(field.coherence - coherence) < 1e-3 ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 2;
}
