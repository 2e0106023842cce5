// A wave on a membrane, divided among the ranks of an MPI program: each rank has some rows in buffers on its
// own device, and exchanges the rows at its edges with its neighbours after every step. Rank 0 compares the
// result with that of a single device, to the bit: 0.25 and 2 are powers of two, so their products are exact,
// and it does not matter whether a device fuses them with the sums.
//   mpirun -n 4 --bind-to none 13_ranks [rows and columns] [steps]
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

#include <sycl/sycl.hpp>

namespace {

struct membrane {
  std::size_t rows, columns;
};

float start(membrane whole, std::size_t row, std::size_t column) {
  const float y = float(row) / float(whole.rows) - 0.3f, x = float(column) / float(whole.columns) - 0.6f;
  return x * x + y * y < 0.02f ? 1.0f : 0.0f;
}

/// The rows [first, first + count) of the whole, with one more row on each side: a neighbour's, or the fixed
/// edge.
class strip {
public:
  strip(sycl::queue& queue, membrane whole, std::size_t first, std::size_t count)
      : m_queue(queue), m_columns(whole.columns), m_count(count), m_before({count + 2, whole.columns}),
        m_now({count + 2, whole.columns}), m_next({count + 2, whole.columns}) {
    for (sycl::buffer<float, 2>* each : {&m_before, &m_now, &m_next}) {
      sycl::host_accessor values(*each, sycl::write_only, sycl::no_init);
      for (std::size_t r = 0; r < count + 2; ++r)
        for (std::size_t c = 0; c < m_columns; ++c) {
          const bool is_edge = r + first == 0 || r + first == whole.rows + 1;
          values[r][c] = is_edge ? 0.0f : start(whole, r + first - 1, c);
        }
    }
  }

  void step() {
    m_queue.submit([&](sycl::handler& h) {
      const sycl::accessor before(m_before, h, sycl::read_only), now(m_now, h, sycl::read_only);
      const sycl::accessor next(m_next, h, sycl::write_only);
      const std::size_t last = m_columns - 1;
      h.parallel_for(sycl::range<2>(m_count, m_columns), [=](sycl::id<2> at) {
        const std::size_t r = at[0] + 1, c = at[1];
        const float here = now[r][c], left = c == 0 ? 0.0f : now[r][c - 1],
                    right = c == last ? 0.0f : now[r][c + 1];
        const float bend = (now[r - 1][c] + now[r + 1][c]) + (left + right) - 4.0f * here;
        next[r][c] = (2.0f * here - before[r][c]) + 0.25f * bend;
      });
    });
    std::swap(m_before, m_now);
    std::swap(m_now, m_next);
  }

  std::vector<float> read(std::size_t row, std::size_t count = 1) {
    std::vector<float> values(count * m_columns);
    const sycl::host_accessor from(m_now, sycl::range<2>(count, m_columns), sycl::id<2>(row, 0),
                                   sycl::read_only);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = from[i / m_columns][i % m_columns];
    return values;
  }
  void write(std::size_t row, const std::vector<float>& values) {
    const sycl::host_accessor to(m_now, sycl::range<2>(1, m_columns), sycl::id<2>(row, 0), sycl::write_only);
    for (std::size_t c = 0; c < m_columns; ++c) to[0][c] = values[c];
  }

  /// Sends the edge rows to the ranks above and below, and receives theirs. MPI_PROC_NULL: no neighbour.
  void exchange(int above, int below) {
    const int n = int(m_columns);
    const std::vector<float> first = read(1), last = read(m_count);
    std::vector<float> from_above(m_columns, 0.0f), from_below(m_columns, 0.0f);
    MPI_Sendrecv(first.data(), n, MPI_FLOAT, above, 0, from_below.data(), n, MPI_FLOAT, below, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(last.data(), n, MPI_FLOAT, below, 1, from_above.data(), n, MPI_FLOAT, above, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (above != MPI_PROC_NULL) write(0, from_above);
    if (below != MPI_PROC_NULL) write(m_count + 1, from_below);
  }

private:
  sycl::queue& m_queue;
  std::size_t m_columns, m_count;
  sycl::buffer<float, 2> m_before, m_now, m_next;
};

/// The devices are those that PRISM_DEVICE_SELECTOR leaves; the ranks of a machine take them in turn.
sycl::device device_of(int rank_on_machine) {
  const std::vector<sycl::device> all = sycl::queue().get_device().get_platform().get_devices();
  return all[std::size_t(rank_on_machine) % all.size()];
}

int run(membrane whole, int steps) {
  int rank = 0, ranks = 1, rank_on_machine = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &rank_on_machine);
  MPI_Comm_free(&machine);

  const auto begin_of = [&](int r) { return whole.rows * std::size_t(r) / std::size_t(ranks); };
  const std::size_t first = begin_of(rank), count = begin_of(rank + 1) - first;
  sycl::queue queue(device_of(rank_on_machine));
  strip mine(queue, whole, first, count);
  const int above = rank == 0 ? MPI_PROC_NULL : rank - 1,
            below = rank + 1 == ranks ? MPI_PROC_NULL : rank + 1;
  for (int s = 0; s < steps; ++s) {
    mine.step();
    mine.exchange(above, below);
  }

  std::vector<int> sizes, begins;
  for (int r = 0; r < ranks; ++r) {
    begins.push_back(int(begin_of(r) * whole.columns));
    sizes.push_back(int((begin_of(r + 1) - begin_of(r)) * whole.columns));
  }
  const std::vector<float> own = mine.read(1, count);
  std::vector<float> all(rank == 0 ? whole.rows * whole.columns : 0);
  MPI_Gatherv(own.data(), int(own.size()), MPI_FLOAT, all.data(), sizes.data(), begins.data(), MPI_FLOAT, 0,
              MPI_COMM_WORLD);
  if (rank != 0) return 0;

  strip alone(queue, whole, 0, whole.rows);
  for (int s = 0; s < steps; ++s) alone.step();
  const std::vector<float> expected = alone.read(1, whole.rows);
  double energy = 0;
  for (float value : all) energy += double(value) * double(value);
  const bool is_right =
      energy > 0 && std::memcmp(all.data(), expected.data(), all.size() * sizeof(float)) == 0;
  std::printf("%d ranks, %d steps: %s the result of one device to the bit\n", ranks, steps,
              is_right ? "equals" : "DIFFERS FROM");
  return is_right ? 0 : 1;
}

} // namespace

int main(int count, char** values) {
  MPI_Init(&count, &values);
  const std::size_t side = count > 1 ? std::strtoull(values[1], nullptr, 10) : 256;
  const int steps = count > 2 ? std::atoi(values[2]) : 100;
  int ranks = 1, status = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    if (side < std::size_t(ranks) || side > 20000)
      throw std::runtime_error("each rank needs a row, of at most 20000");
    status = run({side, side}, steps);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "13_ranks: %s\n", problem.what());
    MPI_Abort(MPI_COMM_WORLD, 1); // the other ranks would wait for this one forever
  }
  MPI_Finalize();
  return status;
}
