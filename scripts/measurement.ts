// What a proof or a bench is: something that runs at full or quick size and ends with one figure.

export interface MeasureOptions {
  /** The form that CI runs: the same checks, under a minute. */
  readonly quick: boolean
  readonly seed: number
}

export interface Verdict {
  readonly reached: boolean
  /** One line, the last one printed. */
  readonly figure: string
}

export type Measurement = (options: MeasureOptions) => Promise<Verdict>
