// Every exchange that is compared, in the order in which they run.

import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '@assent/core'
import type { Question, Seen } from '../compare/caller.ts'
import { normalNotification, normalQuestion } from '../compare/normal.ts'
import type { Exchange, ExchangeContext } from './exchange.ts'
import type { Item } from './names.ts'

const settlesMs = 250
/** Time for a subscription to reach the server. */
const subscribesMs = 1_000
/** How long something that is expected may take on a busy machine. */
const happensWithinMs = 15_000
const mostPages = 20

const lists = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
} as const

type ListMethod = keyof typeof lists

async function pagesOf({ caller }: ExchangeContext, method: ListMethod): Promise<Item[][]> {
  const pages: Item[][] = []
  let cursor: string | undefined
  do {
    const seen: Seen = await caller.request(method, cursor === undefined ? {} : { cursor })
    if (!('result' in seen)) throw new Error(`${method}: ${JSON.stringify(seen)}`)
    pages.push((seen.result[lists[method]] ?? []) as unknown as Item[])
    cursor = seen.result.nextCursor as string | undefined
  } while (cursor !== undefined && pages.length < mostPages)
  return pages
}

function listing(method: ListMethod): Exchange {
  return {
    name: method,
    run: async (context) => context.note(context.names.own((await pagesOf(context, method)).flat())),
  }
}

function asking(name: string, method: string, params: (context: ExchangeContext) => JsonObject): Exchange {
  return { name, run: async (context) => context.seen(await context.caller.request(method, params(context))) }
}

function reading(uri: string): Exchange {
  return asking(`resources/read ${uri}`, 'resources/read', ({ names }) => ({ uri: names.uri(uri) }))
}

function prompting(title: string, name: string, args?: JsonObject): Exchange {
  return asking(`prompts/get ${title}`, 'prompts/get', ({ names }) => ({
    name: names.of(name),
    ...(args === undefined ? {} : { arguments: args }),
  }))
}

function calling(title: string, name: string, args: JsonObject = {}, meta?: JsonObject): Exchange {
  return asking(`tools/call ${title}`, 'tools/call', ({ names }) => ({
    name: names.of(name),
    arguments: args,
    ...(meta === undefined ? {} : { _meta: meta }),
  }))
}

function call(
  { caller, names }: ExchangeContext,
  name: string,
  key: string,
  more: Parameters<typeof caller.request>[2] = {},
) {
  return caller.request('tools/call', { name: names.of(name), arguments: { key } }, more)
}

/** Returns when it has happened, or after some time if it does not. */
async function happened(hasHappened: () => boolean): Promise<void> {
  const endMs = performance.now() + happensWithinMs
  while (!hasHappened() && performance.now() < endMs) await sleep(20)
}

/** The notifications received during the action and shortly after, once there are as many kinds as expected. */
async function during({ caller }: ExchangeContext, act: () => Promise<unknown>, kinds = 0): Promise<Question[]> {
  const before = caller.notifications.length
  const received = () => caller.notifications.slice(before).filter(({ method }) => !method.endsWith('/acknowledged'))
  await act()
  await happened(() => new Set(received().map(({ method }) => method)).size >= kinds)
  await sleep(settlesMs)
  return received()
}

function questioning(tool: string): Exchange {
  return {
    name: `tools/call ${tool}, which asks`,
    run: async (context) => {
      const before = context.caller.questions.length
      const seen = await call(context, tool, tool)
      const questions = context.caller.questions.slice(before).map(normalQuestion)
      context.note({ questions, text: textOf(seen) })
    },
  }
}

/** Only the text of a tool result: the rest is compared elsewhere. */
function textOf(seen: Seen): unknown {
  const { content } = ('result' in seen ? seen.result : {}) as { content?: { text?: string }[] }
  return content?.[0]?.text ?? seen
}

function logging(level: string): Exchange {
  return {
    name: `log messages from ${level} on`,
    run: async (context) => {
      await context.caller.setLevel(level)
      const received = await during(context, () => call(context, 'log', level))
      context.note(received.map(normalNotification))
    },
  }
}

const progressing: Exchange = {
  name: 'progress',
  run: async (context) => {
    const received = await during(context, () => call(context, 'progress', 'p', { progress: true }))
    context.note(received.map(normalNotification))
  },
}

const cancelling: Exchange = {
  name: 'cancel',
  run: async (context) => {
    const cancel = new AbortController()
    const called = call(context, 'slow', 'cancelled', { signal: cancel.signal })
    await happened(() => context.effects().includes('began cancelled'))
    cancel.abort('enough')
    const seen = await called
    await happened(() => context.effects().includes('cancelled cancelled'))
    await sleep(settlesMs)
    context.note({
      ends: 'broken' in seen,
      effects: context.effects().filter((effect) => effect.endsWith(' cancelled')),
    })
  },
}

function watching(name: string, watched: string, updated: string): Exchange {
  return {
    name,
    run: async (context) => {
      const end = await context.caller.watch([context.names.uri(watched)])
      await sleep(subscribesMs)
      const received = await during(context, () => call(context, 'update', updated), watched === updated ? 1 : 0)
      await end()
      await sleep(settlesMs)
      const afterwards = await during(context, () => call(context, 'update', updated))
      context.note({ received: received.map(normalNotification), afterwards: afterwards.map(normalNotification) })
    },
  }
}

const announcing: Exchange = {
  name: 'list_changed',
  run: async (context) => {
    const end = context.caller.generation === '2026' ? await context.caller.watch([]) : undefined
    await sleep(subscribesMs)
    const received = await during(context, () => call(context, 'announce', 'a'), 3)
    context.note([...new Set(received.map(({ method }) => method))].sort())
    await end?.()
  },
}

const afterwards: Exchange = {
  name: 'tools/list after list_changed',
  run: async (context) =>
    context.note(context.names.own((await pagesOf(context, 'tools/list')).flat()).map(({ name }) => name)),
}

const rootsChanged: Exchange = {
  name: 'roots/list_changed',
  clients: ['2025'],
  servers: ['2025'],
  run: async (context) => {
    await context.caller.notify('notifications/roots/list_changed')
    await happened(() => context.effects().includes('roots changed'))
    context.note(context.effects().includes('roots changed'))
  },
}

const paging: Exchange = {
  name: 'pages of tools/list',
  run: async (context) => context.note((await pagesOf(context, 'tools/list')).length),
}

export const exchanges: readonly Exchange[] = [
  listing('tools/list'),
  listing('prompts/list'),
  listing('resources/list'),
  listing('resources/templates/list'),
  paging,
  ...[0, 1, 2, 3, 4, 5].map((index) => reading(`grid://note/${index}`)),
  reading('grid://file/a+b__c%20d?e=1#f'),
  reading('grid://missing/1'),
  prompting('greet', 'greet', { who: 'Ünï' }),
  prompting('cite', 'cite'),
  prompting('unknown', 'no-such-prompt'),
  asking('completion of a prompt', 'completion/complete', ({ names }) => ({
    ref: { type: 'ref/prompt', name: names.of('greet') },
    argument: { name: 'who', value: 'a' },
  })),
  asking('completion of a template', 'completion/complete', ({ names }) => ({
    ref: { type: 'ref/resource', uri: names.uri('grid://note/{id}') },
    argument: { name: 'id', value: 'b' },
    context: { arguments: { other: 'ü' } },
  })),
  calling('echo', 'echo', {
    text: '\u{1F98A} Grüße\u2028',
    number: 1e21,
    fraction: 0.1,
    none: null,
    deep: [[{ a: [] }]],
  }),
  calling('structured', 'structured'),
  calling('blocks', 'blocks'),
  calling('meta', 'meta', {}, { 'grid.example/own': { list: [1, 'ü'] } }),
  calling('fail', 'fail'),
  calling('refuse', 'refuse'),
  calling('unknown', 'no-such-tool'),
  questioning('ask'),
  questioning('roots'),
  questioning('sample'),
  logging('warning'),
  logging('debug'),
  progressing,
  calling('progress without a token', 'progress'),
  cancelling,
  watching('subscribe and update', 'grid://note/1', 'grid://note/1'),
  watching('subscribe to another one', 'grid://note/1', 'grid://note/2'),
  rootsChanged,
  announcing,
  afterwards,
]
