"""Steps of programs that prepare corpora: datatrove, NeMo Curator, Data-Juicer. Each module needs its program."""
