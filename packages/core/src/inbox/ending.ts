// How an ask ended, in words for someone who looks at it afterwards or answers too late.
//
// Who, how, from where, and how long ago: a late answer is nobody's mistake and gets an explanation, not an error.

import type { Surface, WithdrawReason } from '../ask/ask.ts'
import type { AskView, PersonView } from './view.ts'

const did = { accepted: 'approved', declined: 'declined', cancelled: 'dismissed' } as const

export const expiredInWords = 'The deadline passed, and the agent was told that nobody answered'

export const withdrawnInWords: Readonly<Record<WithdrawReason, string>> = {
  undeliverable: 'It could not be put to anyone',
  unseen: 'A client answered it without showing it to anyone',
  'call-cancelled': 'The agent cancelled its call and no longer needs an answer',
  'caller-gone': 'The agent that asked went away and no longer needs an answer',
  'owner-lost': 'The process that held the waiting call stopped, so no answer is needed any more',
}

export function settledInWords(by: PersonView, outcome: keyof typeof did, via: Surface, yes = 'approved this'): string {
  const verb = outcome === 'accepted' ? yes : `${did[outcome]} this`
  const places = {
    client: by.isYou ? ' in your client' : ' in their client',
    inbox: '',
    terminal: ' from the terminal',
  }
  return `${by.isYou ? 'You' : by.name} ${verb}${places[via]}`
}

/** One sentence with the time and the comment. Undefined while the ask is open. */
export function endingInWords({ state }: Pick<AskView, 'state'>, nowMs: number): string | undefined {
  if (state.kind === 'open') return undefined
  const said = state.kind === 'settled' && state.comment !== undefined ? `: ${state.comment}` : '.'
  return `${state.what}, ${agoInWords(nowMs - state.atMs)}${said}`
}

function agoInWords(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  if (seconds < 1) return 'just now'
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`
  const days = Math.floor(seconds / 86_400)
  return days === 1 ? '1 day ago' : `${days} days ago`
}
