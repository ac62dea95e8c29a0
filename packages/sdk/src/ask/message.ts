// The text of a question as a person reads it in their own client, where Assent cannot draw a card.
//
// An approval is drawn from the action itself, line by line, and never from the asker's prose, which is shown
// separately as a claim. A message that is too long is refused rather than cut: a person must see all of what they
// approve.

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
import type { ResolvedAskOptions } from './options.ts'

const cannotBeUndone = 'This cannot be undone.'

export function messageOf({ question, options }: Description): string {
  const text = question.kind === 'approval' ? approvalText(question) : question.message
  const message = [text, ...notes(options, text)].join('\n\n')
  if (message.length <= askLimits.messageChars) return message
  throw new AssentError('limit_exceeded', `This question needs more than ${askLimits.messageChars} characters to show.`)
}

function notes({ reason, risk }: ResolvedAskOptions, text: string): string[] {
  const why = reason === undefined ? [] : [`Why: ${visibleText(reason, 'web')}`]
  const isStated = [text, ...why].some((part) => undonePattern.test(part))
  return [...why, ...(risk === 'destructive' && !isStated ? [cannotBeUndone] : [])]
}

/** Only as a whole sentence: a longer one that contains it may mean the opposite. */
const undonePattern = /(?<=^|[.!?:\n]\s*)this (?:cannot|can not|can't|can’t) be undone[.!]/i

function approvalText({ title, action, digest, claim }: Extract<Question, { kind: 'approval' }>): string {
  const parts = [
    `Approve: ${oneLine(title, 'web')}`,
    argumentLines(action).join('\n'),
    `By ${oneLine(action.server, 'web')} with ${oneLine(action.tool, 'web')} · digest ${digest.slice('sha256:'.length, 19)}`,
    ...(claim === undefined ? [] : [`The server says: ${oneLine(claim, 'web')}`]),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function argumentLines({ arguments: given }: Action): string[] {
  return Object.entries(given).map(([name, value]) => `  ${oneLine(name, 'web')}: ${valueText(value)}`)
}

function valueText(value: JsonValue): string {
  return oneLine(typeof value === 'string' ? value : canonicalJson(value), 'web')
}
