"""tools/check finds each kind of violation. `./prism check`, which CI runs before the tests, shows that the repository has none."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "tools/check"))
import coverage
import form
import layers
import sizes
import subjects

CHECK = [sys.executable, str(ROOT / "tools/check/check.py")]


def findings(files):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([*CHECK, "--root", folder], capture_output=True, text=True)
        return done.returncode, done.stdout


class Check(unittest.TestCase):
    def test_a_clean_file_passes(self):
        self.assertEqual(findings({"devices/api/a.hpp": "// What it is for.\n#pragma once\n"})[0], 0)

    def test_a_retired_word_is_found_in_comments_and_messages_but_not_in_names(self):
        status, text = findings({"devices/api/a.hpp": "// What nobody asks for.\n#pragma once\n"})  # words: quoted
        self.assertEqual(status, 1)
        self.assertIn("devices/api/a.hpp:1: words: nobody", text)  # words: quoted
        self.assertIn("words: told", findings({"devices/host/a.cpp": '// Contract.\nauto t = "it is told";\n'})[1])  # words: quoted
        self.assertEqual(findings({"devices/host/a.cpp": "// Contract.\nvoid beside(int nobody);\n"})[0], 0)  # words: quoted

    def test_a_retired_name_is_found_in_code_but_not_in_quotes(self):
        status, text = findings({"compiler/passes/a.cpp": "// Contract.\nvoid settle_extents();\n"})
        self.assertEqual(status, 1)
        self.assertIn("compiler/passes/a.cpp:2: words: settle_extents", text)
        self.assertEqual(findings({"compiler/passes/a.cpp": '// Contract.\nauto t = "settle_extents";\n'})[0], 0)
        self.assertIn("words: told", findings({"devices/host/a.cpp": "// Contract.\nbool told;\n"})[1])  # words: quoted

    def test_a_retired_word_is_found_in_every_folder(self):
        for folder in ("compiler/passes", "kernels", "runtime/include/sycl", "tests/random"):
            self.assertIn("words: outbox", findings({folder + "/a.hpp": "// An outbox.\n#pragma once\n"})[1])  # words: quoted

    def test_a_retired_word_is_found_in_scripts_notebooks_and_other_languages(self):
        for path, line in (("tools/a.sh", "# It tells why.\n"), ("prism", "# It tells why.\n"), ("docs/a.ipynb", '{"source": ["It tells why."]}\n'),  # words: quoted
                           ("bindings/a.f90", "call settle(x) ! now\n"), ("cmake/a.cmake", "# It tells why.\n"), ("devices/a/CMakeLists.txt", "# It tells why.\n"),  # words: quoted
                           ("bindings/c/a.abi", "# It tells why.\n"), ("devices/host/a.cpp", "// It tells (in words) why, as told().\n")):  # words: quoted
            self.assertRegex(findings({path: line})[1], f"{path}:1: words: (tells|settle)", path)  # words: quoted

    def test_a_sentence_of_more_than_48_words_is_found_in_documents(self):
        self.assertIn("docs/a.md:3: sentences: 49 words", findings({"docs/a.md": "# A\n\n" + "word " * 48 + "end.\n"})[1])
        for text in ("word " * 47 + "end.\n", "word " * 30 + "end. " + "word " * 30 + "end.\n", "| " + "word " * 60 + "|\n",
                     "```sh\n" + "word " * 60 + "\n```\n"):
            self.assertNotIn("sentences:", findings({"docs/a.md": "# A\n\n" + text})[1])

    def test_a_name_of_earlier_versions_is_found_where_it_was_retired(self):
        for path, line in (("runtime/api/a.cpp", "int joined;"), ("devices/host/a.cpp", "bool m_kept;"), ("compiler/link/a.cpp", "int m_joined;"),
                           ("image_format/a.cpp", "bool is_foreign;"), ("extras/a.cpp", "void tell();")):  # words: quoted
            self.assertIn(f"{path}:2: words:", findings({path: f"// Contract.\n{line}\n"})[1], path)
        self.assertNotIn("words:", findings({"runtime/api/a.cpp": "// Contract.\nauto x = state::kept;\n"})[1])

    def test_coverage_counts_lines_once_however_many_programs_hold_them(self):
        files = coverage.reached("SF:/r/runtime/a/x.cpp\nDA:1,0\nDA:2,5\nDA:3,0\nend_of_record\n"
                                 "SF:/r/runtime/a/x.cpp\nDA:1,0\nDA:3,1\nend_of_record\nSF:/usr/include/y.h\nDA:9,0\n")
        self.assertEqual(files["/r/runtime/a/x.cpp"], {1: 0, 2: 5, 3: 1})
        self.assertEqual(coverage.by_folder(files, pathlib.Path("/r")), {"runtime": [3, 2], "runtime/a": [3, 2]})
        coverage.add(files, {"/r/runtime/a/x.cpp": {3: 0, 4: 1}, "/r/tools/y.cpp": {7: 2}})  # of another build
        self.assertEqual(coverage.by_folder(files, pathlib.Path("/r")),
                         {"runtime": [4, 3], "runtime/a": [4, 3], "tools": [1, 1]})
        self.assertEqual(coverage.ranges([9, 3, 5, 4]), "3-5, 9")

    def test_a_forbidden_include_is_found(self):
        status, text = findings({"devices/opencl/a.cpp": '// Contract.\n#include "runtime/memory/coherence_map.hpp"\n'})
        self.assertEqual(status, 1)
        self.assertIn("layers", text)

    def test_a_forbidden_include_of_an_outer_folder_or_in_angle_brackets_is_found(self):
        header = {"kernels/include/prism/blas.hpp": "// Contract.\n#pragma once\n"}
        for line, target in (('"providers/a.hpp"', "providers/a.hpp"), ('"bindings/c/a.hpp"', "bindings/c/a.hpp"), ('"stdpar/a.hpp"', "stdpar/a.hpp"),
                             ('"compat/a.hpp"', "compat/a.hpp"), ("<prism/blas.hpp>", "kernels/include/prism/blas.hpp")):
            status, text = findings({"devices/host/a.cpp": f"// Contract.\n#include {line}\n", **header})
            self.assertEqual(status, 1, line)
            self.assertIn(f"devices/host/a.cpp:2: layers: devices/host may not include {target}\n", text)
        self.assertEqual(findings({"bench/a.cpp": "// Contract.\n#include <prism/blas.hpp>\n#include <prism/other.hpp>\n", **header})[0], 0)

    def test_a_folder_without_a_rule_is_found(self):
        self.assertIn("odd/a.cpp:1: layers: no rule", findings({"odd/a.cpp": "// Contract.\n"})[1])

    def test_a_permission_that_no_file_uses_is_found(self):
        files = {"tools/check/layers.txt": "the check reads its own", "devices/host/a.cpp": '// Contract.\n#include "devices/api/a.hpp"\n'}
        text = findings(files)[1]
        self.assertRegex(text, r"tools/check/layers\.txt:\d+: layers: no file of devices/host includes devices/host_limits\.hpp: delete the permission\n")
        self.assertNotIn("no file of devices/host includes devices/api:", text)

    def test_every_folder_refuses_includes_of_higher_layers(self):
        rules = layers.read()
        files, wanted = {}, []
        for folder in rules.rules:
            planted = folder + "/planted.cpp"
            for target in ("tools/check/none.hpp", "runtime/api/none.hpp", "compiler/plugin/none.hpp"):
                if not rules.allows(planted, target):
                    files[planted] = f'// Contract.\n#include "{target}"\n'
                    wanted.append(f"{planted}:2: layers: {folder} may not include {target}\n")
                    break
        text = findings(files)[1]
        for line in wanted:
            self.assertIn(line, text)
        self.assertGreaterEqual(len(wanted), len(rules.rules) - 1)  # tools/check is part of `tools`, and a rule that allows runtime allows runtime/api

    def test_emitters_do_not_include_each_other_nor_passes_the_plugin(self):
        for file, target in (("compiler/opencl/a.cpp", "compiler/spirv/emit.hpp"), ("compiler/spirv/a.cpp", "compiler/opencl/emit.hpp"),
                             ("compiler/passes/a.cpp", "compiler/plugin/build_kernel.hpp"), ("compiler/passes/a.cpp", "compiler/workgroup/lanes.hpp"),
                             ("compiler/device_ir/a.cpp", "compiler/passes/passes.hpp"), ("compiler/support/a.cpp", "compiler/device_ir/contract.hpp")):
            self.assertIn("layers", findings({file: f'// Contract.\n#include "{target}"\n'})[1], file)

    def test_long_functions_and_files_are_found_by_name(self):
        long_body = "\n".join(["  f();"] * 80)
        status, text = findings({"runtime/memory/a.cpp": f"// A.\nnamespace x {{\nvoid fine() {{}}\nint room::too_long(int a) {{\n{long_body}\n}}\n}} // namespace x\n",
                                 "tools/a.py": "def too_long():\n" + "    f()\n" * 81, "tools/b.py": "f()\n" * 701,
                                 "bindings/fortran/c.f90": "call f()\n" * 701})
        self.assertEqual(status, 1)
        self.assertIn("runtime/memory/a.cpp:4: sizes: room::too_long has 82 lines", text)
        self.assertIn("tools/a.py:1: sizes: too_long has 82 lines", text)
        self.assertIn("tools/b.py:1: sizes: 701 lines", text)
        self.assertIn("bindings/fortran/c.f90:1: sizes: 701 lines", text)
        self.assertEqual(text.count("sizes:"), 4)

    def test_the_length_of_a_function_is_that_of_its_own_lines(self):
        text = ('#define M(x) \\\n  { x }\nCALL(one)\nCALL(two)\ntemplate <typename T, int N = (3 > 2)>\nstruct s : base<T(int)> {\n  s() : m{1} {\n    if (a) {\n    }\n  }\n'
                '  const char* t = "}{";\n};\n/* { */\nauto f() -> int\n{\n  return [] { return \'{\'; }();\n}\nvalue v{f(1)};\n')
        self.assertEqual([(name, line, lines) for name, line, lines in sizes.functions_of_cpp(text)], [("s", 7, 4), ("f", 14, 4)])

    def test_folders_and_names_that_were_given_up_are_found(self):
        for path, line in (("runtime/schedule/a.cpp", "int a;"), ("runtime/execution/a.cpp", "auto& r = process_runtime::get();"),
                           ("runtime/coherence/a.cpp", "if (trace::on()) {}"), ("compiler/opencl/a.cpp", "constexpr int most = 960;"),
                           ("runtime/exec_graph/a.cpp", "namespace prism::graph {"), ("runtime/images/a.cpp", 'auto p = t.find("__kernel");'),
                           ("tests/unit/a.cpp", "TEST(Coherence, reads) {}")):
            self.assertIn(f"{path}:{1 if 'schedule' in path else 2}: structure:", findings({path: f"// A.\n{line}\n"})[1])
        self.assertEqual(findings({"runtime/engine/impl/a.cpp": "// A.\nauto& r = process_runtime::get();\n"})[0], 0)

    def test_an_unknown_file_in_the_root_is_found(self):
        status, text = findings({"README.md": "# A\n", "colour": "{}"})
        self.assertEqual(status, 1)
        self.assertIn("colour:1: structure: no file of this name may be in the root", text)
        self.assertNotIn("README.md", text)

    def test_include_cycles_between_units_are_found(self):
        circle = {"runtime/memory/a.hpp": '// A.\n#pragma once\n', "runtime/memory/a.cpp": '#include "runtime/memory/a.hpp"\n#include "runtime/memory/b.hpp"\n',
                  "runtime/memory/b.hpp": '// B.\n#pragma once\n#include "runtime/memory/c.hpp"\n',
                  "runtime/memory/c.hpp": '// C.\n#pragma once\n', "runtime/memory/c.cpp": '#include "runtime/memory/c.hpp"\n#include "runtime/memory/a.hpp"\n'}
        status, text = findings(circle)
        self.assertEqual(status, 1)
        self.assertIn("runtime/memory/a: units: in a circle of includes with runtime/memory/b, runtime/memory/c", text)
        del circle["runtime/memory/c.cpp"]
        self.assertEqual(findings(circle)[0], 0)

    def test_a_file_that_defines_a_class_belongs_to_its_unit(self):
        circle = {"runtime/memory/a.hpp": "// A.\n#pragma once\nclass a {\n  void f();\n};\n",
                  "runtime/memory/part.cpp": '// Part.\n#include "runtime/memory/a.hpp"\n#include "runtime/memory/b.hpp"\nvoid a::f() {}\n',
                  "runtime/memory/b.hpp": '// B.\n#pragma once\n#include "runtime/memory/a.hpp"\n'}
        self.assertIn("runtime/memory/a: units: in a circle of includes with runtime/memory/b\n", findings(circle)[1])
        circle["runtime/memory/part.cpp"] = circle["runtime/memory/part.cpp"].replace("void a::f() {}", "void f(a&) {}")
        self.assertEqual(findings(circle)[0], 0)

    def test_an_accepted_circle_that_no_longer_exists_is_found(self):
        self.assertIn("tools/check/units.txt:1: units: no circle is that of runtime/api/buffer_impl", findings({"tools/check/units.txt": ""})[1])

    def test_a_long_subject_of_a_new_commit_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            def git(*arguments):
                done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=folder, check=True, capture_output=True, text=True)
                return done.stdout.strip()
            git("init", "-q")
            git("commit", "-q", "--allow-empty", "-m", "An old subject. " * 5)
            first = git("rev-parse", "HEAD")
            git("commit", "-q", "--allow-empty", "-m", "x" * 72)
            self.assertEqual(list(subjects.findings(folder, first)), [])
            git("commit", "-q", "--allow-empty", "-m", "y" * 73 + "\n\n" + "z" * 80)
            self.assertEqual(list(subjects.findings(folder, first)), [f"{git('rev-parse', '--short', 'HEAD')}: subjects: 73 characters, 72 at the most: {'y' * 73}"])
            self.assertEqual(list(subjects.findings(folder)), [], "a history without the first commit")

    def test_more_long_lines_than_the_list_allows_are_found(self):
        long = "// A.\n" + 2 * ('const char* t = "%s";\n' % ("x" * 100))
        self.assertIn("devices/host/a.cpp:3: format: 2 lines of more than 110 columns, 0 allowed", findings({"devices/host/a.cpp": long})[1])
        self.assertEqual(list(form.long_lines({"a.cpp": long}, {"a.cpp": 2})), [])
        self.assertIn("only 2 lines", next(form.long_lines({"a.cpp": long}, {"a.cpp": 3}))[2])
        self.assertEqual(findings({"tools/a.py": "x = " + "1 + " * 50 + "1\n"})[0], 0)

    def test_a_layout_page_that_differs_from_the_rules_is_found(self):
        text = findings({"docs/layout.md": f"# Layout\n{layers.BEGIN}\n| folder |\n{layers.END}\n"})[1]
        self.assertIn("layout", text)

    def test_the_table_of_build_times_counts_repeated_objects(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([*CHECK, "--root", folder, "--build-times"], capture_output=True, text=True, env={**os.environ, "PRISM_BUILD_DIR": "b"})
            self.assertEqual(done.returncode, 1)
            self.assertIn("nothing was built there", done.stdout)
            pathlib.Path(folder, "b").mkdir()
            pathlib.Path(folder, "b/.ninja_log").write_text(
                "# ninja log v5\n0\t9000\t1\tx/CMakeFiles/one.dir/a.cpp.o\tf\n0\t2000\t1\tx/CMakeFiles/one.dir/a.cpp.o\tf\n"
                "1000\t4000\t1\tCMakeFiles/two.dir/a.cpp.o\tf\n0\t500\t1\tbin/one\tf\n")
            pathlib.Path(folder, "b/compile_commands.json").write_text('[{"file": "/a.cpp"}, {"file": "/a.cpp"}, {"file": "/b.cpp"}]')
            text = subprocess.run([*CHECK, "--root", folder, "--build-times"], capture_output=True, text=True, env={**os.environ, "PRISM_BUILD_DIR": "b"}).stdout
            self.assertIn("6 s in 3 edges; 3 objects, 1 of them", text)
            self.assertRegex(text, r"2\.0 +1  one\n")
            self.assertRegex(text, r"3\.0  CMakeFiles/two\.dir/a\.cpp\.o")

    def test_the_old_blas_is_found(self):
        self.assertIn("names", findings({"kernels/CMakeLists.txt": "find_package(" + "clB" + "LAS)\n"})[1])

    def test_a_missing_contract_and_pragma_are_found(self):
        text = findings({"runtime/memory/a.hpp": "int a;\n"})[1]
        self.assertIn("contract", text)
        self.assertIn("pragma", text)

    def test_a_dead_link_is_found(self):
        self.assertIn("links", findings({"docs/a.md": "[b](missing.md)\n"})[1])

    def test_a_document_that_names_a_missing_file_is_found(self):
        page = "`runtime/a`, `runtime/a.hpp`, `runtime/`, `runtime/b.hpp`, `runtime/{a,b}`\n"
        text = findings({"docs/a.md": page, "runtime/a.hpp": "// A.\n#pragma once\n"})[1]
        self.assertEqual([line for line in text.split("\n") if "paths:" in line], ["docs/a.md:1: paths: runtime/b.hpp does not exist"])

    def test_an_environment_variable_that_only_the_code_or_only_the_page_has_is_found(self):
        page, code = "`PRISM_A` is read.\n", "// Contract.\nauto a = std::getenv(\"PRISM_%s\");\n"
        self.assertEqual(findings({"docs/environment.md": page, "devices/host/a.cpp": code % "A"})[0], 0)
        status, text = findings({"docs/environment.md": page, "devices/host/a.cpp": code % "B"})
        self.assertEqual(status, 1)
        self.assertIn("devices/host/a.cpp:2: variables: PRISM_B is read", text)
        self.assertIn("docs/environment.md:1: variables: PRISM_A is documented", text)

    def test_the_variables_of_the_shell_and_of_python_are_seen(self):
        import variables
        code = 'getenv("PRISM_%s")'
        read = variables.read_in({"prism": 'x="${PRISM_S:-}"\n', "tools/a.py": 'import os\nos.environ.get("%s")\n' % "PRISM_P",
                                  "samples/remote/a.cpp": code % "X", "runtime/support/environment.hpp": 'x = "PRISM_N";\n'})
        self.assertEqual(read, {"PRISM_S": ("prism", 1), "PRISM_P": ("tools/a.py", 2), "PRISM_N": ("runtime/support/environment.hpp", 1)})

    def test_the_table_shows_which_configurations_ran_or_failed(self):
        sys.path.insert(0, str(ROOT / "tools/check"))
        import configurations
        text = ("92% tests passed, 1 tests failed out of 12\n\nThe following tests did not run:\n\t  3 - sycl.usm.host (Skipped)\n"
                "\nThe following tests FAILED:\n\t  7 - unit_host.a (Subprocess aborted)\n")
        self.assertEqual(configurations.test_result(text), (10, ["unit_host.a"], ["sycl.usm.host"]))
        again = text + "100% tests passed, 0 tests failed out of 3\n"
        self.assertEqual(configurations.test_result(again), (13, ["unit_host.a"], ["sycl.usm.host"]))
        self.assertEqual(configurations.test_result("No tests were found!!!\n"), (0, [], []))

    def configured(self, target_text, tests):
        """Exit status and output of check --all for one configuration of a project created here."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\nproject(p NONE)\nenable_testing()\nadd_custom_target(everything ALL)\n"
                f"add_custom_target(wanted COMMAND sh -c \"{target_text}\" VERBATIM)\n{tests}")
            program = (f"import sys; sys.path.insert(0, {str(ROOT / 'tools/check')!r})\n"
                       "import pathlib, configurations as c\n"
                       "c.CONFIGURATIONS = [c.configuration('one', 'why', [], ['wanted'], [c.test_run()]), "
                       "c.configuration('absent', 'why', [], needs='/no/such/file')]\n"
                       f"status = c.run_all(pathlib.Path({folder!r}), [], 1)\n"
                       f"print('recorded:'); c.show_results(pathlib.Path({folder!r})); sys.exit(status)")
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
            return done.returncode, done.stdout

    def test_a_configuration_without_its_compiler_is_skipped_by_name(self):
        status, text = self.configured("exit 0", "add_test(NAME a COMMAND true)\nadd_test(NAME b COMMAND sh -c \"exit 77\")\n"
                                                 "set_tests_properties(b PROPERTIES SKIP_RETURN_CODE 77)\n")
        self.assertEqual(status, 0, text)
        self.assertRegex(text, r"\none +ok +\d+ s +\d+ s +\d+ s +1 +0 +1\n")
        self.assertIn("one: skipped: b\n", text)
        self.assertRegex(text, r"\nabsent +skipped +- +- +- +0 +0 +0\n")
        self.assertIn("absent: /no/such/file is not installed", text)
        shown, recorded = text.split("recorded:")
        self.assertRegex(recorded, r"\none +ok .* 1 +0 +1\n", "the result is recorded for --results")
        self.assertRegex(recorded, r"\nabsent +at .*\n")

    def test_a_debian_system_that_cannot_be_made_is_skipped_by_name_and_the_others_are_used(self):
        """For the configuration `compilers`; the test's mmdebstrap makes one of two systems, and the test of that configuration wants a folder."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\nproject(p NONE)\nenable_testing()\nadd_custom_target(wanted)\n"
                "add_test(NAME roots COMMAND sh -c \"test -e '${PRISM_COMPILER_ROOTS}/usr/share/doc/gxx'\")\n")
            (folder / "mmdebstrap").write_text('#!/bin/bash\ncase "$*" in *near*) ;; *) echo "E: no network" >&2; exit 1 ;; esac\n'
                                               'mkdir -p "${@: -2:1}/usr/share/doc/gxx"\n')
            (folder / "mmdebstrap").chmod(0o755)
            program = (f"import sys; sys.path.insert(0, {str(ROOT / 'tools/check')!r})\n"
                       "import pathlib, configurations as c\n"
                       "c.debian.os.geteuid = lambda: 0\n"
                       "c.CONFIGURATIONS = [c.configuration('one', 'why', [], ['wanted'], [c.test_run()], systems={'near': ['gxx'], 'far': ['gxx']})]\n"
                       f"sys.exit(c.run_all(pathlib.Path({name!r}), [], 1))")
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                                  env={**os.environ, "PATH": f"{name}:{os.environ['PATH']}"})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("one: skipped: Debian far (mmdebstrap could not make Debian far: no network)\n", done.stdout)
            self.assertRegex(done.stdout, r"\none +ok .* 1 +0 +1\n")

    def test_a_debian_system_of_another_architecture_is_unpacked_with_links_that_stay_inside(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "mmdebstrap").write_text('#!/bin/bash\nmkdir -p "${@: -2:1}/usr/lib/arch" && cd "${@: -2:1}/usr/lib/arch" && echo "$*" > options\n'
                                               'ln -s /usr/lib/arch/options libm.so && ln -s options near && ln -s /usr/lib/arch ../folder\n')
            (folder / "mmdebstrap").chmod(0o755)
            program = (f"import sys; sys.path.insert(0, {str(ROOT / 'tools/setup')!r})\n"
                       "import debian\ndebian.os.geteuid = lambda: 0\n"
                       f"print(repr(debian.make('near', ['gxx'], {name + '/system'!r}, architecture='arm64')))")
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                                  env={**os.environ, "PATH": f"{name}:{os.environ['PATH']}"})
            self.assertEqual(done.stdout, "''\n", done.stderr)
            libraries = folder / "system/usr/lib/arch"
            options = (libraries / "libm.so").read_text()
            self.assertIn("--variant=extract --architectures=arm64", options)
            self.assertTrue(options.endswith(" deb http://deb.debian.org/debian near main\n"), options)
            self.assertEqual([os.readlink(libraries / link) for link in ("libm.so", "near", "../folder")], ["options", "options", "arch"])

    def test_programs_of_another_processor_are_never_registered_for_the_whole_machine(self):
        emulated = ROOT / "tools/check/emulated.sh"
        done = subprocess.run(["sh", str(emulated), "true"], capture_output=True, text=True)
        if pathlib.Path("/proc/self/uid_map").read_text().split() != ["0", "0", "4294967295"]:
            self.skipTest("the tests run in a user namespace")
        self.assertEqual((done.returncode, done.stderr), (1, "emulated.sh: not in a user namespace\n"))

    def test_a_failing_test_fails_its_configuration_and_is_named(self):
        status, text = self.configured("exit 0", "add_test(NAME a COMMAND true)\nadd_test(NAME broken COMMAND false)\n")
        self.assertEqual(status, 1, text)
        self.assertRegex(text, r"\none +FAILED .* 1 +1 +0\n")
        self.assertIn("one: failed: broken\n", text)

    def test_a_configuration_without_passing_tests_has_failed(self):
        status, text = self.configured("exit 0", "")
        self.assertEqual(status, 1, text)
        self.assertIn("no test passed", text)
        status, text = self.configured("exit 0", "add_test(NAME b COMMAND sh -c \"exit 77\")\n"
                                                 "set_tests_properties(b PROPERTIES SKIP_RETURN_CODE 77)\n")
        self.assertEqual(status, 1, text)
        self.assertIn("no test passed", text)

    def test_a_build_that_fails_is_shown_with_its_first_errors(self):
        status, text = self.configured("echo a.cpp:1: error: no such thing; exit 1", "add_test(NAME a COMMAND true)\n")
        self.assertEqual(status, 1, text)
        self.assertIn("a.cpp:1: error: no such thing", text)
        self.assertIn("one: building; see build-check/one.log", text)

    def test_an_unknown_configuration_lists_the_known_ones(self):
        done = subprocess.run([*CHECK, "--all", "windows"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("host-only", done.stdout)

    def test_test_filters_of_configurations_match_ctest_names(self):
        sys.path.insert(0, str(ROOT / "tools/check"))
        import configurations
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "CTestTestfile.cmake").write_text(
                "".join(f'add_test("{name}" true)\n' for name in ("unit_engine.a", "sycl.kernels.host", "sycl.kernels.vulkan", "sycl.kernels.intel", "sycl.kernels.adreno", "sycl.matrix_units.sid", "sycl.ending.host", "tools.check", "tools.compilers", "tools.same_bytes", "tools.prism_info", "devices.vulkan", "kernels.netlib_blas_s", "bindings.tutorial")))
            for configuration in configurations.CONFIGURATIONS:
                for run in configuration.tests:
                    done = subprocess.run(["ctest", "--test-dir", folder, *configurations.selection(run)], capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, f"{configuration.name}: {done.stdout}{done.stderr}")
                    self.assertNotIn("RegularExpression", done.stdout + done.stderr)
                    self.assertNotIn("tools.check", done.stdout)

    def test_the_damaged_inputs_take_a_number_of_seconds(self):
        for wrong in ("0", "-1", "a minute"):
            done = subprocess.run([*CHECK, f"--fuzz={wrong}"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("no number of seconds", done.stderr)

    def test_ci_checks_the_repository_before_it_tests(self):
        """That the repository has no finding is what `./prism check` shows there; a second whole check here would take 12 s of processor time."""
        commands = (ROOT / ".ci/run").read_text().splitlines()
        self.assertLess(commands.index("./prism check"), commands.index("./prism test"))


if __name__ == "__main__":
    unittest.main()
