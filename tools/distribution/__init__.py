"""What `tools/dist` makes, one file per kind of artifact, and how `tools/dist-test` tries it."""
