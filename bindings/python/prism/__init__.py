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
from ._memory import Memory
from ._operations import fft, linalg, run
from ._selection import DescribedDevice, described_devices, device, find_device, get_device, initialize

# Submodules and names that programs may not use are loaded by their first use (PEP 562).
_LATER = {name: module for module, names in {
    "_kernels": "Kernel Library library",
    "_numpy_backend": "NumpyBackend",
    "_products": "einsum",
    "_policy": "ExecutionPolicy NoDeviceError Selection Workload current_policy decide execution_policy",
    "_registry": """Registry convolution dot_product eigendecomposition inverse matrix_multiply registry svd transpose use_backend
                    use_numpy_backend vector_add""",
    "_backend_info": """get_available_backends get_backend_info get_max_memory get_max_shared_memory is_backend_available set_device_priority
                        supports_data_type""",
    "_files": "NpzFile load save savez savez_compressed",
    "_function": "Function function standard_matmul tensor_matmul",
    "_kernel": "KernelFunction kernel",
    "_model": "PerformanceModel Prediction",
    "_numeric": """absolute amax amin angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh around bitwise_not conjugate convolve copy
                   correlate cumprod deg2rad degrees divmod ediff1d fabs fix float_power fmod geomspace gradient heaviside identity
                   inner interp invert iscomplex iscomplexobj isneginf isposinf isreal isrealobj kron ldexp left_shift logspace mod modf nancumprod ndim
                   polyval power rad2deg radians right_shift rint round_ shape sinc size trapezoid trapz true_divide vander vdot""",
    "_pieces": """append argwhere array_equal array_equiv array_split atleast_1d atleast_2d atleast_3d column_stack compress concatenate delete diag
                  diagflat diagonal dsplit dstack extract flatnonzero fliplr flipud hsplit hstack in1d indices insert intersect1d isin ix_ lexsort moveaxis
                  pad put_along_axis ravel ravel_multi_index rot90 row_stack select setdiff1d setxor1d split swapaxes take_along_axis trace
                  tri tril_indices triu_indices union1d unique unravel_index vsplit vstack""",
    "_segments": "partition_where segmented_reduce segmented_scan topk",
    "_statistics": """average bincount corrcoef cov digitize histogram histogram_bin_edges median nan_to_num nanargmax nanargmin nancumsum nanmax
                      nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar percentile ptp quantile""",
    "_persistent": "PersistentKernel",
    "_picture": "Picture picture",
    "_pipeline": "Pipeline PipelineError PipelineReport Results StageReport pipeline stage",
    "_strategy": "ExecutionStrategy Executor",
    "_tuner": "AutoTuner Configuration register_algorithm",
    "backend": """backend OperationProperties Tensor detect_devices register_backend select_backend set_backend set_backend_priority
                  unregister_backend""",
    "chemistry": "chemistry", "genomics": "genomics SequenceAligner", "physics": "physics", "postprocessing": "postprocessing",
    "nn": "nn", "preprocessing": "preprocessing", "quantum_field": "quantum_field", "random": "random", "sparse": "sparse"}.items() for name in names.split()}

__array_api_version__ = "2022.12"
__version__ = _library.prism_version().decode()
__all__ = sorted({name for name in globals() if not name.startswith("_")} | _LATER.keys())


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError(f"module 'prism' has no attribute {name!r}")
    from importlib import import_module
    module = import_module(f"prism.{_LATER[name]}")
    globals()[name] = module if name == _LATER[name] else getattr(module, name)
    return globals()[name]


def __dir__():
    return sorted(globals().keys() | _LATER.keys())
