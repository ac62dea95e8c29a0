// The modules that are mutated, and the tests that have to fail: those next to the code.
import { globSync } from 'node:fs'

export interface Module {
  readonly name: string
  /** Paths from the root. */
  readonly files: readonly string[]
  /** Globs from the root. */
  readonly tests: readonly string[]
  /** The share of mutants that must be killed. */
  readonly goal: number
}

const sdkTests = [
  'packages/sdk/src/{gate,journal}/*.test.ts',
  'packages/sdk/src/run/{replay*,steps,stored-steps,fast-approval,cached-schema}.test.ts',
  'test/sdk-store{,-steps}.test.ts',
]

/** The other folders of the gateway are tested through its interfaces (contract/), which takes too long for each mutant. */
const gatewayFolders = { route: 'call/route', hold: 'call/hold', cluster: 'cluster', identity: 'http/identity' }

export function modulesIn(root: string): readonly Module[] {
  const core = ['ask', 'digest', 'seal', 'receipt', 'audit'].map((folder) => ({
    name: `core/${folder}`,
    files: sourcesIn(root, [`packages/core/src/${folder}/*.ts`]),
    tests: [`packages/core/src/${folder}/*.test.ts`],
    goal: 0.9,
  }))
  const gate = ['packages/sdk/src/gate/*.ts', 'packages/sdk/src/server/used-approvals.ts']
  const replay = ['packages/sdk/src/run/{replay,steps,human-check,cached-schema}.ts', 'packages/sdk/src/journal/*.ts']
  const gateway = Object.entries(gatewayFolders).map(([name, folder]) => ({
    name: `gateway/${name}`,
    files: sourcesIn(root, [`packages/gateway/src/${folder}/*.ts`]),
    tests: [`packages/gateway/src/${folder}/*.test.ts`],
    goal: 0.85,
  }))
  return [
    ...core,
    { name: 'sdk/gate', files: sourcesIn(root, gate), tests: sdkTests, goal: 0.9 },
    { name: 'sdk/replay', files: sourcesIn(root, replay), tests: sdkTests, goal: 0.9 },
    ...gateway,
  ]
}

function sourcesIn(root: string, globs: readonly string[]): readonly string[] {
  const isSource = (file: string) => !/\.(test|corpus|suite)\.ts$/.test(file)
  return globSync([...globs], { cwd: root })
    .filter(isSource)
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
}
