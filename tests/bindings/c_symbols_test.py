"""What libprism-c exports, its header, manual page and committed binary interface agree: c_symbols_test.py REPOSITORY LIBRARY."""
import ctypes
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LIBRARY = pathlib.Path(sys.argv.pop()).resolve()
ROOT = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(ROOT / "tools/check"))
import abi

HEADER = ROOT / abi.HEADER


class Symbols(unittest.TestCase):
    def test_the_library_exports_the_headers_functions_and_no_others(self):
        text = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
        functions = re.findall(r" T (\S+?)@@PRISM_C_1$", text, flags=re.M)
        self.assertEqual(sorted(functions), sorted(name for name, _ in abi.prototypes(HEADER.read_text())))
        others = [line for line in text.splitlines() if " T " not in line and "PRISM_C_1" in line]
        self.assertTrue(all("property_tag" in line or " A PRISM_C_1" in line for line in others), others)

    def test_the_manual_page_names_every_function(self):
        page = (ROOT / "docs/man/prism.h.3").read_text()
        missing = [name for name, _ in abi.prototypes(HEADER.read_text()) if name not in page]
        self.assertEqual(missing, [])

    def test_every_operation_of_arrays_and_networks_is_a_function_by_name(self):
        needed = ctypes.c_size_t()
        library = ctypes.CDLL(str(LIBRARY))
        self.assertEqual(library.prism_array_functions(None, ctypes.c_size_t(0), ctypes.byref(needed), None), 0)
        text = ctypes.create_string_buffer(needed.value)
        self.assertEqual(library.prism_array_functions(text, needed, None, None), 0)
        found = {line.split()[0] for line in text.value.decode().splitlines()}
        # Functions of another form: by a number of the operation, or with other arguments.
        others = {"apply", "reduce", "asarray", "from_host", "from_usm", "stddev", "function", "linalg.matmul", "random_generator", "require_device_of", "apply_in_place"}
        missing = []
        for header, prefix in (("array/functions", ""), ("array/linalg", "linalg."), ("array/fft", "fft."), ("array/einsum", ""), ("npy", ""), ("nn", "")):
            lines = re.sub(r"//[^\n]*", "", (ROOT / f"kernels/include/prism/{header}.hpp").read_text())
            names = set(re.findall(r"^(?:inline )?(?:any_array|std::vector<any_array>|\w+_result|named_arrays|void|sycl::event) (\w+)\(", lines, flags=re.M))
            self.assertTrue(names, header)
            missing += [prefix + name for name in sorted(names) if prefix + name not in found | others and not name.startswith("from_npy")]
        self.assertEqual(missing, [])

    def test_every_operation_on_vectors_and_matrices_has_a_number(self):
        library, number = ctypes.CDLL(str(LIBRARY)), ctypes.c_int32()
        renamed = {"dotu": "dot", "geru": "ger", "exp": "matrix_exp", "sqrt": "matrix_sqrt"}
        for header in ("blas", "linalg"):
            names = set(re.findall(r"^sycl::event (\w+)\(", (ROOT / f"kernels/include/prism/{header}.hpp").read_text(), flags=re.M))
            self.assertGreater(len(names), 20, header)
            missing = [name for name in sorted(names)
                       if library.prism_operation_find(renamed.get(name, name).encode(), ctypes.byref(number), None) != 0]
            self.assertEqual(missing, [], header)

    def test_every_primitive_has_a_function_of_arrays(self):
        # Those that take a function of the program have functions for the operations that arrays have.
        same = {"reduce": "sum", "reduce_rows": "sum", "transform_reduce": "einsum", "inclusive_scan": "cumulative_sum", "exclusive_scan": "segmented_scan",
                "segmented_inclusive_scan": "segmented_scan", "segmented_exclusive_scan": "segmented_scan", "sort_by_key": "argsort", "merge": "concat",
                "lower_bound": "searchsorted", "upper_bound": "searchsorted", "top_k": "topk", "copy_if": "select", "partition": "partition_where",
                "histogram_even": "histogram", "histogram_bounds": "histogram", "histogram_spaced": "histogram", "transform": "add", "for_each_zip": "add", "scatter": "put"}
        needed, library = ctypes.c_size_t(), ctypes.CDLL(str(LIBRARY))
        self.assertEqual(library.prism_array_functions(None, ctypes.c_size_t(0), ctypes.byref(needed), None), 0)
        text = ctypes.create_string_buffer(needed.value)
        self.assertEqual(library.prism_array_functions(text, needed, None, None), 0)
        found = {line.split()[0] for line in text.value.decode().splitlines()}
        names = set()
        for header in sorted((ROOT / "kernels/include/prism/primitives").glob("*.hpp")):
            public = re.sub(r"namespace detail \{.*?\n\} // namespace detail", "", header.read_text(), flags=re.S)
            names |= set(re.findall(r"^sycl::event (\w+)\(", public, flags=re.M))
        self.assertGreater(len(names), 20)
        self.assertEqual([name for name in sorted(names) if same.get(name, name) not in found], [])

    @unittest.skipUnless(shutil.which("abidiff"), "no abidiff (abigail-tools)")
    def test_a_changed_function_or_struct_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder)
            for name in ("bindings/c", "kernels/include/prism"):
                shutil.copytree(ROOT / name, copy / name)
            self.assertEqual(abi.findings(copy), [])
            header = copy / abi.HEADER
            text = header.read_text()
            for old, new in (("prism_status prism_free(void* pointer,", "prism_status prism_free(void* pointer, int how,"),
                             ("  int32_t type; /* PRISM_F32, ... */\n  int32_t rank;", "  int32_t rank;\n  int64_t type;")):
                self.assertIn(old, text)
                header.write_text(text.replace(old, new))
                found = abi.findings(copy)
                self.assertEqual(len(found), 1, found)
                self.assertIn("would break", found[0])
            header.write_text(text.replace("/* ---- graphs ---- */", "prism_status prism_added(void);"))
            self.assertIn("prism_added: prism.h declares it; list it", abi.findings(copy)[0])
            script = copy / abi.SCRIPT
            script.write_text(script.read_text().replace("    prism_adopt;", "    prism_added;\n    prism_adopt;"))
            self.assertIn("after an addition", abi.findings(copy)[0])
            self.assertEqual(abi.findings(copy, write=True), [])
            self.assertEqual(abi.findings(copy), [])


unittest.main()
