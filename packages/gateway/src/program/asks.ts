// Implements `assent asks`: each command opens the ask service, does one operation, and prints the result.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  type Ask,
  type AskPageView,
  compact,
  type InboxProblem,
  isAssentError,
  isPlainObject,
  namedOutcomes,
  newId,
  type OneAskView,
  readJson,
  type StatisticsView,
  shownInTerminal,
} from '@assent/core'
import { inboxLimits, terminalInboxLimits } from '../inbox/limits.ts'
import { statisticsView } from '../inbox/statistics.ts'
import { safeJson } from '../inbox/terminal/safe-json.ts'
import { matchesWords } from './ask-search.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { namingOf } from './inbox.ts'
import { type OpenedAskService, openAskService } from './open-ask-service.ts'
import { type Terminal, toned } from './terminal.ts'
import { asksText } from './text/asks.ts'

const { problems } = asksText

interface Common {
  readonly config?: string
  readonly json?: true
}

export interface ListOptions extends Common {
  readonly ended?: true
  readonly server?: string
  readonly kind?: string
  readonly outcome?: string
  readonly agent?: string
  readonly project?: string
  /** Words that must all occur in the ask. */
  readonly search?: string
  readonly all?: true
  readonly size: string
  readonly cursor?: string
}

export interface StatsOptions extends Common {
  readonly days: string
}

export interface AnswerOptions extends Common {
  readonly accept?: true
  readonly decline?: true
  readonly dismiss?: true
  readonly content?: string
  readonly comment?: string
  readonly confirmed?: true
  readonly digest?: string
  readonly decisionId?: string
}

type Result<View> = { readonly ok: true; readonly view: View } | { readonly ok: false; readonly problem: InboxProblem }

const dayMs = 24 * 60 * 60 * 1_000
const kinds = ['form', 'url', 'approval'] as const

export function listAsks(options: ListOptions, terminal: Terminal, draw: (page: AskPageView) => string) {
  const { ended, server, agent, project, search, size, cursor } = options
  const kind = kinds.find((one) => one === options.kind)
  if (options.kind !== undefined && kind === undefined) {
    return usageError(terminal, problems.notOneOf('--kind', kinds, options.kind))
  }
  const outcome = namedOutcomes.find((one) => one === options.outcome)
  if (options.outcome !== undefined && outcome === undefined) {
    return usageError(terminal, problems.notOneOf('--outcome', namedOutcomes, options.outcome))
  }
  if (outcome !== undefined && ended !== true) return usageError(terminal, problems.outcomeOfOpen)
  const isEveryPage = options.all === true || [agent, project, search].some((one) => one !== undefined)
  if (isEveryPage && cursor !== undefined) return usageError(terminal, problems.cursorAndAll)
  if (!/^\d{1,3}$/.test(size)) return usageError(terminal, problems.size)
  const query = {
    show: ended === true ? 'ended' : 'open',
    pageSize: isEveryPage ? terminalInboxLimits.page : Number(size),
    ...compact({ server, kind, outcome, agent, project, cursor }),
  } as const
  return withAskService<AskPageView>(options, terminal, draw, async ({ service, person }) => {
    let first = await service.page(person, query)
    // A page with filters is empty if none of the asks that it looked at matches.
    while (first.asks.length === 0 && first.next !== undefined) {
      first = await service.page(person, { ...query, cursor: first.next })
    }
    return { ok: true, view: isEveryPage ? await everyPage(first, query, search, { service, person }) : first }
  })
}

export function askStatistics(options: StatsOptions, terminal: Terminal, draw: (view: StatisticsView) => string) {
  const days = /^\d{1,3}$/.test(options.days) ? Number(options.days) : 0
  if (days < 1 || days > inboxLimits.statisticsDays) return usageError(terminal, asksText.stats.invalidDays)
  return withAskService<StatisticsView>(options, terminal, draw, async ({ store, tenant, person, config }) => {
    const nowMs = store.nowMs()
    const sinceMs = nowMs - days * dayMs
    const figures = await store.inbox.statistics({ tenant, person, sinceMs, atMost: inboxLimits.statisticsAsks })
    return { ok: true, view: statisticsView(figures, sinceMs, nowMs, namingOf(config).nameOf) }
  })
}

/** All pages as one; only asks in which all words of `search` occur. `next` is set if there are more than may be read. */
async function everyPage(
  first: AskPageView,
  query: Parameters<OpenedAskService['service']['page']>[1],
  search: string | undefined,
  { service, person }: Pick<OpenedAskService, 'service' | 'person'>,
): Promise<AskPageView> {
  const asks = [...first.asks]
  let { next } = first
  while (next !== undefined && asks.length < terminalInboxLimits.asksListed) {
    const page = await service.page(person, { ...query, cursor: next })
    asks.push(...page.asks)
    next = page.next
  }
  return { asks: asks.filter((ask) => matchesWords(ask, search)), ...compact({ next }), nowMs: first.nowMs }
}

export function showAsk(id: string, options: Common, terminal: Terminal, draw: (one: OneAskView) => string) {
  return withAskService<OneAskView>(options, terminal, draw, ({ service, person }) => readAsk(service, person, id))
}

export function answerAsk(id: string, options: AnswerOptions, terminal: Terminal, draw: (one: OneAskView) => string) {
  const chosen = (['accept', 'decline', 'dismiss'] as const).filter((name) => options[name] === true)
  const [choice] = chosen
  if (choice === undefined || chosen.length > 1) {
    return usageError(terminal, problems.oneChoice)
  }
  if (choice !== 'accept' && options.content !== undefined) {
    return usageError(terminal, problems.contentWithoutAccept)
  }
  return withAskService<OneAskView>(options, terminal, draw, async ({ service, person }) => {
    const ask = await service.find(person, id)
    if (ask === undefined) return readAsk(service, person, id)
    const problem = digestProblem(ask, choice === 'accept', options.digest)
    if (problem !== undefined) return fail('refused', problem)
    const content = contentOf(ask, options.content)
    if (!content.ok) return content
    const answer = {
      action: choice === 'dismiss' ? 'cancel' : choice,
      ...content.view,
      ...compact({ comment: options.comment }),
    }
    const { decisionId = newDecision(), confirmed = false } = options
    const answered = await service.answer(person, ask, { decisionId, answer, confirmed })
    if (answered.ok || answered.problem.code !== 'looks-secret') return answered
    return fail('looks-secret', problems.toConfirm(answered.problem.message))
  })
}

async function readAsk(
  service: OpenedAskService['service'],
  person: OpenedAskService['person'],
  id: string,
): Promise<Result<OneAskView>> {
  const result = await service.read(person, id)
  if (result.ok || result.problem.code !== 'not-found') return result
  return fail('not-found', problems.unknown(id))
}

/** Only approvals have a digest. A question never changes, so a matching digest proves that this content was read. */
function digestProblem({ question }: Ask, isYes: boolean, digest: string | undefined): string | undefined {
  if (question.kind !== 'approval') {
    return digest === undefined ? undefined : problems.noDigest
  }
  if (digest === undefined) {
    return isYes ? problems.digestNeeded : undefined
  }
  return digest === question.digest ? undefined : problems.otherDigest
}

function contentOf({ question }: Ask, given: string | undefined): Result<{ readonly content?: object }> {
  if (given === undefined) return { ok: true, view: {} }
  if (question.kind !== 'form') return fail('malformed', problems.noForm)
  const text = given === '-' ? readFileSync(0, 'utf8') : given
  if (text.length > inboxLimits.bodyBytes) return fail('too-large', problems.tooLarge)
  try {
    const content = readJson(text, { depth: inboxLimits.bodyDepth, halfPairs: 'refuse', numbers: 'exact' })
    if (isPlainObject(content)) return { ok: true, view: { content } }
  } catch (error) {
    if (!isAssentError(error)) throw error
  }
  return fail('malformed', problems.notAnObject)
}

async function withAskService<View extends object>(
  { config, json }: Common,
  terminal: Terminal,
  draw: (view: View) => string,
  use: (open: OpenedAskService) => Promise<Result<View>>,
): Promise<ExitCode> {
  const opened = await openAskService(config, terminal)
  if (!opened.ok) {
    printProblem(terminal, json, opened.problem)
    return opened.code
  }
  const { open } = opened
  try {
    const result = await use(open).catch(problemOf)
    if (!result.ok) {
      printProblem(terminal, json, result.problem)
      return codeOf(result.problem)
    }
    terminal.out(json === true ? safeJson(result.view) : draw(result.view))
    return exitCodes.ok
  } finally {
    await open.store.close()
  }
}

function printProblem(terminal: Terminal, json: true | undefined, problem: InboxProblem): void {
  if (json === true) {
    terminal.out(safeJson(problem))
    return
  }
  const issues = (problem.issues ?? []).map(({ field, message }) => `\n  ${safeJson(field)}: ${message}`)
  terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${shownInTerminal(problem.message)}${issues.join('')}`)
}

async function usageError(terminal: Terminal, words: string): Promise<ExitCode> {
  terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${words}`)
  return exitCodes.usage
}

const endings: readonly InboxProblem['code'][] = ['ended', 'already-voted', 'conflict']

function codeOf({ code }: InboxProblem): ExitCode {
  if (code === 'not-found') return exitCodes.noSuchAsk
  if (code === 'unavailable') return exitCodes.cannotRun
  return endings.includes(code) ? exitCodes.tooLate : exitCodes.problem
}

function problemOf(error: unknown): Result<never> {
  if (isAssentError(error, 'validation_failed')) return fail('malformed', error.message)
  if (isAssentError(error, 'store_unavailable')) {
    return fail('unavailable', problems.storeUnavailable)
  }
  throw error
}

function fail(code: InboxProblem['code'], message: string): { ok: false; problem: InboxProblem } {
  return { ok: false, problem: { code, message } }
}

function newDecision(): string {
  return newId('decision', Date.now(), randomBytes)
}
