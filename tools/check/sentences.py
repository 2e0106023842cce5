"""Finds sentences of more than 48 words in docs. `./prism check` rejects them; tables, code and links' targets are not counted.

usage: python3 tools/check/sentences.py [WORDS]      lists every sentence with more than WORDS words (48 without it)
"""
import pathlib
import re
import sys

MOST = 48
BLOCK = re.compile(r"```.*?(?:```|\Z)|^\s*\|[^\n]*$", re.DOTALL | re.MULTILINE)
END = re.compile(r"[.!?:;][)*\"]*\s+(?=[^\s])|\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.)\s)")


def findings(text, most=MOST):
    """(line number, words) of each sentence that is too long. A colon and a semicolon end one too."""
    plain = BLOCK.sub(lambda block: "\n" + re.sub(r"[^\n]", "", block[0]) + "\n", text)
    plain = re.sub(r"`[^`\n]*`", "x", plain)
    plain = re.sub(r"\]\([^)\n]*\)", "]", plain)
    begin = 0
    for end in [*(one.end() for one in END.finditer(plain)), len(plain)]:
        sentence, where, begin = plain[begin:end], begin, end
        words = len(sentence.split())
        if words > most:
            where += len(sentence) - len(sentence.lstrip())
            yield plain.count("\n", 0, where) + 1, words


if __name__ == "__main__":
    root = pathlib.Path(__file__).resolve().parents[2]
    for path in sorted((root / "docs").glob("*.md")):
        for number, words in findings(path.read_text(), int(sys.argv[1]) if len(sys.argv) > 1 else MOST):
            print(f"{path.relative_to(root)}:{number}: {words} words")
