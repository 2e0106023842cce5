// random_kernels {--seed S [--count N]}...: writes a SYCL program of random kernels, one of seed S, or N with
// seeds S, S+1, ..., to standard output. The same seed gives the same kernel, if the same compiler built the
// generator. No kernel has undefined behaviour, floating-point operations that devices may round differently,
// or more than a few thousand loop iterations per work-item (software Vulkan stops at 65,535).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/random/stranger_kernels.hpp"

namespace {

using namespace prism_random;

class writer : stranger_writer {
public:
  explicit writer(std::uint64_t seed) : stranger_writer(seed), m_seed(seed) {}

  std::string kernel() {
    m_name = std::to_string(m_seed);
    m_bits = m_seed >= 220; // numbers by their bits, and compare-exchange; earlier kernels stay the same
    m_small =
        m_seed >= 1'000'000 && m_seed / 1'000'000 != 51; // 51 million and more: found while all were large
    if (m_small) m_left_out = static_cast<unsigned>(next() & next());
    m_doubles = chance(20);
    line("// Kernel " + m_name);
    structure();
    const int helpers = below(m_small ? 2 : 3);
    for (int i = 0; i < helpers; ++i) helper(i);
    // The first two hundred kernels stay the same. With sub-groups they are five times as long.
    m_sub_groups = m_seed >= 200 && m_seed % (m_small ? 8 : 4) == 3;
    m_shapes = m_seed >= 240; // loops and guards in the usual forms, and group algorithms
    m_guards = m_seed >= 280; // guards between barriers
    // From 280 on some kernels are in the forms of other programs. (From a million to a thousand million they
    // are not.)
    m_strangers = m_seed >= 280 && (m_seed < 1'000'000 || m_seed >= 1'000'000'000);
    m_steps = m_strangers && m_seed >= 300; // loops over tiles by a step that the kernel captures
    m_rows = m_strangers && m_seed >= 320;  // rows of a work-item
    m_partial = m_seed >= 340;              // functions of a sub-group that some of its work-items lack
    const bool owns = m_strangers && m_seed >= 320 && m_seed % 32 == 2;
    if (owns) own_numbers_kernel();
    else if (m_shapes && m_seed % 4 < 2) strided_kernel();
    else if (m_strangers && m_seed % 4 == 2) stranger_kernel();
    else if (m_sub_groups || chance(40)) group_kernel();
    else simple_kernel();
    return m_text;
  }

private:
  void simple_kernel() {
    arguments();
    scope_of_arguments();
    m_counters = chance(m_bits ? 80 : 50);
    open(m_template + ">\ninline u64 body_" + m_name + "(const args_" + m_name + "& a" + m_parameters + ")");
    line("(void)counters;");
    for (int i = 0; i < 3; ++i) {
      const type t = any_type();
      declare(t, expression(t, 1));
    }
    const bool array = chance(60);
    if (array)
      line("u32 array[8] = {" + expression(u32, 1) + ", " + literal(u32) + ", gid" +
           (chance(50) ? ", 7, 6, 5" : "") + "};");
    m_array = array;
    m_leave = "return " + expression(u64, 1) + ";";
    m_budget = size(12);
    const int statements = size(4 + below(5));
    for (int i = 0; i < statements; ++i) statement();
    finish_item();
    line("return h;");
    close();

    open("void device_" + m_name + "(sycl::queue& q, data& d)");
    accessors();
    const std::string rest = "body_" + m_name + "(a, in, shorts, reals, counters, gid);";
    switch (below(3)) {
      case 0:
        open("hd.parallel_for(sycl::range<1>(item_count), [=](sycl::id<1> i)");
        line("const u32 gid = static_cast<u32>(i[0]);");
        break;
      case 1:
        open("hd.parallel_for(sycl::range<2>(item_count / 8, 8), [=](sycl::item<2> i)");
        line("const u32 gid = static_cast<u32>(i.get_linear_id());");
        break;
      default:
        open("hd.parallel_for(sycl::nd_range<1>(item_count, 16), [=](sycl::nd_item<1> i)");
        line("const u32 gid = static_cast<u32>(i.get_group(0) * 16 + i.get_local_id(0));");
    }
    line("words[gid] = " + rest);
    close(");");
    close(");");
    close();
    open("void plain_" + m_name + "(data& d)");
    line("const args_" + m_name + " a;");
    line("for (u32 gid = 0; gid < item_count; ++gid) d.words[gid] = body_" + m_name +
         "(a, d.in, d.shorts, d.reals, d.counters, gid);");
    close();
  }

  // --- kernels whose work-items stride over the data: each element of an array belongs to one of them
  /// A loop over the work-item's elements of `words` (every `range`-th) or of `shorts` (those of its group,
  /// every `local`-th).
  void strided_loop() {
    static const char* const counters[] = {"u32", "i32", "u64", "i64", "std::size_t"};
    const std::string k = fresh(), type = counters[below(5)];
    const bool of_group = chance(40);
    const std::string range = chance(50) ? "range" : "static_cast<" + type + ">(range)";
    std::string bound = of_group     ? "(group + 1) * per"
                        : chance(50) ? std::to_string(20 + below(77))
                                     : "(" + expression(u32, 1) + " % 97u)";
    if (of_group && chance(40))
      bound = "sycl::min(" + bound + ", u64(" + std::to_string(30 + below(66)) + "))";
    const bool as_while = chance(25);
    const std::string start = of_group ? "group * per + lid" : "gid", step = of_group ? "local" : range;
    const std::string head = type + " " + k + " = static_cast<" + type + ">(" + start + ")";
    const std::size_t scope = m_scope.size();
    const std::string guarded = k + " < " + type + "(" + bound + ")";
    if (as_while) {
      line(head + ";");
      open("while (" + guarded + ")");
    } else {
      open("for (" + head + "; " + guarded + "; " + k + " += " + step + ")");
    }
    m_scope.push_back({"static_cast<u32>(" + k + ")", u32, false});
    ++m_loop_depth;
    const bool in_switch = m_in_switch;
    m_in_switch = false;
    if (chance(60))
      line((chance(50) ? "if (" + expression(truth, 1) + ") " : std::string()) +
           (of_group ? "shorts" : "words") + "[" + k + "] = " + expression(of_group ? i16 : u64, 2) + ";");
    else
      line(of_group
               ? "shorts[" + k + "] = static_cast<i16>(shorts[" + k + "] * 3 + " + expression(i16, 1) + ");"
               : "words[" + k + "] = mix(words[" + k + "], " + expression(u32, 2) + ");");
    if (chance(70)) assign();
    if (!as_while && chance(20)) branch(); // which may continue the loop
    m_in_switch = in_switch;
    --m_loop_depth;
    m_scope.resize(scope);
    if (as_while) line(k + " += " + step + ";");
    close();
  }
  /// A loop over tiles, strided by the number of groups, with a condition on the work-item's element and
  /// maybe a loop of the same kind in it.
  void tile_loop() {
    static const char* const counters[] = {"u32", "i32", "u64", "i64"};
    const std::string t = fresh(), i = fresh(), type = counters[below(4)],
                      of_element = chance(50) ? "i32" : type;
    const std::string groups = type + "(range / local)", tiles = std::to_string(96 >> below(6));
    open("for (" + type + " " + t + " = " + type + "(group); " + t + " < " + tiles + "; " + t +
         " += " + groups + ")");
    line("const " + of_element + " " + i + " = static_cast<" + of_element + ">(" + t + " * " + type +
         "(local) + " + type + "(lid));");
    const std::string bound =
        chance(50) ? std::to_string(20 + below(77)) : "(" + expression(u32, 1) + " % 97u)";
    open("if (" + i + " < " + of_element + "(" + bound + ")" +
         (chance(40) ? " && lid < " + std::to_string(4 + below(60)) : "") + ")");
    const std::size_t scope = m_scope.size();
    m_scope.push_back({"static_cast<u32>(" + i + ")", u32, false});
    const bool nested = chance(50), in_switch = m_in_switch;
    m_in_switch = false;
    ++m_loop_depth;
    const std::string s = fresh();
    if (nested && m_steps && chance(60)) captured_step_loop(type, s, t);
    else if (nested)
      open("for (" + type + " " + s + " = " + type + (chance(60) ? "(group)" : "(0)") + "; " + s + " < " +
           std::to_string(1 + below(40)) + "; " + s + " += " + groups + ")");
    if (nested) {
      m_scope.push_back({"static_cast<u32>(" + s + ")", u32, false});
    }
    line("words[" + i + "] = mix(words[" + i + "], " + expression(u32, 2) + ");");
    if (chance(50)) line("sum = sum * 3 + in[u32(" + i + ") & 63];");
    for (const field& f : m_arguments)
      if ((f.kind == u32 || f.kind == u64 || f.kind == i64) && chance(50)) { // a divisor that is often 0
        const std::string by = type + "(a." + f.name + " & " + std::to_string(below(20)) + "u)";
        line("if (" + by + " != 0) sum += u32(" + type + "(lid) / " + by + " * 5 + " + type + "(lid) % " +
             by + " + (" + t + " - " + type + "(3)) / " + by + " + " + type + "(in[7]) % " + by + ");");
        break;
      }
    if (chance(30)) assign();
    if (nested) close();
    --m_loop_depth;
    m_in_switch = in_switch;
    m_scope.resize(scope);
    close();
    close();
  }
  /// The head of a loop in a loop over tiles, by a step that is the same for all work-items and not known to
  /// the compiler. It executes once, more often, or never.
  void captured_step_loop(const std::string& type, const std::string& counter, const std::string& tile) {
    std::string step = "per";
    for (const field& f : m_arguments)
      if ((f.kind == u32 || f.kind == u64 || f.kind == i64) && chance(60))
        step = "1 + (a." + f.name + " & " + std::to_string(1 + below(60)) + "u)";
    const std::string bound = std::to_string(1 + below(40)),
                      wide = chance(30) ? "i64(" + bound + ")" : type + "(" + bound + ")";
    open("for (" + type + " " + counter + " = " + (chance(60) ? tile : type + "(group)") + "; " + counter +
         " < " + wide + "; " + counter + " += " + type + "(" + step + "))");
  }
  /// Code that only some work-items execute: those below a bound, all but the border, or the leader.
  void guard() {
    static const char* const ids[] = {"gid", "i32(gid)", "u64(gid)", "lid", "i64(lid)"};
    const std::string id = ids[below(5)],
                      bound = chance(50) ? std::to_string(below(97)) : "(" + expression(u32, 1) + " % 97u)";
    const std::string type = id[0] == 'i' ? id.substr(0, 3) : id[0] == 'u' ? "u64" : "u32";
    switch (below(5)) {
      case 0: open("if (lid == " + std::to_string(below(3)) + ")"); break;
      case 1: open("if (" + id + " > 0 && " + id + " < " + type + "(" + bound + "))"); break;
      case 2: open("if (" + id + " < " + type + "(" + bound + ") && " + expression(truth, 1) + ")"); break;
      default: open("if (" + id + (chance(70) ? " < " : " >= ") + type + "(" + bound + "))");
    }
    const std::size_t scope = m_scope.size();
    if (chance(50)) strided_loop();
    if (chance(40)) {
      const std::string k = fresh();
      open("for (u32 " + k + " = 0; " + k + " < " + (chance(50) ? "64" : "range") + "; ++" + k + ")");
      m_scope.push_back({k, u32, false});
      line("sum = sum * 3 + in[(" + k +
           (chance(50)   ? " + gid"
            : chance(50) ? " * 16 + lid"
                         : "") +
           ") & 63];");
      m_scope.pop_back();
      close();
    }
    block(1 + below(2));
    m_scope.resize(scope);
    close();
  }
  void strided_kernel() {
    arguments();
    scope_of_arguments();
    m_counters = chance(40);
    const std::string parameters =
        ", const In& in, Words& words, Shorts& shorts, Counters& counters, const u32 gid, const u32 lid, "
        "const u32 group, const u64 range, const u64 local";
    open("template <class In, class Words, class Shorts, class Counters>\ninline void body_" + m_name +
         "(const args_" + m_name + "& a" + parameters + ")");
    line("const u64 per = 96 / (range / local);");
    line("(void)counters, (void)lid, (void)group, (void)local, (void)per, (void)words, (void)shorts;");
    m_scope.push_back({"lid", u32, false});
    line("u32 sum = gid;");
    m_scope.push_back({"sum", u32, true});
    for (int i = 0; i < 2; ++i) {
      const type t = any_type();
      declare(t, expression(t, 1));
    }
    const bool leaves = chance(40);
    if (leaves)
      line("if (gid >= " +
           std::string(chance(50) ? std::to_string(10 + below(86)) : "(" + expression(u32, 1) + " % 97u)") +
           ") return;");
    m_budget = size(6);
    const int statements = size(2 + below(3));
    for (int i = 0; i < statements; ++i) {
      if (chance(20)) tile_loop();
      else if (chance(45)) strided_loop();
      else if (chance(60)) guard();
      else statement();
    }
    line("u64 h = gid;");
    for (const variable& v : m_scope)
      if (v.writable) line("h = mix(h, " + v.name + ");");
    line("words[gid] = mix(words[gid], h);");
    close();

    static const int shapes[][2] = {{32, 16}, {48, 16}, {24, 8},  {96, 32},
                                    {40, 20}, {12, 12}, {96, 96}, {8, 1}};
    const int* shape = shapes[below(8)];
    const bool flat = chance(70) || shape[1] % 4 != 0;
    const std::string range = std::to_string(shape[0]), local = std::to_string(shape[1]);
    open("void device_" + m_name + "(sycl::queue& q, data& d)");
    accessors();
    line("(void)reals;");
    if (flat) {
      open("hd.parallel_for(sycl::nd_range<1>(" + range + ", " + local + "), [=](sycl::nd_item<1> it)");
      line("body_" + m_name +
           "(a, in, words, shorts, counters, static_cast<u32>(it.get_global_id(0)), "
           "static_cast<u32>(it.get_local_id(0)), static_cast<u32>(it.get_group(0)), it.get_global_range(0), "
           "it.get_local_range(0));");
    } else { // the same numbers, from two dimensions: groups of rows
      const std::string rows = std::to_string(shape[1] / 4), all = std::to_string(shape[0] / 4);
      open("hd.parallel_for(sycl::nd_range<2>({" + all + ", 4}, {" + rows +
           ", 4}), [=](sycl::nd_item<2> it)");
      line("const u32 lid = static_cast<u32>(it.get_local_id(0) * 4 + it.get_local_id(1)), group = "
           "static_cast<u32>(it.get_group(0));");
      line("body_" + m_name +
           "(a, in, words, shorts, counters, static_cast<u32>(group * it.get_local_range().size() + lid), "
           "lid, group, it.get_global_range().size(), it.get_local_range().size());");
    }
    close(");");
    close(");");
    close();
    open("void plain_" + m_name + "(data& d)");
    line("const args_" + m_name + " a;");
    line("for (u32 gid = 0; gid < " + range + "; ++gid) body_" + m_name +
         "(a, d.in, d.words, d.shorts, d.counters, gid, gid % " + local + ", gid / " + local + ", " + range +
         ", " + local + ");");
    close();
  }

  // --- kernels with barriers: phases, each a function of a work-item's own state and the group's memory, in
  // uniform control flow
  void group_kernel() {
    arguments();
    m_counters = chance(m_bits ? 60 : 30);
    m_array = true;
    open("struct state_" + m_name);
    std::vector<variable> state;
    for (int i = 0; i < 4; ++i) {
      state.push_back({"s.x" + std::to_string(i), i == 0 ? u32 : any_type(), true});
      m_state_types.push_back(state.back().kind);
      line(std::string(type_names[state.back().kind]) + " x" + std::to_string(i) + " = " +
           literal(state.back().kind) + ";");
    }
    line("u32 array[8] = {1, 2, 3};");
    close(";");
    const int phases = size(2 + below(3));
    for (int k = 0; k < phases; ++k) phase(k, state);
    if (m_sub_groups) sub_group_functions(state);
    scope_of_arguments();
    for (const variable& v : state) m_scope.push_back(v);
    open(m_template + ">\ninline u64 last_" + m_name + "(const args_" + m_name + "& a, state_" + m_name +
         "& s" + m_parameters + ")");
    line("auto& array = s.array;");
    line("(void)counters;");
    finish_item();
    line("return h;");
    close();
    std::string device, plain;
    flow(phases, 0, m_small ? 3 : 4, device, plain);
    group_launch(device, plain);
  }
  void phase(int k, const std::vector<variable>& state) {
    scope_of_arguments();
    for (const variable& v : state) m_scope.push_back(v);
    m_scope.push_back({"lid", u32, false});
    m_scope.push_back({"turn", u32, false});
    open(m_template + ", class Local>\ninline void phase_" + m_name + "_" + std::to_string(k) +
         "(const args_" + m_name + "& a, state_" + m_name + "& s" + m_parameters +
         ", const u32 lid, const u32 turn, Local& local)");
    line("auto& array = s.array;");
    line("(void)array, (void)shorts, (void)reals, (void)counters, (void)turn, (void)lid;");
    const int kind = k == 0 ? 0 : below(3); // writes the own element, reads others', counts all elements
    if (kind == 1) line("s.x0 = add<u32>(s.x0, local[(lid + " + expression(u32, 1) + ") & 15]);");
    m_leave = kind == 1 ? "return;" : "";
    m_budget = size(5);
    block(size(1 + below(3)));
    if (m_guards && chance(60)) guard_in_phase();
    if (kind == 0) line("local[lid] = " + expression(u32, 2) + ";");
    if (kind == 2) line("count_add(local, " + expression(u32, 1) + " & 15, " + expression(u32, 2) + ");");
    m_leave.clear();
    close();
  }
  /// A guard by an id, perhaps reached by some work-items only.
  void guard_in_phase() {
    static const char* const tests[] = {"<", ">=", "!=", ">", "=="};
    const bool by_some = chance(50);
    if (by_some) {
      open("if (" + expression(truth, 2) + ")");
      block(1 + below(2));
      --m_depth;
      line("} else {");
      ++m_depth;
    }
    open("if (" + std::string(chance(70) ? "gid " : "lid ") + tests[below(5)] + " " +
         (chance(60) ? std::to_string(below(97)) + "u" : "(" + expression(u32, 1) + " % 97u)") + ")");
    block(1 + below(2));
    close();
    if (by_some) close();
  }
  /// Uniform control flow around phases, as kernel text and as loops over the work-items of a group.
  void flow(int phases, int depth, int statements, std::string& device, std::string& plain) {
    const std::string in(2 * (depth + 2), ' ');
    for (int n = 0; n < statements; ++n) {
      const bool first = n == 0 && depth == 0; // local memory has no contents before phase 0
      if (!first && m_sub_groups && chance(60)) {
        plain += in + "for (u32 sub = 0; sub < 2; ++sub) {\n";
        sub_group_flow(0, size(1 + below(3)), device, plain);
        plain += in + "}\n";
        continue;
      }
      if (!first && m_shapes && chance(30)) {
        group_algorithm(in, device, plain);
        continue;
      }
      const int form = depth < 2 && !first ? below(5) : 0;
      if (form < 3) {
        const std::string k = first ? "0" : std::to_string(below(phases));
        const std::string call =
            "phase_" + m_name + "_" + k + "(a, s, in, shorts, reals, counters, gid, lid, turn, local);";
        device += in + call + " sycl::group_barrier(it.get_group());" + (chance(30) ? " ++turn;" : "") + "\n";
        const bool turned = device.rfind("++turn;") + 8 == device.size();
        plain +=
            in +
            "for (u32 lid = 0; lid < 16; ++lid) { auto& s = states[lid]; const u32 gid = group * 16 + lid; " +
            call + " }" + (turned ? " ++turn;" : "") + "\n";
        continue;
      }
      const std::string i = fresh();
      const std::string head =
          form == 3
              ? "for (u32 " + i + " = 0; " + i + " < " + (chance(50) ? "3" : "(turn + group) % 4") + "; ++" +
                    i + ") {\n"
              : "if ((turn + group" + std::string(chance(50) ? " + in[turn & 63]" : "") + ") % 2 == 0) {\n";
      device += in + head;
      plain += in + head;
      flow(phases, depth + 1, 1 + below(2), device, plain);
      device += in + "}\n";
      plain += in + "}\n";
    }
  }
  /// An algorithm over the group's values of x0, or of its local memory, or a tile's loop over that memory.
  void group_algorithm(const std::string& in, std::string& device, std::string& plain) {
    const std::string k = std::to_string(below(8));
    static const char* const names[] = {"reduce",    "least",   "inclusive", "exclusive", "any",
                                        "broadcast", "joint",   "tile",      "leader",    "tree",
                                        "steps",     "reverse", "votes",     "alive",     "real",
                                        "leaders",   "scanned", "counted",   "summed"};
    const std::string name = names[below(m_steps ? 19 : m_strangers ? 18 : 9)];
    device += in + "group_" + name + "(it.get_group(), s, local, " + k + ");\n";
    plain += in + "group_" + name + "(states, local, " + k + ");\n";
  }
  // --- sub-groups of 8: their work-items exchange values and vote; the two sub-groups of a work-group branch
  // differently
  /// The value and the number that each work-item passes to an exchange, and a change of its own state in
  /// between.
  void sub_group_functions(const std::vector<variable>& state) {
    const auto function = [&](const std::string& result, const std::string& name, int k) {
      scope_of_arguments();
      for (const variable& v : state) m_scope.push_back(v);
      m_scope.push_back({"lid", u32, false});
      m_scope.push_back({"turn", u32, false});
      open(m_template + ">\ninline " + result + " " + name + "_" + m_name + "_" + std::to_string(k) +
           "(const args_" + m_name + "& a, state_" + m_name + "& s" + m_parameters +
           ", const u32 lid, const u32 turn)");
      line("auto& array = s.array;");
      line("(void)array, (void)shorts, (void)reals, (void)counters, (void)turn, (void)lid;");
    };
    for (int k = 0; k < size(3); ++k) {
      m_given.push_back(1 + below(3));
      function("auto", "given", k);
      const type t = state[m_given.back()].kind;
      line("return " + std::string(type_names[t]) + "(" + expression(t, 2) + ");");
      close();
      function("u32", "which", k);
      line("return " + expression(u32, 2) + " & 7;");
      close();
      function("bool", "votes", k);
      line("return " + expression(truth, 2) + ";");
      close();
      function("void", "changes", k);
      m_leave = "return;";
      m_budget = 3;
      block(1 + below(2));
      m_leave.clear();
      close();
    }
  }
  void sub_group_flow(int depth, int statements, std::string& device, std::string& plain) {
    const std::string in(2 * (depth + 4), ' ');
    for (int n = 0; n < statements; ++n) {
      const std::string k = std::to_string(below(size(3)));
      const auto call = [&](const char* what) {
        return std::string(what) + "_" + m_name + "_" + k +
               "(a, s, in, shorts, reals, counters, gid, lid, turn)";
      };
      const auto each = [&](const std::string& what) {
        return "for (u32 lane = 0; lane < 8; ++lane) { " +
               (m_on.empty() ? "" : "if (!" + m_on + "[lane]) continue; ") +
               "const u32 lid = sub * 8 + lane, gid = group * 16 + lid; auto& s = states[lid]; " + what +
               " }";
      };
      if (depth < 2 && m_partial && chance(25)) {
        partial_flow(depth, device, plain);
        continue;
      }
      switch (depth < 2 ? below(6) : below(3)) {
        case 0:
          device += in + call("changes") + ";\n";
          plain += in + each(call("changes") + ";") + "\n";
          break;
        case 1:
        case 2: {
          const int given = m_given[k[0] - '0'];
          const bool is_real = is_float(m_state_types[given]), is_truth = m_state_types[given] == truth;
          // See exchanged() of harness.hpp. Work-items that are elsewhere have no value, and lavapipe's scans
          // add theirs.
          static constexpr int of_some[] = {5, 6, 7, 9};
          if (!m_on.empty() && is_truth) continue;
          const int operation = !m_on.empty() ? of_some[below(is_real ? 2 : 4)]
                                : is_truth    ? below(5)
                                : is_real     ? below(7)
                                              : below(10);
          const bool of_one = (operation == 0 || operation == 4) && chance(50); // the same lane for all
          const std::string which = of_one           ? std::to_string(below(8)) + "u"
                                    : operation == 0 ? call("which")
                                                     : "((turn + " + std::to_string(below(8)) + ") & 7)";
          const std::string exchanged = "exchanged<" + std::to_string(operation) + ">";
          const std::string to = "s.x" + std::to_string(given);
          device += in + to + " = " + exchanged + "(sg, " + call("given") + ", " + which + ");\n";
          plain += in + "{ std::array<decltype(states[0].x" + std::to_string(given) +
                   "), 8> all{}; std::array<u32, 8> which{}; " +
                   each("all[lane] = " + call("given") + "; which[lane] = " + which + ";") + " " +
                   (m_on.empty() ? "" : "leave_out<" + std::to_string(operation) + ">(all, " + m_on + "); ") +
                   each(to + " = " + exchanged + "(all, lane, which[lane]);") + " }\n";
          break;
        }
        case 3:
        case 4: {
          const std::string i = fresh(), limit = "(turn + group + sub) % 4";
          const std::string head =
              chance(50) ? "if (" + limit + " < 2) {\n"
                         : "for (u32 " + i + " = 0; " + i + " < " + limit + "; ++" + i + ") {\n";
          device += in + head;
          plain += in + head;
          sub_group_flow(depth + 1, 1 + below(2), device, plain);
          device += in + "}\n";
          plain += in + "}\n";
          break;
        }
        default: { // while the sub-group votes for it
          const std::string i = fresh(), vote = chance(50) ? "any" : "all";
          device += in + "for (u32 " + i + " = 0; " + i + " < 4 && sycl::" + vote + "_of_group(sg, " +
                    call("votes") + "); ++" + i + ") {\n";
          plain += in + "for (u32 " + i + " = 0; " + i + " < 4; ++" + i + ") {\n" + in +
                   "  u32 yes = 0, all = 0; " + each("yes += " + call("votes") + ", ++all;") + "\n" + in +
                   "  if (yes " + (vote == "any" ? "== 0" : "!= all") + ") break;\n";
          sub_group_flow(depth + 1, 1 + below(2), device, plain);
          device += in + "}\n";
          plain += in + "}\n";
        }
      }
    }
  }
  /// A loop or a branch that some work-items of a sub-group skip.
  void partial_flow(int depth, std::string& device, std::string& plain) {
    const std::string in(2 * (depth + 4), ' '), i = fresh(), outer = m_on;
    const bool loops = chance(60);
    const std::string limit =
        "(lid * " + std::to_string(1 + below(7)) + " + turn + group) % " + (loops ? "4" : "2");
    device += in + (loops ? "for (u32 " + i + " = 0; " + i + " < " + limit + "; ++" + i + ") {\n"
                          : "if (" + limit + " == 0) {\n");
    plain += in + "for (u32 " + i + " = 0; " + i + " < " + (loops ? "4" : "1") + "; ++" + i + ") {\n" + in +
             "  std::array<bool, 8> on_" + i + "{}; bool any_" + i +
             " = false; for (u32 lane = 0; lane < 8; ++lane) { " + "const u32 lid = sub * 8 + lane; on_" + i +
             "[lane] = " + (outer.empty() ? "" : outer + "[lane] && ") +
             (loops ? i + " < " + limit : limit + " == 0") + "; any_" + i + " |= on_" + i + "[lane]; }\n" +
             in + "  if (!any_" + i + ") break;\n";
    m_on = "on_" + i;
    sub_group_flow(depth + 1, 1 + below(2), device, plain);
    m_on = outer;
    device += in + "}\n";
    plain += in + "}\n";
  }
  void group_launch(const std::string& device, const std::string& plain) {
    open("void device_" + m_name + "(sycl::queue& q, data& d)");
    accessors();
    line("sycl::local_accessor<u32> local(sycl::range<1>(16), hd);");
    open("hd.parallel_for(sycl::nd_range<1>(item_count, 16), [=](sycl::nd_item<1> it)" +
         std::string(m_sub_groups ? " [[sycl::reqd_sub_group_size(8)]]" : ""));
    if (m_sub_groups) line("const sycl::sub_group sg = it.get_sub_group();");
    if (m_sub_groups) line("const u32 sub = static_cast<u32>(sg.get_group_linear_id());");
    line(
        "const u32 gid = static_cast<u32>(it.get_global_id(0)), lid = static_cast<u32>(it.get_local_id(0));");
    line("const u32 group = static_cast<u32>(it.get_group(0));");
    line("u32 turn = 0;");
    line("state_" + m_name + " s;");
    m_text += device;
    line("(void)group;");
    line("words[gid] = last_" + m_name + "(a, s, in, shorts, reals, counters, gid);");
    close(");");
    close(");");
    close();
    open("void plain_" + m_name + "(data& d)");
    line("const args_" + m_name + " a;");
    line("auto &in = d.in, &counters = d.counters;");
    line("auto& shorts = d.shorts;");
    line("auto& reals = d.reals;");
    open("for (u32 group = 0; group < item_count / 16; ++group)");
    line("u32 turn = 0;");
    line("std::vector<u32> local(16);");
    line("std::vector<state_" + m_name + "> states(16);");
    m_text += plain;
    line("for (u32 lid = 0; lid < 16; ++lid) d.words[group * 16 + lid] = last_" + m_name +
         "(a, states[lid], in, shorts, reals, counters, group * 16 + lid);");
    close();
    close();
  }

  std::uint64_t m_seed;
  std::vector<type> m_state_types;
  std::vector<int> m_given; // which of the state's variables an exchange is of
  std::string m_on;         // the array of the work-items that take part, if some do not
  bool m_partial = false;
  bool m_sub_groups = false, m_shapes = false, m_guards = false, m_strangers = false, m_steps = false;
};

} // namespace

int main(int argc, char** argv) {
  struct range {
    std::uint64_t seed = 0, count = 1;
  };
  std::vector<range> ranges;
  for (int i = 1; i < argc; ++i) {
    char* end = nullptr;
    const bool is_seed = std::strcmp(argv[i], "--seed") == 0;
    const bool is_count = std::strcmp(argv[i], "--count") == 0 && !ranges.empty();
    const std::uint64_t value = i + 1 < argc ? std::strtoull(argv[i + 1], &end, 10) : 0;
    if ((!is_seed && !is_count) || end == nullptr || end == argv[i + 1] || *end != '\0') {
      std::fprintf(
          stderr,
          "random_kernels: usage: random_kernels {--seed S [--count N]}... > file.cpp; '%s' is not of "
          "that form\n",
          argv[i]);
      return 2;
    }
    if (is_seed) ranges.push_back({value});
    else ranges.back().count = value;
    ++i;
  }
  std::printf("// Made by random_kernels.\n#include \"tests/random/group_forms.hpp\"\n\n"
              "using namespace prism_random;\nnamespace {\n\n");
  std::string table;
  for (const range& each : ranges)
    for (std::uint64_t seed = each.seed; seed < each.seed + each.count; ++seed) {
      const std::string name = std::to_string(seed);
      std::printf("%s\n", writer(seed).kernel().c_str());
      table += "  {\"kernel " + name + " (random_kernels --seed " + name + ")\", " + name + "u, device_" +
               name + ", plain_" + name + "},\n";
    }
  std::printf("} // namespace\n\nint main() {\n  return compare_all({\n%s  });\n}\n", table.c_str());
}
