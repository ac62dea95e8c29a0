// The tests that the mutants of one module are run against; scripts/mutants.ts names them.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const conditions = ['assent-source']
const tests = process.env.ASSENT_MUTANTS_TESTS ?? ''

export default defineConfig({
  resolve: {
    conditions,
    // In the copy that Stryker works on, the package's name would lead back to the original.
    alias: { '@assent/sdk': fileURLToPath(new URL('../../packages/sdk/src/index.ts', import.meta.url)) },
  },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: tests.split(' '),
    execArgv: ['--conditions=assent-source'],
    // Several files of tests cover one mutant, and what they import is loaded once.
    isolate: false,
    setupFiles: ['test/mutants/same-cases.ts'],
    // A handler that a mutant makes wait forever fails its test. The slowest of these tests takes a second.
    testTimeout: 10_000,
  },
})
