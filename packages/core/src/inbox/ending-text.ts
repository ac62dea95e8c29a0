// How an ask ended, as text for a person who views it afterwards or answers too late.
//
// Who, how, from where, and how long ago. A late answer gets this text instead of an error.

import type { FastAnswer, Surface, WithdrawReason } from '../ask/ask.ts'
import type { AskView, PersonView } from './view.ts'

const fastWords = { accept: 'Accepted', decline: 'Declined', cancel: 'Dismissed' } as const

/** For an answer of the client that came too fast to be a person's. */
export function askedAgainText({ action, afterMs }: FastAnswer): string {
  return `${fastWords[action]} within ${Math.max(1, Math.ceil(afterMs / 1_000))} s, asked again`
}

export function expiredText(fastAnswer: FastAnswer | undefined): string {
  return fastAnswer === undefined ? 'Expired without an answer' : `${askedAgainText(fastAnswer)}, then expired`
}

export const withdrawnTexts: Readonly<Record<WithdrawReason, string>> = {
  undeliverable: 'It could not be shown to anyone',
  unseen: 'A client answered it without showing it to anyone',
  'call-cancelled': 'The agent cancelled its call and no longer needs an answer',
  'asker-stopped': 'The server that asked stopped waiting for an answer',
  'caller-gone': 'The agent that asked went away and no longer needs an answer',
  'owner-lost':
    'The gateway process that held the waiting call stopped or could not reach its database, so no answer is needed any more',
  'store-unavailable':
    'The gateway could not reach its database, so the waiting call failed and no answer is needed any more',
  unverified:
    'The stored row does not match its signatures, so it releases nothing. It was changed outside Assent, or its key is no longer configured',
}

/** Beside the answer, where it had no effect. */
export const undeliveredText = 'Too late: the server had stopped waiting'

/** @param did what the person did, as the verb of the sentence */
export function settledText(by: PersonView, did: string, via: Surface, hasPasskey = false): string {
  const places = {
    client: by.isYou ? ' in your client' : ' in their client',
    inbox: hasPasskey ? ' with a passkey' : '',
    terminal: ' from the terminal',
  }
  return `${by.isYou ? 'You' : by.name} ${did}${places[via]}`
}

/** Several people decided together. */
export function settledTogetherText(people: readonly PersonView[], did: string): string {
  const others = people.filter(({ isYou }) => !isYou).map(({ name }) => name)
  const names = others.length === people.length ? others : ['You', ...others]
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)} ${did}`
}

/** One sentence with the time and the comment. Undefined while the ask is open. */
export function endingText({ state }: Pick<AskView, 'state'>, nowMs: number): string | undefined {
  if (state.kind === 'open') return undefined
  const ending = state.kind === 'settled' && state.comment !== undefined ? `: ${state.comment}` : '.'
  return `${state.what}, ${agoText(nowMs - state.atMs)}${ending}`
}

/** The web app has a copy in `text/time.ts`, because it may import only types of core. */
export function agoText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  if (seconds < 1) return 'just now'
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`
  const days = Math.floor(seconds / 86_400)
  return days === 1 ? '1 day ago' : `${days} days ago`
}
