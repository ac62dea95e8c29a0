// What the record says about one ask, and whether the record is whole; to be kept and checked elsewhere.

import type { AuditEntry, ChainView, ProofView } from '@assent/core'
import { exactly } from './time.ts'

const happened: Readonly<Record<AuditEntry['kind'], string>> = {
  'ask.raised': 'asked',
  'ask.voted': 'one answer counted',
  'ask.settled': 'decided',
  'ask.expired': 'expired',
  'ask.withdrawn': 'withdrawn',
  'grant.used': 'the approval was used',
  'call.lost': 'the waiting call was lost',
  note: 'noted',
}
const shownChars = 16

export function Proof({ proof }: { readonly proof: ProofView }) {
  const { ask, entries, chain } = proof
  return (
    <>
      <p className="proof-chain" data-level={chain.kind === 'broken' ? 'danger' : undefined}>
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
        <a className="open-link" href={`/api/asks/${ask}/proof?download`} download={`${ask}.json`}>
          Download the proof
        </a>
      </p>
      <p className="proof-hint">
        It holds every word of these entries, and shows later whether one was changed:{' '}
        <code>assent audit verify --proof</code> <code>{ask}.json</code>
      </p>
    </>
  )
}

function chainInWords(chain: ChainView): string {
  if (chain.kind === 'too-long') {
    return 'The record is too long to be checked here. Whoever runs this gateway can: assent audit verify.'
  }
  if (chain.kind === 'broken') {
    return `⚠ The record is not whole. ${chain.problem} What stands below may not be what happened: tell whoever runs this gateway.`
  }
  const count = `${chain.lastSeq.toLocaleString()} ${chain.lastSeq === 1 ? 'entry' : 'entries'}`
  const { checkpointSeq, checkpointAtMs } = chain
  const held =
    checkpointSeq === undefined || checkpointAtMs === undefined
      ? 'No checkpoint has been signed yet.'
      : `It agrees with the latest checkpoint, at entry ${checkpointSeq}, signed ${exactly(checkpointAtMs)}.`
  return `✓ The record is whole: each of its ${count} follows from the one before. ${held}`
}
