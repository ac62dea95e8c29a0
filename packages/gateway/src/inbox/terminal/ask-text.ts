// An ask as plain text, for a command that prints it and exits.
//
// The order is the same as on the card: what will happen, who asks, their message, and what an answer needs. The
// asker's text is marked or labelled, and never begins a line. Text in a view is escaped for the web; here for a terminal.

import {
  type AskPageView,
  type AskView,
  agoText,
  askerName,
  type CallView,
  callerText,
  type DeclaredView,
  endingText,
  type FieldView,
  type OneAskView,
  shownInTerminal,
  shownOnOneLine,
  whoAsks,
  whoAsksInFull,
} from '@assent/core'
import { safeJson } from './safe-json.ts'
import { askListText } from './text/ask-list.ts'
import { askPageText } from './text/ask-page.ts'
import { undoText } from './undo-text.ts'

const { labels, action, link, asker: askerText, state: stateText } = askPageText

const claimSign = '┊'

/** @param none the text for an empty list */
export function listTextOf({ asks, next, nowMs }: AskPageView, none: string = askListText.none): string {
  if (asks.length === 0) return none
  const lines = asks.map((ask) => {
    return `${ask.id}  ${shownOnOneLine(whoAsksInFull(ask))}  ${shownOnOneLine(ask.headline)}  (${timesOf(ask, nowMs)})`
  })
  return [...lines, ...(next === undefined ? [] : [askListText.nextPage(next)])].join('\n')
}

export function askTextOf({ ask, nowMs }: OneAskView): string {
  const { origin, touches, isAgent } = ask.asker
  const caller = isAgent === true ? '' : callerText(ask.caller ?? {})
  const { quorum } = ask
  const { isYou, name } = ask.onBehalfOf
  return [
    ...questionLines(ask),
    '',
    labelled(labels.askedBy, askerText.named(whoAsks(ask), origin, isYou ? undefined : name)),
    ...(caller === '' ? [] : [labelled(labels.calledBy, caller)]),
    ...(touches === undefined ? [] : [labelled(labels.affects, touches)]),
    ...(undoText(ask) === undefined ? [] : [labelled(labels.undo, undoText(ask) ?? '')]),
    ...(quorum === undefined
      ? []
      : [
          labelled(labels.votes, stateText.approvals(quorum.approvals, quorum.approvalsNeeded)),
          labelled(labels.needs, quorum.needs),
        ]),
    ...(ask.state.kind === 'open'
      ? [labelled(labels.comment, stateText.commentReaches(ask.commentReaches, askerName(ask)))]
      : []),
    labelled(labels.state, timesOf(ask, nowMs)),
    ...waitingLines(ask, nowMs),
    labelled(labels.id, ask.id),
  ].join('\n')
}

function questionLines(ask: AskView): string[] {
  const { question, headline, asker } = ask
  const by = askerName(ask)
  switch (question.kind) {
    case 'form': {
      const { call, decision, declared, fields, claim, checked } = question
      if (declared !== undefined) {
        return [
          ...declaredLines(declared, asker.server),
          ...(declared.isCall === true ? [] : ['', ...callLines(call, asker.server)]),
          ...(claim === '' ? [] : ['', ...claimLines(claim, by)]),
          '',
          ...fields.flatMap(fieldLines),
        ]
      }
      const title =
        fields.length === 0
          ? [labelled(labels.title, headline)]
          : decision !== undefined && call !== undefined
            ? [action.letContinue(shownOnOneLine(call.name))]
            : []
      const drawn = [...title, ...callLines(call, asker.server), ...oneOfLines(question.oneOf, asker.server)]
      return [
        ...drawn,
        ...(drawn.length === 0 ? [] : ['']),
        ...checkedLines(checked),
        ...claimLines(claim, by),
        '',
        ...fields.flatMap(fieldLines),
      ]
    }
    case 'url': {
      const target = question.link
      const where = target.ok
        ? [
            labelled(labels.leadsTo, link.host(target.host.unicode, target.host.ascii)),
            labelled(labels.fullLink, target.url),
            ...target.warnings.map(({ level, text }) => labelled(labels[level === 'danger' ? 'danger' : 'note'], text)),
          ]
        : [labelled(labels.danger, link.blocked(target.reason))]
      const how = question.secret === undefined ? [] : [labelled(labels.secret, link.secretPage(asker.server))]
      const call = [...callLines(question.call, asker.server), ...oneOfLines(question.oneOf, asker.server)]
      return [...where, ...how, ...call, ...claimLines(question.claim, by)]
    }
    case 'approval':
      return [
        labelled(labels.title, question.title),
        ...question.action.arguments.flatMap(({ name, value }) => argumentLines(name, value)),
        '',
        labelled(
          question.action.kind === 'definition' ? labels.tool : labels.calls,
          action.on(question.action.tool, question.action.server),
        ),
        labelled(labels.digest, question.digest),
        ...(question.claim === undefined ? [] : claimLines(question.claim, by)),
      ]
  }
}

function declaredLines({ title, tool, arguments: given, digest }: DeclaredView, server: string): string[] {
  return [
    labelled(labels.title, title),
    ...given.flatMap(({ name, value }) => argumentLines(name, value)),
    '',
    labelled(labels.calls, action.on(tool, server)),
    labelled(labels.note, action.declaredBy(server, given.length > 0)),
    labelled(labels.digest, digest),
  ]
}

/** The call in which the server asks, as the client sent it. */
function callLines(call: CallView | undefined, server: string): string[] {
  if (call === undefined) return []
  const { kind, name, arguments: given } = call
  const head = labelled(labels[kind === 'tool' ? 'call' : kind], action.on(name, server))
  if (given === undefined) return [head, `  ${action.tooLarge}`]
  if (given.length === 0) return kind === 'resource' ? [head] : [head, `  ${action.noArguments}`]
  return [head, ...given.flatMap((argument) => argumentLines(argument.name, argument.value))]
}

/** The server did not state which of these calls it asks for. */
function oneOfLines(calls: readonly CallView[] | undefined, server: string): string[] {
  if (calls === undefined) return []
  return [labelled(labels.note, action.oneOf(calls, server)), ...calls.flatMap((call) => callLines(call, server))]
}

function argumentLines(name: string, value: string): string[] {
  const [first = '', ...more] = shownInTerminal(value).split('\n')
  const label = `  ${shownOnOneLine(name)}  `
  if (more.length === 0) return [`${label}${first}`]
  return [label.trimEnd(), ...[first, ...more].map((line) => `    ${claimSign} ${line}`)]
}

function checkedLines(checked: string | undefined): string[] {
  if (checked === undefined) return []
  return [
    askerText.checked,
    ...shownInTerminal(checked)
      .split('\n')
      .map((line) => `  ${line}`),
    '',
  ]
}

function claimLines(claim: string, by: string): string[] {
  return [
    askerText.says(shownOnOneLine(by)),
    ...shownInTerminal(claim)
      .split('\n')
      .map((line) => `${claimSign} ${line}`),
  ]
}

function fieldLines(field: FieldView): string[] {
  const needed = field.required ? '' : `, ${askPageText.optional}`
  const named = shownOnOneLine(field.label)
  const head = `  ${safeJson(field.name)}  ${kindOf(field)}${needed}${named === field.name ? '' : `  ${claimSign} ${named}`}`
  const help =
    field.help === undefined
      ? []
      : shownInTerminal(field.help)
          .split('\n')
          .map((line) => `    ${claimSign} ${line}`)
  const options =
    'options' in field
      ? field.options.map(
          ({ value, label, isSuggested }) =>
            `    ${safeJson(value)}${label === value ? '' : `  ${claimSign} ${shownOnOneLine(label)}`}${isSuggested ? `  (${askPageText.suggested})` : ''}`,
        )
      : []
  return [head, ...help, ...options]
}

function kindOf(field: FieldView): string {
  const kind = askPageText.fieldKind(field)
  const pattern = field.kind === 'text' || field.kind === 'list' ? field.pattern : undefined
  return pattern === undefined ? kind : `${kind}, ${askPageText.mustMatch(shownOnOneLine(pattern))}`
}

function waitingLines({ state, mayEndEarlier, callerSeenAtMs }: AskView, nowMs: number): string[] {
  if (state.kind !== 'open') return []
  return [
    ...(mayEndEarlier === true ? [labelled(labels.note, stateText.mayEndEarlier)] : []),
    ...(callerSeenAtMs === undefined
      ? []
      : [labelled(labels.caller, stateText.lastSeen(agoText(nowMs - callerSeenAtMs)))]),
  ]
}

function timesOf(ask: AskView, nowMs: number): string {
  const ended = endingText(ask, nowMs)
  if (ended !== undefined) return shownOnOneLine(ended)
  return `${askListText.asked(agoText(nowMs - ask.raisedAtMs))}, ${askListText.expiresIn(ask.decideByMs - nowMs)}`
}

function labelled(label: string, text: string): string {
  return `${label.padEnd(9)} ${shownOnOneLine(text)}`
}
