// One typed line: text, a number or a secret.
//
// The line is validated on Enter and asked again in place until it is valid. It is escaped like a server's text,
// because people paste text from servers.

import { compact, oneLine } from '@assent/core'
import { TextPrompt } from '@clack/core'
import type { Pen } from '../pen.ts'
import { drawFrame } from './frame.ts'
import type { PromptStreams } from './run-prompt.ts'

export interface LinePromptOptions {
  readonly title: string
  readonly help?: string
  readonly suggested?: string
  /** Shown while nothing is typed. */
  readonly placeholder?: string
  /** Only masks are drawn. */
  readonly secret?: boolean
  readonly keys: readonly string[]
  /** Why this line is not a valid answer, or undefined. */
  readonly problem: (line: string) => string | undefined
  /** How an accepted line is shown; as it was typed unless given. */
  readonly shown?: (line: string) => string
}

export function linePrompt(options: LinePromptOptions, pen: Pen, streams: PromptStreams): TextPrompt {
  return new TextPrompt(linePromptSettings(options, pen, streams))
}

export function linePromptSettings(
  options: LinePromptOptions,
  pen: Pen,
  streams: PromptStreams,
  below: (line: string) => readonly string[] = () => [],
): ConstructorParameters<typeof TextPrompt>[0] {
  const { suggested, secret = false } = options
  const shown = options.shown ?? ((line: string) => line)
  return {
    ...streams,
    ...compact({ initialUserInput: suggested }),
    validate: (line = '') => options.problem(line),
    render() {
      const line = this.userInput
      const mark = suggested !== undefined && line === suggested ? pen.paint('dim', '  suggested') : ''
      const typed = secret ? masked(line, pen) : withCursor(line, this.cursor, pen)
      const empty = `${pen.paint('inverse', ' ')}${pen.paint('dim', options.placeholder ?? '')}`
      return drawFrame(pen, {
        ...options,
        body: [line === '' ? empty : typed + mark, ...below(line)],
        answer: secret ? pen.signs.mask.repeat(8) : oneLine(shown(line), 'terminal'),
        state: this.state,
        error: this.error,
      })
    },
  }
}

function withCursor(line: string, at: number, pen: Pen): string {
  const [under = ' ', ...after] = Array.from(line.slice(at))
  const before = oneLine(line.slice(0, at), 'terminal')
  return `${before}${pen.paint('inverse', oneLine(under, 'terminal'))}${oneLine(after.join(''), 'terminal')}`
}

/** One mark per character, so that a person can count what they typed. */
function masked(line: string, pen: Pen): string {
  return `${pen.signs.mask.repeat(Array.from(line).length)}${pen.paint('inverse', ' ')}`
}
