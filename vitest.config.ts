import { defineConfig } from 'vitest/config'

// Packages are tested from their sources; a build is only made for publishing.
const conditions = ['assent-source']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    execArgv: ['--conditions=assent-source'],
    testTimeout: 30_000,
  },
})
