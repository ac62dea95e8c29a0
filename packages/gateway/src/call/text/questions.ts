// Why a question is refused or has no answer: what the asking server reads, and the client whose question was answered elsewhere.

import { askLimits } from '@assent/core'
import { relayLimits } from '../../limits.ts'

export const questionText = {
  tooMany: () => `At most ${relayLimits.asksPerRound} questions can be asked at once.`,
  longName: () => `The name of a question has at most ${relayLimits.askKeyChars} characters.`,
  tooLong: `A question has at most ${askLimits.messageChars} characters.`,
  unreadableForm: 'The form cannot be read.',
  at: (reason: string, path: string) => `${reason} (at ${path})`,
  action: 'The action must be accept, decline or cancel.',
  secretAnswer:
    'The answer contains what looks like a secret, so it was not passed on. Ask for secrets on a page, by URL; or the operator can set allow_secret_answers for this server.',
  secretDeleted: 'The answer was a secret. It was delivered before and deleted: ask again.',
  lost: 'The gateway could not reach its database for too long, so the question was withdrawn. No person decided anything: ask again.',
  expired: 'No person answered in time. Nothing was decided: ask again, or raise asks.wait.',
  unverified:
    'The stored question or its decision does not match its signatures. Nothing was decided. The operator can run: assent audit verify',
  nowInInbox: 'It is now asked in the inbox.',
  answeredInInbox: 'It was answered in the inbox.',
  notOpen: 'It is no longer open.',
}
