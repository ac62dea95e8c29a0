// The history of asks, and the audit proof of one of them.

import type { AuditEntry, ChainView } from '@assent/core'
import { code, type Part } from './parts.ts'

const history = {
  title: 'History',
  back: '‹ History',
  search: 'Search',
  selects: {
    outcome: { label: 'Outcome', any: 'Any outcome' },
    kind: { label: 'Type', any: 'Any type' },
    server: { label: 'Server', any: 'Any server' },
    tool: { label: 'Tool', any: 'Any tool' },
    agent: { label: 'Agent', any: 'Any agent' },
    project: { label: 'Project', any: 'Any project' },
  },
  from: 'From',
  to: 'To',
  moreFilters: 'More filters',
  fewerFilters: 'Fewer filters',
  showAll: 'Show all',
  kinds: { approval: 'Approvals', form: 'Questions', url: 'Links' },
  none: 'No asks have ended yet.',
  noMatch: 'No asks match these filters.',
  searchedTo: (at: string) => `Searched the asks that ended after ${at}.`,
  searchFurther: 'Search older asks',
  select: 'Select an ask to see who decided what, and when.',
  asked: 'Asked',
  ended: 'Ended',
  endedAt: (at: string, after: string) => `${at}, after ${after}`,
  ask: 'Ask ID',
  export: 'Export',
  exporting: 'Exporting…',
  exportFailed: 'The history could not be read. Try again.',
  exportCut: (count: number) => `Only the newest ${count.toLocaleString('en')} asks were exported.`,
  exportSearchCut: (count: number) => `Only the newest ${count.toLocaleString('en')} asks were searched for the text.`,
}

const entries: Readonly<Record<AuditEntry['kind'], string>> = {
  'ask.raised': 'asked',
  'ask.voted': 'one answer recorded',
  'ask.settled': 'decided',
  'ask.undelivered': 'not delivered: the server had stopped waiting',
  'ask.expired': 'expired',
  'ask.withdrawn': 'withdrawn',
  'ask.unverified': 'refused: the stored row does not match its signatures',
  'grant.used': 'the approval was used',
  'passkey.added': 'a passkey was added',
  'passkey.removed': 'a passkey was removed',
  'definition.pinned': 'the definition of a tool was recorded at its first call',
  'definition.changed': 'the definition of a tool changed',
  'definition.accepted': 'a changed definition of a tool was accepted',
  'presence.changed': 'which decisions need a passkey was changed',
  'call.lost': 'the waiting call was lost',
  'record.erased': 'texts were erased',
  note: 'note',
}

const proof = {
  title: 'Audit proof',
  check: 'Check the audit log',
  columns: { entry: 'Entry', what: 'Event', when: 'When', hash: 'Hash' },
  entries,
  download: 'Download the proof',
  hint: (ask: string): readonly Part[] => [
    'The file contains these entries in full, and proves that the audit log contains them. To check it later, run ',
    code('assent audit verify --proof'),
    ' ',
    code(`${ask}.json`),
  ],
  chain: chainText,
}

function chainText(chain: ChainView): string {
  if (chain.kind === 'too-long') {
    return 'The audit log is too long to check here. The operator of this gateway can run: assent audit verify.'
  }
  if (chain.kind === 'broken') {
    return `⚠ The audit log is not consistent. ${chain.problem} The entries below may not show what happened. Tell the operator of this gateway.`
  }
  if (chain.kind === 'mismatch') {
    return `⚠ The database does not match the audit log. ${chain.problem} What is shown here may not be what happened. Tell the operator of this gateway.`
  }
  const count = `${chain.lastSeq.toLocaleString()} ${chain.lastSeq === 1 ? 'entry' : 'entries'}`
  const asks = `${chain.asks.toLocaleString()} ${chain.asks === 1 ? 'ask' : 'asks'}`
  const grants = `${chain.grants.toLocaleString()} ${chain.grants === 1 ? 'grant' : 'grants'}`
  return `✓ The audit log is consistent and matches its signed checkpoint: ${count}; ${asks} and ${grants} match it.`
}

export const historyText = { history, proof }
