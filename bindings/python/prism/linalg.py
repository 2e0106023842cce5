"""The functions of prism.linalg, for `import prism.linalg` and `from prism.linalg import ...`."""
from ._operations import linalg as _functions

globals().update({name: getattr(_functions, name) for name in dir(_functions) if not name.startswith("_")})
