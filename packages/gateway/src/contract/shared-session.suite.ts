// Calls of a server that keeps state in its process.

import { fileURLToPath } from 'node:url'
import { type RawSession, request, type Wire } from './wire.suite.ts'

const script = fileURLToPath(new URL('stateful-process.suite.ts', import.meta.url))
export const stateful = { command: process.execPath, args: [script] }

export type Counted = { counted: number; process: number }

export function textOf(result: unknown): string {
  return (result as { content: { text: string }[] }).content[0]?.text ?? ''
}

/** One tool call of a client of the newest revision. */
export async function callTool(url: string, name: string, args: Wire = {}, more: Wire & { client?: string } = {}) {
  const { client = 'one', ...rounds } = more
  const meta = { 'io.modelcontextprotocol/clientInfo': { name: client, version: '1' } }
  return (await request(url, 'tools/call', { name, arguments: args, ...rounds }, { meta })).message
}

/** The same in a session; returns the stream of the call. */
export function inSession(session: RawSession, id: number, name: string, args: Wire = {}) {
  return session.ask('tools/call', { name, arguments: args }, id)
}

export async function replyOf(stream: AsyncGenerator<Wire>): Promise<Wire> {
  for await (const message of stream) if (!('method' in message)) return message
  throw new Error('The stream ended without a reply.')
}

export async function countedIn(session: RawSession, id: number): Promise<Counted> {
  const reply = await replyOf(await inSession(session, id, 'count'))
  if (reply.result === undefined) throw new Error(`The call failed: ${JSON.stringify(reply)}`)
  return JSON.parse(textOf(reply.result))
}
