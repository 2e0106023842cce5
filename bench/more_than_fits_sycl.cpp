// Three passes over 40 chunks of 1 MiB with a device memory of four of them, one kernel for each chunk and
// pass. The argument says how: `buffers`, where PRISM moves them; `one_buffer` of all 40 MiB with one kernel
// for each pass, which PRISM runs in pieces; or `by_hand`, with four allocations and explicit copies.
// `stencil` and `stencil_by_hand` are three steps of a stencil of three points from one array of 40 MiB to
// another, with one kernel for each step, or in parts with their neighbours. `graph` and `graph_by_hand` are
// 300 commands that each read two random chunks of the 40 and write a third. Run with PRISM_MEMORY_LIMIT=4M
// and PRISM_ADOPT_HOST_MEMORY=off.
#include <sycl/sycl.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <random>
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

using arrays = std::vector<float>[2];

void stencil(sycl::queue& q, arrays& data) {
  sycl::buffer<float> a(data[0].data(), sycl::range<1>(data[0].size())), b(data[1].data(), a.get_range());
  for (int pass = 0; pass < passes; ++pass)
    q.submit([&](sycl::handler& h) {
      const sycl::accessor x(pass % 2 ? b : a, h, sycl::read_only);
      const sycl::accessor y(pass % 2 ? a : b, h, sycl::write_only, sycl::no_init);
      h.parallel_for(x.size(), [=, n = x.size()](sycl::id<1> id) {
        const std::size_t i = id[0], left = i > 0 ? i - 1 : 0, right = i + 1 < n ? i + 1 : n - 1;
        y[i] = 0.25f * (x[left] + 2 * x[i] + x[right]);
      });
    });
}

/// Parts of half a chunk, each with the element before and behind it.
void stencil_by_hand(sycl::queue& q, arrays& data) {
  constexpr std::size_t part = elements / 2;
  const std::size_t n = data[0].size();
  float *in[slots - 1], *out[slots - 1];
  for (float*& m : in) m = sycl::malloc_device<float>(part + 2, q);
  for (float*& m : out) m = sycl::malloc_device<float>(part, q);
  for (int pass = 0; pass < passes; ++pass) {
    const float* const from = data[pass % 2].data();
    float* const to = data[1 - pass % 2].data();
    for (std::size_t first = 0; first < n; first += part) {
      const std::size_t slot = first / part % (slots - 1), begin = first == 0 ? 0 : first - 1,
                        end = std::min(first + part + 1, n), here = first - begin, last = end - begin - 1;
      const float* const x = in[slot];
      float* const y = out[slot];
      q.memcpy(in[slot], from + begin, (end - begin) * sizeof(float));
      q.parallel_for(part, [=](sycl::id<1> id) {
        const std::size_t i = id[0] + here, left = i > 0 ? i - 1 : 0, right = i < last ? i + 1 : last;
        y[id] = 0.25f * (x[left] + 2 * x[i] + x[right]);
      });
      q.memcpy(to + first, y, part * sizeof(float));
    }
  }
  q.wait();
  for (float* m : in) sycl::free(m, q);
  for (float* m : out) sycl::free(m, q);
}

/// A step keeps the sum of the array; the ends are equal to their neighbours, so a step of ones is ones.
bool run_stencil(sycl::queue& q, bool by_hand) {
  arrays data{std::vector<float>(chunks * elements, 1.0f), std::vector<float>(chunks * elements)};
  data[0][elements / 2] = 65.0f; // next to the end of a part
  by_hand ? stencil_by_hand(q, data) : stencil(q, data);
  const std::vector<float>& result = data[passes % 2];
  const float want[] = {2, 7, 16, 21, 16, 7, 2}; // 1 + the binomial coefficients of 6
  return std::equal(std::begin(want), std::end(want), result.begin() + elements / 2 - 3) &&
         result[0] == 1.0f && result.back() == 1.0f;
}

/// Commands that read two chunks and write a third.
std::vector<std::array<std::size_t, 3>> random_graph() {
  std::mt19937 random(1);
  std::vector<std::array<std::size_t, 3>> out;
  while (out.size() < 300) {
    const std::array<std::size_t, 3> next{random() % chunks, random() % chunks, random() % chunks};
    if (next[0] != next[1] && next[1] != next[2] && next[2] != next[0]) out.push_back(next);
  }
  return out;
}

float joined(float a, float b) {
  float v = a;
  for (int k = 0; k < 64; ++k) v = v * 0.5f + b;
  return v;
}

void graph(sycl::queue& q, std::vector<chunk>& data) {
  std::vector<sycl::buffer<float>> buffers;
  for (chunk& each : data) buffers.emplace_back(each.data(), sycl::range<1>(elements));
  for (const auto& [first, second, third] : random_graph())
    q.submit([&](sycl::handler& h) {
      const sycl::accessor a(buffers[first], h, sycl::read_only), b(buffers[second], h, sycl::read_only);
      const sycl::accessor c(buffers[third], h, sycl::write_only, sycl::no_init);
      h.parallel_for(elements, [=](sycl::id<1> i) { c[i] = joined(a[i], b[i]); });
    });
}

/// Four allocations; the chunk that was needed longest ago gives its own to the next.
class slots_by_hand {
public:
  slots_by_hand(sycl::queue& q, std::vector<chunk>& data) : m_q(q), m_data(data) {
    for (slot& s : m_slots) s.memory = sycl::malloc_device<float>(elements, q);
  }
  ~slots_by_hand() {
    for (slot& s : m_slots) write_back(s);
    m_q.wait();
    for (slot& s : m_slots) sycl::free(s.memory, m_q);
  }
  float* of(std::size_t which, bool is_written) {
    auto found =
        std::find_if(m_slots.begin(), m_slots.end(), [&](const slot& s) { return s.holds == which; });
    if (found == m_slots.end()) {
      found = std::min_element(m_slots.begin(), m_slots.end(),
                               [](const slot& a, const slot& b) { return a.last_needed < b.last_needed; });
      write_back(*found);
      *found = {found->memory, which};
      if (!is_written) m_q.memcpy(found->memory, m_data[which].data(), elements * sizeof(float));
    }
    found->is_written = found->is_written || is_written;
    found->last_needed = ++m_time;
    return found->memory;
  }

private:
  struct slot {
    float* memory = nullptr;
    std::size_t holds = chunks;
    bool is_written = false;
    int last_needed = 0;
  };
  void write_back(const slot& s) {
    if (s.is_written) m_q.memcpy(m_data[s.holds].data(), s.memory, elements * sizeof(float));
  }
  sycl::queue& m_q;
  std::vector<chunk>& m_data;
  std::array<slot, slots> m_slots;
  int m_time = 0;
};

void graph_by_hand(sycl::queue& q, std::vector<chunk>& data) {
  slots_by_hand memory(q, data);
  for (const auto& [first, second, third] : random_graph()) {
    const float* const a = memory.of(first, false);
    const float* const b = memory.of(second, false);
    float* const c = memory.of(third, true);
    q.parallel_for(elements, [=](sycl::id<1> i) { c[i] = joined(a[i], b[i]); });
  }
}

/// All elements of a chunk are equal, so one number models it.
bool run_graph(sycl::queue& q, bool by_hand) {
  std::vector<chunk> data;
  std::vector<float> model;
  for (std::size_t c = 0; c < chunks; ++c) {
    data.emplace_back(elements, float(c));
    model.push_back(float(c));
  }
  by_hand ? graph_by_hand(q, data) : graph(q, data);
  for (const auto& [a, b, c] : random_graph()) model[c] = joined(model[a], model[b]);
  for (std::size_t c = 0; c < chunks; ++c)
    for (const float found : {data[c].front(), data[c].back()})
      if (std::abs(found - model[c]) > 1e-3f * std::abs(model[c])) return false;
  return true;
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
  if (way == "stencil" || way == "stencil_by_hand") return run_stencil(q, way != "stencil") ? 0 : 1;
  if (way == "graph" || way == "graph_by_hand") return run_graph(q, way != "graph") ? 0 : 1;
  std::vector<chunk> data(chunks, chunk(elements, 3.0f));
  if (way == "by_hand") by_hand(q, data);
  else with_buffers(q, data);
  for (const chunk& each : data)
    if (!is_done(each.data(), each.size())) return 1;
  return 0;
}
