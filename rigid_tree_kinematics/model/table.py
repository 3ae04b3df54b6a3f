"""The table that ``tree.show_details()`` prints."""

from rigid_tree_kinematics.model.body import RigidBody

HEADINGS = ("#", "body", "joint", "type", "limits", "parent", "children")


def details_table(name: str, base_name: str, bodies: tuple[RigidBody, ...]) -> str:
    """Return a tree's bodies, one per line: joint, type, limits (rad, m), parent, children."""
    rows = [HEADINGS]
    for number, body in enumerate(bodies, start=1):
        joint = body.joint
        limits = ""
        if joint.mimic is not None:
            limits = f"{joint.mimic.multiplier:g} * {joint.mimic.joint}"
            limits += f" {joint.mimic.offset:+g}" if joint.mimic.offset else ""
        elif joint.position_count == 1:
            low, high = joint.soft_limits
            limits = f"{low:.4g} .. {high:.4g}"
        parent = body.parent.name if body.parent else ""
        children = ", ".join(child.name for child in body.children)
        rows.append((str(number), body.name, joint.name, joint.type, limits, parent, children))
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    lines = [f"robot '{name}', base '{base_name}', {len(bodies)} bodies"]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        lines.append("  ".join(cells).rstrip())
    lines.insert(2, "-" * max(len(line) for line in lines))
    return "\n".join(lines)
