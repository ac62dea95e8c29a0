// Instant accepts: an accept that arrives faster than a person can read is never an approval, with or without an inbox.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { aCountingServer } from './counting-server.ts'
import { startGatewayProcess } from './gateway-process.ts'
import { inParallel, type Section, type SectionInput, type SectionResult } from './section.ts'
import { send, stateOf, textOf } from './wire-2026-07-28.ts'

/** With the default of 300 ms a busy machine would be slower than the limit, and the accepts would rightly count. */
const unseenAfter = '10s'
const accepts = 200
const atOnce = 8
const approvalForm = {
  type: 'object',
  properties: {
    decision: {
      type: 'string',
      title: 'Decision',
      oneOf: [
        { const: 'approve', title: 'Approve' },
        { const: 'decline', title: 'Decline' },
      ],
    },
  },
  required: ['decision'],
}

export const instantSection: Section = {
  name: 'instant accepts',
  run,
  bugs: [
    {
      name: 'an instant accept with content counts',
      package: 'assent',
      file: 'dist/call/clients/human-check.js',
      from: /export function answeredByPerson\(([^)]*)\) \{/,
      to: "export function answeredByPerson($1) {\n    if (came.action === 'accept')\n        return true;",
    },
  ],
}

async function run({ program, folder, share }: SectionInput): Promise<SectionResult> {
  const server = await aCountingServer({ schema: approvalForm, isYes: ({ decision }) => decision === 'approve' })
  const faults: string[] = []
  const counts = { 'asked in the inbox': 0, refused: 0 }
  const each = Math.max(4, Math.round((accepts * share) / 2))
  try {
    for (const surfaces of ['[client, inbox]', '[client]']) {
      const place = join(folder, surfaces.includes('inbox') ? 'with-inbox' : 'without')
      mkdirSync(place, { recursive: true })
      const config = `
store: "sqlite:${join(place, 'assent.db')}"
servers: { pay: { url: "${server.url}" } }
asks: { surfaces: ${surfaces}, unseen_after: ${unseenAfter} }
limits: { request_hold: 100ms }
`
      const gateway = await startGatewayProcess({ program, folder: place, config })
      const tickets = Array.from({ length: each }, (_, n) => `instant-${surfaces}-${n}-`)
      await inParallel(tickets, atOnce, async (ticket) => {
        const capabilities = { elicitation: { form: {} } }
        const call = { name: 'pay', arguments: { ticket } }
        const asked = await send(gateway.url, { method: 'tools/call', params: call, capabilities })
        const ok = { action: 'accept', content: { decision: 'approve' } }
        const params = { ...call, requestState: stateOf(asked), inputResponses: { ok } }
        const reply = await send(gateway.url, { method: 'tools/call', params, capabilities })
        if ((server.runs.get(ticket) ?? 0) > 0) faults.push(`${ticket}: an instant accept ran the tool`)
        if (stateOf(reply) !== undefined) counts['asked in the inbox'] += 1
        else if (textOf(reply).startsWith('refused') || reply.error !== undefined) counts.refused += 1
        else faults.push(`${ticket}: neither asked in the inbox nor refused: ${textOf(reply)}`)
      })
      await gateway.stop()
    }
    return { tried: 2 * each, faults, counts }
  } finally {
    server.close()
  }
}
