// Random programs of commands as plain data, what they must compute, and smaller programs that fail like a
// given one. Knows nothing of SYCL: oracle_test.cpp runs them on devices.
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
    2 * half; // of a buffer; its second half starts where every driver here can address it

enum class place { buffer, device_usm, host_usm, shared_usm, plain };
/// Memory of the program; each has all of it as one object, buffers also their halves.
struct memory {
  place where;
  unsigned device; // of USM
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
  unsigned queue = 0, to = 0, from = 0, value = 0; // objects by number
  std::vector<op> inner;                           // of a graph
  unsigned runs = 1;
  build how = build::in_order;
};
std::string text(const op& o);
/// A program as numbers, for a process that runs it.
void write(std::ostream& out, const std::vector<op>& program);
std::vector<op> read(std::istream& in);

/// What there is: two queues a device, the first in order.
struct world {
  struct device {
    bool device_usm, host_usm, shared_usm;
    std::string backend; // as wrappers name it
  };
  std::vector<device> devices;
  std::vector<memory> memories;
  std::vector<object> objects;
  void make();
  unsigned device_of(unsigned queue) const { return queue / 2; }
  /// The command can be run where it was put.
  bool fits(const op& o) const;
  /// Memories that it reads or writes, with those of the commands in it.
  void add_used(const op& o, std::set<unsigned>& out) const;
};

op random_op(const world& in, std::mt19937& random, bool in_graph, unsigned device);
std::vector<op> random_program(const world& in, unsigned seed, std::size_t commands);
/// Commands in it, those of graphs once for each run.
std::size_t count(const std::vector<op>& program);

using contents = std::vector<std::vector<unsigned>>; // of each memory
contents first_contents(const world& in);
bool reads_from(kind what);
unsigned mixed(kind what, unsigned to, unsigned from, unsigned value, std::size_t at);
void apply(const world& in, const op& o, contents& all);

/// The smallest program found that still `fails`, within `tries` runs.
std::vector<op> shrink(std::vector<op> program, const std::function<bool(const std::vector<op>&)>& fails,
                       std::size_t tries);

} // namespace oracle
