// Makes, one after the other, as many buffers over the same 16 MiB of the program's memory as the argument
// states, and runs a kernel on each.
#include <sycl/sycl.hpp>

#include <cstdlib>

int main(int count, char** words) {
  constexpr std::size_t elements = std::size_t{1} << 22;
  sycl::queue queue;
  auto* const data = static_cast<int*>(std::aligned_alloc(4096, elements * sizeof(int)));
  if (data == nullptr) return 1;
  for (std::size_t i = 0; i < elements; ++i) data[i] = 0;
  const int rounds = count > 1 ? std::atoi(words[1]) : 1;
  for (int round = 0; round < rounds; ++round) {
    sycl::buffer<int> whole(data, sycl::range<1>(elements));
    queue.submit([&](sycl::handler& h) {
      const sycl::accessor each(whole, h, sycl::read_write);
      h.parallel_for(sycl::range<1>(elements), [=](sycl::id<1> i) { each[i] += 1; });
    });
  }
  const bool right = data[0] == rounds && data[elements - 1] == rounds;
  std::free(data);
  return right ? 0 : 1;
}
