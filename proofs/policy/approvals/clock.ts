/** The clock of a store; it moves only when it is set. */
export interface Clock {
  nowMs: number
}
