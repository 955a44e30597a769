"""Binds function arguments to JSON and back: the function gets the approved arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .execution import UnusableArguments

KIND = inspect.Parameter
RECEIVERS = ("self", "cls")


class FunctionBinding:
    """The function parameters that approvers see, by name. The others (``self``, and excluded ones) keep the caller's
    value."""

    def __init__(self, function: Callable[..., Any], exclude: Iterable[str] = ()) -> None:
        self.signature = inspect.signature(function)
        parameters = self.signature.parameters
        self.hidden = set(exclude)
        if unknown := self.hidden - set(parameters):
            raise TypeError(f"{function.__name__}() has no parameter {sorted(unknown)[0]!r} to exclude")
        first = next(iter(parameters), None)
        if first in RECEIVERS and parameters[first].kind in (KIND.POSITIONAL_ONLY, KIND.POSITIONAL_OR_KEYWORD):
            self.hidden.add(first)

    def read_arguments(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Returns the arguments for approvers, with defaults, and the hidden ones."""
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        shown: dict[str, Any] = {}
        hidden: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            if name in self.hidden:
                hidden[name] = value
            elif self.signature.parameters[name].kind is KIND.VAR_KEYWORD:
                shown.update(value)
            else:
                shown[name] = list(value) if self.signature.parameters[name].kind is KIND.VAR_POSITIONAL else value
        return shown, hidden

    def fill_parameters(self, arguments: Any, hidden: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Returns the function arguments for the approved ones."""
        if not isinstance(arguments, dict):
            raise UnusableArguments("The approved arguments are not an object, so the function was not run.")
        left = dict(arguments)
        if forbidden := self.hidden & set(left):
            raise UnusableArguments(f"The approved arguments set {sorted(forbidden)[0]!r}, which is not theirs to set.")
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for name, parameter in self.signature.parameters.items():
            if parameter.kind is KIND.VAR_KEYWORD:
                continue
            if name in hidden:
                value = hidden[name]
            elif name in left:
                value = left.pop(name)
            elif parameter.default is not KIND.empty:
                value = parameter.default
            elif parameter.kind is KIND.VAR_POSITIONAL:
                value = []
            else:
                raise UnusableArguments(f"The approved arguments lack {name!r}, so the function was not run.")
            self._place(parameter, value, args, kwargs)
        self._place_rest(left, kwargs)
        return args, kwargs

    def _place(self, parameter: inspect.Parameter, value: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        if parameter.kind is KIND.KEYWORD_ONLY:
            kwargs[parameter.name] = value
        elif parameter.kind is KIND.VAR_POSITIONAL:
            if not isinstance(value, (list, tuple)):
                raise UnusableArguments(f"The approved {parameter.name!r} is not a list, so the function was not run.")
            args.extend(value)
        else:
            args.append(value)

    def _place_rest(self, left: dict[str, Any], kwargs: dict[str, Any]) -> None:
        takes_all = any(parameter.kind is KIND.VAR_KEYWORD for parameter in self.signature.parameters.values())
        if left and not takes_all:
            raise UnusableArguments(f"The function has no parameter {sorted(left)[0]!r}, so it was not run.")
        kwargs.update(left)
