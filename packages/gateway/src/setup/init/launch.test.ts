// The command that init writes, depending on how this program was started.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { isUnpinned, launchOf, thisProgram } from './launch.ts'
import { aMachine } from './machine.suite.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** @param files by path, relative to a new temporary folder */
function aFolderWith(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'assent-launch-')))
  folders.push(folder)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

const npxFolder = 'cache/_npx/a9bef924e4cb6cdb'
const main = 'node_modules/assent/dist/program/main.js'
/** As npm 11 writes it. */
const npxManifest = (asked: string) =>
  JSON.stringify({ dependencies: { assent: asked }, _npx: { packages: ['assent'] } })

const programAt = (script: string) => ({ script, version: '1.2.3', node: '/usr/bin/node' })

test.each(['^1.2.3', '1.2.3', '*', '>=1 <2'])(
  '[INIT-11] run by npx from a registry (%s): npx with exactly this version is written',
  (asked) => {
    const folder = aFolderWith({ [`${npxFolder}/package.json`]: npxManifest(asked) })
    const launch = launchOf(programAt(join(folder, npxFolder, main)))
    expect(launch).toEqual({ command: 'npx', args: ['-y', 'assent@1.2.3'] })
    expect(isUnpinned(launch)).toBe(false)
  },
)

test.each<[string, string, Readonly<Record<string, string>>]>([
  ['installed in a project', `project/${main}`, {}],
  ['installed globally', `lib/${main}`, {}],
  ['a tarball run by npx', `${npxFolder}/${main}`, { [`${npxFolder}/package.json`]: npxManifest('file:../x.tgz') }],
  ['a repository run by npx', `${npxFolder}/${main}`, { [`${npxFolder}/package.json`]: npxManifest('git+ssh://h/r') }],
  ['a URL run by npx', `${npxFolder}/${main}`, { [`${npxFolder}/package.json`]: npxManifest('https://h/x.tgz') }],
  ['a folder with the same name as the npx cache', `${npxFolder}/${main}`, {}],
  [
    'an installation in a folder with the name of the npx cache',
    `_npx/project/${main}`,
    { '_npx/project/package.json': '{"dependencies":{"assent":"1.2.3"}}' },
  ],
  [
    'a dependency of something run by npx',
    `${npxFolder}/node_modules/other/${main}`,
    { [`${npxFolder}/package.json`]: npxManifest('1.2.3') },
  ],
])('[INIT-11] %s: the path of that program is written', (_, script, files) => {
  const path = join(aFolderWith(files), script)
  expect(launchOf(programAt(path))).toEqual({ command: '/usr/bin/node', args: [path] })
})

test('[INIT-11] a checkout is started from its sources, and init writes that command', async () => {
  const { command, args } = launchOf(thisProgram())
  expect(command).toBe(process.execPath)
  expect(args.at(-1)).toMatch(/packages\/gateway\/src\/program\/main\.ts$/)

  const machine = await aMachine({}, programAt('/opt/assent/dist/program/main.js'))
  await machine.init(['cursor'], { yes: true, rules: false })
  expect(JSON.parse(machine.read('.cursor/mcp.json'))).toEqual({
    mcpServers: { assent: { command: '/usr/bin/node', args: ['/opt/assent/dist/program/main.js'] } },
  })
})
