// What the audit log says about one ask, and whether it is consistent; to be kept and checked elsewhere.

import type { AuditEntry, ChainView, ProofView } from '@assent/core'
import { exactly } from './time.ts'

const happened: Readonly<Record<AuditEntry['kind'], string>> = {
  'ask.raised': 'asked',
  'ask.voted': 'one answer counted',
  'ask.settled': 'decided',
  'ask.undelivered': 'not delivered: the server had stopped waiting',
  'ask.expired': 'expired',
  'ask.withdrawn': 'withdrawn',
  'ask.unverified': 'Refused: the stored row does not match its signatures',
  'grant.used': 'the approval was used',
  'call.lost': 'the waiting call was lost',
  note: 'noted',
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
        {chainInWords(chain)}
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
              <td className="figures">{seq}</td>
              <td>{happened[kind]}</td>
              <td>{exactly(atMs)}</td>
              <td>
                <code title={hash}>{hash.slice(0, shownChars)}…</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <button type="button" className="open-link" onClick={() => download(proof)}>
          Download the proof
        </button>
      </p>
      <p className="proof-hint">
        It holds every word of these entries, and shows later whether one was changed:{' '}
        <code>assent audit verify --proof</code> <code>{ask}.json</code>
      </p>
    </>
  )
}

/** From what the page has: a link to the API would not be signed. */
function download(proof: ProofView): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(proof, undefined, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${proof.ask}.json`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

function chainInWords(chain: ChainView): string {
  if (chain.kind === 'too-long') {
    return 'The audit log is too long to be checked here. The operator of this gateway can run: assent audit verify.'
  }
  if (chain.kind === 'broken') {
    return `⚠ The audit log is not consistent. ${chain.problem} The entries below may not be what happened. Tell the operator of this gateway.`
  }
  if (chain.kind === 'mismatch') {
    return `⚠ The database does not match the audit log. ${chain.problem} What is shown may not be what happened. Tell the operator of this gateway.`
  }
  const count = `${chain.lastSeq.toLocaleString()} ${chain.lastSeq === 1 ? 'entry' : 'entries'}`
  const asks = `${chain.asks.toLocaleString()} ${chain.asks === 1 ? 'ask' : 'asks'}`
  const grants = `${chain.grants.toLocaleString()} ${chain.grants === 1 ? 'grant' : 'grants'}`
  const { checkpointSeq, checkpointAtMs } = chain
  const held =
    checkpointSeq === undefined || checkpointAtMs === undefined
      ? 'Not compared with a checkpoint: none has been signed yet.'
      : `It matches the latest checkpoint stored beside it, at entry ${checkpointSeq}, made ${exactly(checkpointAtMs)}.`
  return `✓ The audit log is consistent: ${count}; ${asks} and ${grants} match it. ${held}`
}
