// The tests that the mutants of one module are run against; scripts/mutants.ts names them.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const conditions = ['assent-source']
const tests = process.env.ASSENT_MUTANTS_TESTS ?? ''

export default defineConfig({
  resolve: {
    conditions,
    // In Stryker's copy, the package's name would resolve to the original.
    alias: { '@assent/sdk': fileURLToPath(new URL('../../packages/sdk/src/index.ts', import.meta.url)) },
  },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: tests.split(' '),
    execArgv: ['--conditions=assent-source'],
    // Several test files cover one mutant; their imports are loaded once.
    isolate: false,
    setupFiles: ['test/mutants/same-cases.ts'],
    // A handler that a mutant makes wait forever fails its test. The slowest of these tests takes a second.
    testTimeout: 10_000,
  },
})
