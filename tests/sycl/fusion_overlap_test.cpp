// Random graphs of kernels over pointers into one allocation: shifted, unaligned, with other element sizes,
// the same pointer in several kernels. Independent of fusion, every byte must be the same as after running
// the kernels in sequence. No kernel has a race of its own.
#include "tests/sycl/graphs.hpp"

#include <random>

using prism::command_graph;

namespace {

constexpr std::size_t region_bytes = 4096; // of each of three regions, with room before and after
constexpr std::size_t arena_bytes = 8 * region_bytes;

struct parts {
  std::int32_t whole;
  std::int16_t half, other;
};

struct step {
  unsigned kind;
  std::size_t items;
  std::byte *to, *from, *second;
  std::int32_t value;
  std::size_t shift, width, pitch;
};

/// For kernels that access numbers at unaligned addresses, which the devices here support; sanitizers would
/// report each.
#define ANY_ADDRESS __attribute__((no_sanitize("alignment")))

template <typename T>
T* as(std::byte* bytes) {
  return reinterpret_cast<T*>(bytes);
}

void submit(sycl::queue& q, const step& s) {
  using int_t = std::int32_t;
  const auto [kind, n, x, y, z, v, shift, width, pitch] = s;
  const sycl::range<1> line(n);
  const sycl::range<2> plane(n / width + 1, width);
  switch (kind) {
    case 0:
      q.parallel_for(line, [x = x, y = y, v = v](sycl::id<1> i)
                               ANY_ADDRESS { as<int_t>(x)[i] = as<int_t>(y)[i] + v; });
      break;
    case 1:
      q.parallel_for(line, [x = x, y = y, z = z, shift = shift](sycl::id<1> i) ANY_ADDRESS {
        as<unsigned>(x)[i + shift] = as<unsigned>(y)[i] * 3 + as<unsigned>(z)[i];
      });
      break;
    case 2:
      q.parallel_for(line, [x = x, y = y](sycl::id<1> i) ANY_ADDRESS {
        as<std::int16_t>(x)[i] = static_cast<std::int16_t>(as<int_t>(y)[i]);
      });
      break;
    case 3:
      q.parallel_for(line, [x = x, y = y](sycl::id<1> i)
                               ANY_ADDRESS { as<std::int64_t>(x)[i] ^= as<std::int64_t>(y)[i]; });
      break;
    case 4:
      q.parallel_for(line, [x = x, y = y, v = v](sycl::id<1> i) ANY_ADDRESS {
        as<parts>(x)[i].half = static_cast<std::int16_t>(as<parts>(y)[i].whole);
        if ((i[0] & 1) != 0) as<parts>(x)[i].other = static_cast<std::int16_t>(v);
      });
      break;
    case 5:
      q.parallel_for(line, [x = x, y = y, n = n](sycl::id<1> i)
                               ANY_ADDRESS { as<unsigned>(x)[i] += as<unsigned>(y)[(i[0] + 1) % n]; });
      break;
    case 6:
      q.parallel_for(plane, [x = x, y = y, width = width, pitch = pitch](sycl::id<2> i) ANY_ADDRESS {
        as<int_t>(x)[i[0] * pitch + i[1]] = ~as<int_t>(y)[i[0] * width + i[1]];
      });
      break;
    case 7:
      q.parallel_for(plane, [x = x, y = y, v = v](sycl::item<2> i) ANY_ADDRESS {
        as<int_t>(x)[i.get_linear_id()] ^= as<int_t>(y)[i.get_linear_id()] | v;
      });
      break;
    case 8:
      q.parallel_for(line, [x = x, y = y, z = z](sycl::id<1> i) ANY_ADDRESS {
        as<unsigned>(x)[static_cast<unsigned>(i[0])] =
            as<unsigned>(y)[static_cast<unsigned>(i[0])] + as<std::uint8_t>(z)[i];
      });
      break;
    case 9:
      q.parallel_for(line, [x = x, y = y, z = z, v = v](sycl::id<1> i) ANY_ADDRESS {
        as<int_t>(x)[i] = as<int_t>(z)[i] > v * 1000000 ? v : as<int_t>(y)[i];
      });
      break;
    case 10:
      q.parallel_for(line, [x = x, y = y, n = n](sycl::id<1> i)
                               ANY_ADDRESS { as<int_t>(x)[n - 1 - i[0]] = as<int_t>(y)[i]; });
      break;
    default:
      q.parallel_for(line, [x = x, y = y, v = v](sycl::id<1> i)
                               ANY_ADDRESS { as<int_t>((i[0] & 1) != 0 ? x : y)[i] = v; });
      break;
  }
}

/// GPUs stop a kernel at an access that is not a multiple of its size.
std::vector<step> random_steps(std::mt19937& random, std::byte* arena, bool takes_any_address) {
  std::vector<step> steps;
  std::size_t items = 1 + random() % 300;
  for (unsigned left = 2 + random() % 6; left != 0; --left) {
    if (random() % 8 == 0) items = 1 + random() % 300;
    const auto region = [&](unsigned number) {
      std::byte* begin = arena + region_bytes * (2 + number % 3);
      if (random() % 3 == 0) begin += random() % 5 * 4;
      if (random() % 9 == 0) begin += random() % 4 * 2;
      return takes_any_address ? begin : begin - (begin - arena) % 8;
    };
    const unsigned first = random() % 3;
    step s{static_cast<unsigned>(random() % 12),
           items,
           region(first),
           region(first + 1 + random() % 2),
           region(first + 1 + random() % 2),
           static_cast<std::int32_t>(random() % 100),
           random() % 4 == 0 ? random() % 3 : 0,
           17 + random() % 3,
           0};
    s.pitch = s.width + (random() % 3 == 0 ? 1 : 0);
    constexpr unsigned own_element_only =
        0b0011'1001'1001; // kinds of kernels that may also read their output
    if (((own_element_only >> s.kind & 1) != 0 || (s.kind == 1 && s.shift == 0)) && random() % 2 == 0)
      s.from = s.to;
    steps.push_back(s);
  }
  return steps;
}

TEST(fusion_overlap, fused_and_separate_kernels_write_the_same_bytes) {
  sycl::queue q{sycl::property::queue::in_order{}};
  SKIP_WITHOUT(q, usm_device_allocations);
  const sycl::backend backend = q.get_backend(); // drivers compile each combination
  const unsigned rounds = backend == sycl::backend::ext_prism_host     ? 400
                          : backend == sycl::backend::ext_prism_vulkan ? 25
                                                                       : 8;
  std::byte* arena = sycl::malloc_device<std::byte>(arena_bytes, q);
  std::vector<std::byte> before(arena_bytes), separate(arena_bytes), fused(arena_bytes);
  std::size_t launches = 0;
  for (unsigned seed = 0; seed < rounds; ++seed) {
    std::mt19937 random(seed);
    for (std::byte& byte : before) byte = static_cast<std::byte>(random());
    const std::vector<step> steps = random_steps(random, arena, q.get_device().is_cpu());
    q.memcpy(arena, before.data(), arena_bytes);
    for (const step& s : steps) submit(q, s);
    q.memcpy(separate.data(), arena, arena_bytes);
    q.memcpy(arena, before.data(), arena_bytes).wait();
    command_graph graph(q);
    graph.begin_recording(q);
    for (const step& s : steps) submit(q, s);
    graph.end_recording(q);
    auto ready = graph.finalize(prism::property::graph::perform_fusion());
    launches += ready.explain().find("run as one launch") != std::string::npos;
    prism::execute_graph(q, ready);
    q.memcpy(fused.data(), arena, arena_bytes).wait();
    ASSERT_TRUE(separate == fused) << "seed " << seed << "\n" << ready.explain();
  }
  sycl::free(arena, q);
#ifdef PRISM_TEST_COMPILED
  EXPECT_EQ(launches > 0, !prism_test::splits_launches()); // else the test tried nothing
#endif
}

} // namespace
