"""The module prism_c against prism.h and its binary interface: fortran_interface_test.py REPOSITORY [PROGRAM of fortran_test.f90].

Names, the number and the types of arguments and members, and the values of all numbers. It reads the text, so that it needs no
Fortran compiler; with one, the program is started for what ends a program."""
import pathlib
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

PROGRAM = sys.argv.pop() if len(sys.argv) > 2 else None
ROOT = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(ROOT / "tools/check"))
import abi

MODULE = (ROOT / "bindings/fortran/prism_c.f90").read_text()
ABI = ElementTree.parse(ROOT / abi.BASE).getroot()
TYPES = {each.get("id"): each for each in ABI.iter() if each.get("id")}
NUMBERS = {"int": "integer(c_int32_t)", "unsigned int": "integer(c_int32_t)", "long int": "integer(c_int64_t)", "unsigned long int": "integer(c_int64_t)",
           "double": "real(c_double)"}
FUNCTION = re.compile(r"^    function (\w+)\(([^)]*)\) bind\(c\)\n      import\n(.*?)^    end function \1$", re.M | re.S)


def what(identity):
    """("number", Fortran's type), ("struct", name), ("handle"), ("text"), ("function"), or ("pointer", what it points to)."""
    at = TYPES[identity]
    if at.tag in ("typedef-decl", "qualified-type-def"):
        return what(at.get("type-id"))
    if at.tag == "type-decl":
        name = at.get("name")
        return ("text",) if name == "char" else ("void",) if name == "void" else ("number", NUMBERS[name])
    if at.tag == "class-decl":
        return ("handle",) if at.get("is-declaration-only") else ("struct", at.get("name"))
    if at.tag == "function-type":
        return ("function",)
    if at.tag == "array-type-def":
        return ("array", what(at.get("type-id")), at.find("subrange").get("length"))
    return ("pointer", what(at.get("type-id")))


def fits(c, fortran):
    """Whether the argument of C may have this declaration, as prism_c's first comment states."""
    by_value = fortran.endswith(", value")
    base = re.sub(r", (value|intent\(\w+\))$", "", fortran).replace("c_size_t", "c_int64_t")
    if c[0] == "number":
        return by_value and base == c[1]
    to = c[1]
    if to == ("function",):
        return by_value and base == "type(c_funptr)"
    if by_value:
        return base == "type(c_ptr)"
    return base == {"number": to[-1], "struct": f"type({to[-1]})", "pointer": "type(c_ptr)"}.get(to[0])


def functions():
    """{name: ([declaration of each argument, in order], the result's type)}"""
    out = {}
    for name, arguments, body in FUNCTION.findall(re.sub(r" &\n\s*", " ", MODULE)):
        declared = dict(reversed(re.sub(r"\(\*\)$", "", line.strip()).split(" :: ")) for line in body.strip().split("\n"))
        result = declared.pop(name)
        names = [each.strip() for each in arguments.split(",") if each.strip()]
        assert set(names) == set(declared), name
        out[name] = [declared[each] for each in names], result
    return out


def enumerators(file):
    text = re.sub(r"/\*.*?\*/", "", (ROOT / file).read_text(), flags=re.S)
    return {name: int(value, 0) for body in re.findall(r"\benum \{(.*?)\}", text, re.S) for name, value in re.findall(r"(PRISM_\w+)\s*=\s*(\w+)", body)}


def fortran_name(name, value):
    """Operations have a prefix, because PRISM_COPY and prism_copy are one name in Fortran."""
    operation = 0x100 <= value < 0x900 and name not in ("PRISM_S8", "PRISM_U8", "PRISM_BOOL")
    return name.lower().replace("prism_", "prism_op_", 1) if operation else name.lower()


class Interface(unittest.TestCase):
    def test_every_function_of_the_header_is_there_with_its_arguments_and_result(self):
        ours = functions()
        theirs = {each.get("name"): each for each in ABI.iter("function-decl")}
        self.assertEqual(set(ours), {name for name, _ in abi.prototypes((ROOT / abi.HEADER).read_text())})
        self.assertEqual(set(ours), set(theirs))
        for name, (arguments, result) in ours.items():
            wanted = [what(each.get("type-id")) for each in theirs[name].findall("parameter")]
            self.assertEqual(len(arguments), len(wanted), name)
            for i, (c, fortran) in enumerate(zip(wanted, arguments)):
                self.assertTrue(fits(c, fortran), f"{name}: argument {i + 1} is {c} in C and {fortran} in Fortran")
            given = what(theirs[name].find("return").get("type-id"))
            self.assertEqual(result, {"number": given[-1], "struct": f"type({given[-1]})", "pointer": "type(c_ptr)"}[given[0]], name)

    def test_every_struct_has_the_members_of_the_header_and_its_size(self):
        structs = {each.get("name"): each for each in ABI.iter("class-decl") if not each.get("is-declaration-only")}
        ours = dict(re.findall(r"^  type, bind\(c\) :: (\w+)\n(.*?)^  end type \1$", MODULE, re.M | re.S))
        # No function's type names this one, so that abidw does not see it.
        header = re.search(r"typedef struct prism_index \{(.*?)\}", re.sub(r"/\*.*?\*/", "", (ROOT / abi.HEADER).read_text(), flags=re.S), re.S)[1]
        wanted = [f"integer(c_{kind}) :: {name} = 0" for kind, names in re.findall(r"(\w+) ([\w, ]+);", header)
                  for name in names.split(", ")]
        self.assertEqual([line.strip() for line in ours.pop("prism_index").strip().split("\n")], wanted)
        self.assertEqual(set(ours), set(structs))
        for name, body in ours.items():
            members = [re.fullmatch(r"(\S+) :: (\w+)(?:\((\w+)\))? = (\w+)", line.strip()).groups() for line in body.strip().split("\n")]
            wanted = [each.find("var-decl") for each in structs[name].findall("data-member")]
            self.assertEqual([each[1] for each in members], [each.get("name") for each in wanted], name)
            for (kind, member, count, value), c in zip(members, wanted):
                type_of_c = what(c.get("type-id"))
                if type_of_c[0] == "array":
                    self.assertEqual(count.replace("prism_max_rank", "32"), type_of_c[2], f"{name}%{member}")
                    type_of_c = type_of_c[1]
                expected = type_of_c[1] if type_of_c[0] == "number" else "type(c_ptr)"
                self.assertEqual(kind.replace("c_size_t", "c_int64_t"), expected, f"{name}%{member}")
                if member == "struct_size":
                    self.assertEqual(int(value) * 8, int(structs[name].get("size-in-bits")), name)

    def test_every_number_has_the_value_of_the_header(self):
        of_header, of_provider = enumerators(abi.HEADER), enumerators("kernels/include/prism/provider.h")
        theirs = {fortran_name(*each): each[1] for each in (of_provider | of_header).items()}
        ours = re.findall(r"^  integer\(c_int32_t\), parameter :: (\w+) = (?:int\(z'(\w+)', c_int32_t\)|(\d+))$", MODULE, re.M)
        for name, hexadecimal, decimal in ours:
            if name != "prism_max_rank":
                self.assertEqual(int(hexadecimal, 16) if hexadecimal else int(decimal), theirs[name], name)
        self.assertEqual({fortran_name(*each) for each in of_header.items()} - {each[0] for each in ours}, set())

    @unittest.skipUnless(PROGRAM, "no Fortran compiler (gfortran)")
    def test_a_failure_without_stat_stops_the_program_with_the_message(self):
        done = subprocess.run([PROGRAM, "stops"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("prism_device_select: ", done.stderr)
        self.assertIn("no-such-device", done.stderr)


unittest.main()
