// The statistics.

import { duration } from './time.ts'

/** A shorter time is given as this. */
const shortestMs = 1_000

export const statisticsText = {
  title: 'Statistics',
  period: 'Period',
  spans: { week: '7 days', month: '30 days', year: '1 year' },
  none: 'No ask that you can see ended in this period.',
  cut: (count: number) => `There were more. Only the newest ${count.toLocaleString()} are counted.`,
  bar: 'Bar',
  trend: {
    question: 'How many questions were there, and when?',
    answer: 'By the day on which they were asked.',
    columns: ['Asked', 'Asks'] as const,
  },
  waits: {
    question: 'How long do people take to answer?',
    noAnswers: 'No answers yet.',
    median: (ms: number) => `Half of the answers arrived within ${duration(ms)}.`,
    columns: ['Answered', 'Asks'] as const,
    range: (fromMs: number | undefined, underMs: number | undefined) => {
      if (fromMs === undefined) return `under ${duration(underMs ?? 0)}`
      return underMs === undefined ? `over ${duration(fromMs)}` : `${duration(fromMs)} to ${duration(underMs)}`
    },
  },
  outcomes: {
    question: 'How do asks end?',
    answer: (counted: number, yes: number, no: number) => `Of ${counted}, ${yes} ended with a yes and ${no} with a no.`,
    columns: ['Outcome', 'Asks'] as const,
    share: (count: number, counted: number) => `${count} (${Math.round((100 * count) / counted)}%)`,
  },
  tools: {
    question: 'Which tools get a yes?',
    columns: ['Tool', 'Yes'] as const,
    legend: {
      yes: 'Yes, approved',
      no: 'No, declined, cancelled, changes requested',
      other: 'Other, no answer',
    },
    name: (server: string, tool: string | undefined) => (tool === undefined ? server : `${server} · ${tool}`),
    share: (yes: number, total: number) => `${yes} of ${total}`,
    least: (name: string, rate: number) => `${name} is approved least often: ${Math.round(100 * rate)}% of the time.`,
    /** Where it does not fit on a line, it breaks after the share. */
    took: (share: string, medianMs: number | undefined) =>
      medianMs === undefined ? share : `${share} (half\u00a0within\u00a0${duration(Math.max(shortestMs, medianMs))})`,
    tooFew: 'A comparison needs at least three decisions for a tool.',
  },
  policies: {
    question: 'Which policies get a yes?',
    columns: ['Policy', 'Yes'] as const,
    answer: 'Asks that a policy requires.',
    rubberStamp: (names: readonly string[]) =>
      `${names.map((name) => `“${name}”`).join(', ')}: every ask was approved within two seconds, which is too fast to read it. Ask less often, require a comment, or allow calls that need no review.`,
  },
  people: {
    question: 'Who answers, and how?',
    columns: ['Person', 'Yes'] as const,
    answer: 'Counted for the person whose answer ended the ask.',
  },
}
