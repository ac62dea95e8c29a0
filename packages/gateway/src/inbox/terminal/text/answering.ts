// One ask in the terminal inbox: what is known about it, what can still be undone, and the result in one line.

import type { Answer } from '@assent/core'

const voted: Readonly<Record<Answer['action'], string>> = {
  accept: 'approved',
  decline: 'declined',
  cancel: 'dismissed',
}

/** Who asks for the approval of a call, in the first line. */
const opened = {
  call: (person: string | undefined, program: string | undefined) =>
    `${person === undefined ? 'Your call' : `A call by ${person}`}${program === undefined ? '' : ` (${program})`}`,
}

/** Above the question. Not escaped. */
const standing = {
  askedBy: (server: string, origin: string | undefined, program: string, person: string, ago: string) =>
    `asked by ${server}${origin === undefined ? '' : ` (${origin})`}${program === '' ? '' : `, called by ${program}`} for ${person}, ${ago}`,
  you: 'you',
  votes: (approvals: number, needed: number, cast: readonly string[]) =>
    `${approvals} of ${needed} approvals so far${cast.length === 0 ? '' : ` (${cast.join(', ')})`}`,
  vote: (name: string, action: Answer['action']) => `${name} ${voted[action]}`,
}

const undo = {
  possible: 'It can still be undone.',
  sentIn: (seconds: number) => `Your answer is sent in ${seconds} s.`,
  title: 'Undo?',
  undo: 'Undo it',
  sendNow: 'Send it now',
}

/** The answer looks like a secret. */
const confirmation = {
  title: 'Send it?',
  no: 'Do not send it',
  yes: 'Send it anyway',
}

const results = {
  unknown: 'The ask no longer exists.',
  waitsForOthers: 'You have answered. Other people still have to decide.',
  nothingSent: 'Nothing was sent. The ask stays in the list.',
  leftOpen: 'Left open. The ask stays in the list.',
  undeliverable: (reason: string) => `Nothing was decided. ${reason}`,
  expired: 'Expired without an answer.',
  stopped: 'Left open.',
  counted: (quorum: { readonly approvals: number; readonly approvalsNeeded: number } | undefined) =>
    `Your vote counts.${quorum === undefined ? '' : ` ${quorum.approvals} of ${quorum.approvalsNeeded} approvals so far.`}`,
  decided: (headline: string, what: string, comment: string | undefined) =>
    `${headline} ${what}${comment === undefined ? '.' : `: ${comment}`}`,
  storeUnavailable:
    'The store cannot be reached. Check later whether your answer was recorded; nothing else was decided.',
}

/** Who asks about the answer itself. */
const self = 'Assent'

export const answeringText = { self, opened, standing, undo, confirmation, results }
