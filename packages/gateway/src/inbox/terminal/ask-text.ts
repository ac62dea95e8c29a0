// An ask as plain text, for a command that prints it and exits.
//
// The order is the same as on the card: what will happen, who asks, their message, and what an answer needs. The
// asker's text is marked as such. Text in a view is escaped for the web; here it is escaped for a terminal.

import {
  type AskPageView,
  type AskView,
  agoText,
  type CallView,
  callerText,
  type DeclaredView,
  endingText,
  type FieldView,
  type OneAskView,
  shownInTerminal,
  shownOnOneLine,
  whoAsks,
} from '@assent/core'
import { safeJson } from './safe-json.ts'
import { leftInWords } from './times.ts'

const claimSign = '┊'

export function listTextOf({ asks, next, nowMs }: AskPageView): string {
  if (asks.length === 0) return 'Nothing is waiting for you.'
  const lines = asks.map((ask) => {
    return `${ask.id}  ${shownOnOneLine(whoAsks(ask))}  ${shownOnOneLine(ask.headline)}  (${timesOf(ask, nowMs)})`
  })
  return [...lines, ...(next === undefined ? [] : [`More: --cursor ${next}`])].join('\n')
}

export function askTextOf({ ask, nowMs }: OneAskView): string {
  const { origin, touches, undo, isAgent } = ask.asker
  const caller = isAgent === true ? '' : callerText(ask.caller ?? {})
  return [
    ...questionLines(ask),
    '',
    labelled(
      'asked by',
      `${whoAsks(ask)}${origin === undefined ? '' : ` (${origin})`} for ${ask.onBehalfOf.isYou ? 'you' : ask.onBehalfOf.name}`,
    ),
    ...(caller === '' ? [] : [labelled('called by', caller)]),
    ...(touches === undefined ? [] : [labelled('touches', touches)]),
    ...(undo === undefined ? [] : [labelled('undo', undo)]),
    ...(ask.quorum === undefined
      ? []
      : [labelled('votes', `${ask.quorum.approvals} of ${ask.quorum.approvalsNeeded} approvals`)]),
    ...(ask.state.kind === 'open' ? [labelled('comment', commentReaders[ask.commentReaches])] : []),
    labelled('state', timesOf(ask, nowMs)),
    ...waitingLines(ask, nowMs),
    labelled('id', ask.id),
  ].join('\n')
}

const commentReaders = { asker: 'sent to the asker', 'audit-log': 'saved in the audit log only' } as const

function questionLines({ question, headline, asker }: AskView): string[] {
  switch (question.kind) {
    case 'form': {
      const { call, decision, declared, isDestructive, fields, claim, checked } = question
      if (declared !== undefined) {
        return [
          ...declaredLines(declared, asker.server),
          ...(isDestructive === true ? [labelled('undo', `impossible, says ${asker.server}`)] : []),
          ...(declared.isCall === true ? [] : ['', ...callLines(call, asker.server)]),
          ...(claim === '' ? [] : ['', ...claimLines(claim)]),
          '',
          ...fields.flatMap(fieldLines),
        ]
      }
      const title =
        fields.length === 0
          ? [shownOnOneLine(headline)]
          : decision !== undefined && call !== undefined
            ? [`Let ${shownOnOneLine(call.name)} continue`]
            : []
      const drawn = [...title, ...callLines(call, asker.server), ...oneOfLines(question.oneOf, asker.server)]
      return [
        ...drawn,
        ...(drawn.length === 0 ? [] : ['']),
        ...checkedLines(checked),
        ...claimLines(claim),
        '',
        ...fields.flatMap(fieldLines),
      ]
    }
    case 'url': {
      const { link } = question
      const where = link.ok
        ? [
            labelled(
              'leads to',
              link.host.unicode === link.host.ascii ? link.host.ascii : `${link.host.unicode} (${link.host.ascii})`,
            ),
            labelled('in full', link.url),
            ...link.warnings.map(({ level, text }) => labelled(level === 'danger' ? 'danger' : 'note', text)),
          ]
        : [labelled('danger', `${link.reason} It is not shown, and there is nothing to approve.`)]
      const how = question.secret === undefined ? [] : [labelled('secret', secretPageNote)]
      const call = [...callLines(question.call, asker.server), ...oneOfLines(question.oneOf, asker.server)]
      return [...where, ...how, ...call, ...claimLines(question.claim)]
    }
    case 'approval':
      return [
        shownOnOneLine(question.title),
        ...question.action.arguments.flatMap(({ name, value }) => argumentLines(name, value)),
        '',
        labelled('calls', `${question.action.tool} on ${question.action.server}`),
        labelled('digest', question.digest),
        ...(question.claim === undefined ? [] : claimLines(question.claim)),
      ]
  }
}

function declaredLines({ title, tool, arguments: given, digest }: DeclaredView, server: string): string[] {
  return [
    shownOnOneLine(title),
    ...given.flatMap(({ name, value }) => argumentLines(name, value)),
    '',
    labelled('calls', `${tool} on ${server}`),
    labelled('declared', `by ${server}, bound to this approval`),
    labelled('digest', digest),
  ]
}

const secretPageNote = 'It is handed over on that page, encrypted for this server alone. Here you can only decline.'

/** The call in which the server asks, as the client sent it. */
function callLines(call: CallView | undefined, server: string): string[] {
  if (call === undefined) return []
  const { kind, name, arguments: given } = call
  const head = labelled(kind === 'tool' ? 'call' : kind, `${name} on ${server}`)
  if (given === undefined) return [head, '  its arguments are too large to show here']
  if (given.length === 0) return kind === 'resource' ? [head] : [head, '  without arguments']
  return [head, ...given.flatMap((argument) => argumentLines(argument.name, argument.value))]
}

/** The server did not state which of these calls it asks for. */
function oneOfLines(calls: readonly CallView[] | undefined, server: string): string[] {
  if (calls === undefined) return []
  return [
    labelled('asked in', 'one of these calls; the server did not specify which, so a yes does not approve any of them'),
    ...calls.flatMap((call) => callLines(call, server)),
  ]
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
    'checked by Assent',
    ...shownInTerminal(checked)
      .split('\n')
      .map((line) => `  ${line}`),
    '',
  ]
}

function claimLines(claim: string): string[] {
  return [
    'the asker says',
    ...shownInTerminal(claim)
      .split('\n')
      .map((line) => `${claimSign} ${line}`),
  ]
}

function fieldLines(field: FieldView): string[] {
  const needed = field.required ? '' : ', optional'
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
            `    ${safeJson(value)}${label === value ? '' : `  ${claimSign} ${shownOnOneLine(label)}`}${isSuggested ? '  (suggested)' : ''}`,
        )
      : []
  return [head, ...help, ...options]
}

function kindOf(field: FieldView): string {
  switch (field.kind) {
    case 'text':
      return withPattern(field.format ?? 'text', field.pattern)
    case 'number': {
      const bounds = [field.min, field.max].map((bound) => bound ?? '…').join(' to ')
      const what = field.integer ? 'whole number' : 'number'
      const range = field.min === undefined && field.max === undefined ? [] : [bounds]
      const above = field.above === undefined ? [] : [`more than ${field.above}`]
      const below = field.below === undefined ? [] : [`less than ${field.below}`]
      return [what, ...range, ...above, ...below].join(', ')
    }
    case 'boolean':
      return 'yes or no (true, false)'
    case 'choice':
      return 'one of'
    case 'choices':
      return 'some of'
    case 'list': {
      const { minItems, maxItems } = field
      const bounds = [minItems, maxItems].map((bound) => bound ?? '…').join(' to ')
      const count = minItems === undefined && maxItems === undefined ? '' : `, ${bounds}`
      return withPattern(`list of texts${count}`, field.pattern)
    }
  }
}

function withPattern(kind: string, pattern: string | undefined): string {
  return pattern === undefined ? kind : `${kind}, must match ${shownOnOneLine(pattern)}`
}

function waitingLines({ state, mayEndEarlier, callerSeenAtMs }: AskView, nowMs: number): string[] {
  if (state.kind !== 'open') return []
  return [
    ...(mayEndEarlier === true ? [labelled('note', 'The server may stop waiting earlier.')] : []),
    ...(callerSeenAtMs === undefined ? [] : [labelled('caller', `last seen ${agoText(nowMs - callerSeenAtMs)}`)]),
  ]
}

function timesOf(ask: AskView, nowMs: number): string {
  const ended = endingText(ask, nowMs)
  if (ended !== undefined) return shownOnOneLine(ended)
  return `asked ${agoText(nowMs - ask.raisedAtMs)}, expires in ${leftInWords(ask.decideByMs - nowMs)}`
}

function labelled(label: string, text: string): string {
  return `${label.padEnd(9)} ${shownOnOneLine(text)}`
}
