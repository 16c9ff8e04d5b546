"""Mechanisms on universes so small that every table, neighbour and answer can be looked at.

The laws are worked out from their definitions, without the code under test. That the code draws
from these laws is shown by the tests of the mechanisms, which share what stands here.
"""
