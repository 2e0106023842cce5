// Groups that are a team of work-items times a vector, as libraries start them: local size (team, vector),
// mostly (team, 1). Each work-item's values and those of its sub-group are compared with plain C++.
#include "tests/sycl/common.hpp"

#include <numeric>

namespace {

struct shape {
  std::size_t team, vector;
};

/// `body(item, local)` for each work-item of three groups.
template <typename Body>
std::vector<int> run(shape of, Body body) {
  constexpr std::size_t groups = 3;
  sycl::queue q;
  sycl::buffer<int> out{sycl::range<1>(groups * of.team * of.vector)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor o(out, h, sycl::write_only, sycl::no_init);
    sycl::local_accessor<int> l(sycl::range<1>(of.team * of.vector), h);
    const sycl::nd_range<2> two({groups * of.team, of.vector}, {of.team, of.vector});
    h.parallel_for(two, [=](sycl::nd_item<2> i) { o[i.get_global_linear_id()] = body(i, l); });
  });
  sycl::host_accessor a(out, sycl::read_only);
  return {a.begin(), a.end()};
}

/// Sizes of a team whose groups a device takes: a part of a sub-group, some of them and a rest.
std::vector<shape> shapes() {
  std::vector<shape> out;
  const std::size_t most = sycl::device().get_info<sycl::info::device::max_work_group_size>();
  for (const shape each :
       {shape{1, 1}, {7, 1}, {32, 1}, {48, 1}, {100, 1}, {256, 1}, {24, 2}, {9, 4}, {8, 8}, {7, 5}, {1, 40}})
    if (each.team * each.vector <= most) out.push_back(each);
  return out;
}

TEST(teams, the_ids_of_a_team_of_one_column_are_those_of_the_launch) {
  for (const shape of : shapes()) {
    const auto seen = run(of, [](sycl::nd_item<2> i, const auto& l) {
      const int team = int(i.get_local_range(0)), vector = int(i.get_local_range(1));
      const int rank = int(i.get_local_id(0)), lane = int(i.get_local_id(1));
      l[rank * vector + lane] = rank + 1000 * lane;
      sycl::group_barrier(i.get_group());
      const int next = l[(rank + 1) % team * vector + (lane + 1) % vector];
      return next + int(i.get_local_linear_id()) * 7 + int(i.get_group(0)) * 3 + int(i.get_global_range(0)) +
             int(i.get_global_id(0)) * 5;
    });
    const int team = int(of.team), vector = int(of.vector);
    for (int at = 0; at < int(seen.size()); ++at) {
      const int group = at / (team * vector), local = at % (team * vector), rank = local / vector,
                lane = local % vector;
      ASSERT_EQ(seen[at], (rank + 1) % team + 1000 * ((lane + 1) % vector) + local * 7 + group * 3 +
                              3 * team + (group * team + rank) * 5)
          << team << " x " << vector << " at " << at;
    }
  }
}

TEST(teams, a_team_adds_up_by_shuffles_in_a_loop_and_by_its_sub_groups) {
  for (const shape of : shapes()) {
    const auto seen = run(of, [](sycl::nd_item<2> i, const auto& l) {
      const auto sg = i.get_sub_group();
      const unsigned size = sg.get_local_range()[0], lane = sg.get_local_id()[0];
      int value = int(i.get_local_linear_id()) + 1 + int(i.get_local_range(1)) * 0;
      for (unsigned shift = 1; shift < size; shift <<= 1) {
        const int other = sycl::shift_group_left(sg, value, shift);
        if (lane + shift < size) value += other;
      }
      value = sycl::select_from_group(sg, value, 0);
      if (lane == 0) l[sg.get_group_id()[0]] = value;
      sycl::group_barrier(i.get_group());
      int all = 0;
      for (unsigned g = 0; g < sg.get_group_range()[0]; ++g) all += l[g];
      return all;
    });
    const int items = int(of.team * of.vector);
    for (const int each : seen) ASSERT_EQ(each, items * (items + 1) / 2) << of.team << " x " << of.vector;
  }
}

/// Every number of iterations of a work-item: none, one, a few, some that only the first work-items execute.
TEST(teams, a_team_adds_up_numbers_by_its_linear_id_and_every_member_gets_the_sum) {
  for (const shape of : shapes())
    for (const int extra : {-3, 0, 5})
      for (const int times : {0, 1, 2, 5, 8}) {
        const int n = std::max(0, times * int(of.team * of.vector) + extra);
        const auto seen = run(of, [n](sycl::nd_item<2> i, const auto& l) {
          const auto sg = i.get_sub_group();
          const unsigned size = sg.get_local_range()[0], lane = sg.get_local_id()[0];
          const auto vector = i.get_local_range(1), step = i.get_local_range(0) * vector;
          unsigned sum = 0;
          for (int k = int(i.get_local_id(0) * vector + i.get_local_id(1)); k < n; k += int(step))
            sum += unsigned(k) * 5 + 1;
          for (unsigned shift = 1; shift < size; shift <<= 1) {
            const unsigned other = sycl::shift_group_left(sg, sum, shift);
            if (lane + shift < size) sum += other;
          }
          sum = sycl::select_from_group(sg, sum, 0);
          if (lane == 0) l[sg.get_group_id()[0]] = int(sum);
          sycl::group_barrier(i.get_group());
          unsigned all = 0;
          for (unsigned g = 0; g < sg.get_group_range()[0]; ++g) all += unsigned(l[g]);
          return int(all + (i.get_local_linear_id() == 0 ? sum - unsigned(l[0]) : 0));
        });
        const unsigned all = unsigned(n) * unsigned(std::max(0, n - 1)) / 2 * 5 + unsigned(n);
        for (const int each : seen)
          ASSERT_EQ(unsigned(each), all) << of.team << " x " << of.vector << ": " << n;
      }
}

TEST(teams, shuffles_to_the_right_keep_the_values_before_them) {
  for (const shape of : shapes()) {
    const auto seen = run(of, [](sycl::nd_item<2> i, const auto&) {
      const auto sg = i.get_sub_group();
      const unsigned size = sg.get_local_range()[0], lane = sg.get_local_id()[0];
      int value = int(lane) + 1 + int(i.get_local_range(1)) * 0;
      for (unsigned shift = 1; shift < size; shift <<= 1) {
        const int other = sycl::shift_group_right(sg, value, shift);
        if (lane >= shift) value += other;
      }
      return value - int((lane + 1) * (lane + 2) / 2); // the sum of 1 .. lane + 1
    });
    for (const int each : seen) ASSERT_EQ(each, 0) << of.team << " x " << of.vector;
  }
}

TEST(teams, values_of_a_sub_group_survive_barriers_of_the_group) {
  for (const shape of : shapes()) {
    const auto seen = run(of, [](sycl::nd_item<2> i, const auto& l) {
      const auto sg = i.get_sub_group();
      // The same in a sub-group, other ones in others, and changed between barriers of the group.
      unsigned mine = sg.get_group_id()[0] * 100;
      const unsigned size = sg.get_local_range()[0];
      const unsigned me = i.get_local_linear_id(), items = i.get_local_range().size();
      unsigned sum = 0;
      for (int round = 0; round < 3; ++round) {
        l[me] = int(mine);
        sycl::group_barrier(i.get_group());
        mine += size + unsigned(round);
        sum += unsigned(l[(me + 1) % items]);
        sycl::group_barrier(sg);
        sum += sycl::group_broadcast(sg, sum * 0 + mine);
        sycl::group_barrier(i.get_group());
      }
      return int(sum * 16 + mine % 16 + unsigned(i.get_local_range(1)) * 0);
    });
    const unsigned items = unsigned(of.team * of.vector);
    sycl::device device;
    const auto sizes = device.get_info<sycl::info::device::sub_group_sizes>();
    const unsigned widest = unsigned(*std::max_element(sizes.begin(), sizes.end()));
    if (items > widest && items % widest != 0) continue; // the rest is smaller: a size of its own
    const unsigned size = std::min(items, widest);
    for (unsigned me = 0; me < items; ++me) {
      unsigned sum = 0, mine = me / size * 100, next = (me + 1) % items / size * 100;
      for (unsigned round = 0; round < 3; ++round) {
        sum += next;
        mine += size + round, next += size + round;
        sum += mine;
      }
      ASSERT_EQ(unsigned(seen[me]), sum * 16 + mine % 16) << of.team << " x " << of.vector << " at " << me;
    }
  }
}

TEST(teams, lanes_of_a_vector_add_up_by_shuffles_and_know_their_ids_after_each) {
  const auto sizes = sycl::device().get_info<sycl::info::device::sub_group_sizes>();
  const std::size_t widest = *std::max_element(sizes.begin(), sizes.end());
  for (const shape of : shapes()) {
    if (widest % of.vector != 0) continue; // a vector lies in one sub-group
    const auto seen = run(of, [](sycl::nd_item<2> i, const auto& l) {
      const auto sg = i.get_sub_group();
      const int rank = int(i.get_local_id(0)), lane = int(i.get_local_id(1));
      const int team = int(i.get_local_range(0)), vector = int(i.get_local_range(1));
      int sum = 0;
      for (int n = 0; n < 3; ++n) {
        for (int k = lane; k < 11; k += vector) sum += k * (rank + n);
        for (int far = vector; (far >>= 1) != 0;) {
          const int other = sycl::shift_group_left(sg, sum, far);
          if (lane < far) sum += other;
        }
        sum = sycl::select_from_group(sg, sum, sg.get_local_id()[0] / vector * vector);
        l[rank * vector + lane] = sum;
        sycl::group_barrier(i.get_group());
        sum += l[(rank + 1) % team * vector + lane];
        sycl::group_barrier(i.get_group());
        if (lane != 0) sum = 0; // the next sum begins with what lane 0 has
      }
      return sum + rank + 1000 * lane;
    });
    std::vector<int> sums(of.team, 0);
    for (int n = 0; n < 3; ++n) {
      for (std::size_t rank = 0; rank < of.team; ++rank) sums[rank] += 55 * (int(rank) + n);
      const std::vector<int> before = sums;
      for (std::size_t rank = 0; rank < of.team; ++rank) sums[rank] += before[(rank + 1) % of.team];
    }
    for (std::size_t at = 0; at < seen.size(); ++at) {
      const std::size_t lane = at % of.vector, rank = at / of.vector % of.team;
      ASSERT_EQ(seen[at], (lane == 0 ? sums[rank] : 0) + int(rank) + 1000 * int(lane))
          << of.team << " x " << of.vector << " at " << at;
    }
  }
}

TEST(teams, planes_of_one_column_run_too) {
  for (const shape of : {shape{5, 1}, {16, 1}, {8, 2}, {9, 5}}) {
    const int items = int(2 * of.team * of.vector);
    sycl::queue q;
    sycl::buffer<int> out{sycl::range<1>(std::size_t(items))};
    q.submit([&](sycl::handler& h) {
      sycl::accessor o(out, h, sycl::write_only, sycl::no_init);
      const sycl::range<3> all(2, of.team, of.vector);
      h.parallel_for(sycl::nd_range<3>(all, all), [=](sycl::nd_item<3> i) {
        const auto sg = i.get_sub_group();
        const unsigned lane = sg.get_local_id()[0], size = sg.get_local_range()[0];
        const int other = sycl::shift_group_left(sg, int(i.get_local_linear_id()), 1);
        o[i.get_global_linear_id()] = (lane + 1 < size ? other : -1) + int(i.get_local_id(0)) * 1'000'000 +
                                      int(i.get_local_id(1)) * 1000 + int(i.get_local_range(2)) * 100'000;
      });
    });
    const sycl::host_accessor seen(out, sycl::read_only);
    const int team = int(of.team), vector = int(of.vector);
    for (int at = 0; at < items; ++at) {
      const int rest = seen[std::size_t(at)] - at / (team * vector) * 1'000'000 - at / vector % team * 1000 -
                       vector * 100'000;
      ASSERT_TRUE(rest == at + 1 || rest == -1) << team << " x " << vector << " at " << at << ": " << rest;
    }
  }
}

} // namespace
