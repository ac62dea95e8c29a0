// The frame around every prompt: title, help, body, key hints, and an error in place of the help.
//
// While a prompt is open its rail has the one accent colour; once it is answered only the title and the answer stay.

import type { State } from '@clack/core'
import type { Pen } from '../pen.ts'

export interface Frame {
  readonly title: string
  /** Below the title, while asking. */
  readonly help?: string
  /** The part that can be acted on, line by line. */
  readonly body: readonly string[]
  /** Shown once it is answered. */
  readonly answer: string
  /** Which keys do what. */
  readonly keys: readonly string[]
  readonly state: State
  readonly error: string
}

export function drawFrame(pen: Pen, frame: Frame): string {
  const { signs, paint } = pen
  const { state } = frame
  const before = paint('dim', signs.bar)
  if (state === 'submit') {
    return [
      before,
      `${paint('green', signs.answered)}  ${frame.title}`,
      ...pen.rail([paint('dim', frame.answer)]),
    ].join('\n')
  }
  if (state === 'cancel') return [before, `${paint('dim', signs.ended)}  ${paint('dim', frame.title)}`].join('\n')

  const isError = state === 'error'
  const accent = isError ? 'yellow' : 'cyan'
  const sign = paint(accent, isError ? signs.warning : signs.asking)
  const help = isError ? [paint('yellow', frame.error)] : frame.help === undefined ? [] : frame.help.split('\n')
  return [
    before,
    `${sign}  ${paint('bold', frame.title)}`,
    ...pen.rail(isError ? help : help.map((line) => paint('dim', line)), accent),
    ...pen.rail(['', ...frame.body, ''], accent),
    ...pen.rail([paint('dim', frame.keys.join(' · '))], accent),
    paint(accent, signs.end),
  ].join('\n')
}
