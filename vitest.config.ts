import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// Packages are tested from their sources; a build is only made for publishing.
const conditions = ['assent-source']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'examples/*.test.ts'],
    execArgv: ['--conditions=assent-source'],
    // Two even on two cores: much of what is tested is waiting.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Generous, because a busy machine is no failure; what hangs is still found.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The provider of the identity tests warns about being a test's.
    onConsoleLog: (text) => !text.includes('oidc-provider'),
  },
})
