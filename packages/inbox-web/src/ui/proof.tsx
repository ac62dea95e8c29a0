// The audit log's entries for one ask, whether the log is consistent, and a file with which it can be verified elsewhere.

import type { ProofView } from '@assent/core'
import { Button } from '@mantine/core'
import { historyText } from '../text/history.ts'
import { exactly } from '../text/time.ts'
import { Parts } from './parts.tsx'
import { saveFile } from './save-file.ts'

const words = historyText.proof
const shownChars = 16

export function Proof({ proof }: { readonly proof: ProofView }) {
  const { ask, entries, chain } = proof
  return (
    <>
      <p
        className="proof-chain"
        data-level={chain.kind === 'broken' || chain.kind === 'mismatch' ? 'danger' : undefined}
      >
        {words.chain(chain)}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.columns.entry}</th>
            <th scope="col">{words.columns.what}</th>
            <th scope="col">{words.columns.when}</th>
            <th scope="col">{words.columns.hash}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ seq, kind, atMs, hash }) => (
            <tr key={seq}>
              <td className="digits">{seq}</td>
              <td>{words.entries[kind]}</td>
              <td>{exactly(atMs)}</td>
              <td>
                <code title={hash}>{hash.slice(0, shownChars)}…</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <Button
          variant="default"
          className="proof-download"
          onClick={() => saveFile(`${ask}.json`, JSON.stringify(proof, undefined, 2))}
        >
          {words.download}
        </Button>
      </p>
      <p className="proof-hint">
        <Parts of={words.hint(ask)} />
      </p>
    </>
  )
}
