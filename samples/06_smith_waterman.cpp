// Aligns reads to a genome: 06_smith_waterman genome.fa[.gz] reads.fq[.gz] [count]; prints each read's name
// and best score.
#include "samples/smith_waterman.hpp"

#include <iostream>

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::cerr << "usage: 06_smith_waterman genome.fa[.gz] reads.fq[.gz] [count]\n";
    return 2;
  }
  const std::size_t count = argc > 3 ? std::stoul(argv[3]) : 16;
  const auto genome = samples::read_sequences(argv[1]).at(0);
  std::vector<samples::sequence> reads;
  for (auto& read : samples::read_sequences(argv[2]))
    if (read.bases.size() <= std::size_t(samples::longest_read) && reads.size() < count)
      reads.push_back(std::move(read));
  sycl::queue queue;
  const auto result = samples::align(queue, reads, genome);
  for (std::size_t r = 0; r < reads.size(); ++r) std::cout << reads[r].name << '\t' << result.best[r] << '\n';
  std::cerr << result.cells / result.time.kernel_ms / 1e3 << " Mcell/s on "
            << queue.get_device().get_info<sycl::info::device::name>() << '\n';
  return 0;
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 2;
}
