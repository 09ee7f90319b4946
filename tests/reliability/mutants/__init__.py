"""Do the tests notice? Small faults are put into gradient rules, shape rules, kernels and the pickle machine, one at a time.

``python -m reliability.mutants NUMBER [SEED]`` from the folder tests (``make mutants``): tree.py copies the sources to
``build/mutants`` and compiles the C for one instruction set, reach.py runs the tests of some rooms and notes which lines each of
them runs, faults.py draws the mutants, trial.py runs the tests that reach a mutant, and ``__main__.py`` does this one after
another. Results are lines of ``build/mutants/results.jsonl``; a run goes on where the last one ended.
"""
