// Measures the inbox with the real program on PostgreSQL, a real browser, and a real client and server.
//
// From the click until the tool continues; from the question to the row on an open page; the first page with ten and with
// ten thousand asks, in turns; frames while the list is scrolled; and the script of the first load.

import { randomBytes } from 'node:crypto'
import { type AskDraft, newId, soleApprover } from '@assent/core'
import type { Store } from '@assent/store'
import type { Browser, Page } from 'playwright-core'
import { type Goal, isMet, type Measurement } from '../../scripts/measurement.ts'
import { aBrowser } from '../../test-kit/chromium.ts'
import { createGatewayProcess, type GatewayProcess } from '../../test-kit/gateway/gateway-process.ts'
import { retried } from '../../test-kit/retried.ts'
import { median, quantile } from '../store/figures.ts'
import { answer, aPage, firstRowMs, type Scrolled, scriptBytes, scroll, seenAt } from './page.ts'
import { type AskingTool, aMuteClient, anAskingTool } from './server.ts'

interface Sizes {
  readonly answers: number
  readonly many: number
  readonly loads: number
  readonly scrollMs: number
  readonly resumeMsMost: number
  readonly visibleMsMost: number
  readonly ratioMost: number
  /** 95 of 100 frames take at most the first value, and none longer than the second. */
  readonly frameMsMost: number
  readonly longestFrameMsMost: number
}

/** The quick form runs on a busy machine: its limits find what is broken, not what is slower. */
const sizes: Record<'full' | 'quick', Sizes> = {
  full: {
    answers: 150,
    many: 10_000,
    loads: 15,
    scrollMs: 10_000,
    resumeMsMost: 100,
    visibleMsMost: 300,
    ratioMost: 1.5,
    frameMsMost: 34,
    longestFrameMsMost: 250,
  },
  quick: {
    answers: 8,
    many: 2_000,
    loads: 3,
    scrollMs: 2_000,
    resumeMsMost: 1_500,
    visibleMsMost: 3_000,
    ratioMost: 4,
    frameMsMost: 200,
    longestFrameMsMost: 3_000,
  },
}
const few = 10
const warmAnswers = 3
const scriptBytesMost = 220_000

export const run: Measurement = async ({ quick }) => {
  const size = sizes[quick ? 'quick' : 'full']
  const tool = await anAskingTool()
  const browser = await aBrowser()
  try {
    const answering = await withGateway(tool, async (gateway) => {
      const bytes = await scriptBytes(browser, await gateway.link())
      return { bytes, ...(await answers(gateway, tool, browser, size.answers)) }
    })
    const loading = await lists(tool, browser, size)
    const figures = { ...answering, ...loading }
    const goals = goalsOf(figures, size)
    const short = goals.filter((goal) => !isMet(goal))
    for (const { what, value, most } of short)
      console.log(`inbox: limit exceeded: ${what}: ${value.toFixed(1)}, at most ${most}`)
    return { reached: short.length === 0, goals, figure: figureOf(figures, size) }
  } finally {
    await browser.close()
    tool.close()
  }
}

interface Figures {
  readonly bytes: number
  readonly resumeMs: readonly number[]
  readonly visibleMs: readonly number[]
  readonly fewMs: number
  readonly manyMs: number
  readonly scrolled: Scrolled
}

async function withGateway<T>(tool: AskingTool, measure: (gateway: GatewayProcess) => Promise<T>): Promise<T> {
  const gateway = await createGatewayProcess(
    `asks: { surfaces: [client, inbox] }\nservers: { bench: { url: "${tool.url}" } }`,
  )
  try {
    await gateway.start()
    return await measure(gateway)
  } finally {
    await gateway.close()
  }
}

async function answers(gateway: GatewayProcess, tool: AskingTool, browser: Browser, count: number) {
  const { context, page } = await aPage(browser, await gateway.link())
  const client = await aMuteClient(gateway.mcp)
  const resumeMs: number[] = []
  const visibleMs: number[] = []
  try {
    for (let at = -warmAnswers; at < count; at++) {
      const message = `Which region for number ${at + warmAnswers}?`
      const calling = client.callTool({ name: 'ask', arguments: { message } })
      // Awaited below; until then an error must not be reported as unhandled.
      calling.catch(() => undefined)
      const visibleAt = await seenAt(page, message)
      const clickedAt = await answer(page, message)
      await calling
      const moments = tool.moments.get(message)
      if (moments?.resumedAt === undefined) throw new Error('The tool did not continue.')
      if (at < 0) continue
      resumeMs.push(moments.resumedAt - clickedAt)
      visibleMs.push(visibleAt - moments.askedAt)
    }
  } finally {
    await client.close()
    await context.close()
  }
  console.log(`inbox: click until the tool continues: ${spread(resumeMs)}`)
  console.log(`inbox: question to the row on an open page: ${spread(visibleMs)}`)
  return { resumeMs, visibleMs }
}

/** Two gateways at once, measured in turns, so that changes in the machine's load affect both. */
async function lists(tool: AskingTool, browser: Browser, size: Sizes) {
  return withGateway(tool, (small) =>
    withGateway(tool, async (large) => {
      await raise(small.store, few)
      await raise(large.store, size.many)
      const pages = [await aPage(browser, await small.link()), await aPage(browser, await large.link())] as const
      const [fewSample, manySample]: [number[], number[]] = [[], []]
      for (let turn = 0; turn <= size.loads; turn++) {
        const one = await firstRowMs(pages[0].page, small.url)
        const other = await firstRowMs(pages[1].page, large.url)
        // The first of each warms up caches.
        if (turn > 0) fewSample.push(one)
        if (turn > 0) manySample.push(other)
      }
      console.log(`inbox: first row with ${few} asks: ${spread(fewSample)}`)
      console.log(`inbox: first row with ${size.many} asks: ${spread(manySample)}`)
      const scrolled = await scrollDown(pages[1].page, size.scrollMs)
      for (const { context } of pages) await context.close()
      return { fewMs: median(fewSample), manyMs: median(manySample), scrolled }
    }),
  )
}

async function scrollDown(page: Page, forMs: number): Promise<Scrolled> {
  await page.waitForTimeout(1_000)
  const scrolled = await scroll(page, forMs)
  console.log(`inbox: frames while scrolling to row ${scrolled.rows}: ${spread(scrolled.frames)}`)
  return scrolled
}

async function raise(store: Store, count: number): Promise<void> {
  const each = (at: number): AskDraft => ({
    tenant: 'default',
    id: newId('ask', Date.now(), randomBytes),
    asker: { server: 'bench', tool: 'ask' },
    principal: 'local',
    question: {
      kind: 'form',
      message: `Which region for number ${at}, now that the third one is full and the fourth not there yet?`,
      form: {
        fields: [{ kind: 'choice', name: 'region', required: true, options: [{ value: 'eu' }, { value: 'us' }] }],
      },
    },
    approvalRule: soleApprover('local'),
    decideWithinMs: 86_400_000,
    useWithinMs: 300_000,
  })
  const together = 8
  for (let at = 0; at < count; at += together) {
    const batch = Array.from({ length: Math.min(together, count - at) }, (_, i) => each(at + i))
    await Promise.all(batch.map((draft) => retried(() => store.asks.raise(draft))))
  }
}

function goalsOf({ resumeMs, visibleMs, fewMs, manyMs, scrolled, bytes }: Figures, size: Sizes): Goal[] {
  return [
    { what: 'from click to the tool, p99', value: quantile(resumeMs, 0.99), unit: 'ms', most: size.resumeMsMost },
    { what: 'from question to row, p99', value: quantile(visibleMs, 0.99), unit: 'ms', most: size.visibleMsMost },
    { what: 'first page with many asks, times few', value: manyMs / fewMs, unit: '', most: size.ratioMost },
    { what: 'frames while scrolling, p95', value: quantile(scrolled.frames, 0.95), unit: 'ms', most: size.frameMsMost },
    { what: 'longest frame', value: Math.max(...scrolled.frames), unit: 'ms', most: size.longestFrameMsMost },
    { what: 'script of the first load', value: bytes, unit: 'bytes', most: scriptBytesMost },
  ]
}

function figureOf({ resumeMs, visibleMs, fewMs, manyMs, scrolled, bytes }: Figures, { many }: Sizes): string {
  const p99 = (sample: readonly number[]) => `${quantile(sample, 0.99).toFixed(0)} ms`
  return (
    `inbox: p99 ${p99(resumeMs)} from click to the tool, ${p99(visibleMs)} from question to row; first page with ` +
    `${many.toLocaleString('en-US')} asks ×${(manyMs / fewMs).toFixed(2)}; 95 % of frames within ` +
    `${quantile(scrolled.frames, 0.95).toFixed(0)} ms; ${(bytes / 1_000).toFixed(0)} kB of script`
  )
}

function spread(sample: readonly number[]): string {
  const [mid, high] = [quantile(sample, 0.5), quantile(sample, 0.99)]
  return `${mid.toFixed(1)} ms median, ${high.toFixed(1)} ms p99, of ${sample.length}`
}
