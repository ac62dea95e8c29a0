// The words a person reads in their own client, where we have no card to draw.
//
// An approval is drawn from the action itself, line by line, and never from the asker's prose, which stands apart as a
// claim. What would not fit is refused rather than cut: nobody can approve what they were not shown.

import {
  type Action,
  AssentError,
  askLimits,
  canonicalJson,
  type JsonValue,
  oneLine,
  type Question,
  visibleText,
} from '@assent/core'
import type { Description } from './describe.ts'
import type { How } from './how.ts'

const cannotBeUndone = 'This cannot be undone.'

export function messageOf({ question, how }: Description): string {
  const words = question.kind === 'approval' ? drawn(question) : question.message
  const message = [words, ...notes(how, words)].join('\n\n')
  if (message.length <= askLimits.messageChars) return message
  throw new AssentError('limit_exceeded', `This question needs more than ${askLimits.messageChars} characters to show.`)
}

function notes({ reason, risk }: How, words: string): string[] {
  const why = reason === undefined ? [] : [`Why: ${visibleText(reason, 'web')}`]
  const isSaid = [words, ...why].some((text) => saysUndone.test(text))
  return [...why, ...(risk === 'destructive' && !isSaid ? [cannotBeUndone] : [])]
}

/** A sentence of its own: a longer one that contains these words may say the opposite. */
const saysUndone = /(?<=^|[.!?:\n]\s*)this (?:cannot|can not|can't|can’t) be undone[.!]/i

function drawn({ title, action, digest, claim }: Extract<Question, { kind: 'approval' }>): string {
  const parts = [
    `Approve: ${oneLine(title, 'web')}`,
    argumentLines(action).join('\n'),
    `By ${oneLine(action.server, 'web')} with ${oneLine(action.tool, 'web')} · digest ${digest.slice('sha256:'.length, 19)}`,
    ...(claim === undefined ? [] : [`The server says: ${oneLine(claim, 'web')}`]),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function argumentLines({ arguments: given }: Action): string[] {
  return Object.entries(given).map(([name, value]) => `  ${oneLine(name, 'web')}: ${shown(value)}`)
}

function shown(value: JsonValue): string {
  return oneLine(typeof value === 'string' ? value : canonicalJson(value), 'web')
}
