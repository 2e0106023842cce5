// A small program for `./prism check --limits`, which runs it with few resources: buffers, USM, a reduction,
// a host task and a file-backed cache. Prints "right" if all results are. An argument disturbs it: `alarms`
// with a signal every 200 microseconds, `blocked` with all signals blocked, `children` with ignored children.
#include <sycl/sycl.hpp>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <numeric>
#include <sys/time.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr std::size_t n = 5000;

long sum_of_buffer(sycl::queue& q) {
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), 0);
  sycl::buffer<int> in(values);
  sycl::buffer<long> out{sycl::range<1>(1)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(in, h);
    h.parallel_for<class doubles>(sycl::range<1>(n), [=](sycl::id<1> i) { a[i] *= 2; });
  });
  q.submit([&](sycl::handler& h) {
    const sycl::accessor a(in, h, sycl::read_only);
    h.parallel_for<class sums>(
        sycl::range<1>(n),
        sycl::reduction(out, h, sycl::plus<long>(), sycl::property::reduction::initialize_to_identity{}),
        [=](sycl::id<1> i, auto& sum) { sum += a[i]; });
  });
  return sycl::host_accessor(out, sycl::read_only)[0];
}

bool usm_is_right(sycl::queue& q) {
  if (!q.get_device().has(sycl::aspect::usm_device_allocations)) return true;
  int* const p = sycl::malloc_device<int>(n, q);
  if (p == nullptr) throw std::runtime_error("malloc_device gave no memory");
  q.parallel_for<class counts>(sycl::range<1>(n), [=](sycl::id<1> i) { p[i] = int(i); }).wait_and_throw();
  std::vector<int> found(n);
  q.copy(p, found.data(), n).wait_and_throw();
  sycl::free(p, q);
  return found[n - 1] == int(n) - 1;
}

void disturb(const char* how) {
  if (std::strcmp(how, "alarms") == 0) {
    struct sigaction what{};
    what.sa_handler = [](int) {};
    ::sigaction(SIGALRM, &what, nullptr);
    const itimerval often{{0, 200}, {0, 200}};
    ::setitimer(ITIMER_REAL, &often, nullptr);
  } else if (std::strcmp(how, "blocked") == 0) {
    sigset_t every;
    ::sigfillset(&every);
    ::sigprocmask(SIG_BLOCK, &every, nullptr);
  } else if (std::strcmp(how, "children") == 0) {
    std::signal(SIGCHLD, SIG_IGN);
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc > 1) disturb(argv[1]);
  try {
    sycl::queue q([](const sycl::exception_list& errors) {
      for (const std::exception_ptr& each : errors) std::rethrow_exception(each);
    });
    bool task_ran = false;
    const bool right = sum_of_buffer(q) == long(n) * long(n - 1) && usm_is_right(q);
    q.submit([&](sycl::handler& h) { h.host_task([&] { task_ran = true; }); }).wait_and_throw();
    std::puts(right && task_ran ? "right" : "wrong");
    return right && task_ran ? 0 : 3;
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "refused: %s\n", failed.what());
    return 2;
  }
}
