// How many people have approved, and the exact bytes on request.

import type { QuestionView, QuorumView } from '@assent/core'
import { useId, useState } from 'react'
import { useNow } from '../api/server-time.ts'
import { cardText } from '../text/card.ts'
import { ago } from '../text/time.ts'
import { Parts } from './parts.tsx'

const words = cardText.facts
const shownDigestChars = 4

/** Where one answer does not decide. */
interface QuorumProps {
  readonly quorum: QuorumView
  readonly policies: readonly string[] | undefined
  readonly isOpen: boolean
  readonly mayAnswer: boolean
}

export function Quorum({ quorum, policies, isOpen, mayAnswer }: QuorumProps) {
  const { approvals, approvalsNeeded, declinesNeeded, votes, needs } = quorum
  const isLast = isOpen && approvalsNeeded - approvals === 1 && mayAnswer
  const now = useNow()
  return (
    <section className="quorum">
      <p>
        <Parts of={words.quorum(approvals, approvalsNeeded, needs)} /> {isLast && words.completes(approvalsNeeded)}{' '}
        {isOpen && words.rule(declinesNeeded)} {policies !== undefined && words.policies(policies)}
      </p>
      {/* The only vote on an ask that has ended is its outcome, which the card shows at its top. */}
      {votes.length > (isOpen ? 0 : 1) && (
        <ul>
          {votes.map(({ by, action, comment, atMs }) => (
            <li key={by.name + atMs}>
              {words.voted(by.isYou ? words.you : by.name, action === 'accept', ago(now - atMs))}
              {comment !== undefined && `: ${comment}`}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

export function Details({ question }: { readonly question: QuestionView }) {
  const [isOpen, setOpen] = useState(false)
  const { json, digest } = bytesOf(question)
  const details = useId()
  if (json === undefined) return null
  return (
    <>
      <p className="facts">
        <button
          type="button"
          className="link-button"
          aria-expanded={isOpen}
          aria-controls={details}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? words.hideDetails : words.showDetails(digest && shortDigest(digest))}
        </button>
      </p>
      {isOpen && (
        <div id={details} className="details">
          <pre>{json}</pre>
          {digest !== undefined && (
            <p>
              {words.digest} <code>{digest}</code>
            </p>
          )}
        </div>
      )}
    </>
  )
}

function bytesOf(question: QuestionView): { readonly json?: string | undefined; readonly digest?: string } {
  if (question.kind === 'approval') return question
  if (question.kind === 'form' && question.declared !== undefined) return question.declared
  return { json: question.call?.json }
}

function shortDigest(digest: string): string {
  return digest.replace(/^.*:/, '').slice(0, shownDigestChars)
}
