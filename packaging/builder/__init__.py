"""Builds the packages of Countersign from a built program. `packaging/build` is the command."""
