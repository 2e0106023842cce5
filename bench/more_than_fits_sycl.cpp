// Three passes over 40 chunks of 1 MiB with a device memory of four of them, one kernel for each chunk and
// pass. The argument says how: `buffers`, where PRISM moves them; `one_buffer` of all 40 MiB with one kernel
// for each pass, which PRISM runs in pieces; or `by_hand`, with four allocations and explicit copies. Run
// with PRISM_MEMORY_LIMIT=4M and PRISM_ADOPT_HOST_MEMORY=off.
#include <sycl/sycl.hpp>

#include <string_view>
#include <vector>

namespace {

constexpr std::size_t elements = std::size_t{1} << 18, chunks = 40, slots = 4;
constexpr int passes = 3;
using chunk = std::vector<float>;

void work(sycl::handler& h, float* p) {
  h.parallel_for<class by_pointer>(elements, [=](sycl::id<1> i) {
    float v = p[i];
    for (int k = 0; k < 64; ++k) v = v * 0.5f + 1.0f;
    p[i] = v;
  });
}

void by_hand(sycl::queue& q, std::vector<chunk>& data) {
  float* memory[slots];
  for (float*& m : memory) m = sycl::malloc_device<float>(elements, q);
  for (int pass = 0; pass < passes; ++pass)
    for (std::size_t c = 0; c < chunks; ++c) {
      float* const m = memory[c % slots];
      q.memcpy(m, data[c].data(), elements * sizeof(float));
      q.submit([&](sycl::handler& h) { work(h, m); });
      q.memcpy(data[c].data(), m, elements * sizeof(float));
    }
  q.wait();
  for (float* m : memory) sycl::free(m, q);
}

void with_buffers(sycl::queue& q, std::vector<chunk>& data) {
  std::vector<sycl::buffer<float>> buffers;
  for (chunk& each : data) buffers.emplace_back(each.data(), sycl::range<1>(elements));
  for (int pass = 0; pass < passes; ++pass)
    for (auto& each : buffers)
      q.submit([&](sycl::handler& h) {
        const sycl::accessor a(each, h);
        h.parallel_for(elements, [=](sycl::id<1> i) {
          float v = a[i];
          for (int k = 0; k < 64; ++k) v = v * 0.5f + 1.0f;
          a[i] = v;
        });
      });
}

void with_one_buffer(sycl::queue& q, std::vector<float>& data) {
  sycl::buffer<float> whole(data.data(), sycl::range<1>(data.size()));
  for (int pass = 0; pass < passes; ++pass)
    q.submit([&](sycl::handler& h) {
      const sycl::accessor a(whole, h);
      h.parallel_for(data.size(), [=](sycl::id<1> i) {
        float v = a[i];
        for (int k = 0; k < 64; ++k) v = v * 0.5f + 1.0f;
        a[i] = v;
      });
    });
}

bool is_done(const float* values, std::size_t count) {
  return values[0] == 2.0f && values[count - 1] == 2.0f;
}

} // namespace

int main(int count, char** words) {
  sycl::queue q{sycl::property::queue::in_order()};
  const std::string_view way = count > 1 ? words[1] : "";
  if (way == "one_buffer") {
    std::vector<float> data(chunks * elements, 3.0f);
    with_one_buffer(q, data);
    return is_done(data.data(), data.size()) ? 0 : 1;
  }
  std::vector<chunk> data(chunks, chunk(elements, 3.0f));
  if (way == "by_hand") by_hand(q, data);
  else with_buffers(q, data);
  for (const chunk& each : data)
    if (!is_done(each.data(), each.size())) return 1;
  return 0;
}
