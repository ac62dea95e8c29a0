// The audit log's entries for one ask, whether the log is consistent, and a file with which it can be verified elsewhere.

import type { AuditEntry, ChainView, ProofView } from '@assent/core'
import { Button } from '@mantine/core'
import { exactly } from './time.ts'

const entryLabels: Readonly<Record<AuditEntry['kind'], string>> = {
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
const shownChars = 16

export function Proof({ proof }: { readonly proof: ProofView }) {
  const { ask, entries, chain } = proof
  return (
    <>
      <p
        className="proof-chain"
        data-level={chain.kind === 'broken' || chain.kind === 'mismatch' ? 'danger' : undefined}
      >
        {chainText(chain)}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Entry</th>
            <th scope="col">What</th>
            <th scope="col">When</th>
            <th scope="col">Hash</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ seq, kind, atMs, hash }) => (
            <tr key={seq}>
              <td className="digits">{seq}</td>
              <td>{entryLabels[kind]}</td>
              <td>{exactly(atMs)}</td>
              <td>
                <code title={hash}>{hash.slice(0, shownChars)}…</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <Button variant="default" className="proof-download" onClick={() => download(proof)}>
          Download the proof
        </Button>
      </p>
      <p className="proof-hint">
        The file contains these entries in full. To check later that none was changed, run{' '}
        <code>assent audit verify --proof</code> <code>{ask}.json</code>
      </p>
    </>
  )
}

/** Saves what the page has already loaded: a link to the API would be an unsigned request. */
function download(proof: ProofView): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(proof, undefined, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${proof.ask}.json`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
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
      ? 'Not compared with a checkpoint: none has been signed yet.'
      : `It matches the latest checkpoint stored beside it, at entry ${checkpointSeq}, made ${exactly(checkpointAtMs)}.`
  return `✓ The audit log is consistent: ${count}; ${asks} and ${grants} match it. ${checkpoint}`
}
