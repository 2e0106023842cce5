"""Builds prism._core where CMake does not: pip install ./bindings/python."""
import os

from setuptools import Extension, setup

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.join(here, "../..")
setup(ext_modules=[Extension("prism._core", [f"core/{name}.cpp" for name in ("core", "exchange", "operators")], py_limited_api=True,
                             include_dirs=[root, os.path.join(root, "bindings/c/include"), os.path.join(root, "kernels/include")],
                             extra_compile_args=["-std=c++20", "-O2", "-fvisibility=hidden"])],
      options={"bdist_wheel": {"py_limited_api": "cp311"}})
