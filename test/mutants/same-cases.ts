// Property tests use the same few cases in every run, so that the same mutants survive and runs are short.
import fc from 'fast-check'

fc.configureGlobal({ seed: 14, numRuns: 50 })
