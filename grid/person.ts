// The scripted person: receives a question and answers it once.
//
// They answer for the call that the question names, and only on the connection that made the call: a question on any
// other connection is reported, not answered.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Call, Shown } from './messages.ts'
import { type Mode, readMessage, rightContent } from './question.ts'
import { waits } from './settings.ts'

/** The parts of a question that both SDKs' types have in common. */
export interface Question {
  readonly mode?: string | undefined
  readonly message: string
  readonly requestedSchema?: { readonly properties: Readonly<Record<string, object>> }
  readonly url?: string
  readonly elicitationId?: string
}

export interface Answer {
  [name: string]: unknown
  action: 'accept' | 'decline' | 'cancel'
  content?: Record<string, string | number | boolean>
}

/** Marks an answer to be changed on the wire: the SDKs do not let a client send an unknown action. */
const garbleMark = 'grid-garble'

export class Person {
  readonly #calls = new Map<string, Call>()
  readonly #released = new Map<string, PromiseWithResolvers<void>>()
  readonly #onShown: (shown: Shown) => void
  readonly #onStrayed: (connection: string, callId: string) => void

  constructor(onShown: (shown: Shown) => void, onStrayed: (connection: string, callId: string) => void) {
    this.#onShown = onShown
    this.#onStrayed = onStrayed
  }

  expect(call: Call): void {
    this.#calls.set(call.release.callId, call)
    this.#released.set(call.release.callId, Promise.withResolvers<void>())
  }

  release(callId: string): void {
    this.#released.get(callId)?.resolve()
  }

  async answer(connection: string, question: Question): Promise<Answer> {
    const read = readMessage(question.message)
    const call = read && this.#calls.get(read.callId)
    if (read === undefined || call?.connection !== connection) {
      this.#onStrayed(connection, read?.callId ?? question.message)
      return { action: 'cancel' }
    }
    const mode: Mode = question.mode === 'url' ? 'url' : 'form'
    this.#onShown({
      connection,
      ...read,
      mode,
      ...(question.requestedSchema ? formShown(question.requestedSchema.properties) : {}),
      ...(question.url === undefined ? {} : { url: question.url }),
      ...(question.elicitationId === undefined ? {} : { elicitationId: question.elicitationId }),
    })
    if (call.delayMs !== undefined) await sleep(call.delayMs)
    return this.#say(call, mode, rightContent(read.build, read.key))
  }

  async #say(call: Call, mode: Mode, content: Record<string, string | number | boolean>): Promise<Answer> {
    const accept: Answer = mode === 'form' ? { action: 'accept', content } : { action: 'accept' }
    switch (call.behaviour) {
      case 'accepts':
        return accept
      case 'declines':
        return { action: 'decline' }
      case 'cancels':
        return { action: 'cancel' }
      case 'sends invalid content':
        return { action: 'accept', content: { ...content, copies: 'many' } }
      case 'accepts without content':
        return { action: 'accept' }
      case 'sends an unknown action':
        return { action: 'accept', content: { [garbleMark]: true } }
      case 'fails':
        throw new Error('The form cannot be drawn.')
      case 'never answers':
        return new Promise(() => undefined)
      case 'answers too late':
        await sleep(waits.lateMs)
        return accept
      case 'waits for release':
        await this.#released.get(call.release.callId)?.promise
        return accept
    }
  }
}

function formShown(properties: Readonly<Record<string, object>>): Pick<Shown, 'fields' | 'labels'> {
  const labels = ['oneOf', 'enumNames'].find((keyword) => keyword in (properties.stage ?? {}))
  return { fields: Object.keys(properties), ...(labels === undefined ? {} : { labels }) }
}

/** Changes the marked answers of an outgoing message, wherever they are in it. */
export function garbled<T>(message: T): T {
  const text = JSON.stringify(message)
  if (!text.includes(garbleMark)) return message
  return JSON.parse(text, (_name, value: unknown) => {
    const { content } = (value ?? {}) as { content?: Record<string, unknown> }
    return content?.[garbleMark] === true ? { action: 'approve' } : value
  }) as T
}
