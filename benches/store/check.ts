// Checks after a race that every counted settle is completely in the database, on both sides.

import type { Store } from '@assent/store'
import { tenantOf } from './load.ts'
import type { TestDb } from './test-db.ts'

const logsChecked = 4

/** Throws if the figure would be meaningless. */
export async function checkSettled(
  testDb: TestDb,
  store: Store,
  expected: { settled: number; tenants: number },
): Promise<void> {
  const [counts] = await testDb.rows<Record<string, string>>(`select
    (select count(*) from asks where state = 'settled') as settled,
    (select count(*) from ask_approvers where is_open = 0) as unlisted,
    (select count(*) from grants) as grants,
    (select count(*) from audit_entries where kind = 'ask.settled') as entries`)
  for (const [name, count] of Object.entries(counts ?? {})) {
    if (Number(count) !== expected.settled) {
      throw new Error(`${expected.settled} asks were settled, but there are ${count} ${name}.`)
    }
  }
  for (let n = 0; n < Math.min(logsChecked, expected.tenants); n++) {
    const verdict = await store.audit.verify(tenantOf(n, expected.tenants))
    if (!verdict.ok) throw new Error(`The log of tenant ${n} does not verify: ${verdict.problem}`)
    if (verdict.lastSeq === 0) throw new Error(`The log of tenant ${n} is empty.`)
  }
}
