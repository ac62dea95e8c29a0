// Hours of the week, such as `mon-fri 09:00-17:00`.

import type { WeekHours } from '@assent/policy'
import type { ValueKind } from './kinds.ts'
import { nearest } from './nearest.ts'

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const timePattern = /^(?<from>(?:[01]\d|2[0-3]):[0-5]\d)-(?<to>(?:[01]\d|2[0-3]):[0-5]\d)$/
const example = 'mon-fri 09:00-17:00'

export const hours: ValueKind<WeekHours> = {
  words: `days and hours, such as \`${example}\``,
  schema: { type: 'string' },
  read: (raw) => {
    const [dayText = '', timeText = '', ...more] = String(raw).trim().toLowerCase().split(/\s+/)
    const [dayFirst, timeFirst] = timePattern.test(dayText) ? [timeText, dayText] : [dayText, timeText]
    const { from, to } = timePattern.exec(timeFirst)?.groups ?? {}
    const problem = `must be days and hours, such as ${example}`
    if (from === undefined || to === undefined || more.length > 0) return { ok: false, problem }
    const weekdays = daysIn(dayFirst)
    if (typeof weekdays === 'string') {
      return { ok: false, problem, ...(weekdays === '' ? {} : { suggestion: `Did you mean ${weekdays}?` }) }
    }
    if (from === to) return { ok: false, problem: 'begin and end at the same time' }
    return { ok: true, value: { days: weekdays, fromMinute: minuteOf(from), toMinute: minuteOf(to) } }
  },
  show: () => example,
}

/** Numbers of weekdays from 1, Monday; or the name of the day that a misspelt one is closest to. */
function daysIn(written: string): number[] | string {
  const all = new Set<number>()
  for (const part of written.split(',')) {
    const [first = '', last = first] = part.split('-')
    const [from, to] = [days.indexOf(first as 'mon'), days.indexOf(last as 'mon')]
    if (from < 0 || to < 0) return nearest((from < 0 ? first : last).slice(0, 3), days) ?? ''
    for (let day = from; ; day = (day + 1) % 7) {
      all.add(day + 1)
      if (day === to) break
    }
  }
  return [...all].sort()
}

function minuteOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
}
