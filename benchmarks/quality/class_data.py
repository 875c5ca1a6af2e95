"""Measures whether the catalogue's data distinguish its classes: each term by itself, and each sample text left out of its class.

    python -m benchmarks.quality.class_data

A term or text is right when its own class is the best of all classes of its level. The classes with the lowest shares are listed after it.
"""

from __future__ import annotations

from heapq import nsmallest

from support.class_data import shares, terms_alone, texts_left_out

SHOWN = 8


def main() -> None:
    """Print a line for each level and kind."""
    print(f"{'':24}{'count':>8}{'right':>8}  lowest")
    for level in (1, 2):
        for name, found in (("terms alone", terms_alone(level)), ("texts left out", texts_left_out(level))):
            by_class = shares(found)
            lowest = ", ".join(
                f"{number} {by_class[number]:.2f}" for number in nsmallest(SHOWN, by_class, by_class.__getitem__)
            )
            share = sum(number == best for number, _, best in found) / len(found)
            print(f"level {level}, {name:15}{len(found):>8,}{share:>8.3f}  {lowest}")


if __name__ == "__main__":
    main()
