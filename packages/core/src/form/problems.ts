// The problems of a form: a path, a code and a reason each. Their number is limited, so that the report on a hostile
// schema stays small.

import { formLimits } from '../limits.ts'

export type ProblemCode =
  /** Not the type or the text it has to be. */
  | 'malformed'
  /** Beyond the subset that forms may use. */
  | 'unsupported'
  | 'too_large'
  /** Two rules that cannot both hold. */
  | 'contradictory'

export interface FormProblem {
  /** A JSON pointer into the schema, with long names cut short. */
  readonly path: string
  readonly reason: string
  readonly code: ProblemCode
}

export class Problems {
  readonly found: FormProblem[] = []
  #count = 0

  /** Continues to count when the report is full. */
  get count(): number {
    return this.#count
  }

  get full(): boolean {
    return this.found.length >= formLimits.problems
  }

  add(path: string, code: ProblemCode, reason: string): void {
    this.#count += 1
    if (!this.full) this.found.push({ path, reason, code })
  }
}

const shownChars = 40

/** An untrusted name for use in a message: short, and without broken characters. */
export function shortened(name: string): string {
  const shown = name.length > shownChars ? `${name.slice(0, shownChars)}…` : name
  return shown.toWellFormed()
}

/** https://www.rfc-editor.org/rfc/rfc6901 */
export function pointer(...steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${shortened(String(step)).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
