// Reads the parts of a field's draft, each as the type that it must have. A part of another type is reported as a
// problem and read as absent.
import { formLimits } from '../limits.ts'
import type { ProblemCode, Problems } from './problems.ts'

export interface OptionDraft {
  readonly value: unknown
  readonly label?: unknown
}

export interface Draft {
  readonly kind: unknown
  /** Under the names of form.ts: `min`, not `minimum`. */
  readonly parts: ReadonlyMap<string, unknown>
  /** Empty for the kinds that have none. */
  readonly options: readonly OptionDraft[]
  /** Set for schemas of other programs: an invalid default is dropped instead of reported as a problem. */
  readonly dropsBadDefault?: true
  /** The path of the field, or of one part of it, in the source. */
  readonly path: (part?: string, index?: number) => string
}

export class DraftReader {
  readonly #draft: Draft
  readonly #problems: Problems

  constructor(draft: Draft, problems: Problems) {
    this.#draft = draft
    this.#problems = problems
  }

  refuse(part: string | undefined, code: ProblemCode, reason: string, index?: number): undefined {
    this.#problems.add(this.#draft.path(part, index), code, reason)
  }

  text(part: string, maxChars: number): string | undefined {
    const value = this.#draft.parts.get(part)
    return value === undefined ? undefined : this.#text(value, part, maxChars)
  }

  flag(part: string): boolean | undefined {
    const value = this.#draft.parts.get(part)
    if (value === undefined || typeof value === 'boolean') return value
    return this.refuse(part, 'malformed', 'This must be true or false.')
  }

  /** A number of characters or of items. */
  count(part: string): number | undefined {
    const value = this.#draft.parts.get(part)
    if (value === undefined) return undefined
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return withoutMinusZero(value)
    return this.refuse(part, 'malformed', 'This must be a whole number, 0 or more.')
  }

  /** Bounds may be too large to be exact, because other languages write the limits of their integer types here. */
  number(part: string, whole: boolean): number | undefined {
    const value = this.#draft.parts.get(part)
    if (value === undefined) return undefined
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      return this.refuse(part, 'malformed', 'This must be a number.')
    }
    if (whole && !Number.isInteger(value)) {
      return this.refuse(part, 'contradictory', 'A whole-number field needs whole-number bounds.')
    }
    return withoutMinusZero(value)
  }

  oneOf<T extends string>(part: string, known: readonly T[]): T | undefined {
    const value = this.#draft.parts.get(part)
    if (value === undefined) return undefined
    const match = known.find((name) => name === value)
    return match ?? this.refuse(part, 'unsupported', `This must be one of ${known.join(', ')}.`)
  }

  /** An exclusive bound, which need not be whole even for whole numbers. */
  bound(part: string): number | undefined {
    return this.number(part, false)
  }

  options(): readonly OptionDraft[] {
    const drafts = this.#draft.options
    if (drafts.length === 0) this.refuse('options', 'contradictory', 'There is nothing to choose from.')
    return drafts
  }

  /** The value or the label of one option. */
  option(value: unknown, index: number): string | undefined {
    if (value === '') return this.refuse('options', 'malformed', 'An option is empty.', index)
    return this.#text(value, 'options', formLimits.optionChars, index)
  }

  refuseCrossed(part: string, least: number | undefined, most: number | undefined): void {
    if (least === undefined || most === undefined || least <= most) return
    this.refuse(part, 'contradictory', `Nothing can be at least ${least} and at most ${most}.`)
  }

  #text(value: unknown, part: string, maxChars: number, index?: number): string | undefined {
    if (typeof value !== 'string') return this.refuse(part, 'malformed', 'This must be text.', index)
    // First, because it is cheap: a text that is too long is not scanned.
    if (value.length > maxChars) {
      return this.refuse(part, 'too_large', `This may have ${maxChars} characters at most.`, index)
    }
    if (value.isWellFormed()) return value
    return this.refuse(part, 'malformed', 'This contains a broken character.', index)
  }
}

function withoutMinusZero(value: number): number {
  return value === 0 ? 0 : value
}
