"""Spreadsheets in the Office Open XML format (.xlsx): plain tables with a bold first row and rows that may be marked red."""

import math
import zipfile
from xml.sax.saxutils import escape, quoteattr

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PLAIN, _TITLE, _MARKED = range(3)  # numbers of the cell formats below
_STYLES = (f'<styleSheet xmlns="{_MAIN}"><fonts count="2"><font/><font><b/></font></fonts><fills count="3">'
           '<fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
           '<fill><patternFill patternType="solid"><fgColor rgb="FFFF8080"/></patternFill></fill></fills>'
           '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/>'
           '<xf fontId="1" applyFont="1"/><xf fillId="2" applyFill="1"/></cellXfs></styleSheet>')


def _column(number):
    """A, B, ..., Z, AA, ... for 0, 1, ..."""
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def _cell(row, column, value, style):
    if value is None:
        return ""
    place = f'r="{_column(column)}{row}" s="{style}"'
    if isinstance(value, (int, float)) and math.isfinite(value):
        return f"<c {place}><v>{value!r}</v></c>"
    return f'<c {place} t="inlineStr"><is><t>{escape(str(value))}</t></is></c>'


def _row(number, values, style):
    return f'<row r="{number}">' + "".join(_cell(number, k, v, style) for k, v in enumerate(values)) + "</row>"


class Workbook:
    """Sheets to be saved as one file."""

    def __init__(self):
        self.sheets = []  # (name, XML)

    def add_sheet(self, name, head, rows):
        """Add a table: titles, and rows as (values, marked)."""
        lines = [_row(1, head, _TITLE)]
        lines += [_row(n, values, _MARKED if marked else _PLAIN) for n, (values, marked) in enumerate(rows, 2)]
        self.sheets.append((name, f'<worksheet xmlns="{_MAIN}"><sheetData>' + "".join(lines) + "</sheetData></worksheet>"))

    def save(self, path):
        """Write the file."""
        numbers = range(1, len(self.sheets) + 1)
        listed = "".join(f'<sheet name={quoteattr(name[:31])} sheetId="{k}" r:id="rId{k}"/>'
                         for k, (name, _) in zip(numbers, self.sheets))
        links = [(f"rId{k}", "worksheet", f"worksheets/sheet{k}.xml") for k in numbers] + [("rIdS", "styles", "styles.xml")]
        parts = {
            "[Content_Types].xml": _types([("workbook", "sheet.main"), ("styles", "styles"),
                                           *[(f"worksheets/sheet{k}", "worksheet") for k in numbers]]),
            "_rels/.rels": _relations([("rId1", "officeDocument", "xl/workbook.xml")]),
            "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_LINKS}"><sheets>{listed}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": _relations(links), "xl/styles.xml": _STYLES,
            **{f"xl/worksheets/sheet{k}.xml": xml for k, (_, xml) in zip(numbers, self.sheets)}}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for name, xml in parts.items():
                file.writestr(name, _HEAD + xml)


def _types(entries):
    default = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    inside = "".join(f'<Override PartName="/xl/{part}.xml" ContentType="{_TYPE}.{kind}+xml"/>' for part, kind in entries)
    return f'<Types xmlns="{_PACKAGE}/content-types">{default}{inside}</Types>'


def _relations(entries):
    inside = "".join(f'<Relationship Id="{name}" Type="{_LINKS}/{kind}" Target="{target}"/>' for name, kind, target in entries)
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{inside}</Relationships>'
