import { defineConfig } from 'vitest/config'

// Packages are tested from their sources; a build is only made for publishing.
const conditions = ['assent-source']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'examples/*.test.ts'],
    execArgv: ['--conditions=assent-source'],
    // Generous, because a busy machine is no failure; what hangs is still found.
    testTimeout: 120_000,
    // The provider of the identity tests warns about being a test's.
    onConsoleLog: (text) => !text.includes('oidc-provider'),
  },
})
