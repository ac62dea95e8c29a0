import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../../../../test-kit/remove-folder.ts'
import { startAssent } from './process.suite.ts'

function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'assent-compiled-'))
  onTestFinished(() => removeFolder(folder))
  return folder
}

/** Starts the program as a client does and closes its input at once. */
function startAndEnd(home: string, more: Readonly<Record<string, string>> = {}) {
  const variables = { ASSENT_HOME: home, ASSENT_LISTEN: '127.0.0.1:0', NODE_COMPILE_CACHE: undefined, ...more }
  return startAssent([], { variables, folder: home }).ended
}

test('[ALONE-14] compiled code is kept in the folder of this user, not in that for temporary files', async () => {
  const home = scratchFolder()
  const temporary = scratchFolder()

  const ended = await startAndEnd(home, { TMPDIR: temporary })

  expect(ended).toMatchObject({ code: 0, err: '' })
  expect(readdirSync(join(home, 'compiled')).length).toBeGreaterThan(0)
  expect(readdirSync(temporary)).toEqual([])
})

test.each([
  ['the user does not want it', { NODE_DISABLE_COMPILE_CACHE: '1' }, () => undefined],
  ['other users can write in the folder', {}, (home: string) => chmodSync(home, 0o777)],
  ['a file has the name of the folder', {}, (home: string) => writeFileSync(join(home, 'compiled'), '')],
  [
    'another user prepared the folder',
    {},
    (home: string) => {
      mkdirSync(join(home, 'compiled'))
      if (process.getuid?.() === 0) chownSync(join(home, 'compiled'), 1, 1)
      else chmodSync(join(home, 'compiled'), 0o777)
    },
  ],
])('[ALONE-14] nothing is kept if %s', async (_why, variables, prepare) => {
  const home = scratchFolder()
  prepare(home)

  const ended = await startAndEnd(home, variables)

  const compiled = join(home, 'compiled')
  const isKept = existsSync(compiled) && statSync(compiled).isDirectory() && readdirSync(compiled).length > 0
  expect(isKept).toBe(false)
  expect(ended).toMatchObject({ code: 0, err: '' })
})
