// Random calls of the public interface with extreme numbers: sizes, ranges, offsets, pitches, counts and
// alignments near 0, 2^31, 2^32, 2^62, 2^63 and 2^64. Each call either has the effect that a model in 128-bit
// arithmetic predicts, or throws sycl::exception; none crashes, hangs, or touches bytes outside of what it
// was given. A crash prints the call. PRISM_SOAK=N (./prism test --soak N -R extremes) makes 100 N calls from
// new seeds.
#include "tests/sycl/common.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <unistd.h>

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wdeprecated-declarations" // offsets of nd_range
#else
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

namespace {

using prism_test::error_of;
using sycl::errc;
__extension__ using wide = unsigned __int128;

constexpr std::size_t all = ~std::size_t(0);

/// The current call, for the report of a crash.
char current_call[512] = "none";
void report_crash(int signal) {
  const char text[] = "the program was killed by a signal in: ";
  static_cast<void>(!::write(STDERR_FILENO, text, sizeof text - 1));
  static_cast<void>(!::write(STDERR_FILENO, current_call, std::strlen(current_call)));
  static_cast<void>(!::write(STDERR_FILENO, "\n", 1));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Random numbers that are small or extreme.
class numbers {
public:
  explicit numbers(unsigned seed) : m_random(seed) {}
  unsigned below(unsigned n) { return unsigned(m_random() % n); }
  bool chance(unsigned one_in) { return below(one_in) == 0; }
  std::size_t small() { return below(70); }
  std::size_t extreme() {
    constexpr unsigned shifts[] = {31, 32, 33, 60, 61, 62, 63, 64};
    const unsigned shift = shifts[below(std::size(shifts))];
    const std::size_t base = shift == 64 ? 0 : std::size_t(1) << shift;
    return chance(2) ? base + below(9) - 4 : (base == 0 ? all : base - 1) / (1 + below(8));
  }
  std::size_t any() { return chance(2) ? small() : extreme(); }

private:
  std::mt19937_64 m_random;
};

constexpr std::size_t count = 64; // elements of the memory under test

/// One device, a buffer and USM of known values, and a guard behind the USM.
class fuzzer {
public:
  fuzzer(unsigned seed, sycl::queue& q)
      : m_in(seed), m_q(q), m_values(count), m_buffer(sycl::range<1>(count)) {
    m_has_usm = q.get_device().has(sycl::aspect::usm_device_allocations);
    if (m_has_usm) m_usm = sycl::malloc_device<unsigned>(count, q);
  }
  ~fuzzer() {
    if (m_usm != nullptr) sycl::free(m_usm, m_q);
  }
  fuzzer(const fuzzer&) = delete;

  void run(unsigned calls) {
    for (unsigned i = 0; i < calls && !testing::Test::HasFailure(); ++i) {
      reset();
      constexpr void (fuzzer::* steps[])() = {&fuzzer::accesses_a_region, &fuzzer::fills_a_region,
                                              &fuzzer::copies_a_region,   &fuzzer::makes_a_part,
                                              &fuzzer::sees_another_type, &fuzzer::makes_a_large_buffer,
                                              &fuzzer::allocates,         &fuzzer::copies_memory,
                                              &fuzzer::fills_memory,      &fuzzer::copies_rows,
                                              &fuzzer::fills_rows,        &fuzzer::advises,
                                              &fuzzer::launches_a_range,  &fuzzer::launches_groups,
                                              &fuzzer::uses_local_memory, &fuzzer::prints,
                                              &fuzzer::divides_the_device};
      (this->*steps[m_in.below(std::size(steps))])();
      expect_memory();
    }
  }

private:
  template <typename... Numbers>
  static void name(const char* call, Numbers... given) {
    int at = std::snprintf(current_call, sizeof current_call, "%s", call);
    ((at +=
      std::snprintf(current_call + at, sizeof current_call - std::size_t(at), " %zx", std::size_t(given))),
     ...);
  }
  /// The call succeeds if it is `right`; otherwise it throws one of the codes for wrong arguments.
  template <typename Call>
  bool expect(bool right, const Call& call) {
    std::string text;
    const errc code = error_of(call, &text);
    if (right) EXPECT_EQ(code, errc::success) << current_call << ": " << text;
    else
      EXPECT_TRUE(code == errc::invalid || code == errc::memory_allocation || code == errc::nd_range ||
                  code == errc::kernel_argument || code == errc::feature_not_supported ||
                  code == errc::kernel_not_supported || code == errc::accessor)
          << current_call << ": " << (text.empty() ? "nothing was thrown" : text);
    return code == errc::success;
  }

  void reset() {
    for (std::size_t i = 0; i < count; ++i) m_values[i] = 1000 + unsigned(i);
    m_expected = m_expected_usm = m_values;
    sycl::host_accessor a(m_buffer, sycl::write_only, sycl::no_init);
    for (std::size_t i = 0; i < count; ++i) a[i] = m_values[i];
    if (m_has_usm) m_q.copy(m_values.data(), m_usm, count).wait();
  }
  void expect_memory() {
    {
      sycl::host_accessor a(m_buffer, sycl::read_only);
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(a[i], m_expected[i]) << current_call << ", element " << i;
    }
    if (!m_has_usm) return;
    std::vector<unsigned> found(count);
    m_q.copy(m_usm, found.data(), count).wait();
    ASSERT_EQ(found, m_expected_usm) << current_call;
  }

  static bool fits(std::size_t offset, std::size_t n, std::size_t whole) { return wide(offset) + n <= whole; }

  // ---- buffers and accessors
  void accesses_a_region() {
    const std::size_t n = m_in.any(), offset = m_in.any();
    name("host_accessor of a region", n, offset);
    expect(fits(offset, n, count), [&] {
      sycl::host_accessor a(m_buffer, sycl::range<1>(n), sycl::id<1>(offset));
      for (std::size_t i = 0; i < n; ++i) a[i] = 7, m_expected[offset + i] = 7;
    });
  }
  void fills_a_region() {
    const std::size_t n = m_in.any(), offset = m_in.any();
    name("fill of a ranged accessor", n, offset);
    if (expect(fits(offset, n, count), [&] {
      m_q.submit([&](sycl::handler& h) {
        h.fill(sycl::accessor(m_buffer, h, sycl::range<1>(n), sycl::id<1>(offset), sycl::write_only), 9u);
      }).wait_and_throw();
    }))
      std::fill_n(m_expected.begin() + std::ptrdiff_t(offset), n, 9u);
  }
  void copies_a_region() {
    const std::size_t n = m_in.any(), offset = m_in.any();
    name("copy from a ranged accessor", n, offset);
    std::vector<unsigned> to(count);
    if (expect(fits(offset, n, count), [&] {
      m_q.submit([&](sycl::handler& h) {
        h.copy(sycl::accessor(m_buffer, h, sycl::range<1>(n), sycl::id<1>(offset), sycl::read_only),
               to.data());
      }).wait_and_throw();
    }))
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(to[i], m_values[offset + i]) << current_call;
  }
  void makes_a_part() {
    const std::size_t n = m_in.any(), offset = m_in.any();
    name("sub-buffer", n, offset);
    expect(fits(offset, n, count), [&] {
      sycl::buffer<unsigned> part(m_buffer, sycl::id<1>(offset), sycl::range<1>(n));
      sycl::host_accessor a(part);
      for (std::size_t i = 0; i < n; ++i) a[i] = 5, m_expected[offset + i] = 5;
    });
  }
  void sees_another_type() {
    const std::size_t rows = m_in.any(), columns = m_in.any();
    name("reinterpret as two dimensions of short", rows, columns);
    expect(wide(rows) * columns == 2 * count, [&] {
      const auto seen = m_buffer.reinterpret<short, 2>(sycl::range<2>(rows, columns));
      EXPECT_EQ(seen.byte_size(), count * sizeof(unsigned));
    });
  }
  void makes_a_large_buffer() {
    const std::size_t n = (std::size_t(1) << 47) + m_in.extreme() / 2,
                      rows = m_in.chance(2) ? 1 : m_in.extreme();
    name("buffer without memory", rows, n);
    expect(false, [&] {
      sycl::buffer<unsigned, 2> b{sycl::range<2>(rows, n)};
      sycl::host_accessor a(b, sycl::write_only, sycl::no_init);
    });
    expect(false, [&] {
      sycl::buffer<unsigned, 2> b{sycl::range<2>(rows, n)};
      m_q.submit([&](sycl::handler& h) {
        sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
        h.single_task([=] { a[0][0] = 1; });
      }).wait_and_throw();
    });
  }

  // ---- USM
  void allocates() {
    if (!m_has_usm) return;
    const bool is_large = m_in.chance(2);
    const std::size_t n = is_large ? (std::size_t(1) << 47) + m_in.extreme() / 2 : m_in.small(),
                      alignment = m_in.chance(2) ? std::size_t(1) << m_in.below(64) : m_in.any();
    constexpr sycl::usm::alloc kinds[] = {sycl::usm::alloc::device, sycl::usm::alloc::shared,
                                          sycl::usm::alloc::host};
    const sycl::usm::alloc kind = kinds[m_in.below(3)];
    name("aligned_alloc", n, alignment, kind);
    std::string text;
    unsigned* made = nullptr;
    const errc code = error_of([&] { made = sycl::aligned_alloc<unsigned>(alignment, n, m_q, kind); }, &text);
    if (made != nullptr) {
      EXPECT_FALSE(is_large) << current_call;
      if (alignment != 0) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(made) % alignment, 0u) << current_call;
      sycl::free(made, m_q);
    } else {
      EXPECT_TRUE(code == errc::success || code == errc::feature_not_supported || code == errc::invalid ||
                  code == errc::memory_allocation)
          << current_call << ": " << text;
    }
    if (made == nullptr && !is_large && n != 0 && alignment <= 64 && kind == sycl::usm::alloc::device &&
        (alignment & (alignment - 1)) == 0)
      ADD_FAILURE() << current_call << ": no memory for a small size";
  }
  void copies_memory() {
    if (!m_has_usm) return;
    const std::size_t n = m_in.any(), offset = m_in.below(count);
    name("copy to USM", n, offset);
    const std::vector<unsigned> from(count, 3);
    const bool right = fits(offset, n, count);
    if (expect(right, [&] { m_q.copy(from.data(), m_usm + offset, n).wait_and_throw(); }) && right)
      std::fill_n(m_expected_usm.begin() + std::ptrdiff_t(offset), n, 3u);
    name("memcpy from USM", n * sizeof(unsigned), offset);
    std::vector<unsigned> to(count);
    expect(right || wide(n) * sizeof(unsigned) % (wide(1) << 64) <= (count - offset) * sizeof(unsigned),
           [&] { m_q.memcpy(to.data(), m_usm + offset, n * sizeof(unsigned)).wait_and_throw(); });
  }
  void fills_memory() {
    if (!m_has_usm) return;
    const std::size_t n = m_in.any(), offset = m_in.below(count);
    name("fill of USM", n, offset);
    if (expect(fits(offset, n, count), [&] { m_q.fill(m_usm + offset, 4u, n).wait_and_throw(); }))
      std::fill_n(m_expected_usm.begin() + std::ptrdiff_t(offset), n, 4u);
  }
  /// Rows of `width` elements, `pitch` apart, within the USM.
  bool rows_fit(std::size_t pitch, std::size_t width, std::size_t height) const {
    if (width == 0 || height == 0) return true;
    return width <= pitch && wide(height - 1) < (wide(1) << 62) &&
           wide(height - 1) * pitch + width <= count &&
           wide(height) * pitch * sizeof(unsigned) < (wide(1) << 64);
  }
  void copies_rows() {
    if (!m_has_usm) return;
    const std::size_t pitch = m_in.any(), width = m_in.any(),
                      height = m_in.chance(3) ? m_in.any() : m_in.below(4);
    name("ext_oneapi_copy2d", pitch, width, height);
    const std::vector<unsigned> from(count, 6);
    const bool right =
        rows_fit(pitch, width, height) && (width == 0 || height == 0 || wide(height) * width <= count);
    if (expect(right,
               [&] {
      m_q.ext_oneapi_copy2d(from.data(), width, m_usm, pitch, width, height).wait_and_throw();
    }) &&
        width != 0)
      for (std::size_t row = 0; row < height; ++row)
        std::fill_n(m_expected_usm.begin() + std::ptrdiff_t(row * pitch), width, 6u);
  }
  void fills_rows() {
    if (!m_has_usm) return;
    const std::size_t pitch = m_in.any(), width = m_in.any(),
                      height = m_in.chance(3) ? m_in.any() : m_in.below(4);
    name("ext_oneapi_fill2d", pitch, width, height);
    if (expect(rows_fit(pitch, width, height),
               [&] { m_q.ext_oneapi_fill2d(m_usm, pitch, 8u, width, height).wait_and_throw(); }) &&
        width != 0)
      for (std::size_t row = 0; row < height; ++row)
        std::fill_n(m_expected_usm.begin() + std::ptrdiff_t(row * pitch), width, 8u);
  }
  void advises() {
    if (!m_has_usm) return;
    const std::size_t bytes = m_in.any(), offset = m_in.below(count);
    name("prefetch and mem_advise", bytes, offset);
    const bool right = bytes <= (count - offset) * sizeof(unsigned);
    expect(right, [&] { m_q.prefetch(m_usm + offset, bytes).wait_and_throw(); });
    expect(right, [&] { m_q.mem_advise(m_usm + offset, bytes, int(m_in.any())).wait_and_throw(); });
  }

  // ---- launches
  void launches_a_range() {
    // Nothing to do, or more work-items than 64 bits can count.
    std::size_t extent[3] = {m_in.extreme() | 1, m_in.extreme() | 1, m_in.extreme() | 1};
    const bool is_empty = m_in.chance(2);
    if (is_empty) extent[m_in.below(3)] = 0;
    else
      for (std::size_t& e : extent) e |= std::size_t(1) << 31; // the product has at least 93 bits
    name("parallel_for over a range", extent[0], extent[1], extent[2]);
    expect(is_empty, [&] {
      m_q.submit([&](sycl::handler& h) {
        sycl::accessor a(m_buffer, h);
        h.parallel_for(sycl::range<3>(extent[0], extent[1], extent[2]), [=](sycl::id<3>) { a[0] = 1; });
      }).wait_and_throw();
    });
  }
  void launches_groups() {
    const std::size_t groups = m_in.below(5), local = m_in.chance(2) ? 1 + m_in.below(8) : m_in.any(),
                      offset = m_in.any();
    const std::size_t global = m_in.chance(4) ? m_in.any() : groups * local;
    // Work that a device could do, but not soon, is left out.
    if (wide(groups) * local > 4096 && local <= 4096) return;
    if (local != 0 && global % local == 0 && local <= 1024 && global > 4096) return;
    const std::size_t most = m_q.get_device().get_info<sycl::info::device::max_work_group_size>();
    if (local > 16 && local <= most) return; // depends on the kernel's own limit
    name("parallel_for over groups", global, local, offset);
    const bool right = local != 0 && global % local == 0 && (local <= most || global == 0);
    if (global == 0 && local > most) return; // either is right
    if (expect(right, [&] {
      m_q.submit([&](sycl::handler& h) {
        sycl::accessor a(m_buffer, h);
        h.parallel_for(sycl::nd_range<1>(sycl::range<1>(global), sycl::range<1>(local), sycl::id<1>(offset)),
                       [=](sycl::nd_item<1> i) {
          const std::size_t place = i.get_global_id(0) - i.get_offset()[0];
          if (place < count) a[place] = unsigned(i.get_global_id(0));
        });
      }).wait_and_throw();
    }))
      for (std::size_t i = 0; i < std::min(global, count); ++i) m_expected[i] = unsigned(offset + i);
  }
  void uses_local_memory() {
    const std::size_t n = m_in.any(), more = m_in.any();
    name("local_accessor", n, more);
    const std::size_t room = m_q.get_device().get_info<sycl::info::device::local_mem_size>();
    const wide bytes = wide(n) * sizeof(unsigned) + wide(more) * sizeof(sycl::uint2);
    if (bytes + 64 > room && bytes <= room) return; // alignment may need the rest
    if (expect(bytes <= room, [&] {
      m_q.submit([&](sycl::handler& h) {
        sycl::accessor a(m_buffer, h);
        sycl::local_accessor<unsigned, 1> first(sycl::range<1>(n), h);
        sycl::local_accessor<sycl::uint2, 1> second(sycl::range<1>(more), h);
        h.parallel_for(sycl::nd_range<1>(4, 4), [=](sycl::nd_item<1> i) {
          if (i.get_local_id(0) == 0 && first.size() != 0) first[first.size() - 1] = 2;
          if (i.get_local_id(0) == 0 && second.size() != 0) second[second.size() - 1] = sycl::uint2(3, 4);
          a[i.get_local_id(0)] = unsigned(first.size() + second.size());
        });
      }).wait_and_throw();
    }))
      std::fill_n(m_expected.begin(), 4, unsigned(n + more));
  }
  void prints() {
    // A stream has up to a gibibyte, which takes seconds.
    const std::size_t whole = m_in.chance(16) ? m_in.extreme() : m_in.small(), one = m_in.any();
    name("stream", whole, one);
    const prism_test::printed_text printed;
    // A device may have room for a stream of any size below its memory; only that it ends is known.
    const errc code = error_of([&] {
      m_q.submit([&](sycl::handler& h) {
        sycl::stream out(whole, one, h);
        h.single_task([=] { out << 7 << sycl::endl; });
      }).wait_and_throw();
    });
    EXPECT_TRUE(code == errc::success || code == errc::invalid || code == errc::memory_allocation)
        << current_call;
  }
  void divides_the_device() {
    const std::size_t n = m_in.any();
    name("create_sub_devices", n);
    const sycl::device d = m_q.get_device();
    const auto units = d.get_info<sycl::info::device::max_compute_units>();
    std::string text;
    const errc code = error_of([&] {
      const auto parts = d.create_sub_devices<sycl::info::partition_property::partition_equally>(n);
      EXPECT_EQ(parts.size(), units / n) << current_call;
    }, &text);
    EXPECT_TRUE(code == errc::invalid || code == errc::feature_not_supported ||
                (code == errc::success && n != 0 && n <= units))
        << current_call << ": " << text;
  }

  numbers m_in;
  sycl::queue& m_q;
  bool m_has_usm = false;
  std::vector<unsigned> m_values, m_expected, m_expected_usm;
  sycl::buffer<unsigned> m_buffer;
  unsigned* m_usm = nullptr;
};

void fuzz(unsigned seed, unsigned calls) {
  for (const int each : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTERM}) std::signal(each, &report_crash);
  sycl::queue q([](const sycl::exception_list& list) {
    for (const std::exception_ptr& each : list) std::rethrow_exception(each);
  });
  SCOPED_TRACE("seed " + std::to_string(seed));
  fuzzer(seed, q).run(calls);
}

TEST(extremes, calls_have_the_predicted_effect_or_throw) {
  for (unsigned seed = 1; seed <= 20 && !HasFailure(); ++seed) fuzz(seed, 60);
}

TEST(extremes, soak) {
  const char* const asked = std::getenv("PRISM_SOAK");
  if (asked == nullptr) GTEST_SKIP() << "PRISM_SOAK is unset: ./prism test --soak N sets it";
  const char* const from = std::getenv("PRISM_SOAK_SEED");
  const unsigned first = from != nullptr
                             ? unsigned(std::strtoul(from, nullptr, 10))
                             : unsigned(std::chrono::system_clock::now().time_since_epoch().count());
  const unsigned long calls = 100 * std::strtoul(asked, nullptr, 10);
  std::printf("soak: %lu calls (PRISM_SOAK_SEED=%u repeats them)\n", calls, first);
  for (unsigned long done = 0; done < calls && !HasFailure(); done += 100)
    fuzz(first + unsigned(done / 100), 100);
}

} // namespace
