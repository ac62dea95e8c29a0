// One ask as `assent asks show` prints it: labels, and what Assent says about the question. In the order of the page.

import type { CallView, FieldView } from '@assent/core'

/** In front of a line. */
const labels = {
  title: 'title',
  call: 'call',
  prompt: 'prompt',
  resource: 'resource',
  calls: 'calls',
  tool: 'tool',
  note: 'note',
  danger: 'danger',
  digest: 'digest',
  leadsTo: 'leads to',
  fullLink: 'in full',
  secret: 'secret',
  askedBy: 'asked by',
  calledBy: 'called by',
  affects: 'affects',
  undo: 'undo',
  votes: 'votes',
  needs: 'needs',
  comment: 'comment',
  state: 'state',
  caller: 'caller',
  id: 'id',
}

const action = {
  on: (tool: string, server: string) => `${tool} on ${server}`,
  /** As on the card of the web inbox. */
  declaredBy: (server: string, hasArguments: boolean) =>
    hasArguments
      ? `${server} set these values. Your approval is valid only for exactly these values.`
      : `${server} declared this call. Your approval is valid only for exactly this call.`,
  letContinue: (name: string) => `Let ${name} continue`,
  tooLarge: 'The arguments are too large to show here.',
  noArguments: 'without arguments',
  oneOf: (calls: readonly CallView[], server: string) =>
    `Asked during one of these ${calls.length} calls. ${server} did not name the call. Your answer goes to ${server} and does not approve any of these calls.`,
}

const undo = {
  possible: 'This can be undone.',
  impossible: 'This cannot be undone.',
  impossibleBy: (server: string) => `This cannot be undone, according to ${server}.`,
  /** As on the card of the web inbox. */
  destructivePolicy: 'A policy marks this as destructive.',
  destructiveTool: 'The server declares this tool as destructive.',
}

const link = {
  host: (unicode: string, ascii: string) => (unicode === ascii ? ascii : `${unicode} (${ascii})`),
  blocked: (reason: string) => `${reason} The link is not shown. You can decline or dismiss this.`,
  secretPage: (server: string) =>
    `You type it on that page. Your browser encrypts it for ${server}; neither your agent nor Assent can read it. Here you can only decline.`,
}

const asker = {
  named: (name: string, origin: string | undefined, person: string | undefined) =>
    `${name}${origin === undefined ? '' : ` (${origin})`} for ${person ?? 'you'}`,
  says: (name: string) => `${name} says (not checked by Assent)`,
  checked: 'Checked by Assent',
}

const state = {
  approvals: (approvals: number, needed: number) => `${approvals} of ${needed} approvals`,
  commentReaches: (reaches: 'asker' | 'audit-log', by: string) =>
    reaches === 'asker' ? `sent to ${by}` : 'not sent to the agent; kept in the audit log',
  mayEndEarlier: 'The server may stop waiting earlier.',
  lastSeen: (ago: string) => `last seen ${ago}`,
}

const optional = 'optional'
const suggested = 'suggested'

/** What a field of a form accepts. */
function fieldKind(field: FieldView): string {
  switch (field.kind) {
    case 'text':
      return field.format ?? 'text'
    case 'number': {
      const what = field.integer ? 'whole number' : 'number'
      const above = field.above === undefined ? [] : [`more than ${field.above}`]
      const below = field.below === undefined ? [] : [`less than ${field.below}`]
      return [what, ...range(field.min, field.max), ...above, ...below].join(', ')
    }
    case 'boolean':
      return 'yes or no (true, false)'
    case 'choice':
      return 'one of'
    case 'choices':
      return 'any of'
    case 'list':
      return ['list of texts', ...range(field.minItems, field.maxItems)].join(', ')
  }
}

function range(min: number | undefined, max: number | undefined): readonly string[] {
  return min === undefined && max === undefined ? [] : [`${min ?? '…'} to ${max ?? '…'}`]
}

const mustMatch = (pattern: string) => `must match ${pattern}`

export const askPageText = { labels, action, undo, link, asker, state, optional, suggested, fieldKind, mustMatch }
