// The connection on which PostgreSQL is asked whether it is there.

import pg from 'pg'
import type { ConnectionSettings } from './connection-settings.ts'
import type { PulseLine } from './pulse.ts'

/** @param question tells its time as `now` */
export function pulseLine(config: pg.ClientConfig, settings: ConnectionSettings, question: string): PulseLine {
  let current: { readonly client: pg.Client; isOpen: boolean } | undefined
  const drop = (client = current?.client) => {
    if (current?.client === client) current = undefined
    // Not `end`, which would wait for a farewell.
    if (client !== undefined) cut(client)
  }
  const open = async () => {
    const opening = { client: new pg.Client(config), isOpen: false }
    current = opening
    opening.client.on('error', () => drop(opening.client))
    await opening.client.connect()
    await settings.apply(opening.client)
    opening.isOpen = true
    return opening.client
  }
  return {
    get isOpen() {
      return current?.isOpen === true
    },
    ask: async (onSent) => {
      try {
        const client = current?.client ?? (await open())
        onSent()
        const [row] = await settings.run<{ now: number }>(client, { name: 'pulse', text: question, values: [] })
        return row?.now
      } catch (error) {
        drop()
        // It said why not, so it is there.
        if (isFromDatabase(error)) return undefined
        throw error
      }
    },
    drop,
  }
}

/** Whether the database itself said so. The driver says so too, without a code, of what it cannot read. */
export function isFromDatabase(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code !== undefined
}

/** Breaks a connection without waiting for anything. */
export function cut(client: pg.ClientBase): void {
  // The driver's types do not mention it.
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
}
