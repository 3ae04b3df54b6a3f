/* Kernels as functions of Python: checks the arguments, lays them out, and calls.
 *
 * What an entry point takes is told in compiler.py; kernels.h, which has the table of
 * kernels, is written by build.py.
 */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#include <Python.h>
#include <numpy/arrayobject.h>
#include <stdint.h>
#include <stdlib.h>

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
        || !PyArray_IS_C_CONTIGUOUS(array) || !PyArray_ISALIGNED(array)
        || (is_written && !PyArray_ISWRITEABLE(array))) {
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

/* -- the module ------------------------------------------------------------------------------ */

static PyMethodDef methods[sizeof kernels / sizeof *kernels];
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, MODULE_NAME, NULL, -1};

/* KERNELS maps (module, name) to (digest, function). */
PyMODINIT_FUNC MODULE_INIT(void)
{
    import_array();
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
