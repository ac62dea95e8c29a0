// Exports every stored signature from the audit log, and lets the independent verifier check them.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { soleApprover } from '@assent/core'
import type { Store } from '@assent/store'
import { tenant } from './test-env.ts'

const script = fileURLToPath(new URL('independent.py', import.meta.url))

export interface Independent {
  readonly stored: number
  readonly valid: number
  /** How many of the signatures that were changed on purpose were refused. */
  readonly changedRefused: number
  readonly changed: number
}

interface Line {
  readonly presence: { readonly nonce: string }
  readonly decision: object
}

export async function verifyIndependently(store: Store): Promise<Independent> {
  const asked = new Map<string, object>()
  const lines: Line[] = []
  for await (const { kind, subject, body } of store.audit.entries(tenant)) {
    const read = JSON.parse(body) as Readonly<Record<string, unknown>>
    const { questionDigest, approvalRule } = read
    if (kind === 'ask.raised') asked.set(subject, { questionDigest, approvalRule })
    if (kind !== 'ask.settled' || read.presence === undefined) continue
    const { by, answer } = read
    const decision = { tenant, ask: subject, ...asked.get(subject), by, answer }
    lines.push({ presence: read.presence as Line['presence'], decision })
  }
  const some = lines.slice(0, 20)
  const changed = [
    ...some.map((line) => ({ ...line, decision: { ...line.decision, ask: 'ask_of_another' } })),
    ...some.map((line) => ({ ...line, decision: { ...line.decision, approvalRule: soleApprover('eve') } })),
    ...some.map((line) => ({ ...line, presence: { ...line.presence, nonce: 'another' } })),
  ]
  return {
    stored: lines.length,
    valid: count(lines),
    changed: changed.length,
    changedRefused: changed.length - count(changed),
  }
}

function count(lines: readonly Line[]): number {
  if (lines.length === 0) return 0
  const input = lines.map((line) => JSON.stringify(line)).join('\n')
  const { stdout, stderr, status } = spawnSync('python3', [script], { input, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The independent verifier failed: ${stderr}`)
  return Number(stdout.split('\n', 1)[0])
}
