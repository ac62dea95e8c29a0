// Observed behaviour of an MCP client beyond what it declares: what it draws, what its "no" means, how long it waits.
//
// A declaration shows what a client's code understands, not that a person saw the question. Unknown clients get the
// careful traits.

import type { Field } from '@assent/core'

export interface ClientTraits {
  /** The name that its users know. */
  readonly title: string
  /** What it shows of a form that it declares support for. */
  readonly form: FormDrawing
  /** Whether it shows a link to a person when it declares support for links. */
  readonly showsLinks: boolean
  /** Who declines or cancels: always a person; a person or the program, indistinguishably; always the program. */
  readonly no: 'person' | 'either' | 'program'
  /** Whether it may accept a form without fields automatically. */
  readonly acceptsEmptyFormByItself: boolean
  readonly patience: RequestTimeouts
}

export interface FormDrawing {
  /** Empty for a client that accepts the question and shows nothing. */
  readonly kinds: readonly Field['kind'][]
  /** Fields on one screen; more would be shown in part or not at all. */
  readonly fieldsMost: number
}

/** How long it waits for a call, and what extends that time. */
export interface RequestTimeouts {
  /** Timeout without any message from us; undefined if it sets none. */
  readonly quietMs: number | undefined
  /** Progress on its token, bytes on the stream, a question that it shows itself, or nothing. */
  readonly extendedBy: 'progress' | 'bytes' | 'question' | 'nothing'
  /** Whether it waits without limit for a server over stdio. */
  readonly isOfHttpAlone?: true
}

const everyKind: readonly Field['kind'][] = ['text', 'number', 'boolean', 'choice', 'choices']
const portableKinds: readonly Field['kind'][] = ['text', 'boolean', 'choice']

export const drawsAll: FormDrawing = { kinds: everyKind, fieldsMost: 64 }
export const drawsPortable: FormDrawing = { kinds: portableKinds, fieldsMost: 64 }
export const drawsNothing: FormDrawing = { kinds: [], fieldsMost: 0 }

/**
 * For an unknown client: it is assumed to draw what it declares, because not asking would be worse, but a quick "no"
 * does not count as a person's, and it is expected to time out after the SDKs' default of a minute.
 */
export const carefulTraits: ClientTraits = {
  title: 'an unknown client',
  form: drawsAll,
  showsLinks: true,
  no: 'either',
  acceptsEmptyFormByItself: true,
  patience: { quietMs: 60_000, extendedBy: 'nothing' },
}
