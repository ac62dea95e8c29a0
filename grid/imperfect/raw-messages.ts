// Hand-written client messages and the client info in them.

import type { Generation } from '../messages.ts'
import type { Case, Play } from './case.ts'

export const request = (id: string | number, method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
export const notification = (method: string, params: object = {}) => ({ jsonrpc: '2.0', method, params })
export const echo = (text: string) => ({ name: 'echo', arguments: { text } })
export const callEcho = (id: string | number, text = 'Here.') => request(id, 'tools/call', echo(text))
/** Time for a message to have its effect. */
export const pauseMs = 200

export function client(generation: Generation, name: string, play: Play, more: Partial<Case> = {}): Case {
  const own = { server: generation, clients: [generation], transport: 'http' } as const
  return { name: `${generation} client: ${name}`, ...own, play, ...more }
}
