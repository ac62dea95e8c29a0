// How old an ask is and how long it stays open, short enough for a list column.

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

export function ageInWords(ms: number): string {
  if (ms < second) return 'now'
  if (ms < minute) return `${Math.floor(ms / second)} s`
  if (ms < hour) return `${Math.floor(ms / minute)} min`
  if (ms < day) return `${Math.floor(ms / hour)} h`
  return `${Math.floor(ms / day)} d`
}

/** To the second while that matters. */
export function leftInWords(ms: number): string {
  if (ms <= 0) return '0:00'
  if (ms >= day) return `${Math.floor(ms / day)} d`
  const [hours, minutes, seconds] = [Math.floor(ms / hour), Math.floor(ms / minute) % 60, Math.floor(ms / second) % 60]
  const two = (count: number) => String(count).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`
}
