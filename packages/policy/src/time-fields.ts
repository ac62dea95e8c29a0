// The local time of a call, as policies compare it.

export interface TimeFields {
  readonly hour: number
  readonly minute: number
  /** 1 is Monday, 7 is Sunday. */
  readonly weekday: number
  /** Such as 2026-11-17. */
  readonly date: string
}

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const formats = new Map<string, Intl.DateTimeFormat>()

export function timeFields(epochMs: number, timeZone: string): TimeFields {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(epochMs)
      .map(({ type, value }) => [type, value]),
  )
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? ''
  return {
    hour: Number(part('hour')),
    minute: Number(part('minute')),
    weekday: weekdays.indexOf(part('weekday')) + 1,
    date: `${part('year')}-${part('month')}-${part('day')}`,
  }
}

export function isTimeZone(name: string): boolean {
  try {
    return formatOf(name) !== undefined
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  formats.set(timeZone, made)
  return made
}
