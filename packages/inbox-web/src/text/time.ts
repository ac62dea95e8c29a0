// Formats times for people: how long ago, how long until, at what time.

export function ago(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  if (seconds < 1) return 'just now'
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`
  const days = Math.floor(seconds / 86_400)
  return days === 1 ? '1 day ago' : `${days} days ago`
}

/** For a list, where seconds in every row would distract. */
export function agoShort(ms: number): string {
  return ms < 60_000 ? 'just now' : ago(ms)
}

/** 3:12, 1:03:12, 2 days. */
export function left(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000))
  if (seconds >= 2 * 86_400) return `${Math.floor(seconds / 86_400)} days`
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}

/** For a list, where a running clock in every row would distract. */
export function leftShort(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000))
  if (seconds < 120) return `${seconds} s left`
  if (seconds < 2 * 3_600) return `${Math.floor(seconds / 60)} min left`
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3_600)} h left`
  return `${Math.floor(seconds / 86_400)} days left`
}

export function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  if (seconds < 1) return 'less than 1 s'
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.round(seconds / 3_600)} h`
  const days = Math.round(seconds / 86_400)
  return days === 1 ? '1 day' : `${days} days`
}

const hourFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const dayFormat = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' })
const exactFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** The time of day; on another day, with the date. */
export function atHour(atMs: number, nowMs: number): string {
  const [at, now] = [new Date(atMs), new Date(nowMs)]
  const hour = hourFormat.format(at)
  return at.toDateString() === now.toDateString() ? hour : `${dayFormat.format(at)}, ${hour}`
}

export function exactly(atMs: number): string {
  return exactFormat.format(new Date(atMs))
}
