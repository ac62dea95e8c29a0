// What the record says about an ask: digests always, contents only where the operator chose to keep them.

import { type Answer, type AskDraft, digestOf, type Vote } from '@assent/core'

export type AuditContents = 'keep' | 'digest'

export function raisedBody(draft: AskDraft, contents: AuditContents): unknown {
  const { asker, principal, callId, question, electorate, decideWithinMs, useWithinMs } = draft
  return {
    asker,
    principal,
    ...(callId === undefined ? {} : { callId }),
    kind: question.kind,
    questionDigest: digestOf('question v1', question),
    ...(question.kind === 'approval' ? { actionDigest: question.digest } : {}),
    ...(contents === 'keep' ? { question } : {}),
    electorate,
    decideWithinMs,
    useWithinMs,
  }
}

export function answeredBody({ answer, by, via, decisionId }: Vote, contents: AuditContents): unknown {
  return { by, via, decisionId, answer: contents === 'keep' ? answer : digested(answer) }
}

function digested(answer: Answer): unknown {
  const content = answer.action === 'accept' ? answer.content : undefined
  return {
    action: answer.action,
    ...(content === undefined ? {} : { contentDigest: digestOf('content v1', content) }),
    ...(answer.comment === undefined ? {} : { commentDigest: digestOf('comment v1', answer.comment) }),
  }
}
