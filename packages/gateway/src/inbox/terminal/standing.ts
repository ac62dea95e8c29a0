// What the gateway knows about an ask besides its question, as lines: on whose behalf it is asked, and who has voted.

import { type Ask, agoText, needsSeveral, type Person } from '@assent/core'
import type { AskService } from '../ask-service.ts'

const did = { accept: 'approved', decline: 'declined', cancel: 'dismissed' } as const

/** Not escaped: the caller escapes it when rendering. */
export function standingOf(ask: Ask, person: Person, service: AskService, nowMs: number): readonly string[] {
  const nameOf = (principal: string) => (principal === person.principal ? 'you' : service.nameOf(principal))
  const { origin } = service.describe(ask.asker)
  const from = origin === undefined ? '' : ` (${origin})`
  return [
    `asked by ${ask.asker.server}${from} for ${nameOf(ask.principal)}, ${agoText(nowMs - ask.raisedAtMs)}`,
    ...(needsSeveral(ask.approvalRule) ? [votesOf(ask, nameOf)] : []),
  ]
}

function votesOf({ votes, approvalRule }: Ask, nameOf: (principal: string) => string): string {
  const approvals = votes.filter(({ answer }) => answer.action === 'accept').length
  const cast = votes.map(({ by, answer }) => `${nameOf(by)} ${did[answer.action]}`)
  const who = cast.length === 0 ? '' : ` (${cast.join(', ')})`
  return `${approvals} of ${approvalRule.approvals} approvals so far${who}`
}
