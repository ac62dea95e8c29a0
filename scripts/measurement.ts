// The interface of proofs and benches: a run of full or quick size that returns one figure.

export interface MeasureOptions {
  /** A short form: the same checks, under a minute. */
  readonly quick: boolean
  readonly seed: number
  /** The gateway program of another checkout, to be measured in the same run; only `relay` uses it. */
  readonly against?: string
}

/** One number of a run and its limit. Exactly one of `most` and `least` is given. */
export interface Goal {
  /** What was measured, such as "one decision, median". */
  readonly what: string
  readonly value: number
  /** Such as `ms`; empty for a ratio. */
  readonly unit: string
  readonly most?: number
  readonly least?: number
}

/** Written so that NaN is never within a limit. */
export function isMet({ value, most = Number.POSITIVE_INFINITY, least = Number.NEGATIVE_INFINITY }: Goal): boolean {
  return value <= most && value >= least
}

export interface Verdict {
  readonly reached: boolean
  /** The numbers with a limit, for the page of figures. */
  readonly goals?: readonly Goal[]
  /** One line, the last line of output. */
  readonly figure: string
}

export type Measurement = (options: MeasureOptions) => Promise<Verdict>
