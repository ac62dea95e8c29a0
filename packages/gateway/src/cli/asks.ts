// What `assent asks` does: each command opens the desk, does one thing, and says what came of it.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  type Ask,
  type AskPageView,
  type InboxProblem,
  isAssentError,
  isPlainObject,
  newId,
  type OneAskView,
  readJson,
  shownInTerminal,
} from '@assent/core'
import { inboxLimits } from '../limits.ts'
import { safeJson } from '../terminal/safe-json.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type OpenDesk, openDesk } from './open-desk.ts'
import { type Terminal, toned } from './terminal.ts'

interface Common {
  readonly config?: string
  readonly json?: true
}

export interface ListOptions extends Common {
  readonly ended?: true
  readonly server?: string
  readonly kind?: string
  readonly size: string
  readonly cursor?: string
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

type Came<View> = { readonly ok: true; readonly view: View } | { readonly ok: false; readonly problem: InboxProblem }

const kinds = ['form', 'url', 'approval'] as const

export function listAsks(options: ListOptions, terminal: Terminal, draw: (page: AskPageView) => string) {
  const { ended, server, size, cursor } = options
  const kind = kinds.find((one) => one === options.kind)
  if (options.kind !== undefined && kind === undefined) {
    return wrongLine(terminal, `--kind is one of ${kinds.join(', ')}, and not ${JSON.stringify(options.kind)}.`)
  }
  if (!/^\d{1,3}$/.test(size)) return wrongLine(terminal, '--size is a number from 1 to 100.')
  return atDesk<AskPageView>(options, terminal, draw, async ({ desk, person }) => {
    const query = { show: ended === true ? 'ended' : 'open', pageSize: Number(size) } as const
    const more = {
      ...(server === undefined ? {} : { server }),
      ...(kind === undefined ? {} : { kind }),
      ...(cursor === undefined ? {} : { cursor }),
    }
    return { ok: true, view: await desk.page(person, { ...query, ...more }) }
  })
}

export function showAsk(id: string, options: Common, terminal: Terminal, draw: (one: OneAskView) => string) {
  return atDesk<OneAskView>(options, terminal, draw, ({ desk, person }) => desk.read(person, id))
}

export function answerAsk(id: string, options: AnswerOptions, terminal: Terminal, draw: (one: OneAskView) => string) {
  const chosen = (['accept', 'decline', 'dismiss'] as const).filter((name) => options[name] === true)
  const [choice] = chosen
  if (choice === undefined || chosen.length > 1) {
    return wrongLine(terminal, 'An answer is exactly one of --accept, --decline and --dismiss. Nothing was decided.')
  }
  if (choice !== 'accept' && options.content !== undefined) {
    return wrongLine(terminal, '--content goes with --accept alone. Nothing was decided.')
  }
  return atDesk<OneAskView>(options, terminal, draw, async ({ desk, person }) => {
    const ask = await desk.find(person, id)
    if (ask === undefined) return desk.read(person, id)
    const unread = notWhatWasRead(ask, choice === 'accept', options.digest)
    if (unread !== undefined) return no('refused', unread)
    const content = contentOf(ask, options.content)
    if (!content.ok) return content
    const answer = {
      action: choice === 'dismiss' ? 'cancel' : choice,
      ...content.view,
      ...(options.comment === undefined ? {} : { comment: options.comment }),
    }
    const { decisionId = newDecision(), confirmed = false } = options
    const answered = await desk.answer(person, ask, { decisionId, answer, confirmed })
    if (answered.ok || answered.problem.code !== 'looks-secret') return answered
    return no('looks-secret', `${answered.problem.message} To confirm, add --confirmed.`)
  })
}

/** An approval names bytes; what a question asks never changes, so what was read is what is approved. */
function notWhatWasRead({ question }: Ask, isYes: boolean, digest: string | undefined): string | undefined {
  if (question.kind !== 'approval') {
    return digest === undefined ? undefined : 'Only an approval has a digest. Nothing was decided.'
  }
  if (digest === undefined) {
    return isYes
      ? 'An approval needs --digest, as `assent asks show` prints it: what you approve is what you read. Nothing was decided.'
      : undefined
  }
  return digest === question.digest
    ? undefined
    : 'This is not the digest of the action that is asked about. Look at it again with `assent asks show`. Nothing was decided.'
}

function contentOf({ question }: Ask, given: string | undefined): Came<{ readonly content?: object }> {
  if (given === undefined) return { ok: true, view: {} }
  if (question.kind !== 'form') return no('malformed', 'Only a form takes --content. Nothing was decided.')
  const text = given === '-' ? readFileSync(0, 'utf8') : given
  if (text.length > inboxLimits.bodyBytes) return no('too-large', 'This is more than an answer can hold.')
  try {
    const content = readJson(text, { depth: inboxLimits.bodyDepth, halfPairs: 'refuse', numbers: 'exact' })
    if (isPlainObject(content)) return { ok: true, view: { content } }
  } catch (error) {
    if (!isAssentError(error)) throw error
  }
  return no('malformed', '--content is not a JSON object. The ask is still open.')
}

async function atDesk<View extends object>(
  { config, json }: Common,
  terminal: Terminal,
  draw: (view: View) => string,
  use: (open: OpenDesk) => Promise<Came<View>>,
): Promise<ExitCode> {
  const opened = await openDesk(config, terminal)
  if (!opened.ok) {
    say(terminal, json, opened.problem)
    return opened.code
  }
  const { open } = opened
  try {
    const came = await use(open).catch(problemOf)
    if (!came.ok) {
      say(terminal, json, came.problem)
      return codeOf(came.problem)
    }
    terminal.out(json === true ? safeJson(came.view) : draw(came.view))
    return exitCodes.ok
  } finally {
    await open.store.close()
  }
}

function say(terminal: Terminal, json: true | undefined, problem: InboxProblem): void {
  if (json === true) {
    terminal.out(safeJson(problem))
    return
  }
  const issues = (problem.issues ?? []).map(({ field, message }) => `\n  ${safeJson(field)}: ${message}`)
  terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${shownInTerminal(problem.message)}${issues.join('')}`)
}

async function wrongLine(terminal: Terminal, words: string): Promise<ExitCode> {
  terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${words}`)
  return exitCodes.usage
}

const endings: readonly InboxProblem['code'][] = ['ended', 'already-voted', 'conflict']

function codeOf({ code }: InboxProblem): ExitCode {
  if (code === 'not-found') return exitCodes.noSuchAsk
  if (code === 'unavailable') return exitCodes.cannotRun
  return endings.includes(code) ? exitCodes.tooLate : exitCodes.problem
}

function problemOf(error: unknown): Came<never> {
  if (isAssentError(error, 'validation_failed')) return no('malformed', error.message)
  if (isAssentError(error, 'store_unavailable')) {
    return no(
      'unavailable',
      'The store cannot be reached just now. With the same --decision-id, an answer counts once.',
    )
  }
  throw error
}

function no(code: InboxProblem['code'], message: string): { ok: false; problem: InboxProblem } {
  return { ok: false, problem: { code, message } }
}

function newDecision(): string {
  return newId('decision', Date.now(), randomBytes)
}
