/* Kernels as functions of Python: checks the arguments, lays them out, and calls.
 *
 * What an entry point takes is told in compiler.py; kernels.h, which has the table of
 * kernels, is written by build.py.
 */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#include <Python.h>
#include <numpy/arrayobject.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 1024

typedef int32_t (*Entry)(int64_t *results, const int64_t *arguments);
typedef struct {
    const char *module, *name, *digest;
    const char *arguments, *result; /* see text_of in types.py */
    Entry entry;
} Kernel;

#include "kernels.h" /* defines: static const Kernel kernels[], with name 0 at the end */

/* -- what Numba's code expects of its runtime: memory of arrays that kernels make ------------- */

typedef struct {
    size_t references;
    void (*destructor)(void *, size_t, void *);
    void *destructor_info, *data;
    size_t size;
    void *allocator;
} Memory;

Memory *NRT_MemInfo_alloc_safe_aligned(size_t size, uint32_t alignment)
{
    Memory *memory = malloc(sizeof(Memory) + size + alignment);
    if (memory) {
        uintptr_t data = (uintptr_t)(memory + 1) + alignment - 1;
        *memory = (Memory){1, 0, 0, (void *)(data - data % alignment), size, 0};
    }
    return memory;
}

Memory *NRT_MemInfo_alloc_aligned(size_t size, uint32_t alignment)
{
    return NRT_MemInfo_alloc_safe_aligned(size, alignment);
}

Memory *NRT_MemInfo_alloc_safe(size_t size) { return NRT_MemInfo_alloc_safe_aligned(size, 16); }

Memory *NRT_MemInfo_alloc(size_t size) { return NRT_MemInfo_alloc_safe_aligned(size, 16); }

void NRT_MemInfo_call_dtor(Memory *memory) { free(memory); }

void *NRT_Allocate(size_t size) { return malloc(size); }

void NRT_Free(void *memory) { free(memory); }

int numba_attempt_nocopy_reshape(intptr_t axes, const intptr_t *lengths, const intptr_t *strides,
                                 intptr_t new_axes, const intptr_t *new_lengths,
                                 intptr_t *new_strides, intptr_t item, int fortran)
{
    intptr_t step = item;
    for (intptr_t axis = new_axes - 1; axis >= 0; axis--) {
        new_strides[axis] = step;
        step *= new_lengths[axis];
    }
    return 1; /* kernels' arrays are contiguous */
}

/* -- arguments ------------------------------------------------------------------------------- */

typedef struct {
    const Kernel *kernel;
    const char *text; /* what is still to be read of kernel->arguments */
    int64_t *slot, *end;
    Py_ssize_t number; /* of the argument */
} Reader;

static int refuse(const Reader *reader, const char *wanted, PyObject *found)
{
    PyErr_Format(PyExc_TypeError, "argument %zd of %s has to be %s, not %.200R",
                 reader->number + 1, reader->kernel->name, wanted, (PyObject *)Py_TYPE(found));
    return -1;
}

static int read_array(Reader *reader, char code, PyObject *object)
{
    long bytes = 0; /* of a record */
    if (code == 'V') bytes = strtol(reader->text, (char **)&reader->text, 10), reader->text++;
    int axes = *reader->text++ - '0';
    int is_written = *reader->text == 'w';
    reader->text += is_written;
    PyArrayObject *array = (PyArrayObject *)object;
    int type = code == 'q' ? NPY_INT64 : code == 'B' ? NPY_UINT8 : code == '?' ? NPY_BOOL
               : code == 'f' ? NPY_FLOAT32 : code == 'V' ? NPY_VOID : NPY_FLOAT64;
    if (!PyArray_Check(object) || PyArray_NDIM(array) != axes || PyArray_TYPE(array) != type
        || (bytes && PyArray_ITEMSIZE(array) != bytes)
        || !(is_written ? PyArray_ISCARRAY(array) : PyArray_ISCARRAY_RO(array))) {
        PyErr_Format(PyExc_TypeError,
                     "argument %zd of %s has to be a C-contiguous%s array of type '%c' with %d "
                     "axes, not %.200R",
                     reader->number + 1, reader->kernel->name, is_written ? " writable" : "", code,
                     axes, object);
        return -1;
    }
    if (reader->slot + 1 + axes > reader->end) return refuse(reader, "smaller", object);
    *reader->slot++ = (int64_t)(intptr_t)PyArray_DATA(array);
    for (int axis = 0; axis < axes; axis++) *reader->slot++ = PyArray_DIM(array, axis);
    return 0;
}

static int read_argument(Reader *reader, PyObject *object)
{
    char code = *reader->text++;
    if (code == '(') {
        if (!PyTuple_Check(object)) return refuse(reader, "a tuple", object);
        Py_ssize_t size = PyTuple_GET_SIZE(object), item = 0;
        for (; *reader->text != ')'; item++)
            if (item == size) return refuse(reader, "a longer tuple", object);
            else if (read_argument(reader, PyTuple_GET_ITEM(object, item))) return -1;
        if (item < size) return refuse(reader, "a shorter tuple", object);
        reader->text++;
        return 0;
    }
    if (code == 'V' || (*reader->text >= '0' && *reader->text <= '9'))
        return read_array(reader, code, object);
    if (reader->slot >= reader->end) return refuse(reader, "smaller", object);
    if (code == 'd') {
        union { double number; int64_t slot; } value = {PyFloat_AsDouble(object)};
        *reader->slot++ = value.slot;
    } else if (code == '?') {
        *reader->slot++ = PyObject_IsTrue(object);
    } else {
        *reader->slot++ = PyLong_AsLongLong(object);
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* -- results --------------------------------------------------------------------------------- */

static PyObject *result_of(const char **text, const int64_t **slot)
{
    char code = *(*text)++;
    if (code == '(') {
        PyObject *items = PyList_New(0);
        while (items && **text != ')') {
            PyObject *item = result_of(text, slot);
            if (!item || PyList_Append(items, item)) Py_CLEAR(items);
            Py_XDECREF(item);
        }
        (*text)++;
        PyObject *tuple = items ? PyList_AsTuple(items) : NULL;
        Py_XDECREF(items);
        return tuple;
    }
    int64_t value = *(*slot)++;
    if (code == 'd') {
        union { int64_t slot; double number; } read = {value};
        return PyFloat_FromDouble(read.number);
    }
    return code == '?' ? PyBool_FromLong((long)(value & 1)) : PyLong_FromLongLong(value);
}

static PyObject *call(PyObject *self, PyObject *const *objects, Py_ssize_t count)
{
    const Kernel *kernel = PyCapsule_GetPointer(self, NULL);
    int64_t slots[SLOTS], results[8] = {0};
    Reader reader = {kernel, kernel->arguments, slots, slots + SLOTS, 0};
    for (; reader.number < count && *reader.text; reader.number++)
        if (read_argument(&reader, objects[reader.number])) return NULL;
    if (*reader.text || reader.number < count)
        return PyErr_Format(PyExc_TypeError, "%s was called with %zd arguments, too %s",
                            kernel->name, count, *reader.text ? "few" : "many");
    int32_t status;
    Py_BEGIN_ALLOW_THREADS
    status = kernel->entry(results, slots);
    Py_END_ALLOW_THREADS
    if (status > 0) return PyErr_Format(PyExc_MemoryError, "%s needs more memory", kernel->name);
    if (!*kernel->result) Py_RETURN_NONE;
    const char *text = kernel->result;
    const int64_t *slot = results;
    return result_of(&text, &slot);
}

/* -- kernels bound to a tree's arrays, for calls that take less than some microseconds -------- */

#define BOUND_INPUTS 6
#define BOUND_SLOTS 192

typedef struct {
    char code;
    int axes, is_written;
    int64_t *slot; /* of the address, with the lengths behind it; or of the number */
} Place;

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    const Kernel *kernel;
    PyObject *arrays;  /* that the slots point to */
    PyObject *general; /* called instead where the arguments do not fit, or not all goes well */
    int inputs;
    Place places[BOUND_INPUTS + 1]; /* of the inputs and the result */
    int64_t slots[BOUND_SLOTS];
} Bound;

/* Reads the place of an array of doubles of this shape, or of a number: (). */
static int read_place(Reader *reader, Place *place, PyObject *shape)
{
    *place = (Place){*reader->text++, 0, 0, reader->slot++};
    if (*reader->text >= '0' && *reader->text <= '9') place->axes = *reader->text++ - '0';
    if (*reader->text == 'w') reader->text++, place->is_written = 1;
    if (!PyTuple_Check(shape) || PyTuple_GET_SIZE(shape) != place->axes
        || !strchr(place->axes ? "d" : "q?", place->code)
        || reader->slot + place->axes > reader->end)
        return refuse(reader, "of another shape", shape);
    for (int axis = 0; axis < place->axes; axis++)
        *reader->slot++ = PyLong_AsLongLong(PyTuple_GET_ITEM(shape, axis));
    return PyErr_Occurred() ? -1 : 0;
}

static int fill(const Place *place, PyObject *object)
{
    if (!place->axes) {
        if (place->code == '?' ? !PyBool_Check(object) : !PyLong_CheckExact(object)) return 0;
        *place->slot = PyLong_AsLongLong(object);
        return 1;
    }
    PyArrayObject *array = (PyArrayObject *)object;
    if (!PyArray_CheckExact(object) || PyArray_TYPE(array) != NPY_DOUBLE
        || PyArray_NDIM(array) != place->axes
        || !(place->is_written ? PyArray_ISCARRAY(array) : PyArray_ISCARRAY_RO(array)))
        return 0;
    for (int axis = 0; axis < place->axes; axis++)
        if (PyArray_DIM(array, axis) != place->slot[1 + axis]) return 0;
    *place->slot = (int64_t)(intptr_t)PyArray_DATA(array);
    return 1;
}

/* The GIL is kept: handing it over takes as long as a short kernel, and a thousand times as long if
 * another thread takes it. So nobody else uses the slots and the work space meanwhile. */
static PyObject *call_bound(PyObject *self, PyObject *const *objects, size_t flags, PyObject *names)
{
    Bound *bound = (Bound *)self;
    Py_ssize_t count = PyVectorcall_NARGS(flags) - bound->inputs;
    int fits = !names && (count == 0 || count == 1);
    for (int k = 0; fits && k < bound->inputs; k++) fits = fill(&bound->places[k], objects[k]);
    if (fits) {
        const Place *last = &bound->places[bound->inputs];
        PyObject *result = count ? objects[bound->inputs] : Py_None;
        if (result == Py_None) {
            npy_intp shape[8];
            for (int axis = 0; axis < last->axes; axis++) shape[axis] = last->slot[1 + axis];
            result = PyArray_SimpleNew(last->axes, shape, NPY_DOUBLE);
            if (!result) return NULL;
        } else {
            Py_INCREF(result);
        }
        int64_t well[8] = {0};
        if (fill(last, result) && bound->kernel->entry(well, bound->slots) == 0 && *well)
            return result;
        Py_DECREF(result);
    }
    return PyObject_Vectorcall(bound->general, objects, flags, names);
}

static void free_bound(PyObject *self)
{
    Py_XDECREF(((Bound *)self)->arrays);
    Py_XDECREF(((Bound *)self)->general);
    PyObject_Free(self);
}

static PyTypeObject Bound_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = MODULE_NAME ".Bound",
    .tp_basicsize = sizeof(Bound),
    .tp_dealloc = free_bound,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Bound, vectorcall),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
};

/* bind(kernel, fixed, inputs, space, result, general): see bound() in extension.py. */
static PyObject *bind(PyObject *module, PyObject *arguments)
{
    PyObject *function, *fixed, *inputs, *space, *result, *general;
    if (!PyArg_ParseTuple(arguments, "O!O!O!O!OO", &PyCFunction_Type, &function, &PyTuple_Type,
                          &fixed, &PyTuple_Type, &inputs, &PyTuple_Type, &space, &result, &general))
        return NULL;
    const Kernel *kernel = PyCapsule_GetPointer(PyCFunction_GET_SELF(function), NULL);
    Bound *bound = kernel ? PyObject_New(Bound, &Bound_type) : NULL;
    if (!bound) return NULL;
    bound->vectorcall = call_bound;
    bound->kernel = kernel;
    bound->arrays = PySequence_Concat(fixed, space);
    bound->general = Py_NewRef(general);
    bound->inputs = (int)PyTuple_GET_SIZE(inputs);
    Reader reader = {kernel, kernel->arguments, bound->slots, bound->slots + BOUND_SLOTS, 0};
    int failed = !bound->arrays || bound->inputs > BOUND_INPUTS;
    for (int k = 0; !failed && k < PyTuple_GET_SIZE(fixed); k++, reader.number++)
        failed = read_argument(&reader, PyTuple_GET_ITEM(fixed, k));
    for (int k = 0; !failed && k < bound->inputs; k++, reader.number++)
        failed = read_place(&reader, &bound->places[k], PyTuple_GET_ITEM(inputs, k));
    for (int k = 0; !failed && k < PyTuple_GET_SIZE(space); k++, reader.number++)
        failed = read_argument(&reader, PyTuple_GET_ITEM(space, k));
    if (!failed) failed = read_place(&reader, &bound->places[bound->inputs], result);
    if (!failed && !*reader.text && *kernel->result == '?') return (PyObject *)bound;
    if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s cannot be bound so", kernel->name);
    Py_DECREF(bound);
    return NULL;
}

/* -- the module ------------------------------------------------------------------------------ */

static PyMethodDef functions[] = {{"bind", bind, METH_VARARGS, NULL}, {0}};

static PyMethodDef methods[sizeof kernels / sizeof *kernels];
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, MODULE_NAME, NULL, -1, functions};

/* KERNELS maps (module, name) to (digest, function). */
PyMODINIT_FUNC MODULE_INIT(void)
{
    import_array();
    if (PyType_Ready(&Bound_type)) return NULL;
    PyObject *module = PyModule_Create(&definition), *table = PyDict_New();
    if (!module || !table || PyModule_AddObject(module, "KERNELS", table)) return NULL;
    for (int k = 0; kernels[k].name; k++) {
        methods[k] = (PyMethodDef){kernels[k].name, (PyCFunction)(void *)call, METH_FASTCALL, NULL};
        PyObject *self = PyCapsule_New((void *)&kernels[k], NULL, NULL);
        PyObject *function = self ? PyCFunction_NewEx(&methods[k], self, NULL) : NULL;
        PyObject *key = Py_BuildValue("(ss)", kernels[k].module, kernels[k].name);
        PyObject *value = function ? Py_BuildValue("(sN)", kernels[k].digest, function) : NULL;
        Py_XDECREF(self);
        if (!key || !value || PyDict_SetItem(table, key, value)) return NULL;
        Py_DECREF(key);
        Py_DECREF(value);
    }
    return module;
}
