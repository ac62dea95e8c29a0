// Answers that were refused after the person had left their card: for the list, and for the card when it is opened again.
//
// Owns: these refusals, one per ask, until the person has seen the card, answers again or is signed out. In memory only, because what was
// written may look like a secret.

import type { ButtonView, InboxProblem } from '@assent/core'
import { useSyncExternalStore } from 'react'
import type { Written } from './answer-of.ts'

export interface MissedRefusal {
  readonly askId: string
  readonly headline: string
  readonly button: ButtonView
  readonly problem: InboxProblem
  /** What looked like a secret; no draft contains it. */
  readonly flagged?: Written | undefined
}

let missed: readonly MissedRefusal[] = []
const listeners = new Set<() => void>()

export function recordMissed(refusal: MissedRefusal): void {
  set([...missed.filter(({ askId }) => askId !== refusal.askId), refusal])
}

export function dropMissed(id: string): void {
  if (missed.some(({ askId }) => askId === id)) set(missed.filter(({ askId }) => askId !== id))
}

/** For when the person is signed out: another one may sign in. */
export function dropAllMissed(): void {
  set([])
}

export function useMissedRefusals(): readonly MissedRefusal[] {
  return useSyncExternalStore(subscribe, () => missed)
}

function set(next: readonly MissedRefusal[]): void {
  missed = next
  for (const notify of listeners) notify()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
