/* Kernels as functions of Python: checks the arguments, lays them out in slots, and calls.
 *
 * entry.py tells what an entry point takes; kernels.h, which has the table of kernels, is
 * written by build.py.
 */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#include <Python.h>
#include <numpy/arrayobject.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 1024 /* 8 kB of the stack; the conservative model takes a hundred */

typedef union { int64_t whole; double number; } Slot;
/* Numba's way of calling: place of a result, here none; place of an exception; arguments. */
typedef int32_t Entry(void **, void **, Slot *, Slot *);
typedef struct {
    const char *module, *name, *digest;
    const char *arguments, *result; /* see text_of in types.py */
    Entry *entry;
} Kernel;

#include "kernels.h" /* defines: static const Kernel kernels[], with name 0 at the end */

/* What Numba's code calls to reshape an array; those of kernels are contiguous. */
int numba_attempt_nocopy_reshape(intptr_t axes, const intptr_t *lengths, const intptr_t *strides,
                                 intptr_t new_axes, const intptr_t *new_lengths,
                                 intptr_t *new_strides, intptr_t item, int fortran)
{
    for (intptr_t axis = new_axes - 1; axis >= 0; item *= new_lengths[axis--])
        new_strides[axis] = item;
    return 1;
}

/* -- arguments ------------------------------------------------------------------------------- */

typedef struct {
    const Kernel *kernel;
    const char *text; /* what is still to be read of kernel->arguments */
    Slot *slot, *end;
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
    (reader->slot++)->whole = (intptr_t)PyArray_DATA(array);
    for (int axis = 0; axis < axes; axis++) (reader->slot++)->whole = PyArray_DIM(array, axis);
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
    if (code == 'd') (reader->slot++)->number = PyFloat_AsDouble(object);
    else if (code == '?') (reader->slot++)->whole = PyObject_IsTrue(object);
    else (reader->slot++)->whole = PyLong_AsLongLong(object);
    return PyErr_Occurred() ? -1 : 0;
}

/* -- calls ----------------------------------------------------------------------------------- */

static PyObject *result_of(char code, Slot slot)
{
    if (code == 'd') return PyFloat_FromDouble(slot.number);
    return code == '?' ? PyBool_FromLong(slot.whole != 0) : PyLong_FromLongLong(slot.whole);
}

static PyObject *call(PyObject *self, PyObject *const *objects, Py_ssize_t count)
{
    const Kernel *kernel = PyCapsule_GetPointer(self, NULL);
    Slot slots[SLOTS];
    /* The kernel writes its results behind the arguments: at most one for each character. */
    size_t results = strlen(kernel->result);
    Reader reader = {kernel, kernel->arguments, slots, slots + SLOTS - results, 0};
    for (; reader.number < count && *reader.text; reader.number++)
        if (read_argument(&reader, objects[reader.number])) return NULL;
    if (*reader.text || reader.number < count)
        return PyErr_Format(PyExc_TypeError, "%s was called with %zd arguments, too %s",
                            kernel->name, count, *reader.text ? "few" : "many");
    void *none, *exception;
    int32_t status;
    Py_BEGIN_ALLOW_THREADS
    status = kernel->entry(&none, &exception, slots, slots);
    Py_END_ALLOW_THREADS
    if (status) return PyErr_Format(PyExc_RuntimeError, "%s raised an exception", kernel->name);
    const char *codes = kernel->result;
    if (!*codes) Py_RETURN_NONE;
    if (*codes != '(') return result_of(*codes, *reader.slot);
    PyObject *tuple = PyTuple_New((Py_ssize_t)strlen(codes) - 2); /* without parentheses */
    for (Py_ssize_t k = 0; tuple && k < PyTuple_GET_SIZE(tuple); k++) {
        PyObject *item = result_of(codes[1 + k], reader.slot[k]);
        if (!item) Py_CLEAR(tuple);
        else PyTuple_SET_ITEM(tuple, k, item);
    }
    return tuple;
}

/* -- kernels bound to a tree's arrays, for calls that take microseconds -------- */

#define BOUND_INPUTS 6
#define BOUND_SLOTS 192

typedef struct {
    const char *text;
    Slot *slot;
} Place;

typedef struct {
    const Kernel *kernel;
    PyObject *whole;   /* one argument for each of the kernel's, of which the inputs are replaced */
    PyObject *general; /* called instead where the arguments do not fit, or not all goes well */
    int first, inputs;
    Place places[BOUND_INPUTS + 1]; /* of the inputs and the result */
    Slot slots[BOUND_SLOTS + 1], *end;
} Bound;

/* Replaces an argument; returns whether it fits: its type, and the lengths of its axes. */
static int put(Bound *bound, const Place *place, PyObject *object)
{
    Slot slots[10];
    Reader reader = {bound->kernel, place->text, slots, slots + 10, 0};
    if (read_argument(&reader, object)) {
        PyErr_Clear();
        return 0;
    }
    size_t lengths = (size_t)(reader.slot - slots - 1);
    if (memcmp(slots + 1, place->slot + 1, lengths * sizeof *slots)) return 0;
    *place->slot = *slots;
    return 1;
}

/* The GIL is kept: handing it over takes as long as a short kernel, and a thousand times as long if
 * another thread takes it. So nobody else uses the slots and the work space meanwhile. */
static PyObject *call_bound(PyObject *self, PyObject *const *objects, Py_ssize_t count)
{
    Bound *bound = PyCapsule_GetPointer(self, NULL);
    int inputs = bound->inputs, fits = count == inputs || count == inputs + 1;
    for (int k = 0; fits && k < inputs; k++) fits = put(bound, &bound->places[k], objects[k]);
    if (fits) {
        PyArrayObject *like = (PyArrayObject *)PyTuple_GET_ITEM(
            bound->whole, PyTuple_GET_SIZE(bound->whole) - 1);
        int is_given = count > inputs && objects[inputs] != Py_None;
        PyObject *result = is_given ? Py_NewRef(objects[inputs])
                           : PyArray_SimpleNew(PyArray_NDIM(like), PyArray_DIMS(like), NPY_DOUBLE);
        if (!result) return NULL;
        void *none, *exception;
        if (put(bound, &bound->places[inputs], result)
            && bound->kernel->entry(&none, &exception, bound->slots, bound->slots) == 0
            && bound->end->whole)
            return result;
        Py_DECREF(result);
    }
    return PyObject_Vectorcall(bound->general, objects, (size_t)count, NULL);
}

static void free_bound(PyObject *capsule)
{
    Bound *bound = PyCapsule_GetPointer(capsule, NULL);
    Py_XDECREF(bound->whole);
    Py_XDECREF(bound->general);
    PyMem_Free(bound);
}

/* bind(kernel, whole, first, inputs, general): see bound() in extension.py. */
static PyObject *bind(PyObject *module, PyObject *arguments)
{
    static PyMethodDef method = {"bound", (PyCFunction)(void *)call_bound, METH_FASTCALL, NULL};
    PyObject *function, *whole, *general;
    int first, inputs;
    if (!PyArg_ParseTuple(arguments, "O!O!iiO", &PyCFunction_Type, &function, &PyTuple_Type,
                          &whole, &first, &inputs, &general))
        return NULL;
    Bound *bound = PyMem_Calloc(1, sizeof *bound);
    PyObject *self = bound ? PyCapsule_New(bound, NULL, free_bound) : PyErr_NoMemory();
    if (!self) return NULL;
    const Kernel *kernel = PyCapsule_GetPointer(PyCFunction_GET_SELF(function), NULL);
    *bound = (Bound){kernel, Py_NewRef(whole), Py_NewRef(general), first, inputs};
    Py_ssize_t last = PyTuple_GET_SIZE(whole) - 1;
    Reader reader = {kernel, kernel->arguments, bound->slots, bound->slots + BOUND_SLOTS, 0};
    int failed = inputs > BOUND_INPUTS;
    for (; !failed && *reader.text && reader.number <= last; reader.number++) {
        Py_ssize_t input = reader.number == last ? inputs : reader.number - first;
        if (input >= 0 && input <= inputs && (input < inputs || reader.number == last))
            bound->places[input] = (Place){reader.text, reader.slot};
        failed = read_argument(&reader, PyTuple_GET_ITEM(whole, reader.number));
    }
    bound->end = reader.slot;
    PyObject *made = NULL;
    if (!failed && !*reader.text && reader.number > last && *kernel->result == '?')
        made = PyCFunction_NewEx(&method, self, NULL);
    else if (!PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "%s cannot be bound so", kernel->name);
    Py_DECREF(self);
    return made;
}

/* -- the module ------------------------------------------------------------------------------ */

/* KERNELS maps (module, name) to (digest, function). */
static int fill_module(PyObject *module)
{
    static PyMethodDef methods[sizeof kernels / sizeof *kernels];
    import_array1(-1);
    PyObject *table = PyDict_New();
    if (!table || PyModule_AddObject(module, "KERNELS", table)) return -1;
    for (int k = 0; kernels[k].name; k++) {
        methods[k] = (PyMethodDef){kernels[k].name, (PyCFunction)(void *)call, METH_FASTCALL, NULL};
        PyObject *self = PyCapsule_New((void *)&kernels[k], NULL, NULL);
        PyObject *function = self ? PyCFunction_NewEx(&methods[k], self, NULL) : NULL;
        PyObject *key = Py_BuildValue("(ss)", kernels[k].module, kernels[k].name);
        PyObject *value = function ? Py_BuildValue("(sN)", kernels[k].digest, function) : NULL;
        Py_XDECREF(self);
        if (!key || !value || PyDict_SetItem(table, key, value)) return -1;
        Py_DECREF(key);
        Py_DECREF(value);
    }
    return 0;
}

static PyMethodDef functions[] = {{"bind", bind, METH_VARARGS, NULL}, {0}};
static PyModuleDef_Slot phases[] = {{Py_mod_exec, fill_module}, {0}};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = MODULE_NAME, .m_methods = functions, .m_slots = phases};

PyMODINIT_FUNC MODULE_INIT(void) { return PyModuleDef_Init(&definition); }
