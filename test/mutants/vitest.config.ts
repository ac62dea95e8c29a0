// The tests that mutants are run against: the unit tests of core, and those of the SDK's gate and replay.
import { defineConfig } from 'vitest/config'

const conditions = ['assent-source']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/core/src/**/*.test.ts', 'packages/sdk/src/{gate,journal,run}/*.test.ts'],
    // Screening uses nothing of what is mutated; the last two open real connections, too slow for a mutant each.
    exclude: ['packages/core/src/screen/**', 'packages/sdk/src/run/{live,seen}.test.ts'],
    isolate: false,
    execArgv: ['--conditions=assent-source'],
    setupFiles: ['test/mutants/same-cases.ts'],
    // A handler that a mutant makes wait forever fails its test. The slowest of these tests takes a second.
    testTimeout: 10_000,
  },
})
