// How old an ask is and how long it stays open, short enough for a column of a list.

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
/** Below this a deadline is a running clock. */
const clockBelow = 5 * minute

export function ageInWords(ms: number): string {
  if (ms < second) return 'now'
  if (ms < minute) return `${Math.floor(ms / second)} s`
  if (ms < hour) return `${Math.floor(ms / minute)} min`
  if (ms < day) return `${Math.floor(ms / hour)} h`
  return `${Math.floor(ms / day)} d`
}

/** 4:37, 12 min, 24 h, 2 d, as in the web inbox. From two hours on, to the nearest hour. */
export function leftInWords(ms: number): string {
  const rounded = Math.ceil(Math.max(0, ms) / second) * second
  if (rounded >= 2 * hour) {
    const hours = Math.round(rounded / hour)
    return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`
  }
  if (rounded >= clockBelow) return `${Math.floor(rounded / minute)} min`
  const seconds = rounded / second
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
