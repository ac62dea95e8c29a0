// How a checkpoint asks: one decision to choose, and something the person may add, in one form where that is allowed.
//
// A plan may speak of passwords, and a form with a line to write in that speaks of them is refused everywhere, rightly.
// Such a plan is shown with the choice alone, and what the person wants to add is asked for afterwards, without it.

import { type ContentOf, choice, form, type Part, screenForSecrets, text } from '@assent/core'
import type { Ask } from '@assent/sdk'
import { toolLimits } from '../limits.ts'

interface Deciding<D extends string> {
  readonly message: string
  readonly decisions: Readonly<Record<D, string>>
  /** What may be ticked beside the choice. */
  readonly ticks?: Readonly<Record<string, Part<boolean>>>
  readonly note: {
    readonly name: string
    readonly title: string
    /** Asked for afterwards, if the note could not stand in the form, when one of these was chosen. */
    readonly neededFor: readonly D[]
  }
}

export interface Decided<D extends string> {
  readonly decision: D
  readonly note: string
  readonly ticked: Readonly<Record<string, boolean>>
}

export async function decide<const D extends string>(ask: Ask, deciding: Deciding<D>): Promise<Decided<D>> {
  const { message, decisions, ticks = {}, note } = deciding
  const noteField = text({ title: note.title, maxLength: toolLimits.noteChars, required: false })
  const chosen = { decision: choice<D>(decisions, { title: 'Decision' }), ...ticks }
  const whole = form({ ...chosen, [note.name]: noteField })
  const isAllowed = screenForSecrets(whole.fields, message).length === 0
  const answer = (await ask.form(message, isAllowed ? whole : form(chosen), { risk: 'notable' })) as ContentOf<
    typeof whole
  > &
    Readonly<Record<string, unknown>>
  const decision = answer.decision as D
  const isNoteWanted = !isAllowed && note.neededFor.includes(decision)
  const added = isNoteWanted ? await ask.form(`${note.title}?`, form({ [note.name]: noteField })) : answer
  const ticked = Object.fromEntries(Object.keys(ticks).map((name) => [name, answer[name] === true]))
  return { decision, note: String((added as Readonly<Record<string, unknown>>)[note.name] ?? '').trim(), ticked }
}

/** What the person added, as a sentence after another one; nothing when they added nothing. */
export function remarkOf(note: string): string {
  return note === '' ? '' : ` They say: "${note}"`
}
