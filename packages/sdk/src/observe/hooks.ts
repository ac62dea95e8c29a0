// What an author can observe: hooks for asks, answers, steps, refusals and divergence, and a log of mistakes in tools.
//
// Events contain names, kinds and outcomes, never what a person wrote. A hook that throws changes nothing: its error is logged. A
// client that repeats a round repeats the events of that round.

import { type AssentError, type ErrorCode, isAssentError } from '@assent/core'
import type { AskKind } from '../ask/describe.ts'
import type { Ending } from '../ask/ending.ts'
import type { Risk } from '../ask/options.ts'
import { isRefusal } from '../refusal.ts'

interface CallEvent {
  /** The name that the handler is registered under, if it has one. */
  readonly handler: string | undefined
  /** The id of the call, the same in every round. */
  readonly callId: string
}

export interface AskedEvent extends CallEvent {
  readonly kind: AskKind
  /** The first line of the question. */
  readonly question: string
  readonly risk: Risk
}

export interface AnsweredEvent extends AskedEvent {
  readonly askId: string
  /** Only `accepted` is a yes. */
  readonly outcome: Ending['kind']
}

export interface SteppedEvent extends CallEvent {
  readonly step: string
  readonly outcome: 'done' | 'failed'
  readonly durationMs: number
}

export interface RefusedEvent {
  readonly handler: string | undefined
  readonly code: ErrorCode
  readonly message: string
}

export interface Hooks {
  /** A handler asks a question that it has not asked before in this call. */
  readonly asked?: (event: AskedEvent) => void | Promise<void>
  /** A question ended: with an answer, or without one. */
  readonly answered?: (event: AnsweredEvent) => void | Promise<void>
  /** The work of a step or a gate ran. */
  readonly stepped?: (event: SteppedEvent) => void | Promise<void>
  /** A call ended with a refusal that the handler did not catch, or a refused ask was never awaited. */
  readonly refused?: (event: RefusedEvent) => void | Promise<void>
  /** A handler that ran again did not ask what it asked before. */
  readonly diverged?: (event: RefusedEvent) => void | Promise<void>
}

/** A mistake in a tool or its settings, for the author's log. */
export interface LogEntry {
  readonly level: 'error'
  readonly handler: string | undefined
  readonly code: ErrorCode | 'hook_failed' | 'not_awaited'
  readonly message: string
}

export type Log = (entry: LogEntry) => void | Promise<void>

/** Mistakes in a tool: the model reads them too, but only its author can correct them. */
const mistakes: ReadonlySet<ErrorCode> = new Set(['misconfigured', 'schema_refused', 'out_of_order', 'not_canonical'])

/** Outcomes whose messages contain what the person wrote: a comment, or a value that was not accepted. */
const personal: Partial<Record<ErrorCode, string>> = {
  declined: 'The person declined.',
  cancelled: 'The person made no choice, or the call was cancelled.',
  validation_failed: 'The answer was not valid.',
}

function impersonal({ code, message }: AssentError): string {
  return personal[code] ?? message
}

export class Observer {
  readonly #hooks: Hooks
  readonly #log: Log

  /** Without a log, mistakes are written to standard error; `false` turns that off. */
  constructor(hooks: Hooks = {}, log: Log | false | undefined = undefined) {
    this.#hooks = hooks
    this.#log = log === false ? () => undefined : (log ?? writeToStandardError)
  }

  asked(event: AskedEvent): void {
    this.#call('asked', event)
  }

  answered(event: AnsweredEvent): void {
    this.#call('answered', event)
  }

  stepped(event: SteppedEvent): void {
    this.#call('stepped', event)
  }

  /** An error that ended a call. */
  failed(error: unknown, handler: string | undefined): void {
    if (!isAssentError(error)) return
    const { code } = error
    const message = impersonal(error)
    if (mistakes.has(code)) this.#write({ level: 'error', handler, code, message })
    if (code === 'out_of_order') this.#call('diverged', { handler, code, message })
    if (isRefusal(error)) this.#call('refused', { handler, code, message })
  }

  /** What no caller receives: a rejection that a handler never awaited, or a problem of the settings. */
  unobserved(error: unknown): void {
    const message = isAssentError(error) ? impersonal(error) : error instanceof Error ? error.message : String(error)
    const code = isAssentError(error) ? error.code : 'not_awaited'
    this.#write({ level: 'error', handler: undefined, code, message })
    if (isAssentError(error) && isRefusal(error)) {
      this.#call('refused', { handler: undefined, code: error.code, message })
    }
  }

  /** Writes the likely cause of a refusal, which the caller must not get. */
  advise(handler: string | undefined, code: ErrorCode, message: string): void {
    this.#write({ level: 'error', handler, code, message })
  }

  #call<Name extends keyof Hooks>(name: Name, event: Parameters<NonNullable<Hooks[Name]>>[0]): void {
    const onFailure = (error: unknown) => {
      const message = `The hook on.${name} failed: ${error instanceof Error ? error.message : String(error)}`
      this.#write({ level: 'error', handler: event.handler, code: 'hook_failed', message })
    }
    // The event of a hook is the parameter of that hook; TypeScript cannot relate the two here.
    callSafely(() => (this.#hooks[name] as ((event: unknown) => unknown) | undefined)?.(event), onFailure)
  }

  /** A log that fails must not fail the call. */
  #write(entry: LogEntry): void {
    callSafely(
      () => this.#log(entry),
      () => undefined,
    )
  }
}

/** Also if it is async: a rejection that nothing handles would end the process. */
function callSafely(call: () => unknown, onFailure: (error: unknown) => void): void {
  try {
    Promise.resolve(call()).catch(onFailure)
  } catch (error) {
    onFailure(error)
  }
}

/** Never to standard output, where a stdio server writes its messages. */
function writeToStandardError({ handler, code, message }: LogEntry): void {
  // biome-ignore lint/suspicious/noConsole: the only output that every runtime has
  console.error(`assent: ${handler === undefined ? '' : `${handler}: `}${code}: ${message}`)
}
