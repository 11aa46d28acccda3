"""Reads which files of this package use which others, from the index that a debug build writes (.build/debug/index)."""

import collections
import ctypes
import pathlib
import shutil

DEFINITION, REFERENCE = 1 << 1, 1 << 2
RECORD = 2


class _Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


_OnText = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, _Text)
_OnPointer = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)


def _library():
    swift = pathlib.Path(shutil.which("swift")).resolve()
    name = next((swift.parent.parent / "lib").glob("libIndexStore.*"))
    library = ctypes.CDLL(str(name))
    pointer, text, number = ctypes.c_void_p, _Text, ctypes.c_uint64
    for function, result, *arguments in [
        ("store_create", pointer, ctypes.c_char_p, pointer),
        ("store_units_apply_f", ctypes.c_bool, pointer, ctypes.c_uint, pointer, _OnText),
        ("unit_reader_create", pointer, pointer, ctypes.c_char_p, pointer),
        ("unit_reader_dispose", None, pointer),
        ("unit_reader_get_main_file", text, pointer),
        ("unit_reader_dependencies_apply_f", ctypes.c_bool, pointer, pointer, _OnPointer),
        ("unit_dependency_get_kind", ctypes.c_int, pointer),
        ("unit_dependency_get_name", text, pointer),
        ("unit_dependency_get_filepath", text, pointer),
        ("record_reader_create", pointer, pointer, ctypes.c_char_p, pointer),
        ("record_reader_dispose", None, pointer),
        ("record_reader_occurrences_apply_f", ctypes.c_bool, pointer, pointer, _OnPointer),
        ("occurrence_get_symbol", pointer, pointer),
        ("occurrence_get_roles", number, pointer),
        ("symbol_get_usr", text, pointer),
        ("symbol_get_name", text, pointer),
    ]:
        function = getattr(library, "indexstore_" + function)
        function.restype, function.argtypes = result, arguments
    return library


def uses(store, folder):
    """Returns the uses between the Swift files of a folder, as a set of (using file, used file, name).

    Functions, properties and types count, and members of extensions by the file of their extension.
    """
    library = _library()
    handle = library.indexstore_store_create(str(store).encode(), None)
    if not handle:
        raise SystemExit(f"error: {store} can't be read; run swift build")
    units, records = [], {}
    on_unit = _OnText(lambda _, name: units.append(str(name)) or True)
    library.indexstore_store_units_apply_f(handle, 0, None, on_unit)
    for name in units:
        unit = library.indexstore_unit_reader_create(handle, name.encode(), None)
        main = str(library.indexstore_unit_reader_get_main_file(unit))

        def on_dependency(_, dependency):
            path = str(library.indexstore_unit_dependency_get_filepath(dependency))
            if library.indexstore_unit_dependency_get_kind(dependency) == RECORD and path == main:
                records[main] = str(library.indexstore_unit_dependency_get_name(dependency))
            return True

        if main.startswith(f"{folder}/") and pathlib.Path(main).exists():
            callback = _OnPointer(on_dependency)
            library.indexstore_unit_reader_dependencies_apply_f(unit, None, callback)
        library.indexstore_unit_reader_dispose(unit)

    owners, references = {}, collections.defaultdict(set)
    for path, record in records.items():
        reader = library.indexstore_record_reader_create(handle, record.encode(), None)

        def on_occurrence(_, occurrence):
            roles = library.indexstore_occurrence_get_roles(occurrence)
            symbol = library.indexstore_occurrence_get_symbol(occurrence)
            usr = str(library.indexstore_symbol_get_usr(symbol))
            if roles & DEFINITION:
                owners[usr] = path
            elif roles & REFERENCE:
                references[path].add((usr, str(library.indexstore_symbol_get_name(symbol))))
            return True

        callback = _OnPointer(on_occurrence)
        library.indexstore_record_reader_occurrences_apply_f(reader, None, callback)
        library.indexstore_record_reader_dispose(reader)
    return {
        (path, owners[usr], name)
        for path, symbols in references.items()
        for usr, name in symbols
        if usr in owners and owners[usr] != path
    }
