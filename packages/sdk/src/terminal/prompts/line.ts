// One typed line: text, a number or a secret.
//
// What is typed is judged when it is entered, and asked again in place while it does not fit. It is drawn by the same
// rules as a server's text, because people paste what servers wrote.

import { oneLine } from '@assent/core'
import { TextPrompt } from '@clack/core'
import type { Pen } from '../pen.ts'
import { drawFrame } from './frame.ts'
import type { PromptStreams } from './run-prompt.ts'

export interface LineOptions {
  readonly title: string
  readonly help?: string
  readonly suggested?: string
  /** Shown while nothing is typed. */
  readonly placeholder?: string
  /** Nothing of it is ever drawn. */
  readonly secret?: boolean
  readonly keys: readonly string[]
  /** What keeps this line from being an answer. */
  readonly problem: (line: string) => string | undefined
  /** How an accepted line is shown; as it was typed unless given. */
  readonly shown?: (line: string) => string
}

export function linePrompt(options: LineOptions, pen: Pen, streams: PromptStreams): TextPrompt {
  return new TextPrompt(lineSettings(options, pen, streams))
}

export function lineSettings(
  options: LineOptions,
  pen: Pen,
  streams: PromptStreams,
  below: (line: string) => readonly string[] = () => [],
): ConstructorParameters<typeof TextPrompt>[0] {
  const { suggested, secret = false } = options
  const shown = options.shown ?? ((line: string) => line)
  return {
    ...streams,
    ...(suggested === undefined ? {} : { initialUserInput: suggested }),
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

/** As many marks as characters, because a person who types blind counts them. */
function masked(line: string, pen: Pen): string {
  return `${pen.signs.mask.repeat(Array.from(line).length)}${pen.paint('inverse', ' ')}`
}
