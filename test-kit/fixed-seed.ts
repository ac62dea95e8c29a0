// In CI, property tests use the same cases in each run, so that a run fails only because of the change. Elsewhere the
// seed is random, and a failure prints it.
import fc from 'fast-check'

if (process.env.CI !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 })
