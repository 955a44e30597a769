"""The samples on the pages import names that the framework packages of this environment have."""

from __future__ import annotations

import os

import pytest
from page_samples import PageSample, is_installed, read_samples

SAMPLES = [
    sample for sample in read_samples()
    if sample.frameworks and all(is_installed(name) for name in sample.frameworks)
]


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_imports_of_sample_exist(sample: PageSample) -> None:
    sample.run_imports()


def test_pages_have_samples_of_this_environment() -> None:
    expected = 1 if "COUNTERSIGN_DRIVERS" in os.environ else 7
    assert len(SAMPLES) >= expected, [str(sample) for sample in SAMPLES]
