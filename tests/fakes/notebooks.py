"""Notebook JSON for tests."""

from __future__ import annotations


def code_cell(source, cell_id=None, **fields):
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source, **fields}
    return cell if cell_id is None else {**cell, "id": cell_id}


def notebook(*cells, minor=5, **fields):
    metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": minor, **fields}
