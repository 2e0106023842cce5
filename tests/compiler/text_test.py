"""The text that the plugin writes for a kernel: OpenCL C, and SPIR-V as spirv-dis shows it; and what it makes of host code.

text_test.py CLANG PLUGIN SOURCE_ROOT compiles every text/*.cpp. Lines of comments there say what is expected:
  // OPENCL: text        the OpenCL C has this text, behind that of the OPENCL line before; {{...}} is a regular expression
  // OPENCL-NOT: text    nowhere in the OpenCL C
  // SPIRV: and SPIRV-NOT: the same of the disassembled SPIR-V
  // HOST: and HOST-NOT: the same of the host code as LLVM's text
  // GROUP: and GROUP-NOT: the same of the work-group function for the host, before clang optimises it
  // REMARKS: and REMARKS-NOT: the same of what clang says, with FLAGS: -Rpass=loop-vectorize of the vectors it makes
  // PARSED: options     clang takes the OpenCL C with these options
  // FLAGS: ...          further options of the compiler; {root} is the repository's folder
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

CLANG, PLUGIN, ROOT = sys.argv.pop(1), sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
FOLDER = pathlib.Path(__file__).parent / "text"
KEEPS_THE_LANGUAGE = ("-fno-slp-vectorize", "-fno-unroll-loops", "-fno-vectorize", "-Rpass")  # of clang: headers mean the same


def pattern(text):
    parts = re.split(r"\{\{(.*?)\}\}", text.strip())
    return re.compile("".join(part if i % 2 else re.escape(part) for i, part in enumerate(parts)))


def expectations(source, name):
    return [(kind != "", pattern(text)) for kind, text in re.findall(rf"^// {name}(-NOT)?: (.*)$", source, re.MULTILINE)]


class Text(unittest.TestCase):
    def check(self, source, name, text):
        at = 0
        for is_not, expected in expectations(source, name):
            found = expected.search(text, 0 if is_not else at)
            if is_not:
                self.assertIsNone(found, f"{name}-NOT: {expected.pattern}\n{text}")
            else:
                self.assertIsNotNone(found, f"{name}: {expected.pattern} (from character {at})\n{text}")
                at = found.end()

    @classmethod
    def setUpClass(cls):
        """All headers of SYCL, precompiled: files that include some of them and have no flags that change how they are parsed share it."""
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.headers = pathlib.Path(folder.name, "sycl.pch")
        source = pathlib.Path(folder.name, "sycl.hpp")
        source.write_text("#include <sycl/sycl.hpp>\n")
        subprocess.run([*cls.command(source), "-x", "c++-header", "-o", str(cls.headers)], check=True)

    @staticmethod
    def command(file):
        return [CLANG, "-std=c++17", f"-I{ROOT}", f"-I{ROOT}/runtime/include", "-Rpass=^$", f"-fpass-plugin={PLUGIN}", "-Xclang", "-load",
                "-Xclang", PLUGIN, "-O2", str(file)]

    def run_clang(self, file, folder, flags):
        shared = "#include <sycl/" in file.read_text() and all(each.startswith(KEEPS_THE_LANGUAGE) for each in flags)
        headers = ["-include-pch", str(self.headers)] if shared else []
        command = [*self.command(file), *headers, *flags, "-S", "-emit-llvm", "-o", os.path.join(folder, "out.host")]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PRISM_DUMP_IR": folder})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_two_compilations_of_a_file_give_the_same_bytes(self):
        texts = []
        for _ in range(2):
            with tempfile.TemporaryDirectory() as folder:
                self.run_clang(FOLDER / "row_sums.cpp", folder, [])
                texts.append(pathlib.Path(folder, "out.host").read_text())
        self.assertTrue(texts[0] == texts[1])

    def test_conditions_of_a_loop_do_not_multiply_a_work_group_function(self):
        for count in (4, 6, 8):
            numbers = range(count)
            steps = "".join(f"if (c{i} > {i}) x = x * p[k * 64 + l + {i + 1}] + {i}.5f; else x += p[k * 64 + l + {i + 20}] * 3.f;\n"
                            for i in numbers)
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder, "conditions.cpp")
                file.write_text(f"""#include <sycl/sycl.hpp>
                    void run(sycl::queue& q, float* p, std::size_t n, {", ".join(f"int c{i}" for i in numbers)}) {{
                      q.submit([&](sycl::handler& h) {{
                        sycl::local_accessor<float> tile(64, h);
                        h.parallel_for(sycl::nd_range<1>(4096, 64), [=](sycl::nd_item<1> i) {{
                          const std::size_t l = i.get_local_id(0);
                          float sum = 0;
                          for (std::size_t k = 0; k < n; ++k) {{
                            float x = p[k * 64 + l];
                            {steps} sum += x;
                          }}
                          tile[l] = sum;
                          sycl::group_barrier(i.get_group());
                          p[i.get_global_id(0)] = tile[63 - l];
                        }});
                      }});
                    }}""")
                self.run_clang(file, folder, ["-gline-tables-only"])
                group, = pathlib.Path(folder).glob("*.group.cl")
                self.assertRegex(group.with_name(group.name.replace(".group.cl", ".opencl_group.ll")).read_text(), r"define .*!dbg",
                                 "the function has lost its lines")
                lines = len(group.read_text().splitlines())
                plain = len(group.with_name(group.name.replace(".group.cl", ".cl")).read_text().splitlines())
                self.assertLess(lines, 10 * plain, f"{count} conditions: {lines} lines, and {plain} of the text of one work-item")

    def compile(self, file):
        source = file.read_text()
        moved = re.search(r"^//.*\S +(OPENCL|SPIRV|GROUP|REMARKS|HOST|PARSED|FLAGS)(-NOT)?: .*$", source, re.MULTILINE)
        self.assertIsNone(moved, f"an expectation that does not begin its line is not read: {moved and moved.group()}")
        flags = " ".join(re.findall(r"^// FLAGS: (.*)$", source, re.MULTILINE)).replace("{root}", str(ROOT)).split()
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_clang(file, folder, flags)
            opencl = "".join(p.read_text() for p in sorted(pathlib.Path(folder).glob("*.cl")))
            group = "".join(p.read_text() for p in sorted(pathlib.Path(folder).glob("*.host.ll")))
            spirv = ""
            for image in sorted(pathlib.Path(folder).glob("*.spv")):
                subprocess.run(["spirv-val", "--target-env", "vulkan1.2", str(image)], check=True)
                spirv += subprocess.run(["spirv-dis", "--no-color", str(image)], capture_output=True, text=True, check=True).stdout
            for options in re.findall(r"^// PARSED: (.*)$", source, re.MULTILINE):
                for text in sorted(pathlib.Path(folder).glob("*.cl")):
                    parsed = subprocess.run([CLANG, "-x", "cl", *options.split(), "--target=spir64", "-fsyntax-only", "-w", str(text)],
                                              capture_output=True, text=True)
                    self.assertEqual(parsed.returncode, 0, f"{options}\n{parsed.stderr}")
            self.check(source, "HOST", pathlib.Path(folder, "out.host").read_text())
        self.check(source, "OPENCL", opencl)
        self.check(source, "SPIRV", spirv)
        self.check(source, "GROUP", group)
        self.check(source, "REMARKS", done.stderr)


def add(file):
    setattr(Text, "test_" + file.stem, lambda self: self.compile(file))


for each in sorted(FOLDER.glob("*.cpp")):
    add(each)

if __name__ == "__main__":
    unittest.main(verbosity=2)
