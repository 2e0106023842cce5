// Group functions and algorithms over work-groups and sub-groups, with every kind of value and operation,
// compared with a serial computation on the host from the ids that the kernel recorded.
#include "tests/sycl/common.hpp"

namespace {

using namespace sycl;

struct place { // ids of a work-item
  std::uint32_t lane, sub_group, lanes, sub_groups, largest;
};

constexpr int local = 72, groups = 3, items = local * groups;

std::vector<place> places(queue& q, range<1> all = items, range<1> each = local) {
  std::vector<place> seen(all[0]);
  buffer<place> b(seen);
  q.submit([&](handler& h) {
    accessor o(b, h, write_only);
    h.parallel_for(nd_range<1>(all, each), [=](nd_item<1> it) {
      const sub_group sg = it.get_sub_group();
      o[it.get_global_id()] = {sg.get_local_linear_id(), sg.get_group_linear_id(),
                               sg.get_local_linear_range(), sg.get_group_linear_range(),
                               std::uint32_t(sg.get_max_local_range()[0])};
    });
  });
  host_accessor done(b, read_only);
  return {done.begin(), done.end()};
}

/// Runs `kernel(nd_item, values, results)` with the common launch size: element i belongs to work-item i.
template <typename Result, typename T, typename Kernel>
std::vector<Result> run(queue& q, const std::vector<T>& values, Kernel kernel) {
  buffer<T> in{range<1>(items)}; // not from the vector: std::vector<bool> has no elements to point to
  buffer<Result> out{range<1>(items)};
  {
    host_accessor fill(in, write_only);
    std::copy(values.begin(), values.end(), fill.begin());
  }
  q.submit([&](handler& h) {
    accessor i(in, h, read_only);
    accessor o(out, h, write_only);
    h.parallel_for(nd_range<1>(items, local), [=](nd_item<1> it) {
      const T own = i[it.get_global_id()];
      o[it.get_global_id()] = kernel(it, own);
    });
  });
  host_accessor done(out, read_only);
  return {done.begin(), done.end()};
}

/// First work-item and number of work-items of the group that contains item i.
struct extent {
  int first, count;
};
extent work_group_of(int i, const std::vector<place>&) { return {i / local * local, local}; }
extent sub_group_of(int i, const std::vector<place>& seen) {
  return {i - int(seen[i].lane), int(seen[i].lanes)};
}

TEST(sub_group, ids_cover_every_work_group) {
  queue q;
  const auto sizes = q.get_device().get_info<info::device::sub_group_sizes>();
  const auto seen = places(q);
  for (int i = 0; i < items; ++i) {
    const place& p = seen[i];
    EXPECT_EQ(std::count(sizes.begin(), sizes.end(), p.largest), 1) << p.largest;
    EXPECT_LT(p.lane, p.lanes);
    EXPECT_LE(p.lanes, p.largest);
    EXPECT_EQ(p.sub_groups, (local + p.largest - 1) / p.largest);
    EXPECT_EQ(p.sub_group * p.largest + p.lane, std::uint32_t(i % local)); // consecutive work-items
  }
}

/// The ids of each work-item of a single group of this shape.
template <int Dimensions>
void expect_consecutive(queue& q, range<Dimensions> shape) {
  const std::size_t n = shape.size();
  std::vector<place> seen(n);
  std::vector<std::uint32_t> next(n), ids(n);
  {
    buffer<place> b(seen);
    buffer<std::uint32_t> c(next), d(ids);
    q.submit([&](handler& h) {
      accessor o(b, h, write_only);
      accessor following(c, h, write_only), linear(d, h, write_only);
      h.parallel_for(nd_range<Dimensions>(shape, shape), [=](nd_item<Dimensions> it) {
        const sub_group sg = it.get_sub_group();
        const std::uint32_t at = std::uint32_t(it.get_local_linear_id());
        o[at] = {sg.get_local_linear_id(), sg.get_group_linear_id(), sg.get_local_linear_range(),
                 sg.get_group_linear_range(), std::uint32_t(sg.get_max_local_range()[0])};
        following[at] = shift_group_left(sg, at, 1);
        std::size_t folded = 0;
        for (int k = 0; k < Dimensions; ++k) folded = folded * it.get_local_range(k) + it.get_local_id(k);
        linear[at] = std::uint32_t(folded);
      });
    });
  }
  for (std::size_t i = 0; i < n; ++i) {
    const place& p = seen[i];
    const std::size_t first = i / p.largest * p.largest;
    ASSERT_EQ(p.sub_group * p.largest + p.lane, i) << n;
    ASSERT_EQ(p.sub_groups, (n + p.largest - 1) / p.largest) << n;
    ASSERT_EQ(p.lanes, std::min<std::size_t>(p.largest, n - first)) << n;
    ASSERT_EQ(ids[i], i);
    if (p.lane + 1 < p.lanes) ASSERT_EQ(next[i], i + 1);
  }
}

TEST(sub_group, holds_consecutive_work_items_in_every_group_shape) {
  queue q;
  const std::size_t most = q.get_device().get_info<info::device::max_work_group_size>();
  for (const range<1> shape : {range<1>(1), range<1>(13), range<1>(72), range<1>(128)})
    expect_consecutive(q, shape);
  for (const range<2> shape : {range<2>(16, 1), range<2>(1, 16), range<2>(8, 2), range<2>(3, 12),
                               range<2>(4, 4), range<2>(5, 7), range<2>(128, 1), range<2>(2, 100)})
    if (shape.size() <= most) expect_consecutive(q, shape);
  for (const range<3> shape :
       {range<3>(2, 3, 4), range<3>(16, 1, 1), range<3>(1, 16, 1), range<3>(5, 3, 5), range<3>(4, 4, 8)})
    if (shape.size() <= most) expect_consecutive(q, shape);
}

/// PRISM passes a required work-group size to the driver as one dimension as well.
TEST(sub_group, holds_consecutive_work_items_of_a_required_shape) {
  queue q;
  std::vector<std::uint32_t> seen(36 * 4);
  {
    buffer<std::uint32_t> b(seen);
    q.submit([&](handler& h) {
      accessor o(b, h, write_only);
      h.parallel_for(nd_range<2>({6, 24}, {3, 12}), [=](nd_item<2> it) [[sycl::reqd_work_group_size(3, 12)]] {
        const sub_group sg = it.get_sub_group();
        o[it.get_global_linear_id()] =
            sg.get_group_linear_id() * std::uint32_t(sg.get_max_local_range()[0]) + sg.get_local_linear_id();
      });
    });
  }
  for (std::uint32_t y = 0; y < 6; ++y)
    for (std::uint32_t x = 0; x < 24; ++x) EXPECT_EQ(seen[y * 24 + x], y % 3 * 12 + x % 12) << y << ' ' << x;
}

TEST(sub_group, has_the_largest_size_that_the_device_lists) {
  queue q;
  const auto sizes = q.get_device().get_info<info::device::sub_group_sizes>();
  for (const place& p : places(q)) ASSERT_EQ(p.largest, *std::max_element(sizes.begin(), sizes.end()));
}

/// llvmpipe's vectors are its sub-groups: LP_NATIVE_VECTOR_WIDTH gives their bits, so one driver has several
/// sizes.
TEST(sub_group, has_the_size_of_the_drivers_vectors) {
  queue q;
  const char* bits = std::getenv("LP_NATIVE_VECTOR_WIDTH");
  if (!bits || q.get_device().get_info<info::device::name>().find("llvmpipe") == std::string::npos)
    GTEST_SKIP() << "LP_NATIVE_VECTOR_WIDTH is not set, or the device is not llvmpipe";
  const std::uint32_t size = std::uint32_t(std::atoi(bits)) / 32;
  EXPECT_EQ(q.get_device().get_info<info::device::sub_group_sizes>(), std::vector<std::size_t>{size});
  for (const place& p : places(q)) ASSERT_EQ(p.largest, size);
}

/// Programs rely on this order where they should have a barrier; docs/support.md says where it is kept.
TEST(sub_group, what_one_work_item_does_alone_follows_what_all_did_before) {
  SKIP_UNLESS_COMPILED("where only one work-item of a sub-group goes on");
  if (const char* form = std::getenv("PRISM_HOST_KERNELS"); form && std::string(form) == "fibers")
    GTEST_SKIP() << "work-items are fibers (PRISM_HOST_KERNELS)";
  queue q;
  const auto seen = places(q);
  buffer<int> stored{range<1>(items)}, sums{range<1>(items)};
  q.submit([&](handler& h) {
    accessor o(stored, h), t(sums, h);
    h.parallel_for(nd_range<1>(items, local), [=](nd_item<1> it) {
      const sub_group sg = it.get_sub_group();
      const int lane = int(sg.get_local_linear_id()), lanes = int(sg.get_local_linear_range());
      const int own = int(it.get_global_linear_id()), first = own - lane;
      o[own] = -1;
      group_barrier(sg);
      if (lane % 3 != 1) o[own] = lane;
      t[own] = 0;
      if (lane == 0) {
        for (int i = 0; i < lanes; ++i) t[first] += o[first + i];
        o[first + lanes - 1] = 1000;
      }
    });
  });
  const host_accessor o(stored, read_only), t(sums, read_only);
  for (int i = 0; i < items; ++i) {
    const int lane = int(seen[i].lane), lanes = int(seen[i].lanes);
    int sum = 0;
    for (int k = 0; k < lanes; ++k) sum += k % 3 != 1 ? k : -1;
    EXPECT_EQ(o[i], lane == lanes - 1 ? 1000 : lane % 3 != 1 ? lane : -1) << i;
    EXPECT_EQ(t[i], lane == 0 ? sum : 0) << i;
  }
}

TEST(group_functions, fold_and_scan_groups_of_two_dimensions_in_linear_order) {
  queue q;
  constexpr int rows = 9, columns = 7;
  std::vector<int> sums(rows * columns), totals(rows * columns);
  {
    buffer<int> b(sums), c(totals);
    q.submit([&](handler& h) {
      accessor o(b, h, write_only), t(c, h, write_only);
      h.parallel_for(nd_range<2>({rows, columns}, {rows, columns}), [=](nd_item<2> it) {
        const int at = int(it.get_local_linear_id());
        o[at] = inclusive_scan_over_group(it.get_group(), at + 1, plus<int>());
        t[at] = reduce_over_group(it.get_group(), at + 1, plus<int>());
      });
    });
  }
  for (int i = 0; i < rows * columns; ++i) {
    EXPECT_EQ(sums[i], (i + 1) * (i + 2) / 2) << i;
    EXPECT_EQ(totals[i], rows * columns * (rows * columns + 1) / 2) << i;
  }
}

template <typename T>
struct traits {
  static T value(int i) { return T(i * 7 % 5 + 1); }
};
template <>
struct traits<bool> {
  static bool value(int i) { return i % 9 != 4; }
};
template <typename T, int N>
struct traits<vec<T, N>> {
  static vec<T, N> value(int i) {
    vec<T, N> v;
    for (int e = 0; e < N; ++e) v[e] = traits<T>::value(i + e);
    return v;
  }
};
template <typename T, std::size_t N>
struct traits<marray<T, N>> {
  static marray<T, N> value(int i) {
    marray<T, N> v;
    for (std::size_t e = 0; e < N; ++e) v[e] = traits<T>::value(i + int(e));
    return v;
  }
};

template <typename T>
bool same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}
template <typename T>
bool same(const vec<T, 3>& a, const vec<T, 3>& b) { // the fourth element is padding
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

template <typename T>
std::vector<T> values_of() {
  std::vector<T> values(items);
  for (int i = 0; i < items; ++i) values[i] = traits<T>::value(i);
  return values;
}

template <typename T>
struct three {
  T reduced, inclusive, exclusive;
};

template <typename T, typename Op, typename Group, typename Extent>
void check_algorithms(queue& q, Op op, Group group_of, Extent extent_of, const char* what) {
  const auto values = values_of<T>();
  const auto seen = places(q);
  const T init = traits<T>::value(3);
  const auto results = run<three<T>>(q, values, [=](nd_item<1> it, const T& own) {
    const auto g = group_of(it);
    return three<T>{reduce_over_group(g, own, op), inclusive_scan_over_group(g, own, op),
                    exclusive_scan_over_group(g, own, init, op)};
  });
  for (int i = 0; i < items; ++i) {
    const extent e = extent_of(i, seen);
    T total = values[e.first], before = init, up_to = values[e.first];
    for (int k = e.first + 1; k < e.first + e.count; ++k) total = op(total, values[k]);
    for (int k = e.first + 1; k <= i; ++k) up_to = op(up_to, values[k]);
    for (int k = e.first; k < i; ++k) before = op(before, values[k]);
    ASSERT_TRUE(same(results[i].reduced, total)) << what << " reduce, item " << i;
    ASSERT_TRUE(same(results[i].inclusive, up_to)) << what << " inclusive scan, item " << i;
    ASSERT_TRUE(same(results[i].exclusive, before)) << what << " exclusive scan, item " << i;
  }
}

template <typename T, typename Op>
void check_both_groups(queue& q, Op op, const char* what) {
  check_algorithms<T>(q, op, [](nd_item<1> it) { return it.get_group(); }, work_group_of, what);
  check_algorithms<T>(q, op, [](nd_item<1> it) { return it.get_sub_group(); }, sub_group_of, what);
}

TEST(group_algorithms, combine_integers_by_every_operation) {
  queue q;
  check_both_groups<int>(q, plus<>(), "plus");
  check_both_groups<std::uint32_t>(q, multiplies<std::uint32_t>(), "multiplies");
  check_both_groups<std::int64_t>(q, minimum<>(), "minimum");
  check_both_groups<std::uint8_t>(q, maximum<std::uint8_t>(), "maximum");
  check_both_groups<std::uint16_t>(q, bit_and<>(), "bit_and");
  check_both_groups<std::uint64_t>(q, bit_or<>(), "bit_or");
  check_both_groups<int>(q, bit_xor<int>(), "bit_xor");
  check_both_groups<bool>(q, logical_and<bool>(), "logical_and");
  check_both_groups<bool>(q, logical_or<bool>(), "logical_or");
}

TEST(group_algorithms, combine_floats_halves_and_arrays) {
  queue q;
  check_both_groups<float>(q, plus<float>(), "float");
  check_both_groups<vec<int, 3>>(q, plus<>(), "int3");
  check_both_groups<vec<float, 4>>(q, maximum<>(), "float4");
  check_both_groups<marray<short, 5>>(q, plus<>(), "marray");
  check_both_groups<half>(q, minimum<>(), "half");
}

TEST(group_algorithms, combine_doubles) {
  queue q;
  SKIP_WITHOUT(q, fp64);
  check_both_groups<double>(q, plus<>(), "double");
}

// Not commutative: composition of x -> a x + b, modulo 2^32.
struct affine {
  std::uint32_t a, b;
};
template <>
struct traits<affine> {
  static affine value(int i) { return {std::uint32_t(2 * i + 1), std::uint32_t(i)}; }
};

TEST(group_algorithms, keep_the_order_of_user_types) {
  queue q;
  check_both_groups<affine>(
      q, [](const affine& f, const affine& g) { return affine{f.a * g.a, f.b * g.a + g.b}; }, "affine");
}

TEST(group_algorithms, follow_each_other_without_barriers_between) {
  queue q;
  // Oclgrind finds a race of two phases in a group of any size, and interprets each access.
  const std::size_t most =
      prism_test::name_of(q.get_device()).find("Oclgrind") != std::string::npos ? 128 : 1024;
  const std::size_t local = std::min(most, q.get_device().get_info<info::device::max_work_group_size>());
  constexpr std::uint32_t rounds = 5;
  std::vector<std::uint64_t> sums(2 * local);
  {
    buffer<std::uint64_t> out(sums.data(), sums.size());
    q.submit([&](handler& h) {
      accessor to(out, h, write_only, no_init);
      h.parallel_for(nd_range<1>(sums.size(), local), [=](nd_item<1> it) {
        const auto g = it.get_group();
        const std::uint32_t i = std::uint32_t(it.get_local_id(0));
        std::uint64_t sum = 0;
        for (std::uint32_t r = 0; r < rounds; ++r) {
          sum = sum * 3 + reduce_over_group(g, i + r, plus<>());
          sum = sum * 3 + exclusive_scan_over_group(g, std::uint64_t(i) * r, plus<>());
          sum = sum * 3 + group_broadcast(g, 3 * i + r, 7 * r);
          sum = sum * 3 + inclusive_scan_over_group(g, i, plus<>());
          sum = sum * 3 + std::uint64_t(any_of_group(g, i == local - r));
          sum = sum * 3 + reduce_over_group(g, std::uint64_t(i) << 32, maximum<>());
        }
        to[it.get_global_id(0)] = sum;
      });
    });
  }
  const std::uint64_t n = local;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const std::uint64_t i = k % local;
    std::uint64_t sum = 0;
    for (std::uint64_t r = 0; r < rounds; ++r) {
      sum = sum * 3 + n * (n - 1) / 2 + n * r;
      sum = sum * 3 + i * (i - 1) / 2 * r;
      sum = sum * 3 + 22 * r;
      sum = sum * 3 + i * (i + 1) / 2;
      sum = sum * 3 + (r != 0);
      sum = sum * 3 + ((n - 1) << 32);
    }
    ASSERT_EQ(sums[k], sum) << "work-item " << k;
  }
}

TEST(reductions, over_work_groups_of_the_largest_size) {
  queue q;
  const std::size_t local =
      std::min<std::size_t>(1024, q.get_device().get_info<info::device::max_work_group_size>());
  std::int64_t sum = 5, largest = -1;
  {
    buffer<std::int64_t> sums(&sum, 1), most(&largest, 1);
    q.submit([&](handler& h) {
      h.parallel_for(nd_range<1>(3 * local, local), reduction(sums, h, plus<>()),
                     reduction(most, h, maximum<>()), [=](nd_item<1> it, auto& total, auto& most_of_all) {
        const auto i = std::int64_t(it.get_global_id(0));
        total += i;
        most_of_all.combine(i * 7919 % 3067);
      });
    });
  }
  std::int64_t expected = 5, expected_largest = -1;
  for (std::int64_t i = 0; i < std::int64_t(3 * local); ++i) {
    expected += i;
    expected_largest = std::max(expected_largest, i * 7919 % 3067);
  }
  EXPECT_EQ(sum, expected);
  EXPECT_EQ(largest, expected_largest);
}

/// What a work-item of a launch with more work-groups than start at once learns from its item and from free
/// functions, and what it reads from its neighbour by local memory.
struct group_facts {
  std::uint64_t group, groups, global, free_group, free_global, neighbour;
};
template <int D>
void expect_every_group(sycl::nd_range<D> launch) {
  sycl::queue q;
  const std::size_t n = launch.get_global_range().size(), local = launch.get_local_range().size();
  sycl::buffer<group_facts> all{sycl::range<1>(n)};
  sycl::buffer<std::uint64_t> sum{sycl::range<1>(1)}, most{sycl::range<1>(1)};
  const sycl::property_list fresh{sycl::property::reduction::initialize_to_identity()};
  q.submit([&](sycl::handler& h) {
    sycl::accessor out(all, h, sycl::write_only, sycl::no_init);
    sycl::local_accessor<std::uint64_t> exchanged(sycl::range<1>(local), h);
    h.parallel_for(launch, sycl::reduction(sum, h, sycl::plus<std::uint64_t>(), fresh),
                   sycl::reduction(most, h, sycl::maximum<std::uint64_t>(), fresh),
                   [=](sycl::nd_item<D> it, auto& total, auto& largest) {
      const std::size_t self = it.get_local_linear_id(), place = it.get_global_linear_id();
      exchanged[self] = 3 * place;
      sycl::group_barrier(it.get_group());
      const auto same = sycl::ext::oneapi::this_work_item::get_nd_item<D>();
      out[place] = {it.get_group_linear_id(),   it.get_group_range().size(), place,
                    same.get_group_linear_id(), same.get_global_linear_id(), exchanged[local - 1 - self]};
      total += place;
      largest.combine(place);
    });
  });
  const sycl::host_accessor seen(all, sycl::read_only);
  std::vector<std::uint64_t> base(n / local, n); // of the group's items: their lowest sum with the neighbour
  for (std::size_t i = 0; i < n; ++i) {
    const group_facts& each = seen[i];
    EXPECT_EQ(each.global, i);
    EXPECT_EQ(each.free_global, i);
    EXPECT_EQ(each.groups, n / local);
    EXPECT_EQ(each.free_group, each.group);
    ASSERT_LT(each.group, n / local);
    const std::uint64_t pair = each.neighbour / 3 + i; // the same for all items of the group
    if (base[each.group] == n) base[each.group] = pair;
    ASSERT_EQ(base[each.group], pair) << "item " << i;
  }
  EXPECT_EQ(sycl::host_accessor(sum)[0], std::uint64_t(n) * (n - 1) / 2);
  EXPECT_EQ(sycl::host_accessor(most)[0], n - 1);
}

TEST(reductions, over_more_work_groups_than_start_at_once) {
  expect_every_group<1>({sycl::range<1>(32768), sycl::range<1>(16)});
  expect_every_group<2>({sycl::range<2>(128, 64), sycl::range<2>(2, 4)});
  expect_every_group<3>({sycl::range<3>(16, 32, 32), sycl::range<3>(1, 4, 2)});
}

TEST(reductions, over_more_work_groups_without_barriers) {
  sycl::queue q;
  constexpr std::size_t n = 100000;
  sycl::buffer<float> sum{sycl::range<1>(1)};
  sycl::buffer<int> groups{sycl::range<1>(n / 5)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor out(groups, h, sycl::write_only, sycl::no_init);
    h.parallel_for(
        sycl::nd_range<1>(n, 5),
        sycl::reduction(sum, h, sycl::plus<>(), sycl::property::reduction::initialize_to_identity()),
        [=](sycl::nd_item<1> it, auto& total) {
      if (it.get_local_id(0) == 4) out[it.get_group(0)] = int(it.get_global_id(0));
      if (it.get_global_id(0) % 3 == 0) return;
      total += 1.0f;
    });
  });
  EXPECT_EQ(sycl::host_accessor(sum)[0], float(n - (n + 2) / 3));
  const sycl::host_accessor last(groups, sycl::read_only);
  for (std::size_t g = 0; g < n / 5; ++g) ASSERT_EQ(last[g], int(5 * g + 4));
}

TEST(group_functions, broadcast_structs) {
  queue q;
  struct wide {
    int number;
    char text[19];
  };
  std::vector<wide> values(items);
  for (int i = 0; i < items; ++i) values[i] = {i, "eighteen letters.."};
  const auto seen = places(q);
  const auto whole = run<wide>(
      q, values, [](nd_item<1> it, const wide& own) { return group_broadcast(it.get_group(), own, 70); });
  const auto part = run<wide>(
      q, values, [](nd_item<1> it, const wide& own) { return group_broadcast(it.get_sub_group(), own); });
  for (int i = 0; i < items; ++i) {
    EXPECT_EQ(whole[i].number, i / local * local + 70);
    EXPECT_EQ(part[i].number, i - int(seen[i].lane));
    EXPECT_STREQ(whole[i].text, "eighteen letters..");
    EXPECT_STREQ(part[i].text, "eighteen letters..");
  }
}

TEST(group_functions, ask_any_all_none) {
  queue q;
  const auto seen = places(q);
  std::vector<int> values(items);
  for (int i = 0; i < items; ++i) values[i] = i;
  const auto answers = run<int>(q, values, [](nd_item<1> it, int own) {
    const auto g = it.get_group();
    const auto s = it.get_sub_group();
    const auto late = [](int v) { return v >= 100; };
    return any_of_group(g, own, late) + 2 * all_of_group(g, own >= 100) + 4 * none_of_group(g, own, late) +
           8 * any_of_group(s, own >= 100) + 16 * all_of_group(s, own, late) +
           32 * none_of_group(s, own >= 100);
  });
  for (int i = 0; i < items; ++i) {
    const auto expected = [&](extent e) {
      int late = 0;
      for (int k = e.first; k < e.first + e.count; ++k) late += k >= 100;
      return (late > 0) + 2 * (late == e.count) + 4 * (late == 0);
    };
    EXPECT_EQ(answers[i], expected(work_group_of(i, seen)) + 8 * expected(sub_group_of(i, seen))) << i;
  }
}

template <typename T>
struct shuffled {
  T left, right, swapped, chosen;
};

template <typename T>
void check_shuffles(queue& q) {
  const auto values = values_of<T>();
  const auto seen = places(q);
  const auto results = run<shuffled<T>>(q, values, [](nd_item<1> it, const T& own) {
    const sub_group g = it.get_sub_group();
    return shuffled<T>{shift_group_left(g, own, 2), shift_group_right(g, own),
                       permute_group_by_xor(g, own, 1),
                       select_from_group(g, own, g.get_local_linear_range() - 1 - g.get_local_linear_id())};
  });
  for (int i = 0; i < items; ++i) {
    const int lane = int(seen[i].lane), lanes = int(seen[i].lanes);
    if (lane + 2 < lanes) EXPECT_TRUE(same(results[i].left, values[i + 2])) << i;
    if (lane >= 1) EXPECT_TRUE(same(results[i].right, values[i - 1])) << i;
    if ((lane ^ 1) < lanes) EXPECT_TRUE(same(results[i].swapped, values[i - lane + (lane ^ 1)])) << i;
    EXPECT_TRUE(same(results[i].chosen, values[i - lane + lanes - 1 - lane])) << i;
  }
}

TEST(group_functions, shuffle_every_type_inside_a_sub_group) {
  queue q;
  check_shuffles<std::int8_t>(q);
  check_shuffles<std::uint16_t>(q);
  check_shuffles<float>(q);
  check_shuffles<std::int64_t>(q);
  check_shuffles<vec<int, 4>>(q);
  check_shuffles<affine>(q);
}

TEST(group_functions, work_in_branches_that_whole_sub_groups_take) {
  queue q;
  const auto seen = places(q);
  std::vector<int> values(items, 1);
  const auto sums = run<int>(q, values, [](nd_item<1> it, int own) {
    const sub_group g = it.get_sub_group();
    int sum = -1;
    if (g.get_group_linear_id() == 0) {
      for (int round = 0; round < 3; ++round) sum = reduce_over_group(g, own + (sum > 0), plus<>());
    }
    return sum;
  });
  for (int i = 0; i < items; ++i) {
    const int lanes = int(seen[i].lanes);
    EXPECT_EQ(sums[i], seen[i].sub_group == 0 ? 2 * lanes : -1) << i;
  }
}

TEST(group_algorithms, work_in_three_dimensions_by_linear_id) {
  queue q;
  std::vector<int> out(240, -1);
  {
    buffer<int> b(out);
    q.submit([&](handler& h) {
      accessor o(b, h);
      h.parallel_for(nd_range<3>({2, 6, 20}, {2, 3, 5}), [=](nd_item<3> it) {
        const auto g = it.get_group();
        const int before = exclusive_scan_over_group(g, 1, plus<>());
        const int corner = group_broadcast(g, int(g.get_local_linear_id()), id<3>(1, 2, 3));
        o[it.get_global_linear_id()] = before == int(it.get_local_linear_id()) ? corner : -2;
      });
    });
  }
  EXPECT_EQ(out, std::vector<int>(240, 1 * 15 + 2 * 5 + 3));
}

TEST(joint_algorithms, over_global_memory_of_any_length) {
  queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  for (int n : {0, 1, 5, 64, 1000}) {
    std::vector<int> in(n + 1), out(4 * (n + 1), -1);
    std::iota(in.begin(), in.end(), 1);
    int facts[5] = {};
    int* data = malloc_device<int>(n + 1, q);
    int* results = malloc_device<int>(4 * (n + 1), q);
    int* answers = malloc_device<int>(5, q);
    q.copy(in.data(), data, n + 1).wait();
    q.parallel_for(nd_range<1>(40, 40), [=](nd_item<1> it) {
      const auto g = it.get_group();
      const int total = joint_reduce(g, data, data + n, 1000, plus<int>());
      const bool any = joint_any_of(g, data, data + n, [](int v) { return v == 5; });
      const bool all = joint_all_of(g, data, data + n, [](int v) { return v > 0; });
      const bool none = joint_none_of(g, data, data + n, [](int v) { return v > 3; });
      joint_exclusive_scan(g, data, data + n, results, 7, plus<int>());
      joint_inclusive_scan(g, data, data + n, results + (n + 1), plus<int>(), 7);
      int* end = joint_exclusive_scan(g, data, data + n, results + 2 * (n + 1), plus<int>());
      joint_inclusive_scan(g, data, data + n, results + 3 * (n + 1), maximum<int>());
      if (g.leader()) {
        answers[0] = total;
        answers[1] = any;
        answers[2] = all;
        answers[3] = none;
        answers[4] = int(end - results) - 2 * (n + 1);
      }
    }).wait();
    q.copy(results, out.data(), out.size()).wait();
    q.copy(answers, facts, 5).wait();
    EXPECT_EQ(facts[0], 1000 + n * (n + 1) / 2);
    EXPECT_EQ(facts[1], n >= 5);
    EXPECT_EQ(facts[2], 1);
    EXPECT_EQ(facts[3], n <= 3);
    EXPECT_EQ(facts[4], n);
    for (int i = 0; i < n; ++i) {
      ASSERT_EQ(out[i], 7 + i * (i + 1) / 2) << n;
      ASSERT_EQ(out[n + 1 + i], 7 + (i + 1) * (i + 2) / 2) << n;
      ASSERT_EQ(out[2 * (n + 1) + i], i * (i + 1) / 2) << n;
      ASSERT_EQ(out[3 * (n + 1) + i], i + 1) << n;
    }
    for (int* p : {data, results, answers}) free(p, q);
  }
}

TEST(joint_algorithms, need_no_identity_with_init) {
  queue q;
  std::vector<int> in(300);
  std::iota(in.begin(), in.end(), 0);
  std::vector<int> out(300);
  int largest = 0;
  {
    buffer<int> bi(in), bo(out), bl(&largest, 1);
    q.submit([&](handler& h) {
      accessor<int, 1, access_mode::read> i(bi, h);
      accessor<int, 1, access_mode::write> o(bo, h), l(bl, h);
      h.parallel_for(nd_range<1>(512, 512 / 4), [=](nd_item<1> it) {
        if (it.get_group_linear_id() != 0) return;
        const auto g = it.get_group();
        const auto further = [](int a, int b) { return a > b ? a : b; };
        const auto first = i.get_multi_ptr<access::decorated::no>();
        const int found = joint_reduce(g, first, first + 100, -5, further);
        joint_exclusive_scan(g, first, first + 300, o.get_multi_ptr<access::decorated::no>(), 50, further);
        if (g.leader()) l[0] = found;
      });
    });
  }
  EXPECT_EQ(largest, 99);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(out[i], std::max(50, i - 1));
}

} // namespace
