// What we know about an ask beside its question, line by line: for whom it is asked, and who has voted.

import { type Ask, needsSeveral, type Person } from '@assent/core'
import type { AskDesk } from '../inbox/ask-desk.ts'
import { agoInWords } from './times.ts'

const did = { accept: 'approved', decline: 'declined', cancel: 'dismissed' } as const

/** As it is, not made visible yet: that is for whoever draws it. */
export function standingOf(ask: Ask, person: Person, desk: AskDesk, nowMs: number): readonly string[] {
  const nameOf = (principal: string) => (principal === person.principal ? 'you' : desk.nameOf(principal))
  const { origin } = desk.describe(ask.asker)
  const from = origin === undefined ? '' : ` (${origin})`
  return [
    `asked by ${ask.asker.server}${from} for ${nameOf(ask.principal)}, ${agoInWords(nowMs - ask.raisedAtMs)}`,
    ...(needsSeveral(ask.electorate) ? [votesOf(ask, nameOf)] : []),
  ]
}

function votesOf({ votes, electorate }: Ask, nameOf: (principal: string) => string): string {
  const approvals = votes.filter(({ answer }) => answer.action === 'accept').length
  const cast = votes.map(({ by, answer }) => `${nameOf(by)} ${did[answer.action]}`)
  const who = cast.length === 0 ? '' : ` (${cast.join(', ')})`
  return `${approvals} of ${electorate.approvals} approvals so far${who}`
}
