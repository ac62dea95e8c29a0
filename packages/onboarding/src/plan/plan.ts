// A plan: the exact bytes of every file after the migration, and the exact files it was made from.
//
// It contains no time and nothing random, so that the same repository gives the same plan and the same digests.

import { digestOf } from '@assent/core'
import { bytesDigest } from '../disk/bytes-digest.ts'
import type { InstructionFile } from '../files/discover.ts'

export interface Edit {
  readonly path: string
  /** Null if the file is created. */
  readonly before: { readonly digest: string; readonly mode: number } | null
  /** Null if the file is deleted. */
  readonly after: { readonly digest: string; readonly mode: number; readonly text: string } | null
  readonly why: string
}

/** One file that the plan was made from, as it was. */
export interface Input {
  readonly path: string
  readonly is: 'text' | 'closed' | 'link' | 'stray'
  /** The digest of its bytes; of a link, where it points. */
  readonly was: string
  readonly mode: number
}

export interface LeftAlone {
  readonly path: string
  readonly why: string
}

export interface Plan {
  readonly edits: readonly Edit[]
  readonly inputs: readonly Input[]
  readonly left: readonly LeftAlone[]
  /** For each contradiction that was decided, the line that counts. */
  readonly decided: Readonly<Record<string, string>>
}

export function inputOf({ path, body }: InstructionFile): Input {
  switch (body.is) {
    case 'text':
    case 'closed':
      return { path, is: body.is, was: body.digest, mode: body.mode }
    case 'link':
    case 'stray':
      return { path, is: body.is, was: body.target, mode: 0 }
  }
}

/** Covers everything that will be written; of each text, its digest. */
export function planDigest({ edits, left, decided }: Plan): string {
  return digestOf('onboarding plan v1', {
    edits: edits.map(({ path, before, after, why }) => ({
      path,
      // Shown to the person who decides.
      why,
      before: before === null ? null : { digest: before.digest, mode: before.mode },
      // From the text itself, so that a plan whose text was changed has another digest whatever it claims.
      after: after === null ? null : { digest: bytesDigest(Buffer.from(after.text, 'utf8')), mode: after.mode },
    })),
    left: left.map(({ path, why }) => ({ path, why })),
    decided: { ...decided },
  })
}

export function inputsDigest(inputs: readonly Input[]): string {
  return digestOf(
    'onboarding files v1',
    inputs.map(({ path, is, was, mode }) => ({ path, is, was, mode })),
  )
}
