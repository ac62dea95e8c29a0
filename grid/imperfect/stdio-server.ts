// The program of an imperfect stdio server.

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { type ComparedSettings, ownSettings } from '../settings.ts'
import { formOf } from './forms.ts'
import { OrdinarySession, type Wire } from './ordinary.ts'
import { stdioQuirkOf } from './stdio-quirks.ts'

const { name, journal } = ownSettings<ComparedSettings>()
const quirk = stdioQuirkOf(name)
const note = (what: string) => appendFileSync(journal, `${what}\n`)

const starts = `${journal}.starts`
appendFileSync(starts, '.')
await quirk.start?.(existsSync(starts) ? readFileSync(starts, 'utf8').length : 1)

// Pieces are written in order, also if two messages are written at once.
let written = Promise.resolve()
function write(text: string): void {
  const bytes = Buffer.from(text)
  const step = quirk.pieceBytes ?? bytes.length
  for (let at = 0; at < bytes.length; at += step) {
    const piece = bytes.subarray(at, at + step)
    written = written.then(() => new Promise((resolve) => process.stdout.write(piece, () => setImmediate(resolve))))
  }
}

const say = (message: Wire) => write(quirk.encode?.(message) ?? `${JSON.stringify(message)}\n`)
const session = new OrdinarySession(quirk, note, formOf)
createInterface({ input: process.stdin }).on('line', (line) => {
  void session.receive(JSON.parse(line), say).then((reply) => reply && say(reply))
})
