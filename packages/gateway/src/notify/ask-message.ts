// What a message says: the id, the title and the link of an ask, and how it ended. No arguments and no answers.

import { type Ask, askView, compact } from '@assent/core'
import { askLink } from '../call/route/ask-link.ts'
import { messageText } from './text/messages.ts'

export type MessageKind = 'raised' | 'expiring' | 'ended'
export type MessageOutcome = 'approved' | 'answered' | 'declined' | 'dismissed' | 'expired' | 'withdrawn'

export interface AskMessage {
  /** The same for every attempt and every channel, so that a receiver recognises a repeated message. */
  readonly id: string
  readonly kind: MessageKind
  readonly askId: string
  /** One line of visible characters. Written by the server that asks, so each channel escapes it. */
  readonly title: string
  readonly link: string
  /** When it happened: the same for every attempt. */
  readonly atMs: number
  readonly expiresAtMs: number
  readonly outcome?: MessageOutcome
}

export interface MessageContext {
  /** The address of the inbox, which the link opens. */
  readonly inboxUrl: string
  readonly remindBeforeMs: number
}

export function askMessage(ask: Ask, kind: MessageKind, { inboxUrl, remindBeforeMs }: MessageContext): AskMessage {
  return {
    id: `${ask.id}_${kind}`,
    kind,
    askId: ask.id,
    title: titleOf(ask),
    link: askLink(inboxUrl, ask.id),
    atMs: happenedAtMs(ask, kind, remindBeforeMs),
    expiresAtMs: ask.decideByMs,
    ...compact({ outcome: outcomeOf(ask) }),
  }
}

/** The first line of a text message. */
export function messageHeading({ kind, outcome }: AskMessage): string {
  const { headings, endings } = messageText
  if (kind === 'ended') return outcome === undefined ? headings.ended : endings[outcome]
  return headings[kind]
}

/** What follows the title; undefined if there is nothing to add. */
export function messageNote({ kind, expiresAtMs }: AskMessage): string | undefined {
  return kind === 'ended' ? undefined : messageText.expiresAt(timeText(expiresAtMs))
}

/**
 * A dot, also as IDNA writes it, between two labels of a host: not in `1.5 GB`, `e.g.` or at the end of a sentence. An ideographic
 * full stop ends a sentence, without a space after it, unless a Latin letter or a digit is before it.
 */
const dotOfHost = /(?:(?<=[^\s\p{P}]|[-_])[.\uFF0E]|(?<=[A-Za-z0-9])[\u3002\uFF61])(?=\p{L}[\p{L}\p{M}])/gu

/**
 * Programs make links of plain addresses: the only link in a message to a person is ours. A space before the dot breaks a host
 * without a scheme too. Whether its last label is a domain is not looked up, so `package.json` becomes `package .json`.
 */
export function titleWithoutLinks({ title }: AskMessage): string {
  return title
    .replaceAll('://', ': //')
    .replaceAll(/\bwww\./gi, (www) => `${www.slice(0, -1)} .`)
    .replaceAll(/\b(?:mailto|tel):/gi, (scheme) => `${scheme.slice(0, -1)} :`)
    .replaceAll(/(?<=\S)@(?=\S)/g, ' @')
    .replaceAll(dotOfHost, ' $&')
}

function happenedAtMs(ask: Ask, kind: MessageKind, remindBeforeMs: number): number {
  if (kind === 'expiring') return ask.decideByMs - remindBeforeMs
  return kind === 'ended' && ask.state.kind !== 'open' ? ask.state.atMs : ask.raisedAtMs
}

/** As in the list of the inbox: one line, invisible characters escaped. Drawn for no person in particular. */
function titleOf(ask: Ask): string {
  return askView(ask, { principal: '', groups: [] }, { nameOf: () => '', describe: () => ({}) }).headline
}

function outcomeOf({ state, question }: Ask): MessageOutcome | undefined {
  if (state.kind === 'open') return undefined
  if (state.kind !== 'settled') return state.kind
  if (state.answer.action === 'accept') return question.kind === 'approval' ? 'approved' : 'answered'
  return state.answer.action === 'decline' ? 'declined' : 'dismissed'
}

/** `2026-07-28 12:10` in UTC: a receiver's time zone is unknown. */
function timeText(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')
}
