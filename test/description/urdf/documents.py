"""Small URDF documents with two links and a joint."""

AB = '<link name="a"/><link name="b"/>'


def joint(inside="", name="j", kind="continuous", parent="a", child="b"):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}\n{inside}</joint>'


def pair(inside="", **joint_settings):
    return AB + joint(inside, **joint_settings)
