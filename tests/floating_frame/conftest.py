"""Stands here so that the tests in the folders below find the modules of examples of this one."""
