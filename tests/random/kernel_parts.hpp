// Parts that all kinds of random kernels have: structures, helper functions, captured values, the results of
// a work-item.
#pragma once

#include "tests/random/statements.hpp"

namespace prism_random {

class kernel_writer : protected statement_writer {
protected:
  explicit kernel_writer(std::uint64_t seed) : statement_writer(seed) {}

  /// About half of `large` in small kernels. In the same time these find as many mistakes as large ones, in
  /// more shapes: each also lacks some kinds of statements (Groce et al., Swarm Testing, ISSTA 2012).
  int size(int large) const { return m_small ? (large + 1) / 2 : large; }

  // --- parts of a kernel
  void structure() {
    open("struct pair_" + m_name);
    const int fields = 2 + below(4);
    for (int i = 0; i < fields; ++i) {
      m_fields.push_back({"f" + std::to_string(i), any_type()});
      line(std::string(type_names[m_fields.back().kind]) + " f" + std::to_string(i) + ";");
    }
    close(";");
    open("inline pair_" + m_name + " make_" + m_name + "(u32 x)");
    line("pair_" + m_name + " p;");
    for (const field& f : m_fields)
      line("p." + f.name + " = " + converted("add<u32>(x, " + std::to_string(below(50)) + ")", u32, f.kind) +
           ";");
    line("return p;");
    close();
  }
  void helper(int k) {
    const type t = static_cast<type>(below(is_float(any_type()) ? 9 : 8));
    m_helper_types.push_back(t);
    m_in_helper = true;
    m_scope = {{"gid", i32, true}, {"y", f32, true}, {"w", u32, true}};
    open("template <class In>\ninline " + std::string(type_names[t]) + " help_" + m_name + "_" +
         std::to_string(k) + "(const In& in, i32 gid, f32 y, u32& w)");
    m_leave = "return " + expression(t, 1) + ";";
    m_scope[0].name = "x";
    m_text.replace(m_text.rfind("i32 gid"), 7, "i32 x");
    line("const u32 gid = static_cast<u32>(x);");
    m_leave = "return " + expression(t, 1) + ";";
    m_budget = size(5);
    block(size(2 + below(3)));
    line("w = " + expression(u32, 2) + ";");
    line("return " + expression(t, 2) + ";");
    close();
    ++m_helpers;
    m_in_helper = false;
    m_leave.clear();
  }
  void arguments() {
    open("struct args_" + m_name);
    const int scalars = 2 + below(5);
    for (int i = 0; i < scalars; ++i) {
      const type t = any_type();
      m_arguments.push_back({"s" + std::to_string(i), t});
      line(std::string(type_names[t]) + " s" + std::to_string(i) + " = " + literal(t) + ";");
    }
    line("pair_" + m_name + " p = make_" + m_name + "(" + literal(u32) + ");");
    close(";");
  }
  void scope_of_arguments() {
    m_scope = {{"gid", u32, false}};
    for (const field& f : m_arguments) m_scope.push_back({"a." + f.name, f.kind, false});
    for (const field& f : m_fields) m_scope.push_back({"a.p." + f.name, f.kind, false});
  }
  /// The parameter lists shared by all functions of a kernel.
  const std::string m_parameters =
      ", const In& in, Shorts& shorts, Reals& reals, Counters& counters, const u32 gid";
  const std::string m_template = "template <class In, class Shorts, class Reals, class Counters";
  void finish_item() {
    line("shorts[gid] = " + expression(i16, 2) + ";");
    line("reals[gid] = " + expression(f32, 2) + ";");
    line("u64 h = gid;");
    for (const variable& v : m_scope)
      if (v.writable) line("h = mix(h, " + v.name + ");");
    if (m_array) line("for (u32 k = 0; k < 8; ++k) h = mix(h, array[k]);");
  }
  void accessors() {
    line("buffers b(d);");
    open("q.submit([&](sycl::handler& hd)");
    line("sycl::accessor in(b.in, hd, sycl::read_only);");
    line("sycl::accessor words(b.words, hd, sycl::read_write);");
    line("sycl::accessor shorts(b.shorts, hd, sycl::read_write);");
    line("sycl::accessor reals(b.reals, hd, sycl::read_write);");
    line("sycl::accessor counters(b.counters, hd, sycl::read_write);");
    line("const args_" + m_name + " a;");
  }

  std::vector<field> m_arguments;
  bool m_small = false;
};

} // namespace prism_random
