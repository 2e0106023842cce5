// Random kernels in the forms of programs that were written for other implementations: ranges of one to three
// dimensions larger than the data, with guards; ids computed by hand in any integer type; hierarchical
// kernels; USM in a structure of pointers; vectors; powers; loops that count down, double or halve; tiles of
// local memory.
#pragma once

#include "tests/random/own_numbers.hpp"

namespace prism_random {

class stranger_writer : protected own_numbers_writer {
protected:
  explicit stranger_writer(std::uint64_t seed) : own_numbers_writer(seed) {}

  void stranger_kernel() {
    arguments();
    choose_sizes();
    if (m_dimensions == 2 && chance(40)) return tiled_kernel();
    scope_of_arguments();
    m_counters = chance(60);
    body_of_item();
    launch_over_items();
    open("void plain_" + m_name + "(data& d)");
    line("const args_" + m_name + " a;");
    line("const extent_" + m_name + " e;");
    line("auto &in = d.in, &counters = d.counters;");
    line("auto &words = d.words; auto &shorts = d.shorts; auto &reals = d.reals;");
    for (const char* axis : {"z", "y", "x"}) {
      const int k = axis[0] - 'x';
      line(std::string("for (") + m_index + " " + axis + " = 0; " + axis + " < " +
           std::to_string(m_padded[k]) + "; ++" + axis + ")");
    }
    line("  " + item_call("x", "y", "z"));
    close();
  }

private:
  static std::string number(int n) { return std::to_string(n); }

  /// The data's extents, at most 96 elements, and those of a launch: whole groups, or a larger range.
  void choose_sizes() {
    static const char* const indices[] = {"int", "u32", "i64", "std::size_t", "u64", "i16"};
    static const int extents[][3] = {{96, 1, 1}, {77, 1, 1}, {50, 1, 1}, {12, 8, 1}, {13, 7, 1}, {32, 3, 1},
                                     {5, 19, 1}, {9, 10, 1}, {4, 6, 4},  {5, 3, 6},  {2, 16, 3}, {7, 3, 4}};
    static const int groups[][3] = {{16, 1, 1}, {32, 1, 1}, {10, 1, 1}, {8, 4, 1}, {16, 2, 1}, {5, 3, 1},
                                    {1, 8, 1},  {4, 4, 1},  {4, 2, 2},  {8, 1, 1}, {1, 4, 4},  {3, 2, 2}};
    const int which = below(12);
    m_dimensions = which < 3 ? 1 : which < 8 ? 2 : 3;
    const int first = m_dimensions == 1   ? 0
                      : m_dimensions == 2 ? 3
                                          : 8,
              many = m_dimensions == 2 ? 5 : m_dimensions + (m_dimensions == 3);
    const int group = first + below(many);
    for (int k = 0; k < 3; ++k) {
      m_extent[k] = extents[which][k];
      m_local[k] = groups[group][k];
      m_padded[k] = (m_extent[k] + m_local[k] - 1) / m_local[k] * m_local[k];
    }
    m_index = indices[below(6)];
    open("struct extent_" + m_name);
    line(m_index + " w = " + number(m_extent[0]) + ", h = " + number(m_extent[1]) +
         ", d = " + number(m_extent[2]) + ";");
    close(";");
  }

  // --- what one work-item does
  std::string item_call(const std::string& x, const std::string& y, const std::string& z) const {
    const auto index = [&](const std::string& of) { return m_index + "(" + of + ")"; };
    return "item_" + m_name + "(a, in, words, shorts, reals, counters, " + index(x) + ", " + index(y) + ", " +
           index(z) + ", e);";
  }
  void body_of_item() {
    open("template <class In, class Words, class Shorts, class Reals, class Counters>\ninline void item_" +
         m_name + "(const args_" + m_name + (chance(50) ? "& a" : " a") +
         ", const In& in, Words& words, Shorts& shorts, Reals& reals, Counters& counters, const " + m_index +
         " x, const " + m_index + " y, const " + m_index + " z, const extent_" + m_name + " e)");
    line("(void)counters;");
    static const char* const inside[] = {"x < e.w", "y < e.h", "z < e.d"};
    static const char* const outside[] = {"x >= e.w", "y >= e.h", "z >= e.d"};
    const int form = below(3);
    int opened = 0;
    for (int k = 0; k < m_dimensions; ++k) {
      if (form == 0) line(std::string("if (") + outside[k] + ") return;");
      if (form == 1) {
        open(std::string("if (") + inside[k] + ")");
        ++opened;
      }
    }
    if (form == 2) {
      std::string all = inside[0];
      for (int k = 1; k < m_dimensions; ++k) all += std::string(" && ") + inside[k];
      open("if (" + all + ")");
      ++opened;
    }
    line("const u32 gid = static_cast<u32>((z * e.h + y) * e.w + x);");
    const bool of_rows = m_rows && chance(40);
    if (!of_rows) line("u32 array[8] = {gid, 3, " + expression(u32, 1) + "};");
    m_array = !of_rows;
    m_leave = "return;";
    m_budget = size(8);
    for (int i = 0; i < 2; ++i) {
      const type t = any_type();
      declare(t, expression(t, 1));
    }
    if (of_rows) {
      for (int i = size(1 + below(3)); i > 0; --i) row();
    } else {
      const int statements = size(5 + below(5));
      for (int i = 0; i < statements; ++i) stranger_statement();
    }
    finish_item();
    line("words[gid] = h;");
    for (int i = 0; i < opened; ++i) close();
    close();
  }
  void stranger_statement() {
    switch (m_loop_depth > 0 ? below(3) : below(9)) { // no further loops in loops: lavapipe stops at 65,535

      case 0:
      case 1: return vector();
      case 2: return math();
      case 3:
      case 4: return counted_loop();
      case 5: return border();
      case 6: return matrix();
      case 7:
        if (m_counters)
          return line("count_by_exchange(counters, " + expression(u32, 1) + " & 7, " + expression(u32, 2) +
                      ");");
        return by_value();
      default: return statement();
    }
  }
  /// A vector of 2 to 16 unsigned numbers: operations on all elements, swizzles, an element by a number.
  void vector() {
    static const int sizes[] = {2, 3, 4, 8, 16};
    static const type kinds[] = {u8, u16, u32, u64};
    const int elements = sizes[below(5)];
    const type of = kinds[below(4)];
    const std::string v = fresh(),
                      type = "sycl::vec<" + std::string(type_names[of]) + ", " + number(elements) + ">";
    line("auto " + v + " = " + type + "(" + std::string(type_names[of]) + "(" + expression(of, 1) + "));");
    const int changes = 2 + below(3);
    for (int i = 0; i < changes; ++i) {
      const std::string scalar = std::string(type_names[of]) + "(" + expression(of, 1) + ")";
      switch (below(7)) {
        case 0: line(v + "[" + expression(u32, 1) + " % " + number(elements) + "] = " + scalar + ";"); break;
        case 1: line(v + " = " + v + " " + "&|^"[below(3)] + " " + type + "(" + scalar + ");"); break;
        case 2:
          line(v + " = " + v + " >> " + type + "(" + type_names[of] + "(" + number(1 + below(7)) + "));");
          break;
        case 3:
          line(v + " = sycl::" + (chance(50) ? "max" : "add_sat") + "(" + v + ", " + type + "(" + scalar +
               "));");
          break;
        case 4:
          if (of == u32 || of == u64) line(v + " = " + v + " * " + type + "(" + scalar + ") + " + v + ";");
          else line(v + "[0] = " + v + "[" + number(elements - 1) + "];");
          break;
        case 5: line(v + ".template swizzle<0, 1>() = " + v + ".template swizzle<1, 0>();"); break;
        default: line(v + " = " + v + ".template convert<u32>().template convert<" + type_names[of] + ">();");
      }
    }
    declare(of, v + "[" + expression(u32, 1) + " % " + number(elements) + "]");
    declare(u32, converted("sycl::popcount(" + v + ")[" + number(below(elements)) + "]", of, u32));
  }
  /// Functions of numbers for which the result is exact, or rounded to an integer that it is close to.
  void math() {
    const auto small = [&](int mask) { return "f32(" + expression(u32, 1) + " & " + number(mask) + "u)"; };
    const auto rounded = [&](const std::string& of) {
      declare(i32, "static_cast<i32>(sycl::round(" + of + "))");
    };
    const auto real = [&](const std::string& of) { declare(f32, "tame(" + of + ")"); };
    switch (below(12)) {
      case 0: return rounded("sycl::pow(" + small(15) + ", " + number(2 + below(3)) + ".0f)");
      case 1: return rounded("sycl::pown(" + small(7) + ", " + number(below(6)) + ")");
      case 2: return rounded("sycl::pow(2.0f, " + small(15) + ")");
      case 3: return rounded("sycl::exp2(" + small(15) + ")");
      case 4: return rounded("sycl::powr(" + small(255) + " * 4.0f, 0.5f) * 4.0f");
      case 5: return rounded("sycl::sqrt(" + small(255) + " * " + small(255) + ")");
      case 6:
        return real("sycl::ldexp(" + expression(f32, 1) + ", static_cast<int>(" + expression(u32, 1) +
                    " & 7) - 3)");
      case 7: return real("sycl::fmod(" + expression(f32, 1) + ", " + literal(f32) + ")");
      case 8: return real(expression(f32, 1) + " / " + number(1 << below(6)) + ".0f");
      case 9: return declare(i32, "sycl::ilogb(" + expression(f32, 1) + ")");
      case 10: return real("sycl::clamp(" + expression(f32, 1) + ", -50.5f, 99.25f)");
      default:
        return declare(u32,
                       "sycl::abs_diff(u32(" + expression(u32, 1) + "), u32(" + expression(u32, 1) + "))");
    }
  }
  /// A loop that counts down, halves, doubles, takes large steps or wraps; perhaps one in another up to its
  /// counter.
  void counted_loop() {
    if (m_loop_depth >= 2) return assign();
    static const char* const types[] = {"int", "u32", "i64", "u64", "std::size_t", "i16"};
    const std::string type = types[below(6)], k = fresh();
    switch (below(6)) {
      case 0:
        open_loop("for (" + type + " " + k + " = " + number(2 + below(7)) + "; " + k + " > 0; --" + k + ")");
        break;
      case 1:
        open_loop("for (" + type + " " + k + " = " + number(1 << (2 + below(5))) + "; " + k + " > 0; " + k +
                  (chance(50) ? " >>= 1)" : " /= 2)"));
        break;
      case 2:
        open_loop("for (" + type + " " + k + " = 1; " + k + " <= " + type + "(" + expression(u32, 1) +
                  " & 63u); " + k + (chance(50) ? " *= 2)" : " <<= 1)"));
        break;
      case 3:
        open_loop("for (" + type + " " + k + " = " + type + "(gid) & 3; " + k + " < " +
                  number(3 + below(20)) + "; " + k + " += " + number(2 + below(4)) + ")");
        break;
      case 4:
        open_loop("for (u8 " + k + " = 252; " + k + " != " + number(1 + below(4)) + "; ++" + k + ")");
        break;
      default: open_loop("for (" + type + " " + k + " = 0; " + k + " < " + type + "(gid % 7u); " + k + "++)");
    }
    const std::size_t scope = m_scope.size();
    m_scope.push_back({"static_cast<u32>(" + k + ")", u32, false});
    ++m_loop_depth;
    const bool in_switch = m_in_switch;
    m_in_switch = false;
    if (chance(40)) {
      const std::string j = fresh();
      line("for (" + type + " " + j + " = 0; " + j + " <= " + type + "(" + k + ") % 9; ++" + j + ") array[" +
           j + " & 7] += in[(" + j + " * 12 + " + k + ") & 63];");
    }
    if (chance(50)) stranger_statement();
    block(1 + below(2));
    m_in_switch = in_switch;
    --m_loop_depth;
    m_scope.resize(scope);
    close();
  }
  /// A work-item's own row of `in`: sums, products, the place of the largest, words of a hash; perhaps of
  /// several rows, or under a condition, or with a number written before.
  void row() {
    static const char* const types[] = {"int", "u32", "i64", "std::size_t"};
    const std::string type = types[below(4)], k = fresh(), sum = fresh(), best = fresh(), bound = "n" + k;
    const std::string columns = chance(50)   ? number(1 + below(20))
                                : chance(50) ? "e.w"
                                             : "(" + expression_of_group() + " & 15)";
    line("const " + type + " " + bound + " = " + type + "(" + columns + ");");
    if (chance(20)) line("reals[gid] = f32(gid & 7u);");
    line("f32 " + sum + " = " + number(below(3)) + "; u32 " + best + " = gid;");
    const bool conditional = chance(20), several = chance(25);
    if (conditional) open(chance(50) ? "if (gid != 5u)" : "if (" + expression(truth, 1) + ")");
    const std::string r = fresh();
    if (several) open("for (u32 " + r + " = 0; " + r + " < " + number(1 + below(4)) + "u; ++" + r + ")");
    open("for (" + type + " " + k + " = 0; " + k + " < " + bound + "; ++" + k + ")");
    const std::string from = "in[(gid * " + number(1 + below(9)) + "u + u32(" + k + ")" +
                             (several ? " + " + r + " * 7u" : "") + ") & 63]",
                      shared = "in[u32(" + k + ") & 63]";
    switch (below(4)) {
      case 0: line(sum + " += f32(" + from + " & 15u) * f32(" + shared + " & 3u);"); break;
      case 1: line(sum + " = sycl::fmax(" + sum + ", f32(" + from + " & 255u)) + 1;"); break;
      case 2:
        line("if (f32(" + from + " & 255u) > " + sum + ") { " + sum + " = f32(" + from + " & 255u); " + best +
             " = u32(" + k + "); }");
        break;
      default: line(best + " = (" + best + " ^ u32(" + from + ")) * 16777619u;");
    }
    if (chance(20)) line("if (" + best + " == 3u) " + (chance(50) ? "break;" : "continue;"));
    if (chance(15)) line("words[gid] = mix(words[gid], u32(" + from + "));");
    close();
    if (several) {
      if (chance(50)) line(best + " += u32(" + sum + ");");
      close();
    }
    if (conditional) close();
    m_scope.push_back({sum, f32, false});
    m_scope.push_back({best, u32, true});
    if (chance(40)) assign();
  }
  /// A number that all work-items read from the same place.
  std::string expression_of_group() { return "u32(in[" + number(below(64)) + "])"; }
  /// Something else at the border than inside.
  void border() {
    open(std::string("if (x > 0 && x + 1 < e.w") + (m_dimensions > 1 ? " && y > 0 && y < e.h - 1)" : ")"));
    block(1 + below(2));
    --m_depth;
    line("} else {");
    ++m_depth;
    block(1);
    close();
  }
  /// A small private matrix of whole numbers as floats: filled, multiplied, one element kept.
  void matrix() {
    const std::string m = fresh(), sum = fresh(), n = number(2 + below(3));
    line("f32 " + m + "[4][4];");
    line("for (int r = 0; r < 4; ++r) for (int c = 0; c < 4; ++c) " + m +
         "[r][c] = f32((in[(r * 4 + c + gid) & 63] + " + expression(u32, 1) + ") & 15u);");
    line("f32 " + sum + " = 0;");
    line("for (int r = 0; r < " + n + "; ++r) for (int c = 0; c < " + n + "; ++c) for (int k = 0; k < " + n +
         "; ++k) " + sum + " += " + m + "[r][k] * " + m + "[k][c];");
    m_scope.push_back({sum, f32, true});
    declare(f32, m + "[" + expression(u32, 1) + " & 3][" + expression(u32, 1) + " & 3]");
  }
  /// A structure that a function takes and returns by value.
  void by_value() {
    const std::string p = fresh();
    line("const auto " + p + " = [](pair_" + m_name + " p, u32 by) { p." + m_fields[0].name + " = " +
         converted("by", u32, m_fields[0].kind) + "; return p; }(" +
         (chance(50) ? "a.p" : "make_" + m_name + "(gid)") + ", " + expression(u32, 1) + ");");
    for (const field& f : m_fields)
      if (chance(60)) declare(f.kind, p + "." + f.name);
  }

  // --- launches
  std::string list(const int* of) const { // SYCL's order: the last dimension is that of x
    std::string text;
    for (int k = m_dimensions - 1; k >= 0; --k) text += (text.empty() ? "" : ", ") + number(of[k]);
    return "sycl::range<" + number(m_dimensions) + ">(" + text + ")";
  }
  void launch_over_items() {
    const std::string d = number(m_dimensions);
    const bool usm = chance(50);
    open("void device_" + m_name + "(sycl::queue& q, data& d)");
    if (usm) {
      line("usm_copies memory(q, d);");
      open("q.submit([&](sycl::handler& hd)");
      line("const pointers on = memory.on;");
      line("const args_" + m_name + " a;");
    } else {
      accessors();
    }
    line("const extent_" + m_name + " e;");
    const int way = below(5);
    const auto id = [&](int axis) -> std::string {
      if (axis >= m_dimensions) return "0";
      const std::string k = number(m_dimensions - 1 - axis);
      if (way == 0) return "i[" + k + "]";
      if (way == 1) return "i.get_id(" + k + ")";
      if (way == 3)
        return "(i.get_group(" + k + ") * i.get_local_range(" + k + ") + i.get_local_id(" + k + "))";
      return "i.get_global_id(" + k + ")";
    };
    if (way < 2)
      open("hd.parallel_for(" + list(m_padded) + ", [=](sycl::" + (way == 0 ? "id<" : "item<") + d + "> i)");
    else if (way < 4)
      open("hd.parallel_for(sycl::nd_range<" + d + ">(" + list(m_padded) + ", " + list(m_local) +
           "), [=](sycl::nd_item<" + d + "> i)");
    else {
      int counts[3];
      for (int k = 0; k < 3; ++k) counts[k] = m_padded[k] / m_local[k];
      open("hd.parallel_for_work_group(" + list(counts) + ", " + list(m_local) + ", [=](sycl::group<" + d +
           "> g)");
      open("g.parallel_for_work_item([&](sycl::h_item<" + d + "> i)");
    }
    if (usm)
      line("auto in = on.in; auto words = on.words; auto shorts = on.shorts; auto reals = on.reals; auto "
           "counters = on.counters;");
    line(item_call(id(0), id(1), id(2)));
    if (way == 4) close(");");
    close(");");
    close(usm ? ").wait_and_throw();" : ");");
    if (usm) line("memory.copy_back(d);");
    close();
  }

  // --- a tile of local memory that the group fills and reads, a few times
  void tiled_kernel() {
    const std::string name = m_name;
    const auto function = [&](const std::string& head) {
      scope_of_arguments();
      for (const char* each : {"round", "lx", "ly"}) m_scope.push_back({each, u32, false});
      m_scope.push_back({"own", u32, true});
      open(head);
      line("u32 array[8] = {own, round};");
      m_array = true;
      m_budget = size(4);
      m_leave = "return own;";
    };
    const std::string parameters =
        "(const args_" + name +
        "& a, const In& in, const u32 gid, const u32 lx, const u32 ly, const u32 round, u32 own";
    function("template <class In>\ninline u32 fill_" + name + parameters + ")");
    block(1 + below(2));
    line("return " + expression(u32, 2) + ";");
    close();
    function("template <class In, class Tile>\ninline u32 use_" + name + parameters + ", Tile& tile)");
    const int w = m_local[0], h = m_local[1];
    const auto place = [&](const char* of, int size) {
      return "(" + std::string(of) + " + " + number(below(4)) + ") % " + number(size);
    };
    const int reads = 1 + below(3);
    for (int k = 0; k < reads; ++k)
      declare(u32,
              chance(30) && w == h ? "tile[lx][ly]" : "tile[" + place("ly", h) + "][" + place("lx", w) + "]");
    if (chance(50)) line("for (int k = 0; k < " + number(w) + "; ++k) own = own * 3 + tile[ly][k];");
    block(1 + below(3));
    line("return " + expression(u32, 2) + ";");
    close();
    m_leave.clear();
    tile_code();
  }
  void tile_code() {
    const std::string w = number(m_local[0]), h = number(m_local[1]), rounds = number(1 + below(3));
    const bool tree = (m_local[0] & (m_local[0] - 1)) == 0 && chance(60), leader = chance(40);
    open("void device_" + m_name + "(sycl::queue& q, data& d)");
    accessors();
    line("(void)shorts, (void)reals, (void)counters;");
    line("const extent_" + m_name + " e;");
    line("sycl::local_accessor<u32, 2> tile(sycl::range<2>(" + h + ", " + w + "), hd);");
    open("hd.parallel_for(sycl::nd_range<2>(" + list(m_padded) + ", " + list(m_local) +
         "), [=](sycl::nd_item<2> i)");
    line("const " + m_index + " x = i.get_global_id(1), y = i.get_global_id(0);");
    line("const u32 lx = i.get_local_id(1), ly = i.get_local_id(0), gid = static_cast<u32>(y * e.w + x);");
    line("u32 own = gid;");
    open("for (u32 round = 0; round < " + rounds + "; ++round)");
    const std::string inside = "x < e.w && y < e.h";
    line("tile[ly][lx] = " + inside + " ? fill_" + m_name + "(a, in, gid, lx, ly, round, own) : 0u;");
    line("sycl::group_barrier(i.get_group());");
    line("if (" + inside + ") own = use_" + m_name + "(a, in, gid, lx, ly, round, own, tile);");
    line("sycl::group_barrier(i.get_group());");
    if (tree) {
      open("for (u32 s = " + w + " / 2; s > 0; s >>= 1)");
      line("if (lx < s) tile[ly][lx] += tile[ly][lx + s];");
      line("sycl::group_barrier(i.get_group());");
      close();
    }
    if (leader) {
      open("if (lx == 0 && ly == 0)");
      line("for (int r = 0; r < " + h + "; ++r) for (int c = 1; c < " + w +
           "; ++c) tile[0][0] = tile[0][0] * 5 + tile[r][c];");
      close();
      line("sycl::group_barrier(i.get_group());");
    }
    if (tree || leader) {
      line("own ^= tile[" + std::string(leader ? "0" : "ly") + "][0];");
      line("sycl::group_barrier(i.get_group());");
    }
    close();
    line("if (" + inside + ") words[gid] = mix(gid, own);");
    close(");");
    close(");");
    close();
    plain_tile(w, h, rounds, tree, leader);
  }
  void plain_tile(const std::string& w, const std::string& h, const std::string& rounds, bool tree,
                  bool leader) {
    const std::string all = "for (u32 ly = 0; ly < " + h + "; ++ly) for (u32 lx = 0; lx < " + w + "; ++lx)";
    open("void plain_" + m_name + "(data& d)");
    line("const args_" + m_name + " a;");
    line("const u32 w = " + number(m_extent[0]) + ", h = " + number(m_extent[1]) + ";");
    line("auto& in = d.in;");
    open("for (u32 gy = 0; gy < " + number(m_padded[1]) + "; gy += " + h + ") for (u32 gx = 0; gx < " +
         number(m_padded[0]) + "; gx += " + w + ")");
    line("u32 tile[" + h + "][" + w + "], own[" + h + "][" + w + "];");
    line(all + " own[ly][lx] = (gy + ly) * w + gx + lx;");
    open("for (u32 round = 0; round < " + rounds + "; ++round)");
    for (const bool fills : {true, false}) {
      open(all);
      line("const u32 x = gx + lx, y = gy + ly, gid = y * w + x;");
      line(fills ? "tile[ly][lx] = x < w && y < h ? fill_" + m_name +
                       "(a, in, gid, lx, ly, round, own[ly][lx]) : 0u;"
                 : "if (x < w && y < h) own[ly][lx] = use_" + m_name +
                       "(a, in, gid, lx, ly, round, own[ly][lx], tile);");
      close();
    }
    if (tree)
      line("for (u32 s = " + w + " / 2; s > 0; s >>= 1) " + all +
           " if (lx < s) tile[ly][lx] += tile[ly][lx + s];");
    if (leader)
      line("for (int r = 0; r < " + h + "; ++r) for (int c = 1; c < " + w +
           "; ++c) tile[0][0] = tile[0][0] * 5 + tile[r][c];");
    if (tree || leader) line(all + " own[ly][lx] ^= tile[" + std::string(leader ? "0" : "ly") + "][0];");
    close();
    line(all +
         " if (gx + lx < w && gy + ly < h) d.words[(gy + ly) * w + gx + lx] = mix((gy + ly) * w + gx + lx, "
         "own[ly][lx]);");
    close();
    close();
  }

  int m_dimensions = 1, m_extent[3], m_local[3], m_padded[3];
  std::string m_index;
};

} // namespace prism_random
