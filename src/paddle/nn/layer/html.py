"""A notebook's view of a layer: its tree, to be opened and closed, with the numbers of parameters."""

import html


def to_html(layer, name=""):
    """The layer and those inside it as nested details of HTML."""
    own = f"{type(layer).__name__}({layer.extra_repr()})"
    count = sum(int(p.size) for p in layer.parameters())
    frozen = sum(int(p.size) for p in layer.parameters() if p.stop_gradient)
    notes = f"{count:,} parameters" + (f", {frozen:,} frozen" if frozen else "") if count else ""
    head = (f"<b>{html.escape(name)}</b> " if name else "") + f"<code>{html.escape(own)}</code> <small>{notes}</small>"
    inside = "".join(to_html(child, key) for key, child in layer.named_children())
    if not inside:
        return f"<div style='margin-left:1.5em'>{head}</div>"
    opened = " open" if not name else ""
    return f"<details style='margin-left:1.5em'{opened}><summary>{head}</summary>{inside}</details>"
