// The bodies of audit entries about an ask: always digests, contents only if the operator chose to keep them.

import { type AskDraft, answerDigests, compact, digestOf, nameAnswer, type Question, type Vote } from '@assent/core'

export type AuditContents = 'keep' | 'digest'

export function raisedBody(draft: AskDraft, contents: AuditContents): unknown {
  const { asker, caller, principal, callId, question, approvalRule, needsPresence, decideWithinMs, useWithinMs } = draft
  return {
    asker,
    principal,
    ...compact({ caller, callId, needsPresence }),
    kind: question.kind,
    questionDigest: digestOf('question v1', question),
    ...(question.kind === 'approval' ? boundTo(question) : {}),
    ...(contents === 'keep' ? { question } : {}),
    approvalRule,
    decideWithinMs,
    useWithinMs,
  }
}

/** What an approval is bound to, beside its rule. */
function boundTo({ digest, policySetDigest }: Question & { kind: 'approval' }) {
  return { actionDigest: digest, ...compact({ policySetDigest }) }
}

/** How the person gave the answer. */
const givenBy = { inbox: 'browser session', terminal: 'terminal', client: 'client' } as const

/** `answered` is the person's actual answer, from a closed set of names: a form answered with No is an accept, but not a yes. */
export function answeredBody(
  { answer, by, via, decisionId, groups, presence }: Vote,
  question: Question,
  contents: AuditContents,
): unknown {
  const answered = nameAnswer(question, answer)
  const given = presence === undefined ? givenBy[via] : 'passkey'
  const shown = contents === 'keep' ? answer : answerDigests(answer)
  return { by, via, given, decisionId, answered, answer: shown, ...compact({ groups, presence }) }
}
