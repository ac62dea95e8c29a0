// What the gateway knows about an ask besides its question, as lines: on whose behalf it is asked, and who has voted.

import { type Ask, type AskView, agoText, askerName, callerText, needsSeveral, type Person } from '@assent/core'
import type { AskService } from '../ask-service.ts'
import { answeringText } from './text/answering.ts'

const { standing } = answeringText

/** Not escaped: the caller escapes it when rendering. */
export function standingOf(
  ask: Ask,
  view: AskView,
  person: Person,
  service: AskService,
  nowMs: number,
): readonly string[] {
  const nameOf = (principal: string) => (principal === person.principal ? standing.you : service.nameOf(principal))
  const { origin, isAgent } = view.asker
  const program = isAgent === true ? '' : callerText(view.caller ?? {})
  return [
    standing.askedBy(askerName(view), origin, program, nameOf(ask.principal), agoText(nowMs - ask.raisedAtMs)),
    ...(needsSeveral(ask.approvalRule) ? [votesOf(ask, nameOf)] : []),
  ]
}

function votesOf({ votes, approvalRule }: Ask, nameOf: (principal: string) => string): string {
  const approvals = votes.filter(({ answer }) => answer.action === 'accept').length
  const cast = votes.map(({ by, answer }) => standing.vote(nameOf(by), answer.action))
  return standing.votes(approvals, approvalRule.approvals, cast)
}
