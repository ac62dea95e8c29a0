// The interface of proofs and benches: a run of full or quick size that returns one figure.

export interface MeasureOptions {
  /** A short form: the same checks, under a minute. */
  readonly quick: boolean
  readonly seed: number
  /** The gateway program of another checkout, to be measured in the same run; only `relay` uses it. */
  readonly against?: string
}

export interface Verdict {
  readonly reached: boolean
  /** One line, the last line of output. */
  readonly figure: string
}

export type Measurement = (options: MeasureOptions) => Promise<Verdict>
