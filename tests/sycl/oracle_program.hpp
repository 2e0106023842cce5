// Random programs of commands as plain data, the results that they must compute, and the reduction of failing
// programs. Independent of SYCL: oracle_test.cpp runs them on devices.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace oracle {

inline constexpr std::size_t half = 128; // elements of half a buffer, and of every other memory
inline constexpr std::size_t whole =
    2 * half; // of a buffer; every driver here supports a sub-buffer at its second half

enum class place { buffer, device_usm, host_usm, shared_usm, plain };
/// Memory of the program. Each memory is one object; buffers also have a sub-buffer for each half.
struct memory {
  place where;
  unsigned device; // for USM
  std::size_t count() const { return where == place::buffer ? whole : half; }
  bool is_hosts_usm() const { return where == place::host_usm || where == place::shared_usm; }
};
struct object {
  unsigned memory;
  std::size_t offset, count;
};

enum class kind { mix, scale, overwrite, fill, copy, host_task, host_access, wait, graph };
enum class build { in_order, by_events, by_hand };
struct op {
  kind what = kind::wait;
  unsigned queue = 0, to = 0, from = 0, value = 0; // numbers of objects
  std::vector<op> inner;                           // for a graph
  unsigned runs = 1;
  build how = build::in_order;
};
std::string text(const op& o);
/// A program as numbers, to be read by a child process.
void write(std::ostream& out, const std::vector<op>& program);
std::vector<op> read(std::istream& in);

/// The objects of all programs. Each device has two queues; the first one is in order.
struct world {
  struct device {
    bool device_usm, host_usm, shared_usm;
    std::string backend; // the name that wrappers use
  };
  std::vector<device> devices;
  std::vector<memory> memories;
  std::vector<object> objects;
  void make();
  unsigned device_of(unsigned queue) const { return queue / 2; }
  /// Whether the command can run at its position in the program.
  bool fits(const op& o) const;
  /// Memories that the command reads or writes, including those of the commands in a graph.
  void add_used(const op& o, std::set<unsigned>& out) const;
};

op random_op(const world& in, std::mt19937& random, bool in_graph, unsigned device);
std::vector<op> random_program(const world& in, unsigned seed, std::size_t commands);
/// The number of commands; those of a graph count once for each execution.
std::size_t count(const std::vector<op>& program);

using contents = std::vector<std::vector<unsigned>>; // of each memory
contents first_contents(const world& in);
bool reads_from(kind what);
unsigned mixed(kind what, unsigned to, unsigned from, unsigned value, std::size_t at);
void apply(const world& in, const op& o, contents& all);

/// The smallest program found for which `fails` returns true, within `tries` calls.
std::vector<op> shrink(std::vector<op> program, const std::function<bool(const std::vector<op>&)>& fails,
                       std::size_t tries);

} // namespace oracle
