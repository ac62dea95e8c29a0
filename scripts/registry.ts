// Runs the commands of the README and of the start pages exactly as they are written, with the packages as they would be
// published: `npm run registry`. With --built, the output of an earlier `npm run build` is used; with paths of pages, only those
// are followed.
//
// The packages are published to a private registry. A reader with an empty home directory and an empty folder then
// answers the first question in Chromium, asks for the version, and follows each page in a terminal. Fails if a command fails, or if the first
// answer takes longer than --within seconds (default 60). Needs tmux, Chromium, and the registry that npm is configured to use.
import { globSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '../test-kit/listen.ts'
import { removeFolder } from '../test-kit/remove-folder.ts'
import { builtPackages } from './build/built.ts'
import { run } from './build/run.ts'
import { pack } from './build/tarball.ts'
import { endProcessesOf, followSteps, type Reader, runCommand } from './registry/follow.ts'
import { type LocalRegistry, startRegistry } from './registry/local-registry.ts'
import { stepsOf } from './registry/page-steps.ts'
import { readProject } from './release/project.ts'

const { values, positionals } = parseArgs({
  options: { built: { type: 'boolean' }, within: { type: 'string', default: '60' } },
  allowPositionals: true,
})
const mostSeconds = Number(values.within)
const pages = positionals.length > 0 ? positionals : ['README.md', ...globSync('docs/start/**/*.md').sort()]

const scratch = mkdtempSync(join(tmpdir(), 'assent-registry-'))
let registry: LocalRegistry | undefined
try {
  const packages = builtPackages()
  const started = await startRegistry(join(scratch, 'verdaccio'))
  registry = started
  for (const published of packages) started.publish(pack(published, scratch).path)
  console.log(`registry: ${packages.length} packages published to verdaccio ${started.version}`)

  const home = join(scratch, 'home')
  const reader = { scratch, env: await variables(home, started.url) }
  const seconds = await firstAnswer(emptyFolder('first'), reader)
  await runCommand(`npx assent@${readProject().version} --version`, emptyFolder('version'), reader)
  // A client that init can find: the folder that Cursor creates when it is first started.
  mkdirSync(join(home, '.cursor'))
  let commands = 2
  for (const page of pages) {
    console.log(`${page}:`)
    const steps = stepsOf(readFileSync(page, 'utf8'))
    // An inbox of an earlier page may still run in the background.
    const env = { ...reader.env, ASSENT_LISTEN: await freeAddress() }
    commands += await followSteps(steps, emptyFolder(page.replaceAll(/\W/g, '-')), { ...reader, env })
  }
  console.log(
    `registry: ${commands} commands of ${pages.length} pages work as written; ` +
      `${seconds.toFixed(1)} s from an empty home directory to the first answered question; at most ${mostSeconds} s`,
  )
  if (seconds > mostSeconds) process.exitCode = 1
} catch (error) {
  console.error(`registry: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
} finally {
  endProcessesOf(scratch)
  await registry?.stop()
  await removeFolder(scratch)
}

/** The seconds until the agent has the answer. */
async function firstAnswer(folder: string, reader: Reader): Promise<number> {
  const startedAt = performance.now()
  await runCommand('npx assent try', folder, reader)
  return (performance.now() - startedAt) / 1000
}

function emptyFolder(name: string): string {
  const folder = join(scratch, 'folders', name)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Of a shell without a desktop. Only the programs of the system, npm, and the Node of this process are in the path. */
async function variables(home: string, registryUrl: string): Promise<Record<string, string>> {
  mkdirSync(home)
  const npm = dirname(run('sh', ['-c', 'command -v npm']).trim())
  const path = [dirname(process.execPath), npm, '/usr/local/bin', '/usr/bin', '/bin']
  return {
    HOME: home,
    PATH: path.join(delimiter),
    npm_config_registry: registryUrl,
    // Another program may use the usual port of the inbox.
    ASSENT_LISTEN: await freeAddress(),
    NO_COLOR: '1',
  }
}

async function freeAddress(): Promise<string> {
  return `127.0.0.1:${await freePort()}`
}
