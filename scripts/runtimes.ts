// Runs the SDK on Node, Bun, Deno and Cloudflare's workerd: `npm run runtimes`. Not part of the gate.
//
// The packed packages and the runtimes are installed from npm into an empty folder. Each runtime runs the same tool, with
// `createAssent` at module scope, on every revision.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compile } from './build/compile.ts'
import { publishedPackages } from './build/published.ts'
import { pack } from './build/tarball.ts'

const expected = 'Ada! 1 true'
const folder = mkdtempSync(join(tmpdir(), 'assent-runtimes-'))
const sources = ['tool.ts', 'in-process.ts', 'worker.ts']
const installed = ['bun', 'deno', 'esbuild', 'miniflare']

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
  if (status === 0) return stdout.trim()
  throw new Error(`${command} ${args.join(' ')}\n${error?.message ?? ''}${stdout}${stderr}`)
}

const inWorkerd = `import { Miniflare } from 'miniflare'
const worker = new Miniflare({ modules: true, scriptPath: 'worker.js', compatibilityDate: '2025-09-01', compatibilityFlags: ['nodejs_compat'] })
const response = await worker.dispatchFetch('http://localhost/')
console.log(await response.text())
await worker.dispose()`

function bundleWorker(): void {
  run('npx', [
    ...['esbuild', 'worker.ts', '--bundle', '--format=esm', '--platform=node', '--outfile=worker.js'],
    ...['--external:node:*', '--log-level=error'],
  ])
}

const runtimes: readonly [name: string, version: () => string, result: () => string][] = [
  ['Node', () => process.version, () => run(process.execPath, ['in-process.ts'])],
  ['Bun', () => run('npx', ['bun', '--version']), () => run('npx', ['bun', 'in-process.ts'])],
  [
    'Deno',
    () => run('npx', ['deno', '--version']).split('\n')[0] ?? '',
    () => run('npx', ['deno', 'run', '--allow-all', 'in-process.ts']),
  ],
  [
    'workerd',
    () => run('npx', ['workerd', '--version']),
    () => {
      bundleWorker()
      return run(process.execPath, ['in-workerd.mjs'])
    },
  ],
]

try {
  const tarballs = publishedPackages()
    .filter(({ name }) => ['@assent/core', '@assent/sdk'].includes(name))
    .map((published) => {
      compile(published)
      return pack(published, folder).path
    })
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  writeFileSync(join(folder, 'in-workerd.mjs'), inWorkerd)
  for (const file of sources) copyFileSync(new URL(`runtimes/${file}`, import.meta.url), join(folder, file))
  run('npm', ['install', '--no-audit', '--no-fund', ...tarballs, ...installed])
  let failed = 0
  for (const [name, version, result] of runtimes) {
    try {
      const text = result()
      if (text !== expected) throw new Error(`returned ${JSON.stringify(text)} instead of ${JSON.stringify(expected)}`)
      console.log(`${name} ${version()}: ok`)
    } catch (error) {
      failed++
      console.error(`${name}: ${error instanceof Error ? error.message : error}`)
    }
  }
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
