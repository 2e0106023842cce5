// Random choices, text and expressions, which the generator of kernels uses. No expression has undefined
// behaviour or floating-point operations that devices may round differently (harness.hpp has the functions).
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace prism_random {

enum type { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, truth };
inline constexpr const char* type_names[] = {"i8",  "u8",  "i16", "u16", "i32", "u32",
                                             "i64", "u64", "f32", "f64", "bool"};
inline bool is_float(type t) { return t == f32 || t == f64; }

struct variable {
  std::string name;
  type kind;
  bool writable;
};
struct field {
  std::string name;
  type kind;
};

class expression_writer {
protected:
  explicit expression_writer(std::uint64_t seed) : m_state(seed * 0x9E3779B97F4A7C15u + 0x1234567) {}

  // --- choices
  std::uint64_t next() { // splitmix64
    std::uint64_t z = (m_state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  type any_integer() { return static_cast<type>(below(8)); }
  type any_type() {
    const int k = below(12);
    if (k < 8) return static_cast<type>(k);
    if (k == 8) return truth;
    return k == 9 && m_doubles ? f64 : f32;
  }

  // --- text
  void line(const std::string& s) { m_text += std::string(2 * m_depth, ' ') + s + "\n"; }
  void open(const std::string& s) {
    line(s + " {");
    ++m_depth;
  }
  /// Also of a loop that drivers must not unroll.
  void open_loop(const std::string& s) {
    if (chance(20)) line("#pragma clang loop unroll(disable)");
    open(s);
  }
  void close(const std::string& after = "") {
    --m_depth;
    line("}" + after);
  }
  std::string fresh() { return "v" + std::to_string(m_fresh++); }

  // --- expressions
  std::string literal(type t) {
    if (t == truth) return chance(50) ? "true" : "false";
    if (is_float(t))
      return std::string(type_names[t]) + "(" + (chance(30) ? "-" : "") + std::to_string(below(4000)) + "." +
             std::to_string(below(90) + 1) + ")";
    if (chance(20)) return std::string(type_names[t]) + "(0x" + hex(next()) + "u)";
    return std::string(type_names[t]) + "(" + std::to_string(below(200) - (t % 2 == 0 ? 100 : 0)) + ")";
  }
  static std::string hex(std::uint64_t v) {
    char b[20];
    std::snprintf(b, sizeof b, "%llx", static_cast<unsigned long long>(v));
    return b;
  }
  std::string leaf(type t) {
    if (t == u32 && chance(20)) return "in[" + expression(u32, 0) + " & 63]";
    if (t == u32 && m_array && chance(25)) return "array[" + variable_of(u32) + " & 7]";
    std::vector<std::string> found;
    for (const variable& v : m_scope)
      if (v.kind == t) found.push_back(v.name);
    if (!found.empty() && chance(75)) return found[below(static_cast<int>(found.size()))];
    if (!m_scope.empty() && chance(60)) {
      const variable& v = m_scope[below(static_cast<int>(m_scope.size()))];
      return converted(v.name, v.kind, t);
    }
    return literal(t);
  }
  std::string variable_of(type t) {
    for (int i = 0; i < 6; ++i) {
      const variable& v = m_scope[below(static_cast<int>(m_scope.size()))];
      if (v.kind == t) return v.name;
    }
    return "gid";
  }
  std::string converted(const std::string& x, type from, type to) {
    if (from == to) return x;
    const std::string name = type_names[to];
    if (to == truth) return "(" + x + (is_float(from) ? " > 1)" : " != 0)");
    if (is_float(to))
      return is_float(from) ? "tame(" + name + "(" + x + "))" : "tame(" + name + "(" + x + "))";
    if (!is_float(from)) return "static_cast<" + name + ">(" + x + ")";
    return "static_cast<" + name + ">(static_cast<i32>(" + x + "))"; // bounded, so within i32
  }
  std::string expression(type t, int depth) {
    if (depth <= 0) return leaf(t);
    const auto sub = [&](type of) { return expression(of, depth - 1 - below(2)); };
    const std::string n = type_names[t];
    if (chance(12)) return "(" + sub(truth) + " ? " + sub(t) + " : " + sub(t) + ")";
    if (t == truth) return condition(depth);
    if (is_float(t)) return real(t, depth);
    switch (below(m_bits ? 18 : 16)) {
      case 0:
      case 1: return "add<" + n + ">(" + sub(t) + ", " + sub(t) + ")";
      case 2: return "sub<" + n + ">(" + sub(t) + ", " + sub(t) + ")";
      case 3:
      case 4: return "mul<" + n + ">(" + sub(t) + ", " + sub(t) + ")";
      case 5: return "quotient<" + n + ">(" + sub(t) + ", " + sub(t) + ")";
      case 6: return "remainder<" + n + ">(" + sub(t) + ", " + sub(t) + ")";
      case 7: return "left<" + n + ">(" + sub(t) + ", " + sub(u32) + ")";
      case 8: return "right<" + n + ">(" + sub(t) + ", " + sub(u32) + ")";
      case 9:
        return "static_cast<" + n + ">(" + sub(t) + std::string(1, "&|^"[below(3)]) + " " + sub(t) + ")";
      case 10: return "static_cast<" + n + ">(~" + sub(t) + ")";
      case 11: return converted("bounded(" + sub(i32) + ", " + sub(i32) + ")", i32, t);
      case 12: {
        const type from = any_type();
        return converted(sub(from), from, t);
      }
      case 13: return "twist<" + std::to_string(1 + below(4)) + ">(" + n + "(" + sub(t) + "))";
      case 14: {
        static const char* const calls[] = {"min", "max", "add_sat", "sub_sat", "mul_hi", "rotate", "hadd"};
        return std::string("sycl::") + calls[below(7)] + "(" + n + "(" + sub(t) + "), " + n + "(" + sub(t) +
               "))";
      }
      case 16:
      case 17: {
        const type of = m_doubles && chance(30) ? f64 : f32;
        return converted("sycl::bit_cast<" + std::string(of == f64 ? "u64" : "u32") + ">(" + sub(of) + ")",
                         of == f64 ? u64 : u32, t);
      }
      default: {
        static const char* const calls[] = {"popcount", "clz", "ctz"};
        return std::string("sycl::") + calls[below(3)] + "(" + n + "(" + sub(t) + "))";
      }
    }
  }
  std::string condition(int depth) {
    const auto sub = [&](type of) { return expression(of, depth - 1); };
    switch (below(6)) {
      case 0: return "(" + sub(truth) + " && " + sub(truth) + ")";
      case 1: return "(" + sub(truth) + " || " + sub(truth) + ")";
      case 2: return "!" + sub(truth);
      default: {
        static const char* const comparisons[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
        const type of = chance(25) ? f32 : any_integer();
        return "(" + sub(of) + comparisons[below(6)] + sub(of) + ")";
      }
    }
  }
  std::string real(type t, int depth) {
    const auto sub = [&](type of) { return expression(of, depth - 1); };
    switch (below(m_bits ? 9 : 8)) {
      case 8:
        return "tame(sycl::bit_cast<" + std::string(type_names[t]) + ">(" + sub(t == f64 ? u64 : u32) + "))";
      case 0: {
        const type from = any_integer();
        return converted(sub(from), from, t);
      }
      case 1: {
        static const char* const calls[] = {"fabs", "floor", "ceil", "trunc"};
        return std::string("tame(sycl::") + calls[below(4)] + "(" + sub(t) + "))";
      }
      case 2: {
        static const char* const calls[] = {"fmin", "fmax", "copysign"};
        return std::string("sycl::") + calls[below(3)] + "(" + sub(t) + ", " + sub(t) + ")";
      }
      default: return "tame(" + sub(t) + " " + "+-*/"[below(4)] + " " + sub(t) + ")";
    }
  }

  std::uint64_t m_state;
  std::string m_text;
  std::vector<variable> m_scope; // the variables that expressions may use
  std::size_t m_depth = 0;
  int m_fresh = 0;
  bool m_doubles = false, m_array = false, m_bits = false;
  bool m_rows = false; // work-items that read rows of their own
};

} // namespace prism_random
