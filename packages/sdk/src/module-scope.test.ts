// What a server may do while its module loads, and what it loads.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createAssent } from './assent.ts'
import { callTool } from './testing/call-tool.ts'
import { scriptedPerson } from './testing/person.ts'

test('[RUNTIME-1] createAssent draws nothing random: Cloudflare Workers forbid that at module scope', async () => {
  let isServing = false
  const random = (bytes: number) => {
    if (!isServing) throw new Error('Disallowed operation called within global scope.')
    return crypto.getRandomValues(new Uint8Array(bytes))
  }
  const assent = createAssent({ random })
  const tool = assent.interactive(async ({ ask }) => ask.text('Name?'), { name: 'tool' })
  isServing = true
  expect((await callTool(tool, undefined, { person: scriptedPerson().accepts('Ada') })).text).toBe('Ada')
})

/** What workerd forbids while a module loads: timers, requests, signals and random values. */
const forbidAtModuleScope = `
  import crypto from 'node:crypto'
  import { syncBuiltinESMExports } from 'node:module'
  const no = (name) => function () { throw new Error(name + ' is called while a module loads') }
  for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'fetch', 'AbortController']) globalThis[name] = no(name)
  for (const name of ['timeout', 'any', 'abort']) AbortSignal[name] = no('AbortSignal.' + name)
  for (const name of ['getRandomValues', 'randomUUID']) globalThis.crypto[name] = no(name)
  for (const name of ['randomBytes', 'randomUUID', 'randomFillSync', 'generateKeyPairSync']) crypto[name] = no(name)
  Math.random = no('Math.random')
  syncBuiltinESMExports()
`

test.each(['index.ts', 'testing.ts', 'http.ts'])(
  '[RUNTIME-1] loading %s does nothing that a Worker forbids',
  (entry) => {
    const url = new URL(entry, import.meta.url).href
    const program = `${forbidAtModuleScope}\nconst { createAssent } = await import(${JSON.stringify(url)})\ncreateAssent?.()`
    const args = ['--conditions=assent-source', '--input-type=module', '--eval', program]
    expect(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' })).toBe('')
  },
)

test('[RUNTIME-1] keys are still checked at once', () => {
  expect(() => createAssent({ keys: [{ id: 'short', secret: new Uint8Array(3) }] })).toThrow()
})

function importedBy(entry: string, seen = new Set<string>(), packages = new Set<string>()): Set<string> {
  if (seen.has(entry)) return packages
  seen.add(entry)
  for (const [, isType, from] of readFileSync(entry, 'utf8').matchAll(
    /^(?:import|export) (type )?[^;'"]*?from '([^']+)'/gms,
  )) {
    if (isType !== undefined || from === undefined) continue
    if (from.startsWith('.')) importedBy(resolve(dirname(entry), from), seen, packages)
    else packages.add(from)
  }
  return packages
}

test('[RUNTIME-2] only @assent/sdk/terminal loads the prompts of the terminal', () => {
  const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
  expect(importedBy(here('index.ts'))).not.toContain('@clack/core')
  expect(importedBy(here('testing.ts'))).not.toContain('@clack/core')
  expect(importedBy(here('terminal.ts'))).toContain('@clack/core')
})
