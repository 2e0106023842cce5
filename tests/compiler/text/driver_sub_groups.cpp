// Sub-groups by the driver's functions in OpenCL C: an image of its own, which a device's build options give
// the size. Work-groups are rows, from which work-items of more than one dimension compute their local ids.
// Arrays of a work-item's own have no attribute against vectors. Reductions and scans are the driver's, those
// that OpenCL C lacks by an extension or by shuffles; so are scans where the driver's are slower.
#include <sycl/sycl.hpp>

void shuffle(sycl::queue& q, float* data, unsigned long* wide) {
  q.parallel_for<class rowed>(sycl::nd_range<1>(4096, 64), [=](sycl::nd_item<1> it) {
    const auto sg = it.get_sub_group();
    const auto i = it.get_global_id(0);
    data[i] = sycl::select_from_group(sg, data[i], 3) + sycl::permute_group_by_xor(sg, data[i], 1);
    sycl::group_barrier(sg);
    wide[i] = sycl::shift_group_left(sg, wide[i], 1) + sycl::any_of_group(sg, data[i] > 2);
  });
  q.parallel_for<class planar>(
      sycl::nd_range<2>({64, 64}, {4, 16}), [=](sycl::nd_item<2> it) [[sycl::reqd_work_group_size(4, 16)]] {
        const auto sg = it.get_sub_group();
        float own[4];
        for (int k = 0; k < 4; ++k) own[(k * 3 + it.get_local_id(0)) % 4] = data[k];
        data[it.get_global_linear_id()] =
            sycl::select_from_group(sg, own[it.get_local_id(1) % 4], sg.get_group_id()[0]);
      });
  q.parallel_for<class combined>(sycl::nd_range<1>(4096, 64), [=](sycl::nd_item<1> it) {
    const auto sg = it.get_sub_group();
    const auto i = it.get_global_id(0);
    const float sum = sycl::reduce_over_group(sg, data[i], sycl::plus<>());
    const float product = sycl::inclusive_scan_over_group(sg, data[i], sycl::multiplies<>());
    const int word = int(wide[i]);
    const int least = sycl::exclusive_scan_over_group(sg, word, sycl::minimum<int>());
    const unsigned long bits = sycl::reduce_over_group(sg, wide[i], sycl::bit_and<unsigned long>());
    data[i] = sum + product;
    wide[i] = bits + least + sycl::exclusive_scan_over_group(sg, wide[i], sycl::bit_xor<>());
  });
}
// PARSED: -cl-std=CL3.0 -DPRISM_SUB_GROUP_SIZE=16
// PARSED: -cl-std=CL3.0 -DPRISM_SUB_GROUP_SIZE=16 -DPRISM_SCANS_BY_SHUFFLES=1
// OPENCL: __kernel __attribute__((intel_reqd_sub_group_size(PRISM_SUB_GROUP_SIZE)))
// OPENCL: ulong offset1, uint lx, uint ly, uint lz
// OPENCL: const uint prism_x = (uint)get_local_id(0);
// OPENCL: sub_group_shuffle(
// OPENCL: & (PRISM_SUB_GROUP_SIZE - 1u))
// OPENCL: sub_group_barrier(
// OPENCL: as_ulong(sub_group_ballot(
// OPENCL: prism_private_array __kernel
// OPENCL: __attribute__((reqd_work_group_size(64, 1, 1)))
// OPENCL: prism_row = prism_item / lx
// OPENCL: get_sub_group_id()
// OPENCL: ulong prism_reduce_and_ulong(ulong x)
// OPENCL: #if defined(cl_khr_subgroup_non_uniform_arithmetic)
// OPENCL: return sub_group_non_uniform_reduce_and(x);
// OPENCL: int prism_scan_exclusive_min_int(int x)
// OPENCL: #if !PRISM_SCANS_BY_SHUFFLES
// OPENCL: return sub_group_scan_exclusive_min(x);
// OPENCL: if (lane >= step) x = min(earlier, x);
// OPENCL: return lane == 0 ? INT_MAX : before;
// OPENCL: float prism_scan_inclusive_mul_float(float x)
// OPENCL: && !PRISM_SCANS_BY_SHUFFLES
// OPENCL: if (lane >= step) x = earlier * x;
// OPENCL: sub_group_reduce_add(
// OPENCL: (uint)prism_scan_exclusive_min_int((int)
// SPIRV: OpGroupNonUniformFAdd %float %{{\w+}} Reduce
// SPIRV: OpGroupNonUniformFMul %float %{{\w+}} InclusiveScan
// SPIRV: OpGroupNonUniformSMin %uint %{{\w+}} ExclusiveScan
