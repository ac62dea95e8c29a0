// The same work, sent by pgbench: the limit of the database with a client that costs almost nothing.
//
// The texts are the ones the store's engine prepares, with pgbench's variables for its parameters. pgbench cannot send a
// null or concatenate text, so a parameter that the store sends as null is a literal `null`, and the two ids are
// concatenated in SQL. Both are cheap for the server; the first is slightly in pgbench's favour.

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { canonicalJson, saltedDigest, type Vote } from '@assent/core'
import { answerAsk } from '../../packages/store/src/asks/answer-ask.ts'
import { answeredBody } from '../../packages/store/src/asks/audit-body.ts'
import { readAsk } from '../../packages/store/src/asks/read-ask.ts'
import { compileForPostgres } from '../../packages/store/src/engine/postgres.ts'
import type { Step } from '../../packages/store/src/engine/statement.ts'
import { ann, askIdStem, firstNumber, tenantInPgbench } from './load.ts'
import type { TestDb } from './test-db.ts'

/** Which asks are settled, by how many at once: client c takes `from + c`, `from + c + clients`, and so on. */
export interface Walk {
  readonly from: number
  readonly tenants: number
  readonly clients: number
  readonly each: number
}

const threads = 2
const run = promisify(execFile)

const vote: Vote = {
  answer: { action: 'accept' },
  by: ann.principal,
  via: 'inbox',
  decisionId: 'decision_01k9x2m5r8h3v7q0z4n6t1w5y9d100000000',
}

const asked = { kind: 'url', message: 'Open it.', url: 'https://example.com/' } as const
const body = canonicalJson(answeredBody(vote, asked, 'digest'))

const salt = '00112233445566778899aabbccddeeff'

/** Sent as parameters, as the store sends them. */
const constants: Readonly<Record<string, string>> = {
  action: vote.answer.action,
  answer: JSON.stringify(vote.answer),
  person_answer: 'approved',
  voter: vote.by,
  via: vote.via,
  decision_id: vote.decisionId,
  decides: '1',
  accepts_before: '0',
  declines_before: '0',
  body,
  salt,
  body_digest: saltedDigest(Buffer.from(salt, 'hex'), body),
}

/** Parameters that are replaced in the text itself. */
const replacements: Readonly<Record<string, string>> = {
  now: 'null',
  state_id: 'null',
  assertion_digest: 'null',
  state_expires_at: 'null',
  id: `('${askIdStem}' || :number)`,
  grant_id: `('grant_${askIdStem.slice('ask_'.length)}' || :number)`,
}

/** Settles per second. Every transaction settles a different ask, so that pgbench's count is the number of settles. */
export async function settleByPgbench(testDb: TestDb, { from, tenants, clients, each }: Walk): Promise<number> {
  const variables = { ...constants, i: 0, from, tenants, clients }
  return transactionsPerSecond(testDb, settleScript(), variables, { clients, each })
}

/** Runs a script `each` times by each of `clients` clients, each with its own connection. */
export async function transactionsPerSecond(
  testDb: Pick<TestDb, 'url' | 'schema'>,
  text: string,
  variables: Readonly<Record<string, string | number>>,
  { clients, each }: Pick<Walk, 'clients' | 'each'>,
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-bench-'))
  const script = join(folder, 'script.sql')
  const defined = Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`])
  const size = ['-c', String(clients), '-j', String(Math.min(threads, clients)), '-t', String(each)]
  try {
    await writeFile(script, text)
    const env = { ...process.env, PGOPTIONS: `-c search_path=${testDb.schema} -c statement_timeout=10000` }
    const args = ['-n', '-M', 'prepared', ...size, ...defined, '-f', script, testDb.url]
    const { stdout } = await run('pgbench', args, { env })
    return rateIn(stdout, clients * each)
  } finally {
    await rm(folder, { recursive: true })
  }
}

function settleScript(): string {
  return [
    '\\set n :from + :i * :clients + :client_id',
    '\\set i :i + 1',
    `\\set tenant ${tenantInPgbench}`,
    `\\set number ${firstNumber} + :n`,
    `${forPgbench(readAsk, replacements)};`,
    `${forPgbench(answerAsk, replacements)};`,
    '',
  ].join('\n')
}

/** @param instead parameters that are replaced in the text; all others become variables of the same name */
export function forPgbench(statement: Step, instead: Readonly<Record<string, string>>): string {
  const { text, names } = compileForPostgres(statement)
  return text.replaceAll(/\$(\d+)/g, (_, position: string) => {
    const name = names[Number(position) - 1] ?? ''
    return instead[name] ?? `:${name}`
  })
}

function rateIn(report: string, expected: number): number {
  const processed = /actually processed: (\d+)/.exec(report)?.[1]
  const rate = /tps = ([\d.]+) \(without initial connection time\)/.exec(report)?.[1]
  if (Number(processed) !== expected || rate === undefined) {
    throw new Error(`pgbench did not complete ${expected} transactions:\n${report}`)
  }
  return Number(rate)
}
