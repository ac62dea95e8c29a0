// The terminal as the sdk's handlers see it: a surface that waits in front of the person.
//
// An answer that fits the form but not what the author demands beyond it is asked again here, like every other answer
// that does not fit; nobody else could tell the person in time.

import { type Content, isAssentError } from '@assent/core'
import type { Description } from '../ask/describe.ts'
import type { Reply, Surface } from '../surface.ts'
import { onSurface } from '../surface-context.ts'
import { openInBrowser } from './open-link.ts'
import { openTerminal, type SecretOutcome, type Terminal, type TerminalAsk } from './terminal.ts'

export interface TerminalSurfaceOptions {
  /** Whose questions these are, as the person knows it. */
  readonly asker?: TerminalAsk['asker']
}

export function terminalSurface(terminal: Terminal, { asker }: TerminalSurfaceOptions = {}): Surface {
  return {
    name: 'terminal',
    refuses: ({ how }) => {
      if (!terminal.usable) return 'there is no terminal to ask a person in.'
      if (how.surface === undefined || how.surface === 'terminal') return undefined
      return `it may only be asked in the ${how.surface}, and this is a terminal.`
    },
    async put(description, putting) {
      const ask: TerminalAsk = {
        ...(asker === undefined ? {} : { asker }),
        ...(description.how.reason === undefined ? {} : { reason: description.how.reason }),
        cannotBeUndone: description.how.risk === 'destructive',
        decideByMs: Date.now() + putting.waitMs,
        signal: putting.signal,
      }
      return description.kind === 'secret'
        ? replyOf(await terminal.askSecret(wordsOf(description), ask))
        : askUntilTaken(terminal, description, ask)
    },
  }
}

export interface RunInTerminalOptions extends TerminalSurfaceOptions {
  readonly terminal?: Terminal
  readonly signal?: AbortSignal
}

/** Runs an interactive handler here and now; its questions are asked in this terminal. Leave out `args` where it has none. */
export function runInTerminal<Result>(
  handler: (...received: never[]) => Promise<Result>,
  args?: unknown,
  options: RunInTerminalOptions = {},
): Promise<Result> {
  const { terminal = openTerminal({ openLink: openInBrowser }), signal } = options
  const context = onSurface(terminalSurface(terminal, options), signal === undefined ? {} : { signal })
  const received = args === undefined ? [context] : [args, context]
  // What a handler takes is its own business; whoever calls it from a script knows it.
  return handler(...(received as never[]))
}

async function askUntilTaken(terminal: Terminal, description: Description, ask: TerminalAsk): Promise<Reply> {
  let problem: string | undefined
  while (true) {
    const outcome = await terminal.ask(description.question, problem === undefined ? ask : { ...ask, problem })
    const reply = replyOf(outcome)
    if (outcome.kind !== 'answered' || outcome.answer.action !== 'accept') return reply
    problem = await problemWith(description, outcome.answer.content ?? {})
    if (problem === undefined) return reply
  }
}

/** What the author's own schema says about it. */
async function problemWith(description: Description, content: Content): Promise<string | undefined> {
  try {
    await description.take(content)
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
    // A question of ours cannot be left, and the run that put it ended it otherwise, and knows why.
    case 'left':
    case 'expired':
    case 'withdrawn':
      return { kind: 'gone', why: 'the question was taken back.' }
  }
}

function wordsOf({ question }: Description): string {
  return question.kind === 'approval' ? question.title : question.message
}
