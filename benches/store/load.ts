// Creates many open asks directly with SQL: raising a million through the store would take minutes.
//
// Every ask has a number. Its tenant, id, approvers and time are computed from that number, so that the store's callers,
// pgbench and the checks refer to the same ask without a query. The rows are those that `raise` would write, except that
// the audit log begins with the first answer.

import {
  type Action,
  actionDigest,
  createKeyRing,
  type KeyRing,
  type Question,
  signAsk,
  toolDefinitionDigest,
} from '@assent/core'

export interface Asks {
  /** The first number, and the one after the last. */
  readonly from: number
  readonly to: number
  /** Ask n belongs to tenant n modulo this. */
  readonly tenants: number
  /** Ask n is put to person n modulo this. */
  readonly people: number
  /** And to everyone, as one group that may answer any ask. */
  readonly alsoToEveryone: boolean
}

export const keys: KeyRing = createKeyRing([{ id: 'bench', secret: new Uint8Array(32).fill(1) }])

export const servers = 8
/** Ann is person 0. */
export const ann = { principal: 'p0', groups: [] }
export const someoneOfEveryone = { principal: 'someone', groups: ['everyone'] }
export const useWithinMs = 5 * 60_000
export const decideWithinMs = 7 * 24 * 60 * 60_000

/** With nine digits after it, as long as an id from `newId`. */
export const askIdStem = 'ask_01k9x2m5r8h3v7q0z4n6t1w5y9d'
/** Numbers of equal length sort in the same order as text. */
export const firstNumber = 100_000_000
const firstTenant = 1_000

export function askId(n: number): string {
  return `${askIdStem}${firstNumber + n}`
}

/** All digits, because pgbench can compute only numbers. */
export function tenantOf(n: number, tenants: number): string {
  return String(firstTenant + (n % tenants))
}

export const tenantInPgbench = `${firstTenant} + :n % :tenants`

export function raisedAtMs(n: number, loadedAtMs: number): number {
  return loadedAtMs + n
}

/** About 600 bytes of JSON: a rollout with a dozen arguments, and the asker's text. */
export function question(): Question {
  const action: Action = {
    server: 'deploy-0',
    tool: 'rollout',
    definitionDigest: toolDefinitionDigest({ name: 'rollout', inputSchema: { type: 'object' } }),
    arguments: {
      environment: 'production',
      image: 'registry.example.com/payments/api@sha256:5f70bf18a086007016e948b04aed3b82103a36be',
      region: 'eu-central-1',
      replicas: 12,
      strategy: { kind: 'canary', steps: [5, 25, 50, 100], pauseS: 300 },
    },
  }
  const claim = 'All checks are green. The migration ran on staging for two days.'
  return { kind: 'approval', title: 'Roll out payments/api to production', action, digest: actionDigest(action), claim }
}

/** Rows in one statement: each brings its signature along. */
const rowsAtOnce = 5_000

/** Statements for both engines. Only our own constants, numbers and signatures are inserted into the text. */
export function* loadAsks(asks: Asks, loadedAtMs: number): Generator<string> {
  for (let from = asks.from; from < asks.to; from += rowsAtOnce) {
    yield* loadSome({ ...asks, from, to: Math.min(from + rowsAtOnce, asks.to) }, loadedAtMs)
  }
}

function loadSome(asks: Asks, loadedAtMs: number): string[] {
  const shown = question()
  const digest = shown.kind === 'approval' ? shown.digest : ''
  const everyone = asks.alsoToEveryone ? ',"group:everyone"' : ''
  const rows = Array.from({ length: asks.to - asks.from }, (_, index) => asks.from + index)
  const signed = `with signed(n, signature) as (values ${rows.map((n) => `(${n}, '${signatureOf(n, asks, shown)}')`).join(',')})`
  const numbers = `with recursive numbers(n) as (
    select ${asks.from} union all select n + 1 from numbers where n + 1 < ${asks.to})`
  const tenant = `cast(${firstTenant} + n % ${asks.tenants} as text)`
  const id = `'${askIdStem}' || (${firstNumber} + n)`
  const person = `'person:p' || (n % ${asks.people})`
  // Consecutive asks of one person are from different servers.
  const server = `'deploy-' || ((n / ${asks.people} + n % ${asks.people}) % ${servers})`
  const raisedAt = `${loadedAtMs} + cast(n as bigint)`

  const listFor = (
    approver: string,
  ) => `insert into ask_approvers (tenant, ask_id, approver, server, kind, raised_at, decide_by, is_open)
    ${numbers} select ${tenant}, ${id}, ${approver}, ${server}, 'approval', ${raisedAt}, ${raisedAt} + ${decideWithinMs}, 1 from numbers`
  return [
    `insert into asks (tenant, id, state, server, tool, principal, kind, question, approval_rule, approvals_needed,
      declines_needed, digest, raised_at, decide_by, use_within, signature)
    ${signed} select ${tenant}, ${id}, 'open', ${server}, 'rollout', 'agent', 'approval', '${JSON.stringify(shown)}',
      '{"approvers":["' || ${person} || '"${everyone}],"excluded":[],"approvals":1,"declines":1}', 1,
      1, '${digest}', ${raisedAt}, ${raisedAt} + ${decideWithinMs}, ${useWithinMs}, signature from signed`,
    listFor(person),
    ...(asks.alsoToEveryone ? [listFor(`'group:everyone'`)] : []),
  ]
}

function signatureOf(n: number, { tenants, people, alsoToEveryone }: Asks, shown: Question): string {
  const everyone = alsoToEveryone ? (['group:everyone'] as const) : []
  return signAsk(keys, {
    tenant: tenantOf(n, tenants),
    id: askId(n),
    asker: { server: `deploy-${(Math.floor(n / people) + (n % people)) % servers}`, tool: 'rollout' },
    principal: 'agent',
    question: shown,
    approvalRule: { approvers: [`person:p${n % people}`, ...everyone], excluded: [], approvals: 1, declines: 1 },
    decideWithinMs,
    useWithinMs,
  })
}
