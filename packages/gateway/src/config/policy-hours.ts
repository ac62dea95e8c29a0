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
    const text = String(raw).trim().toLowerCase()
    const problem = `must be days and hours, such as ${example}`
    const { days: dayText, from, to } = partsOf(text)
    if (from === undefined || to === undefined) return { ok: false, problem, ...meantHours(text) }
    const weekdays = daysIn(dayText)
    if (typeof weekdays === 'string') {
      return { ok: false, problem, ...(weekdays === '' ? {} : { suggestion: `Did you mean ${weekdays}?` }) }
    }
    if (from === to) {
      return { ok: false, problem: 'begin and end at the same time', suggestion: 'For whole days, write two policies.' }
    }
    return { ok: true, value: { days: weekdays, fromMinute: minuteOf(from), toMinute: minuteOf(to) } }
  },
  show: () => example,
}

/** Days and times in any order; no times if the text is not of this form. */
function partsOf(text: string): { readonly days: string; readonly from?: string; readonly to?: string } {
  const [first = '', second = '', ...more] = text.split(/\s+/)
  const [days, times] = timePattern.test(first) ? [second, first] : [first, second]
  return { days, ...(more.length === 0 ? timePattern.exec(times)?.groups : {}) }
}

/** What was meant by hours without minutes, without a leading zero, until 24:00, or without days. */
function meantHours(text: string): { readonly suggestion?: string } {
  const clock = (hour = '', minute = '00') => `${hour.padStart(2, '0').replace('24', '00')}:${minute}`
  const times = /(\d{1,2})(?::(\d{2}))?\s*-\s*(\d{1,2})(?::(\d{2}))?/
  const padded = text.replace(times, (_, from, fromMinute, to, toMinute) => {
    return `${clock(from, fromMinute)}-${clock(to, toMinute)}`
  })
  const meant = [padded, `mon-sun ${padded}`].find((one) => {
    const { days: dayText, from } = partsOf(one)
    return from !== undefined && typeof daysIn(dayText) !== 'string'
  })
  return meant === undefined ? {} : { suggestion: `Did you mean ${meant}?` }
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
