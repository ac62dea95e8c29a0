// The call in which a server asks, drawn from what the client sent. The server's own text is set apart as a claim.

import { type AskingCall, oneLine } from '@assent/core'
import { actionLines, wholeAction } from './action-lines.ts'
import type { Pen } from './pen.ts'

/** The arguments, one per line, or a note that they are too large; none for a resource. */
export function argumentLines({ kind, arguments: given }: AskingCall): readonly string[] {
  if (given === undefined) return ['its arguments are too large to show here']
  return kind === 'resource' ? [] : actionLines({ arguments: given }).lines
}

/** Returns all arguments in full; undefined if none of them was cut. */
export function wholeCall(call: AskingCall | undefined): (() => readonly string[]) | undefined {
  const given = call?.arguments
  return given !== undefined && actionLines({ arguments: given }).cut ? () => wholeAction(given) : undefined
}

/** For a question whose server did not specify in which of these calls it asks. */
export function oneOfLines(
  calls: readonly AskingCall[] | undefined,
  server: string | undefined,
  pen: Pen,
): readonly string[] {
  if (calls === undefined) return []
  return ['', pen.paint('dim', 'asked in one of these calls; a yes approves none of them by itself')].concat(
    calls.flatMap((call) => callLines(call, server, pen).slice(1)),
  )
}

/** Empty for a question of this program itself, which does not belong to a call. */
export function callLines(call: AskingCall | undefined, server: string | undefined, pen: Pen): readonly string[] {
  if (call === undefined) return []
  const on = server === undefined ? '' : ` on ${oneLine(server, 'terminal')}`
  const what = { tool: 'the call', prompt: 'the prompt', resource: 'the resource' }[call.kind ?? 'tool']
  return [
    '',
    `${pen.paint('dim', what)} ${oneLine(call.tool, 'terminal')}${on}`,
    ...argumentLines(call).map((line) => `  ${line}`),
    ...(wholeCall(call) === undefined ? [] : [pen.paint('dim', '  more in the web inbox, or with `assent asks show`')]),
  ]
}
