/* PRISM for C and for languages that call C: devices, queues, events, memory, operations, kernels by name and
 * graphs. Link libprism-c (prism::c in CMake). It needs a C compiler (C89 with <stdint.h>).
 *
 *   prism_queue* queue; void* x; prism_error* error = NULL;
 *   if (prism_queue_create(NULL, 0, &queue, &error) != PRISM_OK) puts(prism_error_message(error));
 *   prism_allocate(queue, PRISM_MEMORY_SHARED, 4096, 0, &x, &error);
 *
 * Results. Every function that can fail returns a prism_status; PRISM_OK is 0. On failure it changes no
 * argument except `*error`, where it stores an error object with the status and a message that names the
 * function, what was requested and what was found. `error` may be NULL. The caller releases the object by
 * prism_release. `*error` is not written on success. No C++ exception leaves a function.
 *
 * Handles. prism_device, prism_queue, prism_event, prism_library, prism_kernel, prism_graph, prism_tasks,
 * prism_array, prism_sparse, prism_model, prism_tuning, prism_variants and prism_error are numbers, not
 * addresses: a function looks them up and never reads memory through them. A null, released, invented or
 * wrong handle therefore gives PRISM_BAD_HANDLE. A number is never used again. The caller releases each
 * handle that it receives, once, in any order; what is still in use lives on inside.
 *
 * Memory. prism_allocate and prism_adopt register memory. Each pointer that a device uses must lie in
 * registered memory, and so must all elements that a call reads or writes: PRISM_BAD_POINTER if not. Pointers
 * that the host alone uses (texts, results, the host's side of a copy) cannot be checked beyond NULL.
 *
 * Order. Functions that submit work return at once. `waits` are events that must be complete before the work
 * starts (NULL and 0: none). `event` receives an event of the work; NULL: no event is wanted. Work on a queue
 * with PRISM_IN_ORDER runs in order. Errors of running work are reported by prism_event_wait and
 * prism_queue_wait, once each.
 *
 * Threads. Any thread may call any function, except prism_scope_end, which the thread of prism_scope_begin
 * calls.
 *
 * Extension. Structs that cross the interface begin with their size, which the caller sets; later versions
 * add members at the end, and zero means "not requested". Numbers are never reused. Functions keep their
 * symbol version. */
#ifndef PRISM_H
#define PRISM_H

#include <prism/provider.h> /* prism_status, the types of elements, PRISM_GEMM and the other operations */

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface: grows with each addition. */
#define PRISM_C_VERSION 2

/* ---- results ---- */

/* Continues the numbers of prism_status. */
enum {
  PRISM_BAD_HANDLE = 16,  /* null, released, invented, or of another kind */
  PRISM_BAD_POINTER = 17, /* NULL, misaligned, or not in registered memory */
  PRISM_WRONG_THREAD = 18,
  PRISM_NOT_FOUND = 19, /* no device, operation, kernel or property of that name */
  PRISM_TOO_SMALL = 20  /* the text does not fit; `*needed` has the size */
};

typedef struct prism_error prism_error;
typedef struct prism_device prism_device;
typedef struct prism_queue prism_queue;
typedef struct prism_event prism_event;
typedef struct prism_library prism_library;
typedef struct prism_kernel prism_kernel;
typedef struct prism_graph prism_graph;
typedef struct prism_tasks prism_tasks;
typedef struct prism_array prism_array;
typedef struct prism_model prism_model;
typedef struct prism_tuning prism_tuning;
typedef struct prism_variants prism_variants;
typedef struct prism_sparse prism_sparse;

/* PRISM_BAD_HANDLE for a handle that is not an error object. */
prism_status prism_error_code(const prism_error* error);
/* Valid until the error object is released. Never NULL. */
const char* prism_error_message(const prism_error* error);
/* Ends a handle of any kind. NULL is allowed and does nothing. */
prism_status prism_release(void* handle, prism_error** error);
/* "0.1.0", and the PRISM_C_VERSION of the loaded library. */
const char* prism_version(void);
int32_t prism_c_version(void);

/* Texts: the function copies the text with its final zero to `text`, which has `capacity` bytes, and stores
 * the needed size in `*needed` (may be NULL). If the text does not fit, it returns PRISM_TOO_SMALL and writes
 * nothing to `text`. With a NULL text and capacity 0 it only stores the size and returns PRISM_OK. */

/* ---- devices ---- */

/* Stores up to `capacity` handles and the number of devices. devices may be NULL with capacity 0. */
prism_status prism_devices(prism_device** devices, size_t capacity, size_t* count, prism_error** error);
/* `name`: "opencl:cpu", "vulkan:0", "gpu", "host", "name=llvmpipe"; NULL: the default device. */
prism_status prism_device_select(const char* name, prism_device** device, prism_error** error);
/* The device that a policy selects: "priority=energy require=fp64"; see prism/policy.hpp for the syntax. */
prism_status prism_device_by_policy(const char* policy, prism_device** device, prism_error** error);
/* A table of all devices with the reasons of the decision. */
prism_status prism_explain_policy(const char* policy, char* text, size_t capacity, size_t* needed,
                                  prism_error** error);
/* `what`: "name", "vendor", "version", "driver", "backend", "type". */
prism_status prism_device_text(const prism_device* device, const char* what, char* text, size_t capacity,
                               size_t* needed, prism_error** error);
/* `what`: "memory", "compute_units", "max_group_size", ...: a limit of prism::capabilities. */
prism_status prism_device_number(const prism_device* device, const char* what, double* value,
                                 prism_error** error);
/* `feature`: "fp64", "subgroups", ... Stores 1 or 0. */
prism_status prism_device_has(const prism_device* device, const char* feature, int32_t* has,
                              prism_error** error);
/* A line for each backend: name, tab, "available" or "missing", tab, version or reason. */
prism_status prism_backends(char* text, size_t capacity, size_t* needed, prism_error** error);
/* The device of prism_queue_create(NULL, ...) in this thread, until prism_scope_end. Scopes nest. */
prism_status prism_scope_begin(const prism_device* device, prism_error** error);
prism_status prism_scope_end(prism_error** error);
/* The default device of all threads outside of scopes; NULL: PRISM's own choice again. */
prism_status prism_default_set(const prism_device* device, prism_error** error);

/* ---- queues and events ---- */

enum { PRISM_IN_ORDER = 1, PRISM_PROFILING = 2 };

/* device NULL: the default device. */
prism_status prism_queue_create(const prism_device* device, uint32_t flags, prism_queue** queue,
                                prism_error** error);
prism_status prism_queue_device(const prism_queue* queue, prism_device** device, prism_error** error);
/* Waits for all work of the queue; returns the first error of work since the last such call. */
prism_status prism_queue_wait(const prism_queue* queue, prism_error** error);
/* Runs function(data) on a thread of PRISM, after `waits`. It must not throw, and must not wait for work of
 * the same queue. */
prism_status prism_queue_call(const prism_queue* queue, void (*function)(void* data), void* data,
                              prism_event* const* waits, size_t wait_count, prism_event** event,
                              prism_error** error);

enum { PRISM_SUBMITTED = 0, PRISM_RUNNING = 1, PRISM_COMPLETE = 2 };

prism_status prism_event_wait(const prism_event* event, prism_error** error);
/* Stores PRISM_SUBMITTED, PRISM_RUNNING or PRISM_COMPLETE. */
prism_status prism_event_status(const prism_event* event, int32_t* status, prism_error** error);
/* Nanoseconds of the monotonic clock; waits. Needs PRISM_PROFILING. Each pointer may be NULL. */
prism_status prism_event_times(const prism_event* event, uint64_t* submitted, uint64_t* started,
                               uint64_t* ended, prism_error** error);

/* ---- memory ---- */

enum {
  PRISM_MEMORY_DEVICE = 1,
  PRISM_MEMORY_HOST = 2,
  PRISM_MEMORY_SHARED = 3,
  PRISM_MEMORY_ADOPTED = 4,
  PRISM_MEMORY_ARRAY = 5
};

/* `alignment`: a power of two; 0: that of every type. Shared memory is for the host and the device. */
prism_status prism_allocate(const prism_queue* queue, int32_t kind, size_t bytes, size_t alignment,
                            void** pointer, prism_error** error);
/* Registers memory of the program for the queue's device, which must be able to use the host's memory
 * (PRISM_UNSUPPORTED). The memory must live until prism_free, which ends the registration and frees nothing.
 */
prism_status prism_adopt(const prism_queue* queue, void* pointer, size_t bytes, prism_error** error);
/* Waits for the work of this interface that uses the memory, except callbacks. `pointer`: the first byte.
 * NULL does nothing. Memory with the elements of an array of prism_array_from_memory is refused
 * (PRISM_INVALID). */
prism_status prism_free(void* pointer, prism_error** error);
/* Each result may be NULL. `offset`: of the pointer from the first byte. */
prism_status prism_pointer_info(const void* pointer, int32_t* kind, size_t* offset, size_t* bytes,
                                prism_error** error);

/* Both sides are registered memory. */
prism_status prism_copy(const prism_queue* queue, void* to, const void* from, size_t bytes,
                        prism_event* const* waits, size_t wait_count, prism_event** event,
                        prism_error** error);
/* One side is registered memory, the other memory of the host, which must live until the copy is complete. */
prism_status prism_copy_to_host(const prism_queue* queue, void* to, const void* from, size_t bytes,
                                prism_event* const* waits, size_t wait_count, prism_event** event,
                                prism_error** error);
prism_status prism_copy_from_host(const prism_queue* queue, void* to, const void* from, size_t bytes,
                                  prism_event* const* waits, size_t wait_count, prism_event** event,
                                  prism_error** error);
/* `count` times the `pattern_bytes` bytes at `pattern`: 1, 2, 4, 8 or 16. */
prism_status prism_fill(const prism_queue* queue, void* to, const void* pattern, size_t pattern_bytes,
                        size_t count, prism_event* const* waits, size_t wait_count, prism_event** event,
                        prism_error** error);

/* ---- operations ---- */

#define PRISM_MAX_RANK 32 /* the most dimensions of an array */

/* A strided operand in registered memory. Element (i, j, ...) is at i stride[0] + j stride[1] + ... elements
 * after `data`. Vectors have rank 1. Matrices have rank 2: rows, columns. A batch of matrices has rank 3:
 * rows, columns, matrices. Grids of transforms have 1 to 3 dimensions and, with PRISM_BATCHED, one more at
 * the end. `flags`: PRISM_CONJUGATED for an operand that is read; PRISM_BATCHED. */
enum { PRISM_BATCHED = 16 };
typedef struct prism_view {
  size_t struct_size;
  void* data;
  int32_t type; /* PRISM_F32, ... */
  int32_t rank;
  uint32_t flags;
  uint32_t unused;
  int64_t extent[PRISM_MAX_RANK];
  int64_t stride[PRISM_MAX_RANK];
} prism_view;

/* Dense views: a vector, a row-major matrix. */
prism_view prism_vector(void* data, int32_t type, int64_t elements);
prism_view prism_matrix(void* data, int32_t type, int64_t rows, int64_t columns);
/* A dense grid of 1 to 4 dimensions in C's order; a rank outside of that gives a view that every function
 * refuses. */
prism_view prism_grid(void* data, int32_t type, int32_t rank, const int64_t* extents);

/* What an operation needs besides operands. A NULL pointer or zeros mean: alpha 1, beta 0, upper, left,
 * non-unit, no scaling. */
typedef struct prism_options {
  size_t struct_size;
  int32_t has_alpha, has_beta; /* whether alpha and beta below count */
  double alpha[2], beta[2];    /* real, imaginary */
  int32_t uplo, side, diag;    /* PRISM_UPLO_*, PRISM_SIDE_*, PRISM_DIAG_* */
  int32_t kind;   /* PRISM_NORM: 0 one, 1 infinity, 2 Frobenius, 3 largest. PRISM_LU_SOLVE: 0 inv(A), 1
                     inv(A^T),   2 inv(A^H). PRISM_MULTIPLY_Q: 0 Q, 1 Q^H. Transforms: 0 none, 1 by size, 2
                     orthonormal.   PRISM_COSINES: the same. Convolutions: 0 full, 1 same, 2 valid */
  int32_t number; /* PRISM_COSINES: 1 to 4 */
  int32_t unused;
  double tolerance; /* PRISM_LEAST_SQUARES_BY_SVD */
  double scale;     /* transforms; 0: 1 */
} prism_options;

/* Operations in addition to those of prism/provider.h up to PRISM_TRSM; `=` marks what is written, info and
 * pivots are vectors of PRISM_S64. prism/blas.hpp, prism/linalg.hpp, prism/fft.hpp and prism/convolve.hpp
 * describe them. PRISM_GEMM also takes A and B of half, bfloat16 or int8, and C of that type (of int8: int32)
 * or of float. */
enum {
  PRISM_ROTG = 0x0110,     /* a=, b=, c=, s= : vectors of one element; c is real */
  PRISM_DOTC = 0x0111,     /* x, y, r= : PRISM_DOT with the conjugate of x */
  PRISM_GERC = 0x0210,     /* x, y, a= : PRISM_GER with the conjugate of y */
  PRISM_FORWARD = 0x0501,  /* in, out= : grids; complex, or real to complex of n / 2 + 1 */
  PRISM_BACKWARD = 0x0502, /* in, out= : complex, or complex of n / 2 + 1 to real */
  PRISM_COSINES = 0x0503,  /* in, out= : real */
  PRISM_CONVOLVE = 0x0601, /* a, b, out= : grids */
  PRISM_CORRELATE = 0x0602,
  PRISM_TRANSPOSE = 0x0801, /* a, b= */
  PRISM_TRANSPOSE_IN_PLACE = 0x0802,
  PRISM_NORM = 0x0803,     /* a, norm= */
  PRISM_LU = 0x0804,       /* a=, pivots=, info= */
  PRISM_LU_SOLVE = 0x0805, /* a, pivots, b= */
  PRISM_CHOLESKY = 0x0806, /* a=, info= */
  PRISM_CHOLESKY_SOLVE = 0x0807,
  PRISM_QR = 0x0808,                   /* a=, tau= */
  PRISM_QR_PIVOTED = 0x0809,           /* a=, order=, tau= */
  PRISM_MULTIPLY_Q = 0x080a,           /* a, tau, c= */
  PRISM_FORM_Q = 0x080b,               /* a, tau, q= */
  PRISM_SOLVE = 0x080c,                /* a, b=, info= */
  PRISM_SOLVE_POSITIVE = 0x080d,       /* a, b=, info= */
  PRISM_LEAST_SQUARES = 0x080e,        /* a, b, x=, info= */
  PRISM_LEAST_SQUARES_BY_SVD = 0x080f, /* a, b, x=, rank=, info= */
  PRISM_INVERSE = 0x0810,              /* a, to=, info= */
  PRISM_DETERMINANT = 0x0811,          /* a, to= */
  PRISM_LOG_DETERMINANT = 0x0812,      /* a, sign=, log= */
  PRISM_MATRIX_EXP = 0x0813,           /* a, to=, info= */
  PRISM_MATRIX_SQRT = 0x0814,
  PRISM_EIGH = 0x0815,             /* a, w=, v=, info= */
  PRISM_EIGH_GENERALISED = 0x0816, /* a, b, w=, v=, info= */
  PRISM_EIG = 0x0817,              /* a, w=, v=, info= */
  PRISM_SVD = 0x0818               /* a, s=, u=, w=, info= */
};

/* Checks all arguments and submits the operation. */
prism_status prism_run(const prism_queue* queue, int32_t operation, const prism_view* operands, size_t count,
                       const prism_options* options, prism_event* const* waits, size_t wait_count,
                       prism_event** event, prism_error** error);
/* The number of an operation: "gemm", "solve", "forward". */
prism_status prism_operation_find(const char* name, int32_t* operation, prism_error** error);
/* "a b c=": the operands' names, `=` after those that are written. */
prism_status prism_operation_text(int32_t operation, char* text, size_t capacity, size_t* needed,
                                  prism_error** error);
/* Which implementation a BLAS or LAPACK operation would use for n x n operands, and why. `type`: "float",
 * "double", "complex float", "complex double". */
prism_status prism_operation_explain(const prism_device* device, const char* operation, const char* type,
                                     size_t n, char* text, size_t capacity, size_t* needed,
                                     prism_error** error);

/* ---- kernels by name ---- */

/* Loads a library of kernels: a shared object that prism++ made of sources with PRISM_EXPORT_KERNEL
 * (prism/kernel_library.hpp). A kernel pack next to it or in PRISM_PACK saves the first builds. */
prism_status prism_library_open(const char* file, prism_library** library, prism_error** error);
/* The names, one a line. */
prism_status prism_library_kernels(const prism_library* library, char* text, size_t capacity, size_t* needed,
                                   prism_error** error);
prism_status prism_kernel_get(const prism_library* library, const char* name, prism_kernel** kernel,
                              prism_error** error);
/* A kernel of a text in a device's own language; device NULL: the default device. `language`: "opencl",
 * OpenCL C, for OpenCL devices; "spirv", a module of Vulkan compute (prism/spirv_kernel.hpp) for Vulkan
 * devices, and of OpenCL for OpenCL devices whose driver takes it. PRISM_UNSUPPORTED if the device takes no
 * such text; PRISM_INVALID with the driver's log if it does not build. `parameters`: such as "float, const
 * float*, local int32"; NULL: as the driver reports them, which it does for OpenCL C. It is launched on
 * queues of this device, over 1 to 3 dimensions. */
prism_status prism_kernel_create(const prism_device* device, const char* language, const void* text,
                                 size_t bytes, const char* name, int32_t dimensions, const char* parameters,
                                 prism_kernel** kernel, prism_error** error);
/* "saxpy 1 items: float, const float*, float*". "items" or "groups": how it is launched; of
 * prism_kernel_create "any": both ways. */
prism_status prism_kernel_text(const prism_kernel* kernel, char* text, size_t capacity, size_t* needed,
                               prism_error** error);

enum { PRISM_ARGUMENT_VALUE = 1, PRISM_ARGUMENT_POINTER = 2, PRISM_ARGUMENT_LOCAL = 3 };

typedef struct prism_argument {
  size_t struct_size;
  int32_t kind;      /* PRISM_ARGUMENT_* */
  int32_t type;      /* of the value or of the elements */
  const void* value; /* VALUE: points to it; POINTER: the pointer itself; LOCAL: NULL */
  uint64_t count;    /* POINTER: elements that the kernel may use; LOCAL: elements for each work-group */
} prism_argument;

/* `global` has as many extents as the kernel has dimensions. `local`: NULL for a kernel over items, else the
 * work-group's extents. All types must be those of the kernel's declaration. */
prism_status prism_launch(const prism_queue* queue, const prism_kernel* kernel, const size_t* global,
                          const size_t* local, const prism_argument* arguments, size_t argument_count,
                          prism_event* const* waits, size_t wait_count, prism_event** event,
                          prism_error** error);

/* ---- tasks ---- */

/* Many launches of kernels with an order among them, prepared once and run as one submission, as often as
 * needed (prism/task_batch.hpp): in one launch where the groups of the device pass messages to each other,
 * else level by level. A library states sets of kernels for it by PRISM_EXPORT_TASKS. */

/* A line for each set: "steps: saxpy scale". */
prism_status prism_library_tasks(const prism_library* library, char* text, size_t capacity, size_t* needed,
                                 prism_error** error);
/* No tasks yet, of kernels of this set. */
prism_status prism_tasks_create(const prism_queue* queue, const prism_library* library, const char* set,
                                prism_tasks** tasks, prism_error** error);
/* A task of `items` items that runs after the tasks `after`, which are numbers of earlier tasks. `number`
 * (may be NULL): of this task, from 0. Values are copied; memory must stay registered. */
prism_status prism_tasks_add(const prism_tasks* tasks, const prism_kernel* kernel, size_t items,
                             const prism_argument* arguments, size_t argument_count, const size_t* after,
                             size_t after_count, size_t* number, prism_error** error);
/* Runs all tasks once on the queue, which must not record a graph. Runs of one object follow each other. */
prism_status prism_tasks_run(const prism_tasks* tasks, prism_event* const* waits, size_t wait_count,
                             prism_event** event, prism_error** error);
/* "300 tasks in 1 launch of 24 groups, which run together", or "300 tasks on 3 levels: ..." with the reason.
 */
prism_status prism_tasks_text(const prism_tasks* tasks, char* text, size_t capacity, size_t* needed,
                              prism_error** error);

/* ---- graphs ---- */

/* From now on the queue's work is recorded and not run. */
prism_status prism_graph_begin(const prism_queue* queue, prism_graph** graph, prism_error** error);
/* Ends the recording and prepares the graph. */
prism_status prism_graph_end(const prism_graph* graph, prism_error** error);
prism_status prism_graph_run(const prism_queue* queue, const prism_graph* graph, prism_event* const* waits,
                             size_t wait_count, prism_event** event, prism_error** error);
/* "100 commands, 1 submission, 3 barriers". */
prism_status prism_graph_text(const prism_graph* graph, char* text, size_t capacity, size_t* needed,
                              prism_error** error);

/* ---- arrays ---- */

/* Arrays of n dimensions with the functions of the Array API standard (prism/array.hpp, docs/arrays.md). A
 * handle names an array; views share its elements. Element-wise functions are lazy: they record, and run as
 * one launch when a value is needed. Errors of a device are reported where the host waits. */
enum { PRISM_BOOL = 0x0806 }; /* a byte, 0 or 1; in arrays only */

/* An argument of a function of arrays. */
enum {
  PRISM_GIVEN_NOTHING = 0,  /* the function's default */
  PRISM_GIVEN_ARRAY = 1,    /* data: a prism_array* */
  PRISM_GIVEN_BOOL = 2,     /* integer */
  PRISM_GIVEN_INTEGER = 3,  /* integer */
  PRISM_GIVEN_REAL = 4,     /* number[0] */
  PRISM_GIVEN_COMPLEX = 5,  /* number */
  PRISM_GIVEN_LIST = 6,     /* data: `count` int64_t */
  PRISM_GIVEN_TYPE = 7,     /* integer: PRISM_BOOL, PRISM_F32, ... */
  PRISM_GIVEN_ARRAYS = 8,   /* data: `count` prism_array* */
  PRISM_GIVEN_INDEX = 9,    /* data: `count` prism_index */
  PRISM_GIVEN_TEXT = 10,    /* data: `count` bytes of char; with a count of 0 the text ends with a zero */
  PRISM_GIVEN_TEXTS = 11,   /* data: `count` const char*, which end with a zero */
  PRISM_GIVEN_SPARSE = 12,  /* data: a prism_sparse* */
  PRISM_GIVEN_UNSIGNED = 13 /* integer: the bits of a uint64_t, for numbers that int64_t does not hold */
};
typedef struct prism_given {
  size_t struct_size;
  int32_t kind; /* PRISM_GIVEN_* */
  int32_t count;
  const void* data;
  int64_t integer;
  double number[2];
} prism_given;

/* One item of a basic index, as in Python: x[2, 1:9:2, None, ...]. */
enum { PRISM_INDEX_AT = 0, PRISM_INDEX_SLICE = 1, PRISM_INDEX_NEW_AXIS = 2, PRISM_INDEX_ELLIPSIS = 3 };
typedef struct prism_index {
  int32_t kind;                /* PRISM_INDEX_* */
  int32_t has_start, has_stop; /* SLICE: whether the two below count */
  int32_t unused;
  int64_t start, stop, step; /* AT: start */
} prism_index;

/* A copy of host memory in C order. device NULL: the default device. */
prism_status prism_array_from_host(const prism_device* device, const void* data, int32_t type, int32_t rank,
                                   const int64_t* extents, prism_array** array, prism_error** error);
/* All elements in C order; `bytes`: exactly their size. Waits. */
prism_status prism_array_to_host(const prism_array* array, void* to, size_t bytes, prism_error** error);
/* Each result may be NULL; `extents` has room for PRISM_MAX_RANK. */
prism_status prism_array_info(const prism_array* array, int32_t* type, int32_t* rank, int64_t* extents,
                              prism_error** error);
/* The first element and the strides in elements (room for PRISM_MAX_RANK; may be NULL). Evaluates and waits.
 * Valid while the array or a view of it lives. */
prism_status prism_array_data(const prism_array* array, void** data, int64_t* strides, prism_error** error);
/* The array as an operand of prism_run, and, by `data`, as an argument of prism_launch. Evaluates and waits.
 * Registers the memory until the array's handle is released. Before the array is used as an array again, wait
 * for that work. */
prism_status prism_array_view(const prism_array* array, prism_view* view, prism_error** error);
prism_status prism_array_device(const prism_array* array, prism_device** device, prism_error** error);
/* `what`: "str", "repr", or "explain": the launches that evaluating would make, with reasons. */
prism_status prism_array_text(const prism_array* array, const char* what, char* text, size_t capacity,
                              size_t* needed, prism_error** error);
/* Calls a function by name: "add", "sin", "sum", "reshape", "matmul", ... `device` is for functions that make
 * arrays from numbers, and the target of "to_device". Arguments at the end may be left out. Stores up to
 * `capacity` results and their number in `*made` (may be NULL); with too little room none, and
 * PRISM_TOO_SMALL. */
prism_status prism_array_call(const char* function, const prism_device* device, const prism_given* arguments,
                              size_t count, prism_array** results, size_t capacity, size_t* made,
                              prism_error** error);
/* An array over the elements of `view`, which lie in registered memory and are not copied. It lives on the
 * memory's device. When the last array that shares the elements ends and the device has ended its work,
 * `release(data)` is called, on any thread; it may be NULL. Until then prism_free refuses the memory
 * (PRISM_INVALID).
 */
prism_status prism_array_from_memory(const prism_view* view, void (*release)(void* data), void* data,
                                     prism_array** array, prism_error** error);

/* Other libraries' arrays by DLPack. A tensor is a DLManagedTensorVersioned* where `versioned` is 1, and a
 * DLManagedTensor* where it is 0. A deleter may be called on any thread. */
enum { PRISM_DLPACK_READ_ONLY = 1 };
enum { PRISM_COPY_IF_NEEDED = 0, PRISM_COPY_NEVER = 1, PRISM_COPY_ALWAYS = 2 };
/* The device of the array's memory: kDLCPU, kDLOpenCL or kDLVulkan, and its number. */
prism_status prism_array_dlpack_device(const prism_array* array, int32_t* type, int32_t* number,
                                       prism_error** error);
/* Evaluates and waits. The receiver calls the tensor's deleter. `flags`: PRISM_DLPACK_READ_ONLY, which a
 * tensor without a version cannot state (PRISM_UNSUPPORTED). */
prism_status prism_array_to_dlpack(const prism_array* array, int32_t versioned, uint32_t flags, void** tensor,
                                   prism_error** error);
/* device NULL: the tensor's own. `copy`: PRISM_COPY_*; a copy is needed if the memory is another device's, or
 * read-only. The array's last use, or the copy, calls the deleter. After a failure the tensor is the
 * caller's. */
prism_status prism_array_from_dlpack(void* tensor, int32_t versioned, const prism_device* device,
                                     int32_t copy, prism_array** array, prism_error** error);
/* The names of the arrays in an .npz file, one a line, in the order of the function "load_npz". */
prism_status prism_npz_names(const char* path, char* text, size_t capacity, size_t* needed,
                             prism_error** error);
/* A sparse matrix over three vectors: `format` "csr", "csc", "coo" (offsets: row indices) or "bsr" with
 * square blocks of `block` rows; `block` is 1 for the others. Indices are of PRISM_S32, values float, double
 * or complex. The structure is read and checked once, so later writes to offsets and indices have no effect;
 * values are read by each call. The functions with names that begin with "sparse_" use it. Waits. */
prism_status prism_sparse_create(const char* format, int64_t rows, int64_t columns, int64_t block,
                                 const prism_array* offsets, const prism_array* indices,
                                 const prism_array* values, prism_sparse** sparse, prism_error** error);
/* A line for each function: the name and its arguments. */
prism_status prism_array_functions(char* text, size_t capacity, size_t* needed, prism_error** error);

/* ---- descriptions of devices, and decisions over them ---- */

/* A description is a text in YAML or JSON, see docs/describing-devices.md: one device, or a list of them.
 * Functions give JSON. Where a function takes `descriptions`, NULL means the devices of this process. */

/* The descriptions of the device; NULL: of all devices of this process. */
prism_status prism_describe(const prism_device* device, char* text, size_t capacity, size_t* needed,
                            prism_error** error);
/* Reads descriptions, and gives them in one form. PRISM_INVALID, with the place and the key, for others. */
prism_status prism_descriptions_read(const char* descriptions, char* text, size_t capacity, size_t* needed,
                                     prism_error** error);
/* `requirement`: "fp64", "tensor_cores>=2", "memory>=4GiB", "gpu", "nvidia.h100", "aws.graviton>=3". Stores 1
 * or 0. */
prism_status prism_description_meets(const char* description, const char* requirement, int32_t* meets,
                                     prism_error** error);

enum { PRISM_ACCESS_SEQUENTIAL = 0, PRISM_ACCESS_STRIDED = 1, PRISM_ACCESS_RANDOM = 2 };

/* A job; prism/policy.hpp describes the members. Texts may be NULL: any operation, "fp32", data of the host.
 */
typedef struct prism_workload {
  size_t struct_size;
  const char* operation;
  const char* data_type;
  const char* data_on;
  double flops, bytes, bytes_to_move, items, footprint_bytes, divergence, builds;
  int32_t access; /* PRISM_ACCESS_* */
  int32_t unused;
} prism_workload;

/* The decision of a policy for a job: each device with its prediction or the reason against it, the chosen
 * one first. `work`: NULL for a job of medium size. `form`: "table", "json". That no device fits is no
 * failure: the text says so. */
prism_status prism_decide(const char* policy, const prism_workload* work, const char* descriptions,
                          const char* form, char* text, size_t capacity, size_t* needed, prism_error** error);

/* ---- backends and the host ---- */

/* `what`: "type", "display_name", "version", "priority", "available", "reason", "needs_gpu",
 * "required_libraries", "optional_libraries", "architectures" (one a line). */
prism_status prism_backend_text(const char* backend, const char* what, char* text, size_t capacity,
                                size_t* needed, prism_error** error);
/* Higher is preferred by prism_backends and by the default device. */
prism_status prism_backend_set_priority(const char* backend, int32_t priority, prism_error** error);
/* `what`: "platform", "processor", "cores", "processors", "memory_bytes", "avx", "avx2", "avx512", "neon",
 * "sve", "gpu_count", "device_names" (one a line), "forced_backend": what this process may use. */
prism_status prism_host_text(const char* what, char* text, size_t capacity, size_t* needed,
                             prism_error** error);

/* ---- performance models ---- */

/* Seconds; the time lies within lower and upper in nine of ten cases. Cost in the currency of the
 * description's price, energy in joules (0: unknown), throughput in items a second. */
typedef struct prism_prediction {
  size_t struct_size;
  double launch, building, moving, computing, memory, total, lower, upper, cost, energy, throughput;
} prism_prediction;

/* `saved`: the text of a model; NULL: an empty model. */
prism_status prism_model_create(const char* saved, prism_model** model, prism_error** error);
/* `item`: what one item of the pattern needs; `builds` is of the whole job. */
prism_status prism_model_register(const prism_model* model, const char* pattern, const prism_workload* item,
                                  prism_error** error);
/* Records that a run of `items` items took `seconds` on the device. */
prism_status prism_model_observe(const prism_model* model, const char* pattern, const char* description,
                                 double items, double seconds, prism_error** error);
/* Predicts a job; one of several devices is divided so that all finish together. `counts`: how many there are
 * of each described device; NULL: one. */
prism_status prism_model_predict(const prism_model* model, const char* pattern, const char* descriptions,
                                 const size_t* counts, double items, prism_prediction* prediction,
                                 prism_error** error);
/* JSON, for prism_model_create. */
prism_status prism_model_text(const prism_model* model, char* text, size_t capacity, size_t* needed,
                              prism_error** error);

/* ---- tuning ---- */

/* A parameter and its values, in an order in which neighbours are similar: integers, numbers or words. */
typedef struct prism_parameter {
  size_t struct_size;
  const char* name;
  const char* const* values;
  size_t count;
} prism_parameter;

/* Zeros and NULL: the defaults of prism/tuner.hpp. */
typedef struct prism_tuning_options {
  size_t struct_size;
  const char* search; /* "exhaustive", "random", "greedy", "model" */
  size_t max_trials;
  double max_seconds;
  size_t patience; /* trials without a gain of 1 % */
  uint32_t seed;
  uint32_t unused;
  const char* database;  /* a file that keeps trials; "": that of this user; NULL: none */
  const char* operation; /* with `kernel` and `items` the key in the database */
  const char* kernel;
  double items;
} prism_tuning_options;

/* Runs a configuration ("group=64 style=tree"), stores its seconds and whether its result was right, and
 * returns 0, or anything else if the configuration failed. It must not throw. */
typedef int32_t (*prism_trial)(const char* configuration, double* seconds, int32_t* right, void* data);

/* Tries configurations, `initial` first. `device` (NULL: the default device) is part of the key in the
 * database. */
prism_status prism_tune(const prism_device* device, const prism_parameter* parameters, size_t count,
                        const char* initial, prism_trial trial, void* data,
                        const prism_tuning_options* options, prism_tuning** tuning, prism_error** error);
/* `what`: "best" (empty: no configuration was right), "ended", "gain", or "trials": a line for each with
 * "right", "wrong" or "failed", seconds, configuration and message, separated by tabs. */
prism_status prism_tuning_text(const prism_tuning* tuning, const char* what, char* text, size_t capacity,
                               size_t* needed, prism_error** error);

/* ---- alignment ---- */

/* `score`: match 2, mismatch -2, a gap of n bases 3 + n - 1. The alignment lies in [first, first + count) of
 * the genome. */
typedef struct prism_alignment {
  int32_t score;
  int32_t unused;
  uint64_t first, count;
} prism_alignment;

/* The best local alignment of each read, of 1 to 256 bases, to the genome. Texts of A, C, G and T in either
 * case; other letters match nothing. `piece`: the genome is divided into pieces of 256, 1024 (0) or 2048
 * bases. Waits. */
prism_status prism_align(const prism_queue* queue, const char* const* reads, size_t count, const char* genome,
                         int32_t piece, prism_alignment* alignments, prism_error** error);
/* The variants that the reads have against the genome, which has two copies. `alignments`: of prism_align,
 * one for each read; one with a score of 0 does not count. The queue's device computes the genotypes. Waits.
 */
prism_status prism_call_variants(const prism_queue* queue, const char* const* reads, size_t count,
                                 const char* genome, const prism_alignment* alignments,
                                 prism_variants** variants, prism_error** error);
/* A line for each, in the order of the genome, with tabs between: position from 1, bases before, bases after,
 * reads over the position, reads with the change, quality, copies with the change (1 or 2) and the quality of
 * that number. Positions, bases and phred-scaled qualities are as in VCF. */
prism_status prism_variants_text(const prism_variants* variants, char* text, size_t capacity, size_t* needed,
                                 prism_error** error);

#ifdef __cplusplus
}
#endif
#endif
