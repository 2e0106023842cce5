"""PRISM for Spack 1.0 or later. In the folder of the unpacked sources:

spack repo add tools/package/recipes/spack_repo/prism
spack dev-build prism-sycl@0.1.0

tests/tools/recipes_test.py compares the version and the dependencies with the project's.
"""
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class PrismSycl(CMakePackage):
    """SYCL 2020 for processors, OpenCL and Vulkan devices: the runtime library, the compiler prism++ (clang with a plug-in), the command line
    tools and the operations library."""

    license("Apache-2.0")

    version("0.1.0")

    variant("operations", default=True, description="Build the operations library, which takes most of the time")

    generator("ninja")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("glslang", type="build")
    depends_on("spirv-tools", type="build")
    depends_on("spirv-headers", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("vulkan-headers", type="build")
    depends_on("opencl-c-headers", type="build")
    depends_on("llvm@19 +clang +lld +llvm_dylib", type=("build", "link", "run"))
    depends_on("python@3.9:", type=("build", "link", "run"))
    depends_on("sqlite")
    depends_on("ocl-icd")
    depends_on("tbb")
    depends_on("boost +context")
    depends_on("yaml-cpp")
    depends_on("fmt")
    depends_on("zlib-api")
    depends_on("libpng")
    depends_on("clblast", when="+operations")
    depends_on("openblas", when="+operations")
    depends_on("libxsmm", when="+operations")
    depends_on("onednn", when="+operations")

    conflicts("platform=windows")
    conflicts("platform=darwin")

    def cmake_args(self):
        return [
            self.define("CMAKE_INSTALL_LIBDIR", "lib"),
            self.define("PRISM_TESTS", False),
            self.define("PRISM_BENCH", False),
            self.define("PRISM_LLVM_ROOT", self.spec["llvm"].prefix),
            self.define_from_variant("PRISM_KERNELS", "operations"),
        ]
