import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Packages are tested from their sources; a build is only made for publishing.
const conditions = ['assent-source']

/** Tests of whole programs: they start gateways, processes, browsers or database servers, and wait for them. */
const integration = [
  'examples/*.test.ts',
  'packages/gateway/src/{contract,program,setup/doctor}/**',
  'packages/gateway/src/**/{canaries,identify,pages,prometheus,telemetry-port}.test.ts',
  'packages/onboarding/src/**/{forged,interrupted,plan,refusals,scenario,whole-question}.test.ts',
  'packages/sdk/src/terminal/real-terminal.test.ts',
  'packages/store/src/contract/{broken-connections,examine,migrations*,notify-nats,outages,pgbouncer,rights}.test.ts',
  'packages/tools/src/{checkpoint,git}/**',
  'test/{alone,cluster,inbox,secrets,telemetry}/**',
  'test/sdk-durable.test.ts',
]

/** Other tests that use PostgreSQL too; `npm test` runs them only with SQLite. */
const withServices = ['packages/store/src/contract/**', 'packages/gateway/src/inbox/**']

const compileCache = fileURLToPath(new URL('node_modules/.cache/assent-tests', import.meta.url))
const tests = ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'examples/*.test.ts']
const servicesTests = [...integration, ...withServices].map((glob) =>
  glob.endsWith('.test.ts') ? glob : `${glob}/*.test.ts`,
)

/**
 * `npm test` has the mode `unit` and needs only Node. `npm run test:services` runs the tests that it leaves out, and
 * `npm run test:all` or `npx vitest` run everything.
 */
export default defineConfig(({ mode }) => ({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: mode === 'services' ? servicesTests : tests,
    exclude: ['**/node_modules/**', ...(mode === 'unit' ? integration : [])],
    // Node keeps the compiled modules of the programs that tests start, which then start in half the time.
    env: mode === 'unit' ? { ASSENT_TEST_SERVICES: 'none' } : { NODE_COMPILE_CACHE: compileCache },
    setupFiles: ['test-kit/fixed-seed.ts'],
    globalSetup: mode === 'unit' ? ['test-kit/unit-notice.ts'] : [],
    execArgv: ['--conditions=assent-source'],
    // Unit tests leave nothing behind, and starting a worker for each file takes longer than most files.
    isolate: mode !== 'unit',
    // At least two on two cores: many tests wait.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Long, because a busy machine is not a failure; a test that hangs is still found.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // oidc-provider warns that its configuration is for development.
    onConsoleLog: (text) => !text.includes('oidc-provider'),
  },
}))
