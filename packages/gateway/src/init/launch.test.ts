// What a client is set up to start, by how this program was started.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { isUnpinned, launchOf, thisProgram } from './launch.ts'
import { aMachine } from './machine.suite.ts'

const made: string[] = []
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true })
})

/** @param files by path, from a folder of its own */
function laidOut(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'assent-launch-')))
  made.push(folder)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

const npxFolder = 'cache/_npx/a9bef924e4cb6cdb'
const main = 'node_modules/assent/dist/cli/main.js'
/** As npm 11 writes it. */
const npxManifest = (asked: string) =>
  JSON.stringify({ dependencies: { assent: asked }, _npx: { packages: ['assent'] } })

const programAt = (script: string) => ({ script, version: '1.2.3', node: '/usr/bin/node' })

test.each(['^1.2.3', '1.2.3', '*', '>=1 <2'])(
  '[INIT-11] fetched by npx from a registry (%s), exactly this version is started by npx',
  (asked) => {
    const folder = laidOut({ [`${npxFolder}/package.json`]: npxManifest(asked) })
    const launch = launchOf(programAt(join(folder, npxFolder, main)))
    expect(launch).toEqual({ command: 'npx', args: ['-y', 'assent@1.2.3'] })
    expect(isUnpinned(launch)).toBe(false)
  },
)

test.each<[string, string, Readonly<Record<string, string>>]>([
  ['installed in a project', `project/${main}`, {}],
  ['installed for all', `lib/${main}`, {}],
  ['a tarball run by npx', `${npxFolder}/${main}`, { [`${npxFolder}/package.json`]: npxManifest('file:../x.tgz') }],
  ['a repository run by npx', `${npxFolder}/${main}`, { [`${npxFolder}/package.json`]: npxManifest('git+ssh://h/r') }],
  ['an address run by npx', `${npxFolder}/${main}`, { [`${npxFolder}/package.json`]: npxManifest('https://h/x.tgz') }],
  ['a folder called like the cache of npx', `${npxFolder}/${main}`, {}],
  [
    'an installation in a folder called like it',
    `_npx/project/${main}`,
    { '_npx/project/package.json': '{"dependencies":{"assent":"1.2.3"}}' },
  ],
  [
    'a dependency of something run by npx',
    `${npxFolder}/node_modules/other/${main}`,
    { [`${npxFolder}/package.json`]: npxManifest('1.2.3') },
  ],
])('[INIT-11] %s: the path of that program is started', (_, script, files) => {
  const path = join(laidOut(files), script)
  expect(launchOf(programAt(path))).toEqual({ command: '/usr/bin/node', args: [path] })
})

test('[INIT-11] this checkout starts its own sources, and init writes what it runs as', async () => {
  const { command, args } = launchOf(thisProgram())
  expect(command).toBe(process.execPath)
  expect(args.at(-1)).toMatch(/packages\/gateway\/src\/cli\/main\.ts$/)

  const machine = await aMachine({}, programAt('/opt/assent/dist/cli/main.js'))
  await machine.init(['cursor'], { yes: true, habit: false })
  expect(JSON.parse(machine.read('.cursor/mcp.json'))).toEqual({
    mcpServers: { assent: { command: '/usr/bin/node', args: ['/opt/assent/dist/cli/main.js'] } },
  })
})
