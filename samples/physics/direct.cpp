// All attractions of n bodies. A work-group loads a tile of bodies into local memory, and each of its items
// adds the tile's attractions to its own body. Cost: 20 operations for each of the n^2 pairs.
#include "samples/physics/gravity.hpp"

#include <algorithm>

namespace physics {

template <typename Real>
void attract_directly(sycl::queue& queue, sycl::buffer<vector4<Real>> from, sycl::buffer<vector4<Real>> to,
                      const gravity& law) {
  const std::size_t n = from.size();
  const std::size_t group =
      std::min<std::size_t>(128, queue.get_device().get_info<sycl::info::device::max_work_group_size>());
  const Real softening2 = Real(law.softening * law.softening), constant = Real(law.constant);
  queue.submit([&](sycl::handler& h) {
    const sycl::accessor position(from, h, sycl::read_only);
    const sycl::accessor result(to, h, sycl::write_only, sycl::no_init);
    const sycl::local_accessor<Real, 1> tile(4 * group, h);
    h.parallel_for(sycl::nd_range<1>((n + group - 1) / group * group, group), [=](sycl::nd_item<1> item) {
      const std::size_t i = item.get_global_id(0), me = item.get_local_id(0);
      const vector4<Real> own = position[i < n ? i : n - 1];
      Real sum[4] = {0, 0, 0, 0};
      for (std::size_t first = 0; first < n; first += group) {
        const vector4<Real> other = position[first + me < n ? first + me : n - 1];
        tile[me] = other.x();
        tile[group + me] = other.y();
        tile[2 * group + me] = other.z();
        tile[3 * group + me] = first + me < n ? other.w() : Real(0); // behind the last body: no mass
        sycl::group_barrier(item.get_group());
        for (std::size_t k = 0; k < group; ++k)
          attract(tile[k] - own.x(), tile[group + k] - own.y(), tile[2 * group + k] - own.z(),
                  tile[3 * group + k], softening2, sum);
        sycl::group_barrier(item.get_group());
      }
      if (i < n)
        result[i] = vector4<Real>(constant * sum[0], constant * sum[1], constant * sum[2], constant * sum[3]);
    });
  });
}

template void attract_directly(sycl::queue&, sycl::buffer<vector4<float>>, sycl::buffer<vector4<float>>,
                               const gravity&);
template void attract_directly(sycl::queue&, sycl::buffer<vector4<double>>, sycl::buffer<vector4<double>>,
                               const gravity&);

} // namespace physics
