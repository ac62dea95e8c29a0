// The interface of a connection in a client process, for both SDKs.

import type { Address } from '../test-kit/mcp/address.ts'
import type { ConnectionOptions } from './messages.ts'
import type { Answer, Question } from './person.ts'

export interface Connection {
  /** As negotiated. */
  revision(): string
  tool(name: string, args: Record<string, unknown>): Promise<unknown>
  prompt(name: string, args: Record<string, string>): Promise<unknown>
  resource(uri: string): Promise<unknown>
  close(): Promise<void>
}

export interface Listener {
  readonly answer: (question: Question) => Promise<Answer>
  readonly completed: (elicitationId: string) => void
}

export type Connect = (to: Address, listener: Listener, options: ConnectionOptions) => Promise<Connection>
