import { randomUUID } from 'node:crypto'
import { type Assent, isAssentError } from '@assent/sdk'
import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

export function registerTransfer(assent: Assent, server: McpServer, send: (id: string, cents: number) => string) {
  const inputSchema = z.object({ cents: z.int().positive() })
  return assent.tool(server, 'transfer', { inputSchema }, async ({ cents }, { ask, step, gate }) => {
    // A step: its result is the same in every run.
    const id = await step('id', () => randomUUID())
    try {
      const note = await ask.text('What is the payment for?')
      const action = { title: `Pay ${cents / 100} EUR`, arguments: { id, cents, note } }
      // The work of the gate runs once, and only after a yes to exactly these arguments.
      const { value } = await gate(action, (approved) => send(approved.id, approved.cents))
      return `Paid: ${value}.`
    } catch (error) {
      if (isAssentError(error, 'declined')) return `Not paid. ${error.comment ?? 'The person declined.'}`
      throw error
    }
  })
}
