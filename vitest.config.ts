import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Packages are tested from their sources; a build is only made for publishing.
const conditions = ['assent-source']

/** Tests of whole programs: they start gateways, processes, browsers or database servers, and wait for them. */
const integration = [
  'examples/*.test.ts',
  'packages/gateway/src/{contract,program,setup/doctor}/**/*.test.ts',
  'packages/gateway/src/**/{canaries,identify,pages,prometheus,telemetry-port}.test.ts',
  'packages/onboarding/src/**/{forged,interrupted,plan,refusals,scenario,whole-question}.test.ts',
  'packages/sdk/src/terminal/real-terminal.test.ts',
  'packages/store/src/contract/{broken-connections,examine,migrations*,notify-nats,outages,pgbouncer,rights}.test.ts',
  'packages/tools/src/{checkpoint,git}/**/*.test.ts',
  'test/{alone,cluster,demo,inbox,log,secrets,site,telemetry}/**/*.test.ts',
  'test/sdk-durable.test.ts',
]

/** Other tests that use PostgreSQL too: `npm test` runs them with SQLite, and `npm run test:services` with PostgreSQL. */
const bothEngines = ['packages/store/src/contract/*.test.ts', 'packages/gateway/src/inbox/**/*.test.ts']

const tests = ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'examples/*.test.ts']

// Node keeps the compiled modules of the programs that tests start, which then start in half the time.
const compileCache = fileURLToPath(new URL('node_modules/.cache/assent-tests', import.meta.url))
const withServices = { NODE_COMPILE_CACHE: compileCache }
const withoutServices = { ASSENT_TEST_SERVICES: 'none' }
const withoutSqlite = { ...withServices, ASSENT_TEST_SQLITE: 'none' }

function project(name: string, env: Record<string, string>, include: string[], exclude: string[] = []) {
  return { extends: true as const, test: { name, env, include, exclude: ['**/node_modules/**', ...exclude] } }
}

const projects = {
  unit: [project('unit', withoutServices, tests, integration)],
  services: [
    project('programs', withServices, integration),
    project('PostgreSQL', withoutSqlite, bothEngines, integration),
  ],
  all: [project('all', withServices, tests)],
}

/**
 * `npm test` has the mode `unit` and needs only Node. `npm run test:services` runs the tests that it leaves out, and
 * `npm run test:all` or `npx vitest` run everything.
 */
export default defineConfig(({ mode }) => ({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    projects: mode === 'unit' || mode === 'services' ? projects[mode] : projects.all,
    setupFiles: ['test-kit/fixed-seed.ts'],
    globalSetup: mode === 'unit' ? ['test-kit/unit-notice.ts'] : ['test-kit/scratch-postgres.ts'],
    execArgv: ['--conditions=assent-source'],
    // Tests leave nothing behind, and loading all modules for each file takes as long as the tests.
    isolate: false,
    // Tests of whole programs mostly wait for them, so more than there are cores are fastest.
    maxWorkers: mode === 'unit' ? Math.max(2, availableParallelism() - 1) : availableParallelism() + 2,
    // Long, because a busy machine is not a failure; a test that hangs is still found.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // oidc-provider warns that its configuration is for development.
    onConsoleLog: (text) => !text.includes('oidc-provider'),
  },
}))
