// Takes the parts of a field's draft one by one, each as the type it has to be; what is of another type becomes a
// problem and reads as not said.
import { formLimits } from '../limits.ts'
import type { ProblemCode, Problems } from './problems.ts'

export interface OptionDraft {
  readonly value: unknown
  readonly label?: unknown
}

export interface Draft {
  readonly kind: unknown
  /** In the words of form.ts: `min`, not `minimum`. */
  readonly parts: ReadonlyMap<string, unknown>
  /** Empty for the kinds that have none. */
  readonly options: readonly OptionDraft[]
  /** Set for schemas of other programs: a default that does not fit only means that nothing is suggested. */
  readonly dropsBadDefault?: true
  /** Where the field, or one part of it, stands in the source. */
  readonly path: (part?: string, index?: number) => string
}

export class Taker {
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

  /** Whole numbers too large to be exact pass as bounds: other languages write the ends of their integers here. */
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
    const match = known.find((word) => word === value)
    return match ?? this.refuse(part, 'unsupported', `This must be one of ${known.join(', ')}.`)
  }

  /** An exclusive bound: of whole numbers too it need not be whole. */
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
    // The length is known at once; a text that is too long is not walked.
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
