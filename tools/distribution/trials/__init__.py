"""Tries what `tools/dist` made: one file per channel. Each installs into an empty environment and compares with the plain program."""
