// How a checkpoint asks: one decision to choose, and a note the person may add, in one form where that is allowed.
//
// A plan may mention passwords. A form that mentions them and has a text field is refused everywhere, because it could ask
// for one. Such a plan is shown with the choice alone, and the note is asked for afterwards in a form without the plan.

import {
  choice,
  compact,
  type ErrorCode,
  type FieldSpec,
  form,
  isAssentError,
  screenForSecrets,
  text,
} from '@assent/core'
import type { Ask } from '@assent/sdk'
import { askForm } from '../ask-form.ts'
import { commentMember, commentSentence } from '../ending.ts'
import { toolLimits } from '../limits.ts'
import { checkpointText } from '../text/record.ts'

interface Deciding<D extends string> {
  readonly message: string
  /** The part of the message that Assent checked itself. */
  readonly checked?: string
  readonly decisions: Readonly<Record<D, string>>
  /** Boxes that may be ticked next to the choice. */
  readonly ticks?: Readonly<Record<string, FieldSpec<boolean>>>
  readonly note: {
    readonly name: string
    /** Where the form has no note field: the decisions after which the note is asked for. */
    readonly neededFor: readonly D[]
  }
}

export interface Decided<D extends string> {
  readonly decision: D
  /** The text of the note field, or the person's comment if that field is empty. */
  readonly note: string
  readonly comment?: string
  readonly ticked: Readonly<Record<string, boolean>>
}

export async function decide<const D extends string>(ask: Ask, deciding: Deciding<D>): Promise<Decided<D>> {
  const { message, checked, decisions, ticks = {}, note } = deciding
  const noteField = text({ title: checkpointText.comment, maxLength: toolLimits.noteChars, required: false })
  const chosen = { decision: choice<D>(decisions, { title: checkpointText.decision }), ...ticks }
  const whole = form({ ...chosen, [note.name]: noteField })
  const isAllowed = screenForSecrets(whole.fields, message).length === 0
  const { content, comment } = await askForm(ask, {
    message,
    form: isAllowed ? whole : form(chosen),
    risk: 'notable',
    ...compact({ checked }),
  })
  const answer = content as Readonly<Record<string, unknown>>
  const decision = answer.decision as D
  const ticked = Object.fromEntries(Object.keys(ticks).map((name) => [name, answer[name] === true]))
  const written = isAllowed ? noteIn(answer, note.name) : ''
  if (isAllowed || comment !== undefined || !note.neededFor.includes(decision)) {
    return { decision, ticked, ...noteOf(written, comment) }
  }
  const later = await noteAlone(ask, checkpointText.whatToChange, note.name, noteField)
  return { decision, ticked, ...later }
}

/** The decision is already made: if the person does not answer this question, there is no note. */
async function noteAlone(ask: Ask, message: string, name: string, field: FieldSpec<string>): Promise<Note> {
  try {
    const { content, comment } = await askForm(ask, { message, form: form({ [name]: field }) })
    return noteOf(noteIn(content as Readonly<Record<string, unknown>>, name), comment)
  } catch (error) {
    if (!isAssentError(error) || !withoutNote.includes(error.code)) throw error
    return noteOf('', error.comment)
  }
}

type Note = Pick<Decided<string>, 'note' | 'comment'>

const withoutNote: readonly ErrorCode[] = ['declined', 'cancelled', 'timed_out']

/** A card may have one text box only, so a comment without a note is the note. */
function noteOf(written: string, comment: string | undefined): Note {
  return { note: written === '' ? (comment?.trim() ?? '') : written, ...commentMember(comment) }
}

function noteIn(answer: Readonly<Record<string, unknown>>, name: string): string {
  return String(answer[name] ?? '').trim()
}

/** What the person added, as a sentence after another one; nothing when they added nothing. */
export function remarkOf({ note, comment }: Note): string {
  return commentSentence(note, comment?.trim())
}

/** What the person added, at the end of a line of the completion file. */
export function addedOf({ note, comment = '' }: Note): string {
  const texts = [...new Set([note, comment.trim()])].filter((text) => text !== '')
  return texts.length === 0 ? '.' : `: ${texts.join(' / ')}`
}
