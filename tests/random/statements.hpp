// Random statements over the variables of a kernel (expressions.hpp has the expressions).
#pragma once

#include "tests/random/expressions.hpp"

namespace prism_random {

class statement_writer : protected expression_writer {
protected:
  explicit statement_writer(std::uint64_t seed) : expression_writer(seed) {}

  void declare(type t, const std::string& value, bool writable = true) {
    const std::string name = fresh();
    line(std::string(writable ? "" : "const ") + type_names[t] + " " + name + " = " + value + ";");
    m_scope.push_back({name, t, writable});
  }
  void assign() {
    std::vector<const variable*> found;
    for (const variable& v : m_scope)
      if (v.writable) found.push_back(&v);
    if (found.empty()) return declare(u32, expression(u32, 2));
    const variable v = *found[below(static_cast<int>(found.size()))];
    line(v.name + " = " + expression(v.kind, 1 + below(3)) + ";");
  }
  void block(int statements) {
    const std::size_t scope = m_scope.size();
    for (int i = 0; i < statements; ++i) statement();
    m_scope.resize(scope);
  }
  void statement() {
    if (--m_budget < 0) return assign();
    const int kind = below(19);
    if (m_left_out >> kind & 1) return assign();
    switch (kind) {
      case 0:
      case 1:
      case 2: {
        const type t = any_type();
        return declare(t, expression(t, 1 + below(3)));
      }
      case 3:
      case 4: return branch();
      case 5:
      case 6:
      case 7: return loop();
      case 8: return choice();
      case 9:
        if (m_loop_depth == 0) return assign();
        return line("if (" + expression(truth, 2) + ") " +
                    (m_in_switch || chance(50) ? "continue;" : "break;"));
      case 10:
        if (m_leave.empty() || !chance(40)) return assign();
        return line("if (" + expression(truth, 2) + " && " + expression(truth, 1) + ") " + m_leave);
      case 11:
      case 12:
        if (!m_array) return assign();
        return line("array[" + expression(u32, 1) + " & 7] = " + expression(u32, 2) + ";");
      case 13: return copies();
      case 14:
        if (!m_counters) return assign();
        return count();
      case 15:
        if (m_helpers == 0 || m_in_helper) return assign();
        return call();
      default: return assign();
    }
  }
  void branch() {
    open("if (" + expression(truth, 2) + ")");
    block(1 + below(3));
    if (chance(50)) {
      --m_depth;
      line("} else {");
      ++m_depth;
      block(1 + below(3));
    }
    close();
  }
  void loop() {
    if (m_loop_depth >= 3) return assign();
    const std::string bound = std::to_string(2 + below(5)), i = fresh();
    const std::size_t scope = m_scope.size();
    const bool in_switch = m_in_switch;
    const int form = below(4);
    std::string end = "";
    if (form == 0) open_loop("for (u32 " + i + " = 0; " + i + " < " + bound + "; ++" + i + ")");
    if (form == 1)
      open_loop("for (u32 " + i + " = 0; " + i + " < (" + expression(u32, 1) + " & 7u); ++" + i + ")");
    if (form == 2) {
      line("u32 " + i + " = " + expression(u32, 1) + " & 3u;");
      open_loop("while (" + i + "++ < " + bound + " && " + expression(truth, 1) + ")");
    }
    if (form == 3) {
      line("u32 " + i + " = 0;");
      open_loop("do");
      end = " while (++" + i + " < " + bound + " && " + expression(truth, 1) + ");";
    }
    m_scope.push_back({i, u32, false});
    ++m_loop_depth;
    m_in_switch = false;
    block(1 + below(3));
    m_in_switch = in_switch;
    --m_loop_depth;
    m_scope.resize(scope);
    close(end);
  }
  void choice() {
    const bool in_switch = m_in_switch;
    m_in_switch = true;
    open("switch (" + expression(u32, 1) + " % 6u)");
    for (int k = 0; k < 6; ++k) {
      if (chance(35)) continue;
      open(k == 5 ? "default:" : "case " + std::to_string(k) + ":");
      block(1 + below(2));
      close(chance(70) ? " break;" : k == 5 ? "" : " [[fallthrough]];");
    }
    // A last label, so that a fall-through always has a target.
    line("case 6: break;");
    close();
    m_in_switch = in_switch;
  }
  void copies() { // an array of structures, indexed dynamically
    const std::string p = fresh();
    const std::string s = "pair_" + m_name;
    line(s + " " + p + "[2] = {make_" + m_name + "(" + expression(u32, 1) + "), make_" + m_name + "(" +
         expression(u32, 1) + ")};");
    line(p + "[" + expression(u32, 1) + " & 1] = " + p + "[" + expression(u32, 1) + " & 1];");
    for (const field& f : m_fields)
      if (chance(60)) declare(f.kind, p + "[" + expression(u32, 1) + " & 1]." + f.name);
  }
  void count() {
    static const char* const calls[] = {"count_add", "count_max", "count_xor"};
    const int k = below(3);
    const std::string value =
        m_bits && chance(50) ? "sycl::bit_cast<u32>(f32(" + expression(u32, 2) + " & 0xffffu))" : "";
    if (m_bits && chance(30))
      return line("count_same(counters, " + expression(u32, 1) + " & 7, " +
                  (value.empty() ? expression(u32, 2) : value) + ");");
    line(std::string(calls[k]) + "(counters, " + std::to_string(8 * k) + " + (" + expression(u32, 1) +
         " & 7), " + (value.empty() ? expression(u32, 2) : value) + ");");
  }
  void call() {
    const int k = below(m_helpers);
    const std::string w = fresh();
    line("u32 " + w + " = " + expression(u32, 1) + ";");
    m_scope.push_back({w, u32, true});
    declare(m_helper_types[k], "help_" + m_name + "_" + std::to_string(k) + "(in, " + expression(i32, 2) +
                                   ", " + expression(f32, 1) + ", " + w + ")");
  }

  std::string m_name, m_leave;
  std::vector<field> m_fields;
  std::vector<type> m_helper_types;
  unsigned m_left_out = 0; // a bit for each kind of statement that the kernel does not have
  int m_budget = 0, m_loop_depth = 0, m_helpers = 0;
  bool m_counters = false, m_in_switch = false, m_in_helper = false;
};

} // namespace prism_random
