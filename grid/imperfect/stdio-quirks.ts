// Differences of stdio servers from an ordinary one.

import { setTimeout as sleep } from 'node:timers/promises'
import { conducts } from './conducts.ts'
import type { Conduct, Wire } from './ordinary.ts'

export interface StdioQuirk extends Conduct {
  /** Before it reads anything. `starts` counts the processes of this server, this one included. */
  readonly start?: (starts: number) => Promise<void> | void
  /** The text it writes for a message. */
  readonly encode?: (message: Wire) => string
  /** It writes in pieces of this many bytes. */
  readonly pieceBytes?: number
}

const lineOf = (message: unknown) => `${JSON.stringify(message)}\n`
const print = (text: string) => void process.stdout.write(text)
const stderrBytes = 8 * 1024 * 1024

const log = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'In a batch.' } }

export const stdioQuirks = {
  ...conducts,
  'prints first': { start: () => print('Server is listening on stdio …\n{ not json\n') },
  'prints between': { encode: (message) => `[debug] sending ${String(message.id)}\n\n${lineOf(message)}` },
  'exits once': {
    start: (starts) => {
      if (starts === 1) process.exit(1)
    },
  },
  'starts in 8 s': { start: () => sleep(8_000) },
  'starts in 3 s': { start: () => sleep(3_000) },
  'answers in a batch': {
    revision: '2025-03-26',
    encode: (message) => ('result' in message && message.id !== 0 ? lineOf([log, message]) : lineOf(message)),
  },
  crlf: { encode: (message) => `${JSON.stringify(message)}\r\n` },
  bom: { start: () => print('\uFEFF') },
  'writes in pieces': { pieceBytes: 7 },
  'large stderr': {
    start: () => void process.stderr.write('e'.repeat(stderrBytes)),
    before: ({ method }) => {
      if (method === 'tools/call') process.stderr.write(`${'e'.repeat(1_000)}\n`.repeat(stderrBytes / 1_000))
    },
  },
  'newest prints first': { isNewest: true, start: () => print('Server is listening on stdio …\n') },
  'newest with crlf': { isNewest: true, encode: (message) => `${JSON.stringify(message)}\r\n` },
  'newest starts in 3 s': { isNewest: true, start: () => sleep(3_000) },
} as const satisfies Readonly<Record<string, StdioQuirk>>

export type StdioQuirkName = keyof typeof stdioQuirks
export const stdioQuirkOf = (name: string): StdioQuirk => stdioQuirks[name as StdioQuirkName]
