// The list of open asks, on the terminal's screen and as `assent asks list` prints it.

import { leftInWords } from './times.ts'

export const askListText = {
  none: 'Nothing is waiting for you.',
  noneEnded: 'No asks have ended yet.',
  noMatch: 'No asks match.',
  newAppear: 'New questions appear here automatically.',
  title: (open: number, hasMore: boolean) => `Inbox · ${open}${hasMore ? ' and more' : ''} waiting`,
  above: (count: number) => `${count} above`,
  below: (count: number) => `${count} below`,
  olderLater: 'older ones appear as these are answered',
  keys: '↑↓ or j k move · enter opens · q leaves, and everything stays open',
  waitsForOthers: 'waits for others',
  votes: (approvals: number, needed: number) => `${approvals}/${needed}`,
  expiresIn: (ms: number) => `expires in ${leftInWords(ms)}`,
  asked: (ago: string) => `asked ${ago}`,
  nextPage: (cursor: string) => `More: --cursor ${cursor}`,
  outdated: 'The store cannot be reached. The list may be outdated; retrying.',
}
