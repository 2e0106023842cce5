// Random kernels whose work-items write and read adjacent numbers of their own, by places known when they are
// compiled and by others, in any order: LLVM's vectoriser may not move these accesses past each other.
#pragma once

#include "tests/random/kernel_parts.hpp"

namespace prism_random {

class own_numbers_writer : protected kernel_writer {
protected:
  explicit own_numbers_writer(std::uint64_t seed) : kernel_writer(seed) {}

  void own_numbers_kernel() {
    arguments();
    scope_of_arguments();
    static const int parts[] = {2, 3, 4, 8};
    m_own = parts[below(4)];
    static const struct {
      const char* memory;
      type of;
    } memories[] = {{"words", u64}, {"shorts", i16}, {"reals", f32}};
    const auto [memory, of] = memories[below(3)];
    open("template <class In, class Mine>\ninline void own_" + m_name + "(const args_" + m_name +
         "& a, const In& in, Mine& mine, const u32 gid)");
    line("(void)a, (void)in;");
    for (int i = size(5 + below(6)); i > 0; --i) {
      if (chance(50)) line(place() + " = " + expression(of, 1) + ";");
      else declare(of, place());
    }
    line(place() + " = " + expression(of, 2) + ";");
    close();
    launch(memory);
    open("void plain_" + m_name + "(data& d)");
    line("const args_" + m_name + " a;");
    line("for (u32 gid = 0; gid < " + std::to_string(items()) + "; ++gid) own_" + m_name + "(a, d.in, d." +
         memory + ", gid);");
    close();
  }

private:
  int items() const { return 96 / m_own; }

  std::string place() {
    const std::string first = "mine[" + std::to_string(m_own) + " * gid + ", all = std::to_string(m_own);
    if (chance(60)) return first + std::to_string(below(m_own)) + "]";
    return first + "static_cast<u32>(" + expression(u32, 1) + ") % " + all + "u]";
  }

  void launch(const std::string& memory) {
    open("void device_" + m_name + "(sycl::queue& q, data& d)");
    accessors();
    line("(void)words, (void)shorts, (void)reals, (void)counters;");
    const std::string all = std::to_string(items()), call = "own_" + m_name + "(a, in, " + memory + ", ";
    switch (below(3)) {
      case 0:
        line("hd.parallel_for(sycl::range<1>(" + all + "), [=](sycl::id<1> at) { " + call +
             "static_cast<u32>(at[0])); });");
        break;
      case 1:
        line("hd.parallel_for(sycl::nd_range<1>(" + all + ", " + std::to_string(items() / 2) +
             "), [=](sycl::nd_item<1> it) { " + call + "static_cast<u32>(it.get_global_id(0))); });");
        break;
      default:
        line("hd.parallel_for(sycl::nd_range<2>({" + std::to_string(items() / 4) +
             ", 4}, {1, 4}), [=](sycl::nd_item<2> it) { " + call +
             "static_cast<u32>(it.get_global_linear_id())); });");
    }
    close(");");
    close();
  }

  int m_own = 2; // numbers of each work-item
};

} // namespace prism_random
