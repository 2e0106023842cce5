"""PRISM: memory, operations and kernels on processors and graphics devices, by SYCL, OpenCL and Vulkan.

    import prism
    with prism.device("opencl:cpu"):
        a = prism.Memory.of([[2.0, 0.0], [0.0, 4.0]])
        x = prism.linalg.solve(a, prism.Memory.of([1.0, 1.0]))
    print(x)

docs/python.md describes the package."""
from ._array import Array
from ._c import Error, InvalidError, NotFoundError, UnsupportedError
from ._c import library as _library
from ._description import Capabilities
from ._device import Device, backends, devices, explain, policy
from ._dtype import (DType, can_cast, complex128, complex64, dtype, finfo, float32, float64, iinfo, int16, int32, int64, int8, isdtype, uint16,
                     uint32, uint64, uint8)
from ._dtype import bool_ as bool
from ._functions import *
from ._functions import __array_namespace_info__, abs, all, any, max, min, pow, round, sum
from ._kernels import Kernel, Library, library
from ._memory import Memory
from ._numpy_backend import NumpyBackend
from ._operations import fft, linalg, run
from ._policy import ExecutionPolicy, NoDeviceError, Selection, Workload, current_policy, decide, execution_policy
from ._registry import (Registry, convolution, dot_product, eigendecomposition, inverse, matrix_multiply, registry, svd, transpose,
                        use_backend, use_numpy_backend, vector_add)
from ._selection import DescribedDevice, described_devices, device, find_device, get_device, initialize
from . import backend, chemistry, genomics, physics, postprocessing, preprocessing, quantum_field
from ._backend_info import (get_available_backends, get_backend_info, get_max_memory, get_max_shared_memory, is_backend_available, set_device_priority,
                            supports_data_type)
from ._function import Function, function, standard_matmul, tensor_matmul
from ._kernel import KernelFunction, kernel
from ._model import PerformanceModel, Prediction
from ._persistent import PersistentKernel
from ._pipeline import Pipeline, PipelineError, PipelineReport, Results, StageReport, pipeline, stage
from ._strategy import ExecutionStrategy, Executor
from ._tuner import AutoTuner, Configuration, register_algorithm
from .backend import OperationProperties, Tensor, detect_devices, register_backend, select_backend, set_backend, set_backend_priority, unregister_backend
from .genomics import SequenceAligner

__array_api_version__ = "2022.12"
__version__ = _library.prism_version().decode()
