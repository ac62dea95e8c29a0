// The connection that the health check of PostgreSQL uses.

import pg from 'pg'
import type { ConnectionSettings } from './connection-settings.ts'
import type { HealthConnection } from './health-check.ts'

/** @param sql returns the database's time as `now` */
export function healthConnection(config: pg.ClientConfig, settings: ConnectionSettings, sql: string): HealthConnection {
  let current: { readonly client: pg.Client; isOpen: boolean } | undefined
  const drop = (client = current?.client) => {
    if (current?.client === client) current = undefined
    // Not `end`, which waits for the server to close the connection.
    if (client !== undefined) destroyConnection(client)
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
    readTime: async (onSent) => {
      try {
        const client = current?.client ?? (await open())
        onSent()
        const [row] = await settings.run<{ now: number }>(client, { name: 'health_check', text: sql, values: [] })
        return row?.now
      } catch (error) {
        drop()
        // An error from the database itself shows that it answers.
        if (isFromDatabase(error)) return undefined
        throw error
      }
    },
    drop,
  }
}

/** Whether the database sent this error. The driver throws the same class, without a code, for messages it cannot parse. */
export function isFromDatabase(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code !== undefined
}

/** Breaks a connection at once. */
export function destroyConnection(client: pg.ClientBase): void {
  // Not in the driver's types.
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
}
