// What a client process needs from a connection, whichever SDK made it.

import type { Terms } from './messages.ts'
import type { Answer, Question } from './person.ts'
import type { Address } from './settings.ts'

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

export type Connect = (to: Address, listener: Listener, terms: Terms) => Promise<Connection>
