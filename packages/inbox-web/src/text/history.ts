// The history of asks, and the audit proof of one of them.

import type { AuditEntry, ChainView } from '@assent/core'
import { code, type Part } from './parts.ts'
import { exactly } from './time.ts'

const history = {
  title: 'History',
  back: '‹ History',
  search: 'Search',
  outcome: 'Outcome',
  anyOutcome: 'Any outcome',
  server: 'Server',
  anyServer: 'Any server',
  type: 'Type',
  anyType: 'Any type',
  kinds: { approval: 'Approvals', form: 'Questions', url: 'Links' },
  none: 'No asks have ended yet.',
  noMatch: 'No asks match these filters.',
  select: 'Select an ask to see who decided what, and when.',
  asked: 'Asked',
  ended: 'Ended',
  endedAt: (at: string, after: string) => `${at}, after ${after}`,
  ask: 'Ask ID',
  export: 'Export',
  exporting: 'Exporting…',
  exportFailed: 'The history could not be read. Try again.',
  exportCut: (count: number) => `Only the newest ${count.toLocaleString('en')} asks were exported.`,
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
  'presence.changed': 'which decisions need a passkey was changed',
  'call.lost': 'the waiting call was lost',
  note: 'note',
}

const proof = {
  title: 'Audit proof',
  check: 'Check the audit log',
  columns: { entry: 'Entry', what: 'Event', when: 'When', hash: 'Hash' },
  entries,
  download: 'Download the proof',
  hint: (ask: string): readonly Part[] => [
    'The file contains these entries in full. To check later that none was changed, run ',
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
  const { checkpointSeq, checkpointAtMs } = chain
  const checkpoint =
    checkpointSeq === undefined || checkpointAtMs === undefined
      ? 'No checkpoint has been signed yet, so a log that was replaced as a whole would not be detected.'
      : `It matches the latest checkpoint stored beside it, at entry ${checkpointSeq}, made ${exactly(checkpointAtMs)}.`
  return `✓ The audit log is consistent: ${count}; ${asks} and ${grants} match it. ${checkpoint}`
}

export const historyText = { history, proof }
