// Time in which the machine gave a process no processor, though its turn had come.
//
// What a process spends on its own work is not among it: a gateway that keeps itself busy is late by its own fault.

/** By a clock of the machine that nobody sets wrong. */
export interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

/** From a deadline to the answer that a caller heard. */
export interface Late {
  readonly lateMs: number
  /** Of that, the time in which the machine did not run those who had to answer. */
  readonly heldUpMs: number
}

const everyMs = 25
/** Shorter ones are the grain of timers. */
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

/** How much of a time some of them cover, what several cover counted once. */
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
