"""Write today's messages into mistakes/*.md; read the difference before you keep it.

Run it from the project's root: `python -m tests.diagnostics.renew`.
"""

from tests.diagnostics.blocks import FOLDER, renewed

if __name__ == "__main__":
    for file in sorted(FOLDER.glob("*.md")):
        file.write_text(renewed(file), encoding="utf-8")
