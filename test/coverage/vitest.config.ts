// The code that handles a question, and the tests that count for its coverage: those next to it, and those of the gateway's
// contract that run it in this process. scripts/coverage.ts starts it.
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const conditions = ['assent-source']
const resolution = {
  root: fileURLToPath(new URL('../..', import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
}
const settings = {
  execArgv: ['--conditions=assent-source'],
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
}

/** They need SQLite only. */
const unitTests = [
  'packages/core/src/**/*.test.ts',
  'packages/sdk/src/{ask,gate,http,journal,observe,register,run,secrets}/*.test.ts',
  'packages/sdk/src/*.test.ts',
  'packages/gateway/src/call/**/*.test.ts',
  'packages/gateway/src/inbox/*.test.ts',
  'test/sdk-store{,-steps}.test.ts',
  'test/log/*.test.ts',
]

/** For the relay and the layers around a call, which are tested through the gateway's interfaces. */
const contractTests = [
  'packages/gateway/src/contract/{ask-meta,caller-attributes,changed-definitions,declared-action,forms,pairings,passing}.test.ts',
  'packages/gateway/src/contract/{answers-again,one-run-of-approvals,policies,policies-kinds,presence,record-of-*,refused-questions}.test.ts',
  'packages/gateway/src/contract/{roots-changed,rounds,secret-answers,server-settings,several,statements,tasks,wire}.test.ts',
]

export default defineConfig({
  ...resolution,
  test: {
    reporters: ['dot'],
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        ...resolution,
        test: {
          ...settings,
          name: 'unit',
          include: unitTests,
          env: { ASSENT_TEST_SERVICES: 'none' },
          isolate: false,
        },
      },
      { ...resolution, test: { ...settings, name: 'contract', include: contractTests } },
    ],
    coverage: {
      provider: 'v8',
      reportOnFailure: true,
      reporter: ['json'],
      reportsDirectory: 'coverage/question',
      include: [
        'packages/core/src/**/*.ts',
        'packages/sdk/src/{run,gate}/**/*.ts',
        'packages/gateway/src/call/**/*.ts',
      ],
      exclude: ['**/*.{test,suite,corpus}.ts', '**/*.d.ts'],
    },
  },
})
