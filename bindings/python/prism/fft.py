"""The functions of prism.fft, for `import prism.fft` and `from prism.fft import ...`."""
from ._operations import fft as _functions

globals().update({name: getattr(_functions, name) for name in dir(_functions) if not name.startswith("_")})
