// What a person has written and not sent, kept in this browser: it survives a reload, a restart and the end of the ask.
//
// Secrets have their own form, which keeps nothing. A draft belongs to its question, so that it can be offered when the same
// question is asked again, and to the person who wrote it: several people may use one browser. It is deleted when the question
// is answered, on sign-out, when another person signs in, or after two weeks.

import type { AskView } from '@assent/core'
import type { FieldValue, FormValues } from './form-values.ts'

export interface Draft {
  /** The principal of the person. */
  readonly owner: string
  readonly askId: string
  readonly comment: string
  readonly values: readonly (readonly [name: string, value: FieldValue])[]
  readonly atMs: number
}

const storageKey = 'assent-drafts'
const draftsMost = 30
const keptMs = 14 * 24 * 60 * 60_000

export function readDraft(owner: string, ask: AskView): Draft | undefined {
  const draft = new Map(stored()).get(questionKey(ask))
  return draft?.owner === owner ? draft : undefined
}

export function writeDraft(owner: string, ask: AskView, comment: string, values: FormValues): void {
  const draft = { owner, askId: ask.id, comment, values: [...values], atMs: Date.now() }
  store([[questionKey(ask), draft], ...stored().filter(([key]) => key !== questionKey(ask))])
}

export function deleteDraft(ask: AskView): void {
  store(stored().filter(([key]) => key !== questionKey(ask)))
}

/** Deletes those of other people. */
export function keepDraftsOf(person: string): void {
  const all = stored()
  if (all.some(([, { owner }]) => owner !== person)) store(all.filter(([, { owner }]) => owner === person))
}

export function deleteDrafts(): void {
  localStorage.removeItem(storageKey)
}

/** The same for the same question of the same asker, whatever the id of the ask is. */
function questionKey({ asker, caller, headline, question }: AskView): string {
  const fields = question.kind === 'form' ? question.fields.map(({ kind, name }) => [kind, name]) : []
  // A title of ours is the same for different questions about one tool.
  const [firstLine] = (question.claim ?? '').trim().split('\n', 1)
  return JSON.stringify([asker.server, asker.tool ?? '', caller?.folder ?? '', headline, firstLine, fields])
}

type Stored = readonly (readonly [key: string, draft: Draft])[]

function stored(): Stored {
  try {
    const all = JSON.parse(localStorage.getItem(storageKey) ?? '[]') as Stored
    return all.filter(([, { atMs }]) => Date.now() - atMs < keptMs)
  } catch {
    // Written by another version, or storage is not allowed: there are no drafts.
    return []
  }
}

function store(drafts: Stored): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(drafts.slice(0, draftsMost)))
  } catch {
    // Storage is full or not allowed: the draft is only in the page.
  }
}
