// An ask as one person sees it in the inbox.
//
// Pure: names, time and the person come from the caller, who has made sure that this person may see the ask. Whatever an
// asker or a person wrote leaves here safe to show.

import { type Ask, type CastVote, mayCancel, needsSeveral } from '../ask/ask.ts'
import { approved, isDecision } from '../ask/decision.ts'
import type { Person } from '../ask/electorate.ts'
import type { Question } from '../ask/question.ts'
import { askLimits } from '../limits.ts'
import { oneLine, visibleText } from '../screen/text.ts'
import { screenUrl } from '../screen/url.ts'
import { drawArguments, drawJson } from './draw-action.ts'
import { drawField, drawFieldValue, shownTitle } from './draw-field.ts'
import { expiredInWords, settledInWords, withdrawnInWords } from './ending.ts'
import type {
  AskerView,
  AskView,
  DecisionView,
  LinkView,
  PersonView,
  QuestionView,
  QuorumView,
  StateView,
} from './view.ts'

/** What the operator's configuration and identity say about names. */
export interface Naming {
  /** A person's own name for their principal. */
  nameOf(principal: string): string
  /** What is known of a server and tool beyond their names. */
  describe(asker: Ask['asker']): Omit<AskerView, 'server' | 'tool'> & { readonly name?: string }
}

const headlineChars = 140

export function askView(ask: Ask, person: Person, naming: Naming): AskView {
  const { name, ...notes } = naming.describe(ask.asker)
  return {
    id: ask.id,
    headline: headlineOf(ask.question),
    asker: {
      server: shownTitle(name ?? ask.asker.server),
      ...(ask.asker.tool === undefined ? {} : { tool: shownTitle(ask.asker.tool) }),
      ...notes,
    },
    onBehalfOf: who(ask.principal, person, naming),
    question: drawQuestion(ask),
    raisedAtMs: ask.raisedAtMs,
    decideByMs: ask.decideByMs,
    ...(needsSeveral(ask.electorate) ? { quorum: drawQuorum(ask, person, naming) } : {}),
    answers: possibleAnswers(ask, person),
    state: drawState(ask, person, naming),
  }
}

function headlineOf(question: Question): string {
  const text = question.kind === 'approval' ? question.title : question.message
  const firstLine = text.trim().split('\n', 1)[0] ?? ''
  return oneLine(firstLine, 'web', { maxChars: headlineChars })
}

function drawQuestion({ question, asker, principal }: Ask): QuestionView {
  switch (question.kind) {
    case 'form':
      return {
        kind: 'form',
        claim: claim(question.message),
        fields: question.form.fields.map(drawField),
        ...(isDecision(question.form) ? { decision: drawDecision(question) } : {}),
      }
    case 'url':
      return {
        kind: 'url',
        claim: claim(question.message),
        link: drawLink(question.url),
        ...(question.secret === undefined ? {} : { secret: { ...question.secret, server: asker.server, principal } }),
      }
    case 'approval':
      return {
        kind: 'approval',
        title: shownTitle(question.title),
        ...(question.claim === undefined ? {} : { claim: claim(question.claim) }),
        action: {
          server: shownTitle(question.action.server),
          tool: shownTitle(question.action.tool),
          arguments: drawArguments(question.action.arguments),
        },
        json: drawJson(question.action),
        digest: question.digest,
      }
  }
}

function drawDecision({ call }: Question & { kind: 'form' }): DecisionView {
  if (call === undefined) return { content: approved }
  const drawn = call.arguments === undefined ? {} : { arguments: drawArguments(call.arguments) }
  return { content: approved, call: { tool: shownTitle(call.tool), ...drawn, json: drawJson(call) } }
}

function claim(text: string): string {
  return visibleText(text, 'web', { maxChars: askLimits.messageChars })
}

function drawLink(url: string): LinkView {
  const screened = screenUrl(url)
  if (!screened.ok) return { ok: false, reason: screened.reason }
  const { ascii, unicode, highlight, loopback } = screened.host
  return { ok: true, url: screened.url, host: { ascii, unicode, highlight, loopback }, warnings: screened.warnings }
}

/** A link that we would not open is nothing anybody can say yes to here; and a secret is handed over, not agreed to. */
function possibleAnswers(ask: Ask, person: Person): AskView['answers'] {
  if (ask.state.kind !== 'open' || ask.votes.some(({ by }) => by === person.principal)) return []
  const { question } = ask
  const mayAccept = question.kind !== 'url' || (question.secret === undefined && screenUrl(question.url).ok)
  return [
    ...(mayAccept ? (['accept'] as const) : []),
    'decline',
    ...(mayCancel(ask.electorate) ? (['cancel'] as const) : []),
  ]
}

function drawQuorum({ electorate, votes }: Ask, person: Person, naming: Naming): QuorumView {
  const count = (action: CastVote['answer']['action']) => votes.filter(({ answer }) => answer.action === action).length
  return {
    approvals: count('accept'),
    approvalsNeeded: electorate.approvals,
    declines: count('decline'),
    declinesNeeded: electorate.declines,
    votes: votes.map(({ answer, by, via, atMs }) => ({
      by: who(by, person, naming),
      action: answer.action,
      via,
      atMs,
      ...comment(answer.comment),
    })),
  }
}

const outcomes = { accept: 'accepted', decline: 'declined', cancel: 'cancelled' } as const

function drawState({ state, question }: Ask, person: Person, naming: Naming): StateView {
  if (state.kind === 'open') return state
  if (state.kind === 'expired') return { ...state, what: expiredInWords }
  if (state.kind === 'withdrawn') return { ...state, what: withdrawnInWords[state.reason] }
  const { answer, by, via, atMs } = state
  const outcome = outcomes[answer.action]
  const decider = who(by, person, naming)
  return {
    kind: 'settled',
    what: settledInWords(decider, outcome, via, yesOf(question)),
    outcome,
    by: decider,
    via,
    atMs,
    ...comment(answer.comment),
    content: answer.action === 'accept' && isFilledIn(question) ? drawContent(question, answer.content ?? {}) : [],
  }
}

/** A form that takes more than a yes or a no. */
/** What the person did who said yes. */
function yesOf(question: Question): string {
  if (question.kind === 'url' && question.secret !== undefined) return 'handed this over'
  return isFilledIn(question) ? 'answered this' : 'approved this'
}

function isFilledIn(question: Question): question is Question & { kind: 'form' } {
  return question.kind === 'form' && question.form.fields.length > 0 && !isDecision(question.form)
}

function drawContent({ form }: Question & { kind: 'form' }, content: Readonly<Record<string, unknown>>) {
  return form.fields
    .filter(({ name }) => Object.hasOwn(content, name))
    .map((field) => ({
      label: shownTitle(field.title ?? field.name),
      value: drawFieldValue(field, content[field.name]),
    }))
}

function comment(text: string | undefined): { comment?: string } {
  return text === undefined ? {} : { comment: visibleText(text, 'web', { maxChars: askLimits.commentChars }) }
}

function who(principal: string, person: Person, naming: Naming): PersonView {
  return { name: shownTitle(naming.nameOf(principal)), isYou: principal === person.principal }
}
