#include "tests/sycl/oracle_program.hpp"

#include <algorithm>
#include <istream>
#include <ostream>

namespace oracle {

std::string text(const op& o) {
  static constexpr const char* kinds[] = {"mix",       "scale",       "overwrite", "fill", "copy",
                                          "host_task", "host_access", "wait",      "graph"};
  static constexpr const char* builds[] = {"in order", "by events", "by hand"};
  std::string out = std::string(kinds[int(o.what)]) + " queue " + std::to_string(o.queue);
  if (o.what != kind::graph)
    return out + " to " + std::to_string(o.to) + " from " + std::to_string(o.from) + " value " +
           std::to_string(o.value);
  out += ", " + std::to_string(o.runs) + " runs, made " + builds[int(o.how)] + " {";
  for (const op& each : o.inner) out += "\n    " + text(each);
  return out + "\n  }";
}

void write(std::ostream& out, const std::vector<op>& program) {
  out << program.size() << '\n';
  for (const op& o : program) {
    out << int(o.what) << ' ' << o.queue << ' ' << o.to << ' ' << o.from << ' ' << o.value << ' ' << o.runs
        << ' ' << int(o.how) << ' ';
    write(out, o.inner);
  }
}

std::vector<op> read(std::istream& in) {
  std::size_t count = 0;
  in >> count;
  std::vector<op> out;
  for (; count > 0 && in; --count) {
    op o;
    int what = 0, how = 0;
    in >> what >> o.queue >> o.to >> o.from >> o.value >> o.runs >> how;
    o.what = static_cast<kind>(what);
    o.how = static_cast<build>(how);
    o.inner = read(in);
    out.push_back(o);
  }
  return out;
}

void world::make() {
  for (unsigned b = 0; b < 4; ++b) {
    objects.push_back({unsigned(memories.size()), 0, whole});
    objects.push_back({unsigned(memories.size()), 0, half});
    objects.push_back({unsigned(memories.size()), half, half});
    memories.push_back({place::buffer, 0});
  }
  const auto add = [&](place where, unsigned device) {
    objects.push_back({unsigned(memories.size()), 0, half});
    memories.push_back({where, device});
  };
  for (unsigned d = 0; d < devices.size(); ++d) {
    if (devices[d].device_usm) {
      add(place::device_usm, d);
      add(place::device_usm, d);
    }
    if (devices[d].host_usm) add(place::host_usm, d);
    if (devices[d].shared_usm) add(place::shared_usm, d);
  }
  add(place::plain, 0);
}

bool world::fits(const op& o) const {
  const auto reached = [&](unsigned object, bool by_kernel) {
    const memory& m = memories[objects[object].memory];
    if (m.where == place::plain) return !by_kernel;
    return m.where == place::buffer || m.device == device_of(o.queue);
  };
  const object &to = objects[o.to], &from = objects[o.from];
  const bool apart = to.memory != from.memory || to.offset + to.count <= from.offset ||
                     from.offset + from.count <= to.offset;
  switch (o.what) {
    case kind::wait: return true;
    case kind::host_access:
    case kind::host_task:
      return memories[to.memory].where == place::buffer || memories[to.memory].is_hosts_usm();
    case kind::scale:
    case kind::fill: return reached(o.to, true);
    case kind::copy: return apart && reached(o.to, false) && reached(o.from, false);
    case kind::mix:
    case kind::overwrite: return apart && reached(o.to, true) && reached(o.from, true);
    case kind::graph: return !o.inner.empty();
  }
  return false;
}

void world::add_used(const op& o, std::set<unsigned>& out) const {
  for (const op& each : o.inner) add_used(each, out);
  if (o.what == kind::wait || o.what == kind::graph) return;
  out.insert(objects[o.to].memory);
  if (reads_from(o.what)) out.insert(objects[o.from].memory);
}

op random_op(const world& in, std::mt19937& random, bool in_graph, unsigned device) {
  const auto below = [&](std::size_t n) { return unsigned(random() % n); };
  for (;;) {
    op o;
    o.what = static_cast<kind>(below(in_graph ? 6 : 9));
    o.queue = in_graph ? 2 * device : below(2 * in.devices.size());
    o.to = below(in.objects.size());
    o.from = below(in.objects.size());
    o.value = below(1000);
    if (o.what == kind::wait && below(4) != 0) continue;
    if (o.what == kind::graph) {
      if (below(3) != 0) continue;
      o.runs = 1 + below(4);
      o.how = static_cast<build>(below(3));
      const bool is_across = in.devices.size() > 1 && below(3) == 0; // commands of several devices
      for (unsigned n = 1 + below(12); n > 0; --n)
        o.inner.push_back(
            random_op(in, random, true, is_across ? below(in.devices.size()) : in.device_of(o.queue)));
    }
    if (in.fits(o)) return o;
  }
}

std::vector<op> random_program(const world& in, unsigned seed, std::size_t commands) {
  std::mt19937 random(seed);
  std::vector<op> out;
  while (count(out) < commands) out.push_back(random_op(in, random, false, 0));
  return out;
}

std::size_t count(const std::vector<op>& program) {
  std::size_t n = 0;
  for (const op& o : program) n += o.what == kind::graph ? o.inner.size() * o.runs : 1;
  return n;
}

contents first_contents(const world& in) {
  contents out;
  for (std::size_t m = 0; m < in.memories.size(); ++m) {
    out.emplace_back(in.memories[m].count());
    for (std::size_t i = 0; i < out[m].size(); ++i) out[m][i] = unsigned(m * 10007 + i * 31);
  }
  return out;
}

bool reads_from(kind what) { return what == kind::mix || what == kind::overwrite || what == kind::copy; }

unsigned mixed(kind what, unsigned to, unsigned from, unsigned value, std::size_t at) {
  switch (what) {
    case kind::mix: return to * 3 + (from ^ value);
    case kind::scale: return to * 5 + value + unsigned(at);
    case kind::overwrite: return from * 7 + value;
    case kind::fill: return value;
    case kind::copy: return from;
    case kind::host_task: return (to ^ value) + unsigned(at);
    case kind::host_access: return to ^ value;
    default: return to;
  }
}

void apply(const world& in, const op& o, contents& all) {
  if (o.what == kind::wait) return;
  if (o.what == kind::graph) {
    for (unsigned run = 0; run < o.runs; ++run)
      for (const op& each : o.inner) apply(in, each, all);
    return;
  }
  const object &to = in.objects[o.to], &from = in.objects[o.from];
  const bool reads = reads_from(o.what);
  const std::size_t n = reads ? std::min(to.count, from.count) : to.count;
  for (std::size_t i = 0; i < n; ++i) {
    unsigned& target = all[to.memory][to.offset + i];
    target = mixed(o.what, target, reads ? all[from.memory][from.offset + i] : 0, o.value, i);
  }
}

std::vector<op> shrink(std::vector<op> program, const std::function<bool(const std::vector<op>&)>& fails,
                       std::size_t tries) {
  for (std::size_t piece = program.size() / 2; piece > 0 && tries > 0; piece /= 2)
    for (std::size_t at = 0; at + piece <= program.size() && tries > 0;) {
      std::vector<op> without = program;
      without.erase(without.begin() + std::ptrdiff_t(at), without.begin() + std::ptrdiff_t(at + piece));
      --tries;
      if (!without.empty() && fails(without)) program = std::move(without);
      else at += piece;
    }
  for (std::size_t n = 0; n < program.size(); ++n) { // makes graphs smaller as well
    for (std::size_t at = 0; at < program[n].inner.size() && program[n].inner.size() > 1 && tries > 0;) {
      std::vector<op> without = program;
      without[n].inner.erase(without[n].inner.begin() + std::ptrdiff_t(at));
      --tries;
      if (fails(without)) program = std::move(without);
      else ++at;
    }
  }
  return program;
}

} // namespace oracle
