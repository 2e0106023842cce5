"""prism.kernel in a device's own language, and the fallback where a device does not take it: python_texts_test.py PACKAGE_FOLDER LIBRARY."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

KERNELS = sys.argv.pop()
sys.path.insert(0, str(pathlib.Path(sys.argv.pop()).resolve()))
import prism

OPENCL_C = """kernel void scale(global float* x, float by) { x[get_global_id(0)] *= by; }
kernel void place(global int* x, int step) { x[get_global_id(0) + 4 * get_global_id(1)] = step * get_global_id(1) + get_global_id(0); }
"""
GLSL = """#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer floats { float at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer arguments { floats data; float factor; uint count; };
layout(push_constant, std430) uniform block { arguments args; uint group_count[3], group_base[3]; };
void main() {
  const uint i = (gl_WorkGroupID.x + group_base[0]) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (i < args.count) args.data.at[i] *= args.factor;
}
"""
# The same kernel for OpenCL, for `spirv-as`.
OPENCL_MODULE = """OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %scale "scale" %id
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %id Constant
%void = OpTypeVoid
%ulong = OpTypeInt 64 0
%ulong3 = OpTypeVector %ulong 3
%float = OpTypeFloat 32
%to_ulong3 = OpTypePointer Input %ulong3
%to_float = OpTypePointer CrossWorkgroup %float
%type = OpTypeFunction %void %to_float %float
%id = OpVariable %to_ulong3 Input
%scale = OpFunction %void None %type
%x = OpFunctionParameter %to_float
%by = OpFunctionParameter %float
%begin = OpLabel
%all = OpLoad %ulong3 %id Aligned 32
%i = OpCompositeExtract %ulong %all 0
%at = OpInBoundsPtrAccessChain %to_float %x %i
%old = OpLoad %float %at Aligned 4
%new = OpFMul %float %old %by
OpStore %at %new Aligned 4
OpReturn
OpFunctionEnd
"""
DEVICE = prism.Device()


def numbers():
    return prism.Memory.of([1.0, 2.0, 3.0], "float32")


class Texts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def built(self, tool, text, *arguments):
        if shutil.which(tool) is None:
            self.skipTest(f"no {tool}")
        source, module = self.folder / "scale.comp", self.folder / "scale.spv"
        source.write_text(text)
        subprocess.run([tool, *arguments, "-o", module, source], check=True, capture_output=True)
        return module

    def file(self, text=OPENCL_C):
        out = self.folder / "kernels.cl"
        out.write_text(text)
        return out

    def with_fallback(self, operation, **text):
        """Two kernels of an operation, the second one for devices that do not take the first."""
        @prism.kernel(operation=operation, **text)
        def scale(x, by):
            """x *= by"""

        @prism.kernel(operation=operation, fallback=True)
        def scale_anywhere(x, by):
            x[...] = (prism.asarray(x.tolist(), dtype="float32") * by).tolist()
        return scale

    def test_opencl_c_runs_on_opencl_and_the_fallback_elsewhere(self):
        scale, x = self.with_fallback("scaled by opencl", language="opencl", source=self.file()), numbers()
        scale(x, 3.0)
        self.assertEqual(x.tolist(), [3, 6, 9])
        if DEVICE.backend == "opencl":
            self.assertEqual(scale.explain(), "scale: chosen")
        else:
            self.assertRegex(scale.explain(), '^scale_anywhere: chosen\nscale: "scale" is OpenCL C, which .* does not take; OpenCL devices do')

    def test_a_text_stands_in_for_a_file_and_has_dimensions(self):
        if DEVICE.backend != "opencl":
            self.skipTest("this device takes no OpenCL C")

        @prism.kernel(language="opencl", source=OPENCL_C, dimensions=2, items=lambda x, step: (3, 4))
        def place(x, step):
            """numbers the cells"""
        x = prism.Memory.of([0] * 12, "int32")
        place(x, 100)
        self.assertEqual(x.tolist(), [100 * row + column for row in range(3) for column in range(4)])

    def test_items_are_whole_groups_where_local_is_given(self):
        if DEVICE.backend != "opencl":
            self.skipTest("this device takes no OpenCL C")

        @prism.kernel(language="opencl", local=4, source="kernel void count(global int* x, int n) {"
                      " if (get_global_id(0) < n) x[get_global_id(0)] = 10 * get_global_size(0) + get_local_size(0); }")
        def count(x, n):
            """writes the sizes"""
        x = prism.Memory.of([0] * 5, "int32")
        count(x, 5)
        self.assertEqual(x.tolist(), [84] * 5)

    def test_without_a_fallback_the_error_names_the_language_the_device_and_what_to_do(self):
        @prism.kernel(operation="only opencl", language="opencl", source=self.file())
        def scale(x, by):
            """x *= by"""
        if DEVICE.backend == "opencl":
            scale(numbers(), 2.0)
            return
        with self.assertRaisesRegex(prism.UnsupportedError, 'no kernel of "only opencl" runs on .*\n.*is OpenCL C, which .* does not take.*\n'
                                    "add one for every device by @prism.kernel\\(fallback=True\\)"):
            scale(numbers(), 2.0)

    def test_a_module_of_vulkan_runs_on_vulkan(self):
        module = self.built("glslangValidator", GLSL, "--quiet", "--target-env", "vulkan1.2")
        scale = self.with_fallback("scaled by glsl", target="vulkan", language="spirv", source=module, entry="main",
                                   parameters="float*, float, uint32")
        if DEVICE.backend != "vulkan":
            self.assertIn("scale: it is no vulkan", scale.explain())
            return
        x = prism.Memory.of([1.0] * 70, "float32")
        scale.family.variants[0].run(x, 3.0, 69)
        self.assertEqual(x.tolist(), [3] * 69 + [1])
        self.assertEqual(scale.explain(), "scale: chosen")

    def test_a_module_of_opencl_runs_where_the_driver_takes_it(self):
        module = self.built("spirv-as", OPENCL_MODULE, "--target-env", "opencl2.0")
        scale = self.with_fallback("scaled by a module", target="opencl", language="spirv", source=module, parameters="float*, float")
        x = numbers()
        scale(x, 3.0)
        self.assertEqual(x.tolist(), [3, 6, 9])
        self.assertRegex(scale.explain(), "^scale: chosen$|scale: (it is no opencl|this OpenCL driver takes no SPIR-V)")

    def test_a_text_that_does_not_build_shows_the_drivers_log(self):
        if DEVICE.backend != "opencl":
            self.skipTest("this device takes no OpenCL C")
        scale = self.with_fallback("wrong text", language="opencl", source="kernel void scale(global float* x, float by) { *x = missing; }")
        with self.assertRaisesRegex(prism.InvalidError, "missing"):
            scale(numbers(), 2.0)

    def test_a_missing_file_and_a_missing_kernel_are_named(self):
        with self.assertRaisesRegex(prism.NotFoundError, "prism.kernel: scale: there is no file /no/such.cl"):
            self.with_fallback("no file", language="opencl", source="/no/such.cl")(numbers(), 2.0)
        if DEVICE.backend == "opencl":
            with self.assertRaisesRegex(prism.InvalidError, 'no kernel "scale"; it has shrink'):
                self.with_fallback("no kernel", language="opencl", source="kernel void shrink(global float* x) { x[0] = 0; }")(numbers(), 2.0)

    def test_a_kernel_pack_of_a_library_saves_its_first_build(self):
        if DEVICE.backend == "host":
            self.skipTest("the host builds nothing")
        tool = pathlib.Path(os.environ["PRISM_BUILD_DIR"], "bin/prism-pack")
        program, pack, trace = self.folder / "program.py", self.folder / "kernels.prismpack", self.folder / "trace.json"
        program.write_text(f"""import sys
sys.path.insert(0, {sys.path[0]!r})
import prism

@prism.kernel(language="sycl", source={KERNELS!r})
def saxpy(a, x, y):
    pass

x, y = prism.Memory.of([1.0], "float32"), prism.Memory.of([2.0], "float32")
saxpy(2.0, x, y)
assert y.tolist() == [4]
""")
        run = [sys.executable, "-B", program]
        own = dict(os.environ, PRISM_CACHE_DIR=str(self.folder / "cache"), POCL_CACHE_DIR=str(self.folder), MESA_SHADER_CACHE_DIR=str(self.folder))
        subprocess.run([tool, "make", "--used", pack, "--", *run], env=own, check=True, capture_output=True, timeout=60)
        for given, wanted in (("off", "build "), (str(pack), "load from the cache ")):
            subprocess.run(run, env=dict(own, PRISM_PACK=given, PRISM_CACHE="off", PRISM_TRACE=str(trace)), check=True, capture_output=True, timeout=60)
            spans = [each["name"] for each in json.loads(trace.read_text())["traceEvents"] if each.get("cat") == "build"]
            self.assertEqual({each.startswith(wanted) for each in spans}, {True}, spans)


class Fused(unittest.TestCase):
    """An expression of arrays becomes one kernel text of its steps, which the driver builds once for all processes."""

    def test_a_second_process_finds_the_kernel_of_an_expression_in_the_cache(self):
        if DEVICE.backend == "host":
            self.skipTest("the host joins no texts: it runs the steps in pieces of its cache")
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        program, trace = folder / "program.py", folder / "trace.json"
        program.write_text(f"""import sys
sys.path.insert(0, {sys.path[0]!r})
import prism
x = prism.linspace(0, 1, 100000, dtype=prism.float32)
y = prism.sqrt(x * 2 + 1) - x / 3
assert abs(y[50000].item() - (2.00001 ** 0.5 - 0.500005 / 3)) < 1e-5
""")

        def built(cache, **more):
            caches = {name: str(folder / cache) for name in ("PRISM_CACHE_DIR", "POCL_CACHE_DIR", "MESA_SHADER_CACHE_DIR")}
            subprocess.run([sys.executable, "-B", program], env={**os.environ, **caches, "PRISM_TRACE": str(trace), **more}, check=True, capture_output=True, timeout=60)
            spans = [each["name"] for each in json.loads(trace.read_text())["traceEvents"] if each.get("cat") == "build"]
            return [each for each in spans if "step_op::sqrt" in each], len(list((folder / cache).rglob("*.so")))
        self.assertEqual(built("other")[0], [], "with empty caches a short expression is interpreted")
        made, objects = built("own", PRISM_ARRAY_KERNELS="fused")
        self.assertTrue(made and made[0].startswith("build "), made)
        again, now = built("own")
        self.assertEqual(len(again), 1, "the kernel of the first process was not used")
        if DEVICE.backend == "opencl": # PoCL has its binaries in a cache of its own, which PRISM leaves them to
            self.assertEqual(now, objects)
        else:
            self.assertTrue(again[0].startswith("load from the cache "), again)


class Tasks(unittest.TestCase):
    def test_tasks_of_a_set_have_the_levels_of_their_order_where_they_are_not_one_launch(self):
        kernels, tasks = prism.library(KERNELS), prism.PersistentKernel("offline", DEVICE.backend)
        x, y = (prism.Memory.of([0] * 8, "int64", device=tasks.device) for _ in range(2))
        tasks.add(kernels.set_to, 2, x, range=8).add(kernels.set_to, 10, y, range=8, after=[]).add(kernels.add_to, x, 3.0, y, range=8)
        tasks.add(kernels.add_to, y, 1.0, x, range=8, after=[2]).add(kernels.nothing, range=1, after=[])
        self.assertRegex(tasks.describe(), "^5 tasks in 1 launch|^5 tasks on 3 levels")
        tasks.run()
        self.assertEqual((x.tolist(), y.tolist()), ([18] * 8, [16] * 8))


unittest.main()
