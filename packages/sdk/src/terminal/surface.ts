// The terminal as a surface of the sdk.
//
// An answer that does not fit the form is asked for again here. The author's own schema and `validate` are checked afterwards, as
// on every surface (ask-again.ts).

import { compact } from '@assent/core'
import type { Description } from '../ask/describe.ts'
import type { ToolText } from '../interactive.ts'
import { callHandlerOf, type RegisteredToolLike, type ToolHandler } from '../register/call-handler.ts'
import type { Reply, Surface } from '../surface.ts'
import { onSurface } from '../surface-context.ts'
import { openInBrowser } from './open-link.ts'
import { openTerminal, type SecretOutcome, type Terminal, type TerminalAsk } from './terminal.ts'

export interface TerminalSurfaceOptions {
  /** The asker as it is shown to the person. */
  readonly asker?: TerminalAsk['asker']
}

export function terminalSurface(terminal: Terminal, { asker }: TerminalSurfaceOptions = {}): Surface {
  return {
    name: 'terminal',
    refuses: ({ options }) => {
      if (!terminal.usable) return 'there is no terminal to ask a person in.'
      if (options.surface === undefined || options.surface === 'terminal') return undefined
      return `it may only be asked in the ${options.surface}, and this is a terminal.`
    },
    async put(description, putting) {
      const ask: TerminalAsk = {
        ...compact({ asker, reason: description.options.reason }),
        cannotBeUndone: description.options.risk === 'destructive',
        decideByMs: Date.now() + putting.waitMs,
        signal: putting.signal,
      }
      return replyOf(
        description.kind === 'secret'
          ? await terminal.askSecret(textOf(description), ask)
          : await terminal.ask(description.question, ask),
      )
    },
  }
}

export interface RunInTerminalOptions extends TerminalSurfaceOptions {
  readonly terminal?: Terminal
  readonly signal?: AbortSignal
}

/**
 * Runs a tool here and now, as `assent.tool` returned it or as a handler of `interactive`; its questions are asked in this terminal.
 * Leave out `args` if it has none.
 */
export function runInTerminal(
  tool: RegisteredToolLike,
  args?: unknown,
  options?: RunInTerminalOptions,
): Promise<ToolText>
export function runInTerminal<Result>(
  handler: (...received: never[]) => Promise<Result>,
  args?: unknown,
  options?: RunInTerminalOptions,
): Promise<Result>
export function runInTerminal(
  tool: ToolHandler | RegisteredToolLike,
  args?: unknown,
  options: RunInTerminalOptions = {},
): Promise<unknown> {
  const { terminal = openTerminal({ openLink: openInBrowser }), signal } = options
  const context = onSurface(terminalSurface(terminal, options), signal === undefined ? {} : { signal })
  return callHandlerOf(tool, args, undefined)(context)
}

function replyOf(outcome: SecretOutcome): Reply {
  switch (outcome.kind) {
    case 'answered':
      return { kind: 'answered', answer: outcome.answer }
    case 'given':
      return { kind: 'answered', answer: { action: 'accept', content: { secret: outcome.secret } } }
    case 'undeliverable':
      return { kind: 'gone', why: outcome.reason }
    // `left` cannot occur here. In the other two cases the run itself ended the question and has the reason.
    case 'left':
    case 'expired':
    case 'withdrawn':
      return { kind: 'gone', why: 'the question was withdrawn.' }
  }
}

function textOf({ question }: Description): string {
  return question.kind === 'approval' ? question.title : question.message
}
