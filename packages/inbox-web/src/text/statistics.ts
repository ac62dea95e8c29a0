// The statistics.

import { duration } from './time.ts'

export const statisticsText = {
  title: 'Statistics',
  period: 'Period',
  spans: { week: '7 days', month: '30 days', year: '1 year' },
  none: 'No ask that you can see ended in this period.',
  cut: (count: number) => `There were more. Only the newest ${count.toLocaleString()} are counted.`,
  bar: 'Bar',
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
      other: 'Other answers, no answer',
    },
    name: (server: string, tool: string | undefined) => (tool === undefined ? server : `${server} · ${tool}`),
    share: (yes: number, total: number) => `${yes} of ${total}`,
    least: (name: string, rate: number) => `${name} is approved least often: ${Math.round(100 * rate)}% of the time.`,
    tooFew: 'A comparison needs at least three decisions for a tool.',
  },
}
