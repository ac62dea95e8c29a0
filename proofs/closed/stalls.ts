// Times in which a process was ready to run but the machine gave it no processor.
//
// The process's own work does not count: a gateway that is busy is late by its own fault.

/** By the monotonic clock, which the proof does not skew. */
export interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

/** From a deadline to the answer that the caller got. */
export interface Late {
  readonly lateMs: number
  /** The part of it in which the machine did not run the processes that had to answer. */
  readonly heldUpMs: number
}

const everyMs = 25
/** Shorter delays are normal timer resolution. */
const leastMs = 10

export function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

export function watchStalls(onStall: (stall: Span) => void): void {
  let at = nowMs()
  let spent = process.cpuUsage()
  const look = () => {
    const untilMs = nowMs()
    const { user, system } = process.cpuUsage(spent)
    const lostMs = untilMs - at - everyMs - (user + system) / 1_000
    if (lostMs >= leastMs) onStall({ fromMs: untilMs - lostMs, untilMs })
    at = untilMs
    spent = process.cpuUsage()
  }
  setInterval(look, everyMs).unref()
}

/** The total length of the stalls within a span; overlapping stalls count once. */
export function stalledMs(stalls: readonly Span[], { fromMs, untilMs }: Span): number {
  const within = stalls.filter((one) => one.untilMs > fromMs && one.fromMs < untilMs)
  let reached = fromMs
  let sum = 0
  for (const one of within.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const end = Math.min(one.untilMs, untilMs)
    sum += Math.max(0, end - Math.max(one.fromMs, reached))
    reached = Math.max(reached, end)
  }
  return sum
}
