// Answers that the person can still undo. Each is sent when its time has passed; closing the page sends none of them.
//
// They belong to the page and not to a card, because the person may open another card meanwhile.

import type { ButtonView } from '@assent/core'
import { useSyncExternalStore } from 'react'

export interface HeldAnswer {
  readonly button: ButtonView
  /** By the clock of `performance`. */
  readonly sendsAtMs: number
}

const held = new Map<string, HeldAnswer & { readonly timer: number }>()
const listeners = new Set<() => void>()

export function holdAnswer(askId: string, button: ButtonView, forMs: number, send: () => void): void {
  undoAnswer(askId)
  const timer = window.setTimeout(() => {
    undoAnswer(askId)
    send()
  }, forMs)
  held.set(askId, { button, sendsAtMs: performance.now() + forMs, timer })
  notify()
}

export function undoAnswer(askId: string): void {
  window.clearTimeout(held.get(askId)?.timer)
  if (held.delete(askId)) notify()
}

/** For when the person is signed out. */
export function undoAllAnswers(): void {
  for (const askId of [...held.keys()]) undoAnswer(askId)
}

export function useHeldAnswer(askId: string): HeldAnswer | undefined {
  return useSyncExternalStore(subscribe, () => held.get(askId))
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

function notify(): void {
  for (const listener of listeners) listener()
}
