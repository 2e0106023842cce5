"""mkdocs hooks: links that leave docs/ (to sources and samples of the repository) become the file's name, links to a notebook lead to
its page, and the table of public headers is made from the first sentence of each."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("runtime/include/prism", "kernels/include/prism")
OUTSIDE = re.compile(r"\[([^\]]*)\]\((?:\.\./)+([^)#\s]+)[^)]*\)")
NOTEBOOK = re.compile(r"\[([^\]]*)\]\(([\w-]+)\.ipynb\)")
MARK = "<!-- headers -->"


def first_sentence(header):
    """Of the header's opening comment."""
    text = []
    for line in header.read_text().splitlines():
        if not line.startswith(("//", "/*", " *")):
            break
        text.append(line.strip("/* "))
    return re.split(r"(?<=\.)\s", " ".join(text), maxsplit=1)[0].replace("|", "\\|")


def table_of_headers():
    headers = sorted(h for folder in FOLDERS for h in (ROOT / folder).glob("*.h*"))
    rows = [f"| `<prism/{h.name}>` | {first_sentence(h)} |" for h in headers]
    return "\n".join(["| header | for |", "|---|---|", *rows])


def on_page_markdown(markdown, **_):
    markdown = markdown.replace(MARK, table_of_headers())
    markdown = NOTEBOOK.sub(r'<a href="\2.html">\1</a>', markdown)  # HTML, because mkdocs does not know the page
    return OUTSIDE.sub(lambda m: m[1] if m[1].startswith("`") else f"{m[1]} (`{m[2]}`)", markdown)
