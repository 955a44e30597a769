"""Values for the formats whose rule is a matter of Unicode scripts, which no pattern can state."""

import schemathesis
from hypothesis import strategies as st

LATIN = st.characters(min_codepoint=0x20, max_codepoint=0x17F, exclude_categories=("C", "Z"), exclude_characters="\u00d7\u00f7")
CHINESE = st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF, exclude_categories=("C",))
CYRILLIC = st.characters(min_codepoint=0x410, max_codepoint=0x44F)
KINDS = ("user", "agent", "policy", "advisor", "system")


def name(longest: int) -> st.SearchStrategy[str]:
    """Letters of one script, or of two that languages of East Asia combine."""
    return st.one_of(
        st.text(LATIN, min_size=1, max_size=longest),
        st.text(LATIN | CHINESE, min_size=1, max_size=longest),
        st.text(CYRILLIC, min_size=1, max_size=longest),
    )


schemathesis.openapi.format("visible-name", name(60))
schemathesis.openapi.format("principal", st.tuples(st.sampled_from(KINDS), name(40)).map(":".join))
