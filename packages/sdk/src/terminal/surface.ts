// The terminal as a surface of the sdk.
//
// An answer that fits the form but not the author's own schema is asked again here, like any other invalid answer:
// the run, which checks it later, cannot ask again.

import { type Content, compact, isAssentError } from '@assent/core'
import type { Description } from '../ask/describe.ts'
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
      return description.kind === 'secret'
        ? replyOf(await terminal.askSecret(textOf(description), ask))
        : askUntilValid(terminal, description, ask)
    },
  }
}

export interface RunInTerminalOptions extends TerminalSurfaceOptions {
  readonly terminal?: Terminal
  readonly signal?: AbortSignal
}

/** Runs an interactive handler here and now; its questions are asked in this terminal. Leave out `args` if it has none. */
export function runInTerminal<Result>(
  handler: (...received: never[]) => Promise<Result>,
  args?: unknown,
  options: RunInTerminalOptions = {},
): Promise<Result> {
  const { terminal = openTerminal({ openLink: openInBrowser }), signal } = options
  const context = onSurface(terminalSurface(terminal, options), signal === undefined ? {} : { signal })
  const received = args === undefined ? [context] : [args, context]
  // The caller knows which arguments the handler takes.
  return handler(...(received as never[]))
}

async function askUntilValid(terminal: Terminal, description: Description, ask: TerminalAsk): Promise<Reply> {
  let problem: string | undefined
  while (true) {
    const outcome = await terminal.ask(description.question, problem === undefined ? ask : { ...ask, problem })
    const reply = replyOf(outcome)
    if (outcome.kind !== 'answered' || outcome.answer.action !== 'accept') return reply
    problem = await problemWith(description, outcome.answer.content ?? {})
    if (problem === undefined) return reply
  }
}

/** The error message of the author's own schema, or undefined. */
async function problemWith(description: Description, content: Content): Promise<string | undefined> {
  try {
    await description.toValue(content)
    return undefined
  } catch (error) {
    if (isAssentError(error, 'validation_failed')) return error.message
    throw error
  }
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
