// What can be said of an MCP client beyond what it declares: what it really draws, what its "no" means, how long it
// waits.
//
// A declaration says what a client's code understands, not that a person sat in front of it. These traits are facts that
// were observed; who nothing is known about gets the careful ones.

import type { Field } from '@assent/core'

export interface ClientTraits {
  /** As its users call it. */
  readonly title: string
  /** What it shows of a form that it says it can show. */
  readonly form: FormDrawing
  /** Whether it brings a link before a person when it says that it can. */
  readonly showsLinks: boolean
  /** Who says no when it declines or cancels: a person; a person or the program, nobody can tell; the program alone. */
  readonly no: 'person' | 'either' | 'program'
  /** Whether it may accept a form without fields by itself. */
  readonly acceptsEmptyFormByItself: boolean
  readonly patience: Patience
}

export interface FormDrawing {
  /** None where it takes the question and shows nothing. */
  readonly kinds: readonly Field['kind'][]
  /** On one screen; more fields would be shown in part or not at all. */
  readonly fieldsMost: number
}

/** How long it waits for a call, and what makes it wait longer. */
export interface Patience {
  /** Without a word from us; undefined where it sets no limit. */
  readonly quietMs: number | undefined
  /** Progress on its own token, bytes on the stream, a question that it shows itself, or nothing. */
  readonly extendedBy: 'progress' | 'bytes' | 'question' | 'nothing'
  /** Whether it waits without limit for a server on standard input and output. */
  readonly isOfHttpAlone?: true
}

const everyKind: readonly Field['kind'][] = ['text', 'number', 'boolean', 'choice', 'choices']
const portableKinds: readonly Field['kind'][] = ['text', 'boolean', 'choice']

export const drawsAll: FormDrawing = { kinds: everyKind, fieldsMost: 64 }
export const drawsPortable: FormDrawing = { kinds: portableKinds, fieldsMost: 64 }
export const drawsNothing: FormDrawing = { kinds: [], fieldsMost: 0 }

/**
 * For a client that nothing is known about: it is believed to draw what it declares, because refusing to ask would help
 * nobody, but a quick "no" is not believed to be a person's, and it is expected to give up after the SDKs' usual minute.
 */
export const carefulTraits: ClientTraits = {
  title: 'an unknown client',
  form: drawsAll,
  showsLinks: true,
  no: 'either',
  acceptsEmptyFormByItself: true,
  patience: { quietMs: 60_000, extendedBy: 'nothing' },
}
