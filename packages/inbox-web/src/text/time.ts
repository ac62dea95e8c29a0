// Times and durations for people. A space inside a time never breaks across lines.

const space = '\u00a0'
const justNow = `just${space}now`
const secondMs = 1_000
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** Below this a deadline is a running clock. */
const clockBelowMs = 5 * minuteMs

export function ago(ms: number): string {
  if (ms < secondMs) return justNow
  return `${inUnits(ms)}${space}ago`
}

/** For a list, where seconds in every row would distract. */
export function agoShort(ms: number): string {
  return ms < minuteMs ? justNow : ago(ms)
}

/** 4:37, 12 min, 24 h, 2 days. From two hours on, to the nearest hour. */
export function left(ms: number): string {
  const rounded = Math.ceil(Math.max(0, ms) / secondMs) * secondMs
  if (rounded >= 2 * hourMs) {
    const hours = Math.round(rounded / hourMs)
    return hours < 48 ? `${hours}${space}h` : `${Math.floor(hours / 24)}${space}days`
  }
  if (rounded >= clockBelowMs) return inUnits(rounded)
  const seconds = rounded / secondMs
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

export function leftText(ms: number): string {
  return `${left(ms)}${space}left`
}

export function duration(ms: number): string {
  return ms < secondMs ? `less than 1${space}s` : inUnits(ms)
}

/** In the largest unit that fits exactly or at least twice; rounded down. */
function inUnits(ms: number): string {
  if (ms < minuteMs) return `${Math.floor(ms / secondMs)}${space}s`
  if (ms < 2 * hourMs && ms !== hourMs) return `${Math.floor(ms / minuteMs)}${space}min`
  if (ms < 2 * dayMs && ms !== dayMs) return `${Math.floor(ms / hourMs)}${space}h`
  return ms === dayMs ? `1${space}day` : `${Math.floor(ms / dayMs)}${space}days`
}

const hourFormat = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' })
const dayFormat = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' })
const minuteFormat = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
})
const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const dateRangeFormat = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const exactFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** The time of day; on another day, with the date. */
export function atHour(atMs: number, nowMs: number): string {
  const [at, now] = [new Date(atMs), new Date(nowMs)]
  const hour = hourFormat.format(at)
  return at.toDateString() === now.toDateString() ? hour : `${dayFormat.format(at)}, ${hour}`
}

/** In a list of what has ended: the age, after a day the date and time, and from another year only the date. */
export function endedAt(atMs: number, nowMs: number): string {
  if (nowMs - atMs <= dayMs) return agoShort(nowMs - atMs)
  const at = new Date(atMs)
  return (at.getFullYear() === new Date(nowMs).getFullYear() ? minuteFormat : dateFormat).format(at)
}

/** "12 Nov", or "12 – 14 Nov"; `untilMs` is the end, which the range does not include. */
export function dayRange(fromMs: number, untilMs: number): string {
  return dateRangeFormat.formatRange(new Date(fromMs), new Date(untilMs - 1)).replaceAll(' ', space)
}

export function exactly(atMs: number): string {
  return exactFormat.format(new Date(atMs))
}
