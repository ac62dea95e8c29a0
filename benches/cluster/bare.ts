// The database without Assent: the same asks raised and settled, with the same audit entries, sent by pgbench.
//
// One tenant, as a gateway has, so one audit chain. Reading an ask before it is answered is included; further queries of
// the inbox and the gateway (session, list, state) are not.

import { canonicalJson, readForm, saltedDigest, soleApprover } from '@assent/core'
import { answerAsk } from '../../packages/store/src/asks/answer-ask.ts'
import { answeredBody, raisedBody } from '../../packages/store/src/asks/audit-body.ts'
import { approverParam, raiseAsk } from '../../packages/store/src/asks/raise-ask.ts'
import { readAsk } from '../../packages/store/src/asks/read-ask.ts'
import { accepted, question } from '../relay/words.ts'
import { forPgbench, transactionsPerSecond } from '../store/pgbench.ts'
import type { TestDb } from '../store/test-db.ts'

const bareTenant = 'bare'

const person = 'person-0'
const stem = 'ask_01k9x2m5r8h3v7q0z4n6t1w5y9d'
const firstNumber = 100_000_000
const salt = '00112233445566778899aabbccddeeff'

/** Asks raised and settled per second. `from` is the number of the first ask. */
export function livesByPgbench(testDb: TestDb, walk: { from: number; clients: number; each: number }): Promise<number> {
  return transactionsPerSecond(testDb, script(), { ...variables(), ...walk, i: 0 }, walk)
}

function script(): string {
  const id = `('${stem}' || :number)`
  const instead = {
    now: 'null',
    id,
    call_id: 'null',
    comment_reaches: 'null',
    digest: 'null',
    state_id: 'null',
    state_expires_at: 'null',
    assertion_digest: 'null',
  }
  const raising = { ...instead, body: ':raised_body', body_digest: ':raised_digest' }
  const answering = { ...instead, grant_id: `('grant_' || :number)` }
  return [
    `\\set number ${firstNumber} + :from + :i * :clients + :client_id`,
    '\\set i :i + 1',
    `${forPgbench(raiseAsk(1), raising)};`,
    `${forPgbench(readAsk, instead)};`,
    `${forPgbench(answerAsk, answering)};`,
    '',
  ].join('\n')
}

/** Sent as parameters, as the store sends them. */
function variables(): Record<string, string | number> {
  const read = readForm(question('b0').requestedSchema)
  if (!read.ok) throw new Error('The question of the bench must be a form.')
  const asked = { kind: 'form', message: String(question('b0').message), form: read.form } as const
  const asker = { server: 'bench', tool: 'release' }
  const approvalRule = soleApprover(person)
  const waits = { decideWithinMs: 60 * 60_000, useWithinMs: 60 * 60_000 }
  const draft = { tenant: bareTenant, id: stem, asker, principal: person, question: asked, approvalRule, ...waits }
  const raised = canonicalJson(raisedBody(draft, 'digest'))
  const vote = { answer: accepted, by: person, via: 'inbox', decisionId: `decision_${stem}` } as const
  const answered = canonicalJson(answeredBody(vote as never, asked, 'digest'))
  return {
    person_answer: 'answered',
    decides: 1,
    accepts_before: 0,
    declines_before: 0,
    tenant: bareTenant,
    ...asker,
    principal: person,
    kind: asked.kind,
    question: JSON.stringify(asked),
    approval_rule: JSON.stringify(approvalRule),
    approvals_needed: approvalRule.approvals,
    declines_needed: approvalRule.declines,
    decide_within: waits.decideWithinMs,
    use_within: waits.useWithinMs,
    raised_body: raised,
    salt,
    raised_digest: saltedDigest(Buffer.from(salt, 'hex'), raised),
    [approverParam(0)]: approvalRule.approvers[0] ?? '',
    action: vote.answer.action,
    answer: JSON.stringify(vote.answer),
    voter: vote.by,
    via: vote.via,
    decision_id: vote.decisionId,
    body: answered,
    body_digest: saltedDigest(Buffer.from(salt, 'hex'), answered),
  }
}
