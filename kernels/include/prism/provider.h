/* The interface between PRISM's operations library and one implementation of some of its operations: a
 * provider.
 *
 * A provider is a shared library that exports `prism_provider_entry`. It needs this header and a C compiler
 * (C89 and <stdint.h>), nothing else of PRISM. docs/adding-a-provider.md is the guide;
 * `prism-provider-conformance FILE` is the test.
 *
 * Life cycle of a provider: entry, open; then any number of query, plan, run and drop; close. query describes
 * the result of plan and changes nothing. A plan is immutable: several threads may run one plan at the same
 * time, each with its own operands. Any thread may call any function between open and close. The caller drops
 * every plan before close.
 *
 * No function waits: not for a device, not for an event, not for another run. On the host `run` computes
 * before it returns, with at most the threads that it is granted. On OpenCL it enqueues, on Vulkan it
 * records, and it returns before the device starts. A function that fails has no visible effect: nothing is
 * enqueued, no operand is changed.
 *
 * Extension: every struct that crosses the interface begins with its size, which the side that fills it sets.
 * New members are added at the end. A reader treats a member beyond struct_size as zero, and every zero means
 * "not requested". New operations, types and flags get new numbers; numbers are never reused. A provider
 * answers "not supported" for an operation, type or flag that it does not know. PRISM_PROVIDER_ABI changes
 * only for changes that break these rules.
 *
 * Sources of the design: oneDNN (description, implementation, execution on a stream), XLA FFI (struct sizes,
 * errors by value), LIBXSMM (a refusal is an ordinary result), cuDNN (the caller provides the workspace).
 */
#ifndef PRISM_PROVIDER_H
#define PRISM_PROVIDER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PRISM_PROVIDER_ABI 1u
#define PRISM_PROVIDER_ENTRY "prism_provider_entry"
/* Whether the struct that `pointer` points to has `member`. */
#define PRISM_HAS_MEMBER(pointer, type, member)                                                              \
  ((pointer)->struct_size >= offsetof(type, member) + sizeof((pointer)->member))

/* ---- results ---- */

typedef int32_t prism_status;
enum {
  PRISM_OK = 0,
  PRISM_UNSUPPORTED = 1, /* not this operation, type, shape or device */
  PRISM_INVALID = 2,     /* the arguments contradict each other */
  PRISM_OUT_OF_MEMORY = 3,
  PRISM_UNAVAILABLE = 4, /* a library or driver is missing or unusable */
  PRISM_FAILED = 5       /* anything else; the message describes it */
};

/* Receives a function's reason. The caller sets struct_size; `message` ends with a zero. */
typedef struct prism_message {
  size_t struct_size;
  char text[256];
} prism_message;

/* ---- devices ---- */

enum { PRISM_NATIVE_HOST = 1, PRISM_NATIVE_OPENCL = 2, PRISM_NATIVE_VULKAN = 3 };

typedef struct prism_provider_device {
  size_t struct_size;
  int32_t native;   /* PRISM_NATIVE_* */
  int32_t is_cpu;   /* the device is a processor that the host runs on too */
  const char* name; /* the driver's name for it */
  void* context;    /* OpenCL: cl_context, or null for the queue's. Vulkan: VkPhysicalDevice. Host: null */
  void* device;     /* OpenCL: cl_device_id. Vulkan: VkDevice. Host: null */
  uint32_t threads; /* host: the most threads that a run will be granted */
  uint32_t unused;
} prism_provider_device;

/* ---- operations ---- */

/* Types of elements: bits 0-7 the kind, 8-15 the bits of a real part. */
enum {
  PRISM_F16 = 0x1001,
  PRISM_F32 = 0x2001,
  PRISM_F64 = 0x4001,
  PRISM_BF16 = 0x1002,
  PRISM_C32 = 0x2003,
  PRISM_C64 = 0x4003, /* complex of float, of double: real part first */
  PRISM_S8 = 0x0804,
  PRISM_S16 = 0x1004,
  PRISM_S32 = 0x2004,
  PRISM_S64 = 0x4004,
  PRISM_U8 = 0x0805,
  PRISM_U16 = 0x1005,
  PRISM_U32 = 0x2005,
  PRISM_U64 = 0x4005
};

/* Operations: the family in bits 8-15. Operands are in the order in which they are named; `=` marks the one
 * that is written
 * (`+=` where it is also read). alpha and beta are those of prism_provider_run. With beta = 0 the written
 * operand is not read, with alpha = 0 the others need not be. An empty sum is 0: without columns A x + beta y
 * is beta y. The diagonal of a Hermitian matrix is real: imaginary parts there are not read, and written as 0
 * (HER and HER2 with alpha = 0 may leave them). x, y: vectors. Everything else: matrices. T(A) is triangular,
 * S(A) symmetric, H(A) Hermitian: only the triangle `uplo` is read or written. */
enum {
  /* vectors; 0x0100: BLAS level 1 */
  PRISM_COPY = 0x0101,  /* x, y: y = x */
  PRISM_SWAP = 0x0102,  /* x, y: both written */
  PRISM_SCAL = 0x0103,  /* x: x = alpha x */
  PRISM_AXPY = 0x0104,  /* x, y: y = alpha x + y */
  PRISM_DOT = 0x0105,   /* x, y, r: r = sum of x[i] y[i]; conjugate x for dotc */
  PRISM_NRM2 = 0x0106,  /* x, r: the 2-norm, without needless overflow; r is real */
  PRISM_ASUM = 0x0107,  /* x, r: sum of |re| + |im|; r is real */
  PRISM_IAMAX = 0x0108, /* x, r: the first index, from 0, of the largest |re| + |im|; r is PRISM_S64; -1
                           without elements */
  PRISM_ROT = 0x0109,   /* x, y: (x, y) = (c x + s y, c y - s x), c = alpha, s = beta, both real */
  /* 0x0200: BLAS level 2 */
  PRISM_GEMV = 0x0201, /* A, x, y: y = alpha A x + beta y; A may be banded */
  PRISM_GER = 0x0202,  /* x, y, A: A = alpha x y^T + A; conjugate y for gerc */
  PRISM_SYMV = 0x0203, /* S(A), x, y: y = alpha A x + beta y; A may be banded or packed */
  PRISM_HEMV = 0x0204, /* H(A), x, y: the same */
  PRISM_SYR = 0x0205,  /* x, S(A): A = alpha x x^T + A; A may be packed */
  PRISM_HER = 0x0206,  /* x, H(A): A = alpha x x^H + A, alpha real; A may be packed */
  PRISM_SYR2 = 0x0207, /* x, y, S(A): A = alpha x y^T + alpha y x^T + A; A may be packed */
  PRISM_HER2 = 0x0208, /* x, y, H(A): A = alpha x y^H + conj(alpha) y x^H + A; A may be packed */
  PRISM_TRMV = 0x0209, /* T(A), x: x = A x; A may be banded or packed */
  PRISM_TRSV = 0x020a, /* T(A), x: x = inv(A) x; A may be banded or packed */
  /* 0x0300: BLAS level 3 */
  PRISM_GEMM = 0x0301,  /* A, B, C: C = alpha A B + beta C */
  PRISM_SYMM = 0x0302,  /* S(A), B, C: C = alpha A B + beta C, or alpha B A + beta C by `side` */
  PRISM_HEMM = 0x0303,  /* H(A), B, C: the same */
  PRISM_SYRK = 0x0304,  /* A, S(C): C = alpha A A^T + beta C */
  PRISM_HERK = 0x0305,  /* A, H(C): C = alpha A A^H + beta C, alpha and beta real */
  PRISM_SYR2K = 0x0306, /* A, B, S(C): C = alpha A B^T + alpha B A^T + beta C */
  PRISM_HER2K = 0x0307, /* A, B, H(C): C = alpha A B^H + conj(alpha) B A^H + beta C, beta real */
  PRISM_TRMM = 0x0308,  /* T(A), B: B = alpha A B, or alpha B A by `side` */
  PRISM_TRSM = 0x0309,  /* T(A), B: B = alpha inv(A) B, or alpha B inv(A) by `side` */
  /* 0x0400: LAPACK. i: PRISM_S64 of one element, LAPACK's info, where > 0 is a result: PRISM_OK is returned.
   * p: PRISM_S64. Of A, m x n, k is min(m, n). w, s: real. Results of GETRF to GEQP3 replace A as LAPACK
   * stores them, seen through A's strides; A of the others is only read. Where A has an element that is not
   * finite, HEEV, GEEV and GESVD write NaN to all results and -1 to i. */
  PRISM_GETRF = 0x0401, /* A, p, i: A = P L U by row interchanges; step j exchanged rows j and p[j], from 0 */
  PRISM_POTRF = 0x0402, /* H(A), i: A = L L^H (lower) or U^H U (upper); i also where a pivot is NaN */
  PRISM_GEQRF = 0x0403, /* A, t: A = Q R; t: k factors of the reflectors, of A's type */
  PRISM_GEQP3 = 0x0404, /* A, p, t: A P = Q R by column exchanges; column j of A P is column p[j] of A */
  PRISM_HEEV = 0x0405,  /* H(A), w, V, i: A V = V diag(w), w ascending; V without elements: w only */
  PRISM_GEEV = 0x0406,  /* A, w, V, i: A V = V diag(w), columns of norm 1; w, V complex; V as above */
  PRISM_GESVD = 0x0407, /* A, s, U, W, i: A = U diag(s) W, s descending; U of m x k or m x m and W of k x n or
                           n x n, or both without elements: s only */
  /* 0x0500: Fourier transforms. The last dimension of both operands is always a batch, the ones before it, 1
   * to 3, are transformed, so that ranks are 2 to 4: out = alpha times the sum over x[j] exp(-+2 pi i j k /
   * n) in each dimension; alpha is real. The types decide what is transformed: complex to complex; FFT also
   * of real numbers to complex ones, IFFT of complex ones to real numbers, where the last transformed
   * dimension of the complex side has n / 2 + 1 points, and those that a transform of real numbers makes real
   * count as real in IFFT of one dimension; of more, x is such a transform. x is not changed; or both
   * operands begin at the same element with the same strides in bytes. */
  PRISM_FFT = 0x0501,  /* x, y: exponents with a minus */
  PRISM_IFFT = 0x0502, /* x, y: exponents with a plus */
  /* 0x0600: images of rank 4, without alpha and beta. x: n images of c channels of h x w points. W: o filters
   * of c / groups channels of r x s points. y: n images of o channels. y[n, o, i, j] = the sum over c, r, s
   * of W[o, c, r, s] x[n, c', i stride - padding + r dilation, j stride - padding + s dilation], with x = 0
   * outside, by the description's window; c' counts the channels of o's group. y has (h + 2 padding -
   * dilation (r - 1) - 1) / stride + 1 rows, and columns alike. */
  PRISM_CONV2D = 0x0601 /* x, W, y: y = the convolution */
  /* 0x07..: sorting, scans, reductions */
};

enum { PRISM_STORED_FULL = 0, PRISM_STORED_BANDED = 1, PRISM_STORED_PACKED = 2 };
enum {
  PRISM_CONJUGATED = 1, /* the operand's values are the complex conjugates of those in memory */
  PRISM_TRANSPOSED = 2 /* banded and packed storage only: the operand is the transpose of the stored matrix */
};
enum { PRISM_UPLO_UPPER = 1, PRISM_UPLO_LOWER = 2 };
enum { PRISM_SIDE_LEFT = 1, PRISM_SIDE_RIGHT = 2 };
enum { PRISM_DIAG_NON_UNIT = 1, PRISM_DIAG_UNIT = 2 };

#define PRISM_PROVIDER_MAX_RANK 8

/* One operand. Element (i, j, ...) is at first + i stride[0] + j stride[1] + ..., counted in elements, where
 * `first` is given by prism_provider_memory. Row-major, column-major, transposed and sub-matrices therefore
 * have one form, without a leading dimension and a transposition flag. Vectors: extent[0]. Matrices: rows
 * extent[0], columns extent[1]. One more dimension is a batch, of the same extent in all operands; a batch
 * stride of 0 shares an operand that is only read. Strides of vectors and batches may be negative. A
 * dimension of extent 1 may have any stride. The written operand's elements do not overlap.
 *
 * Banded: rank 2, `lower` and `upper` diagonals in addition to the main one; element (i, j) is at
 * first + (upper + i - j) stride[0] + j stride[1], as in the BLAS with stride[0] = 1; triangular and
 * symmetric ones have one of the two counts 0. Packed: the columns of the triangle one after the other,
 * stride[0] = 1. For both, extents, diagonals and uplo are those of the stored matrix, before
 * PRISM_TRANSPOSED. */
typedef struct prism_provider_operand {
  int32_t type;
  int32_t rank;
  int32_t storage;
  uint32_t flags;
  int64_t extent[PRISM_PROVIDER_MAX_RANK];
  int64_t stride[PRISM_PROVIDER_MAX_RANK];
  int64_t lower, upper;
} prism_provider_operand;

#define PRISM_MAX_OPERANDS 8

typedef struct prism_provider_operation {
  size_t struct_size;
  int32_t operation;
  int32_t compute; /* the type in which products are added; 0: that of the written operand */
  int32_t uplo, side, diag;
  int32_t reproducible; /* PRISM_REPRODUCIBLE_*: the required minimum */
  size_t operand_size;  /* the caller's sizeof(prism_provider_operand); other sizes are refused */
  int32_t operand_count;
  int32_t unused;
  prism_provider_operand operand[PRISM_MAX_OPERANDS];
  /* PRISM_CONV2D: the window, vertical and horizontal, and the groups of channels */
  int64_t window_stride[2], window_padding[2], window_dilation[2];
  int64_t groups;
} prism_provider_operation;

enum {
  PRISM_REPRODUCIBLE_NO = 0,
  PRISM_REPRODUCIBLE_SAME_THREADS =
      1, /* the same bits for the same operands on the same device with the same threads */
  PRISM_REPRODUCIBLE_ALWAYS = 2 /* with any threads */
};

/* The result of query. If `supported` is 0, only `reason` is valid. */
typedef struct prism_provider_support {
  size_t struct_size;
  int32_t supported;
  int32_t reproducible;     /* PRISM_REPRODUCIBLE_* */
  uint64_t workspace_bytes; /* device memory that the caller must give to run, aligned to 128 bytes */
  uint32_t most_threads;    /* host: run has no use for more threads */
  uint32_t unused;
  double efficiency;  /* approximate fraction of the device's peak for this shape; 0: unknown */
  double overhead_ns; /* of one run, approximate, without the computation; 0: unknown */
  char reason[192];   /* why it is not supported */
} prism_provider_support;

/* ---- running ---- */

/* The location of an operand or of the workspace. Host and OpenCL with shared memory: `pointer`. OpenCL:
 * `object` is a cl_mem. Vulkan: `object` points to a VkBuffer, or is null and `address` is a device address.
 * `offset`: to `first`, in bytes; in a cl_mem it is a multiple of the element's size. Exactly one of pointer,
 * object and address is set. An operand without elements may have none. */
typedef struct prism_provider_memory {
  void* pointer;
  void* object;
  uint64_t address;
  uint64_t offset;
} prism_provider_memory;

typedef struct prism_provider_run {
  size_t struct_size;
  int32_t native;           /* PRISM_NATIVE_*, that of the plan's device */
  uint32_t threads;         /* host: the threads that this run may use, including the caller's; at least 1 */
  double alpha[2], beta[2]; /* real, imaginary; converted to the written operand's type */
  const prism_provider_memory* memory; /* one for each operand, in their order */
  const prism_provider_memory* workspace;
  void* queue;               /* OpenCL: cl_command_queue. Vulkan: VkCommandBuffer, which is being recorded */
  int32_t queue_is_in_order; /* OpenCL */
  uint32_t wait_count;
  void* const* waits; /* OpenCL: cl_event that must be complete before the first access to an operand */
  void** done;        /* OpenCL: run stores a cl_event here, with one reference for the caller; null: none */
} prism_provider_run;

/* ---- the provider ---- */

typedef struct prism_provider_state prism_provider_state; /* the provider's own */
typedef struct prism_provider_plan prism_provider_plan;   /* the provider's own */

/* A constant table, valid as long as the library is loaded. No function throws or calls exit. */
typedef struct prism_provider {
  size_t struct_size;
  uint32_t abi;        /* PRISM_PROVIDER_ABI */
  uint32_t natives;    /* 1u << PRISM_NATIVE_*, for all that it supports */
  const char* name;    /* lower case letters, digits and '-'; unique; the name in PRISM_PROVIDER */
  const char* version; /* of this provider */
  const char* library; /* the library that it calls, for messages: "OpenBLAS" */

  /* Loads its library. `*library_version`: for messages, valid until close; null if unknown. */
  prism_status (*open)(prism_provider_state** state, const char** library_version, prism_message* why);
  void (*query)(prism_provider_state* state, const prism_provider_device* device,
                const prism_provider_operation* operation, prism_provider_support* answer);
  /* May be slow (it compiles, allocates); copies `operation`. Succeeds if query answers "supported" and
   * memory suffices. */
  prism_status (*plan)(prism_provider_state* state, const prism_provider_device* device,
                       const prism_provider_operation* operation, prism_provider_plan** plan,
                       prism_message* why);
  prism_status (*run)(const prism_provider_plan* plan, const prism_provider_run* run, prism_message* why);
  void (*drop)(prism_provider_plan* plan); /* after the work of its runs is complete */
  void (*close)(prism_provider_state* state);
} prism_provider;

/* The function that the library exports as "prism_provider_entry". */
typedef const prism_provider* (*prism_provider_entry_function)(void);

#ifdef __cplusplus
}
#endif
#endif
