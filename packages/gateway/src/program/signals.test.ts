import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const signals = fileURLToPath(new URL('signals.ts', import.meta.url))
/** A program that never finishes stopping. */
const program = `
  import { handleSignals } from ${JSON.stringify(signals)}
  handleSignals(undefined).stop.then((signal) => console.log(signal))
  setInterval(() => undefined, 1_000)
  console.log('started')
`

test.for([
  ['SIGTERM', 'SIGTERM', 143],
  ['SIGTERM', 'SIGINT', 130],
  ['SIGINT', 'SIGTERM', 143],
] as const)('[PROG-23] after %s, a second signal %s ends a program with %i', async ([first, second, code]) => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const lines = child.stdout.setEncoding('utf8')[Symbol.asyncIterator]()
  expect((await lines.next()).value).toBe('started\n')
  child.kill(first)
  expect((await lines.next()).value).toBe(`${first}\n`)
  child.kill(second)
  expect(await exited).toEqual([code, null])
})
