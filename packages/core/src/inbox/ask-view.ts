// An ask as one person sees it in the inbox.
//
// Pure: names, time and the person come from the caller, who has checked that this person may see the ask. Every text of
// an asker or a person is made safe to show here.

import { acceptsMissing, mayDecide } from '../ask/approval-rule.ts'
import { approvalNeeds } from '../ask/approval-text.ts'
import type { Person } from '../ask/approver.ts'
import { type Ask, type AskCaller, acceptedBy, type CastVote, mayCancel, needsSeveral } from '../ask/ask.ts'
import { withoutChecked } from '../ask/ask-meta.ts'
import { isCommentField } from '../ask/comment-field.ts'
import { approved, isDecision } from '../ask/decision.ts'
import type { DeclaredAction } from '../ask/declared-action.ts'
import { isDestructiveQuestion, type PresenceSetting, requiresPresence } from '../ask/needs-presence.ts'
import type { AskingCall, Question } from '../ask/question.ts'
import { compact } from '../compact.ts'
import { canonicalJson } from '../digest/canonical.ts'
import { askLimits } from '../limits.ts'
import { oneLine, visibleText } from '../screen/text.ts'
import { screenUrl } from '../screen/url.ts'
import { drawArguments, drawJson } from './draw-action.ts'
import { answerVerb, drawAnswer } from './draw-answer.ts'
import { drawButtons, offersApproval } from './draw-buttons.ts'
import { drawField, drawFieldValue, fieldLabel, shownTitle } from './draw-field.ts'
import {
  askedAgainText,
  expiredText,
  settledText,
  settledTogetherText,
  undeliveredText,
  withdrawnTexts,
} from './ending-text.ts'
import { withoutSecrets } from './hide-secrets.ts'
import type {
  AskerView,
  AskView,
  CallView,
  DeclaredView,
  FieldView,
  LinkView,
  PersonView,
  QuestionView,
  QuorumView,
  StateView,
} from './view.ts'

/** What the configuration and the identity provider add to an ask: names for people and servers, and the time to undo. */
export interface DisplayNames {
  /** The display name of the person with this principal. */
  nameOf(principal: string): string
  /** What is known of a server and tool beyond their names. */
  describe(asker: Ask['asker']): Omit<AskerView, 'server' | 'tool'> & { readonly name?: string }
  /** How long a yes to something destructive can be undone before it is sent; 0 for not at all. */
  undoMs?(): number
  /** Which decisions need a passkey now. */
  presence?(): PresenceSetting
}

const headlineChars = 140
/** Of a link that is refused, which may be very long. */
const addressChars = 300

export function askView(ask: Ask, person: Person, names: DisplayNames): AskView {
  const { name, ...notes } = names.describe(ask.asker)
  const answers = possibleAnswers(ask, person)
  return {
    id: ask.id,
    headline: headlineOf(ask, shownTitle(name ?? ask.asker.server)),
    asker: {
      server: shownTitle(name ?? ask.asker.server),
      ...(ask.asker.tool === undefined ? {} : { tool: shownTitle(ask.asker.tool) }),
      ...notes,
    },
    ...(ask.caller === undefined ? {} : { caller: drawCaller(ask.caller) }),
    onBehalfOf: who(ask.principal, person, names),
    question: drawQuestion(ask),
    raisedAtMs: ask.raisedAtMs,
    decideByMs: ask.decideByMs,
    ...(ask.isWaitUnknown === true ? { mayEndEarlier: true } : {}),
    ...compact({ callerSeenAtMs: ask.lastSeenAtMs }),
    ...(ask.fastAnswer === undefined ? {} : { askedAgain: askedAgainText(ask.fastAnswer) }),
    ...(isDecidedByOthers(ask) ? { quorum: drawQuorum(ask, person, names) } : {}),
    answers,
    buttons: drawButtons(ask, answers),
    ...heldBack(ask, names),
    commentReaches: ask.commentReaches ?? 'audit-log',
    ...commentFieldOf(ask.question),
    state: drawState(ask, person, names),
  }
}

/** A yes to something destructive can be undone for a while. With a passkey it is deliberate already. */
function heldBack(ask: Ask, names: DisplayNames): Pick<AskView, 'undoMs' | 'needsPresence'> {
  if (ask.state.kind !== 'open') return {}
  if (requiresPresence(ask, names.presence?.())) return { needsPresence: true }
  const undoMs = names.undoMs?.() ?? askLimits.undoMs
  return isDestructiveQuestion(ask.question) && undoMs > 0 ? { undoMs } : {}
}

function drawCaller(caller: AskCaller): AskCaller {
  return Object.fromEntries(Object.entries(caller).map(([name, text]) => [name, shownTitle(text)]))
}

function commentFieldOf(question: Question): { readonly commentField?: string } {
  const field = question.kind === 'form' ? question.form.fields.find(isCommentField) : undefined
  return field === undefined ? {} : { commentField: field.name }
}

/** The title of the card and of its row. Where a yes lets a call continue, opens a link or sends a secret, it is ours. */
function headlineOf({ question, asker }: Ask, server: string): string {
  if (question.kind === 'url') return linkTitle(question, server)
  if (question.kind === 'form' && question.declared === undefined) {
    const { call, oneOf, form } = question
    if (form.fields.length === 0) {
      const called = oneOf === undefined ? (call?.tool ?? asker.tool) : undefined
      return `${server} asks you to confirm${called === undefined ? '' : `: ${shownTitle(called)}`}`
    }
    if (isLoneDecision(question)) return `Let ${call === undefined ? server : shownTitle(call.tool)} continue`
  }
  return firstLineOf(question)
}

function linkTitle({ url, secret }: Question & { kind: 'url' }, server: string): string {
  if (secret !== undefined) return `Send a secret to ${server}`
  const screened = screenUrl(url)
  return screened.ok ? `Open a page on ${shownTitle(screened.host.highlight)}` : `Blocked link from ${server}`
}

/** A form that is only a yes or a no to the call in which it is asked. */
function isLoneDecision({ form, oneOf }: Question & { kind: 'form' }): boolean {
  return isDecision(form) && oneOf === undefined
}

function firstLineOf(question: Question): string {
  const firstLine = titleOf(question).trim().split('\n', 1)[0] ?? ''
  return shortened(oneLine(firstLine, 'web'))
}

/** Cut between words. The card shows the whole text below. */
function shortened(line: string): string {
  if (line.length <= headlineChars) return line
  const start = line.slice(0, headlineChars - 1).toWellFormed()
  const lastSpace = start.lastIndexOf(' ')
  return `${lastSpace > headlineChars / 2 ? start.slice(0, lastSpace) : start.replace(/\ufffd$/, '')}…`
}

function titleOf(question: Question): string {
  if (question.kind === 'approval') return question.title
  return (question.kind === 'form' ? question.declared?.title : undefined) ?? question.message
}

function drawQuestion({ question, asker, principal }: Ask): QuestionView {
  switch (question.kind) {
    case 'form':
      return {
        kind: 'form',
        ...claimOf(question),
        fields: drawFields(question),
        ...(isLoneDecision(question) ? { decision: { content: approved } } : {}),
        ...(offersApproval({ question }) ? { isApproval: true } : {}),
        ...compact({ isDestructive: question.isDestructive, isInDestructiveTool: question.isInDestructiveTool }),
        ...(question.declared === undefined ? {} : { declared: drawDeclared(question.declared, question.call) }),
        ...drawCalls(question),
      }
    case 'url':
      return {
        kind: 'url',
        claim: claim(question.message),
        link: drawLink(question.url, question.secret !== undefined),
        ...(question.secret === undefined ? {} : { secret: { ...question.secret, server: asker.server, principal } }),
        ...drawCalls(question),
      }
    case 'approval':
      return {
        kind: 'approval',
        title: shownTitle(question.title),
        ...(question.claim === undefined ? {} : { claim: claim(question.claim) }),
        ...(question.policies === undefined ? {} : { policies: question.policies.map((name) => shownTitle(name)) }),
        ...compact({
          needsReason: question.needsReason,
          isDestructive: question.isDestructive,
          isInDestructiveTool: question.isInDestructiveTool,
        }),
        action: {
          ...compact({ kind: question.action.kind }),
          server: shownTitle(question.action.server),
          tool: shownTitle(question.action.tool),
          arguments: drawArguments(question.action.arguments),
        },
        json: drawJson(question.action),
        digest: question.digest,
      }
  }
}

function drawFields({ form, message }: Question & { kind: 'form' }): readonly FieldView[] {
  const isOnly = form.fields.filter((field) => !isCommentField(field)).length === 1
  return form.fields.map((field) => drawField(field, isOnly ? message : ''))
}

/** The text that Assent checked, apart from the text of the asker. A declared action has no other text than its own. */
function claimOf({ message, checked, declared }: Question & { kind: 'form' }): {
  readonly claim: string
  readonly checked?: string
} {
  if (declared !== undefined) {
    const why = declared.reason === undefined ? [] : [`Why: ${declared.reason}`]
    return { claim: claim([declared.claim ?? '', ...why].filter((text) => text !== '').join('\n\n')) }
  }
  const rest = checked === undefined ? undefined : withoutChecked(message, checked)
  return checked === undefined || rest === undefined
    ? { claim: claim(message) }
    : { claim: claim(rest), checked: claim(checked) }
}

function drawDeclared({ title, action, digest }: DeclaredAction, call?: AskingCall): DeclaredView {
  const isCall =
    call?.kind === undefined &&
    call?.tool === action.tool &&
    call.arguments !== undefined &&
    canonicalJson(call.arguments) === canonicalJson(action.arguments)
  return {
    title: shownTitle(title),
    tool: shownTitle(action.tool),
    arguments: drawArguments(action.arguments),
    json: drawJson(action),
    digest,
    ...(isCall ? { isCall } : {}),
  }
}

function drawCalls({ call, oneOf }: Exclude<Question, { kind: 'approval' }>): {
  readonly call?: CallView
  readonly oneOf?: readonly CallView[]
} {
  return {
    ...(call === undefined ? {} : { call: drawCall(call) }),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map(drawCall) }),
  }
}

function drawCall(call: AskingCall): CallView {
  const { kind = 'tool', tool, arguments: given } = call
  const drawn = given === undefined ? {} : { arguments: drawArguments(given) }
  return { kind, name: shownTitle(tool), ...drawn, json: drawJson(call) }
}

function claim(text: string): string {
  return visibleText(text, 'web', { maxChars: askLimits.messageChars })
}

/** Our own page for a secret needs no warnings. */
function drawLink(url: string, isOurs: boolean): LinkView {
  const screened = screenUrl(url)
  if (!screened.ok)
    return { ok: false, reason: screened.reason, address: oneLine(url, 'web', { maxChars: addressChars }) }
  const { ascii, unicode, highlight, loopback } = screened.host
  return {
    ok: true,
    url: screened.url,
    host: { ascii, unicode, highlight, loopback },
    warnings: isOurs ? [] : screened.warnings,
  }
}

/** A link that is refused cannot be accepted; a question for a secret is accepted only on its page. */
function possibleAnswers(ask: Ask, person: Person): AskView['answers'] {
  if (ask.state.kind !== 'open' || ask.votes.some(({ by }) => by === person.principal)) return []
  if (!mayDecide(ask.approvalRule, person)) return []
  const { question } = ask
  const mayAccept = question.kind !== 'url' || (question.secret === undefined && screenUrl(question.url).ok)
  return [
    ...(mayAccept ? (['accept'] as const) : []),
    'decline',
    ...(mayCancel(ask.approvalRule) ? (['cancel'] as const) : []),
  ]
}

/** Whether several people decide it, or a policy requires it of another person than the one whose call waits. */
function isDecidedByOthers({ approvalRule, principal }: Ask): boolean {
  if (needsSeveral(approvalRule)) return true
  return (
    approvalRule.requirements !== undefined && approvalRule.approvers.some((name) => name !== `person:${principal}`)
  )
}

function drawQuorum({ approvalRule, votes }: Ask, person: Person, names: DisplayNames): QuorumView {
  const count = (action: CastVote['answer']['action']) => votes.filter(({ answer }) => answer.action === action).length
  return {
    needs: oneLine(
      approvalNeeds(approvalRule, (principal) => (principal === person.principal ? 'you' : names.nameOf(principal))),
      'web',
    ),
    approvals: count('accept'),
    approvalsNeeded: count('accept') + acceptsMissing(approvalRule, acceptedBy(votes)),
    declines: count('decline'),
    declinesNeeded: approvalRule.declines,
    votes: votes.map(({ answer, by, via, atMs }) => ({
      by: who(by, person, names),
      action: answer.action,
      via,
      atMs,
      ...comment(answer.comment),
    })),
  }
}

const outcomes = { accept: 'accepted', decline: 'declined', cancel: 'cancelled' } as const

function drawState(ask: Ask, person: Person, names: DisplayNames): StateView {
  const { state, question, fastAnswer, votes } = ask
  if (state.kind === 'open') return state
  if (state.kind === 'expired') return { ...state, what: expiredText(fastAnswer) }
  if (state.kind === 'withdrawn') return { ...state, what: withdrawnTexts[state.reason] }
  const { by, via, atMs } = state
  const answer = withoutSecrets(question, state)
  const outcome = outcomes[answer.action]
  const decider = who(by, person, names)
  const agreed = outcome === 'accepted' ? votes.filter((vote) => vote.answer.action === 'accept') : []
  const verb = answerVerb(question, answer)
  const did =
    agreed.length > 1
      ? settledTogetherText(
          agreed.map((vote) => who(vote.by, person, names)),
          verb,
        )
      : settledText(decider, verb, via, state.presence !== undefined)
  const isUndelivered = state.undeliveredAtMs !== undefined
  return {
    kind: 'settled',
    what: isUndelivered ? `${undeliveredText}. ${did}` : did,
    ...(isUndelivered ? { isUndelivered } : {}),
    outcome,
    answered: drawAnswer(question, answer),
    by: decider,
    via,
    atMs,
    ...comment(answer.comment),
    content: answer.action === 'accept' && isFilledIn(question) ? drawContent(question, answer.content ?? {}) : [],
  }
}

/** A form that takes more than a yes or a no. */
function isFilledIn(question: Question): question is Question & { kind: 'form' } {
  return question.kind === 'form' && question.form.fields.length > 0 && !isDecision(question.form)
}

/** A yes/no answer is labelled with its question: the title of its field, such as "Yes", would confuse beside a No. */
function drawContent(question: Question & { kind: 'form' }, content: Readonly<Record<string, unknown>>) {
  const { fields } = question.form
  const isYesNo = fields.filter((field) => !isCommentField(field)).length === 1
  return fields
    .filter(({ name }) => Object.hasOwn(content, name))
    .map((field) => ({
      label: isYesNo && field.kind === 'boolean' ? firstLineOf(question) : fieldLabel(field),
      value: drawFieldValue(field, content[field.name]),
    }))
}

function comment(text: string | undefined): { comment?: string } {
  return text === undefined ? {} : { comment: visibleText(text, 'web', { maxChars: askLimits.commentChars }) }
}

function who(principal: string, person: Person, names: DisplayNames): PersonView {
  return { name: shownTitle(names.nameOf(principal)), isYou: principal === person.principal }
}
