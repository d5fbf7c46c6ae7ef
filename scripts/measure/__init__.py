"""What measures the parts and the whole: figures, benchmarks, mutants."""
