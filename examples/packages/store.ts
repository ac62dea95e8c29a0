import { randomBytes } from 'node:crypto'
import { choice, createKeyRing, form, newId, soleApprover } from '@assent/core'
import { openSqlite } from '@assent/store'

const keys = createKeyRing([{ id: 'k1', secret: randomBytes(32) }]) // keep the secret: it signs what is stored
const store = await openSqlite(process.env.ASSENT_DB ?? 'asks.db', { keys })

const { tenant, id } = await store.asks.raise({
  tenant: 'acme',
  id: newId('ask', Date.now(), randomBytes),
  asker: { server: 'deploy', tool: 'rollout' },
  principal: 'ann',
  question: {
    kind: 'form',
    message: 'Which region?',
    form: form({ region: choice({ eu: 'Europe', us: 'United States' }) }),
  },
  approvalRule: soleApprover('ann'),
  decideWithinMs: 600_000,
  useWithinMs: 300_000,
})

const person = { principal: 'ann', groups: [] }
const answer = (region: string) => ({ action: 'accept', content: { region } })
const first = await store.asks.answer({ tenant, id, person, via: 'inbox', answer: answer('eu') })
const second = await store.asks.answer({ tenant, id, person, via: 'terminal', answer: answer('us') })
console.log(first.kind, second.kind) // settled ended
console.log((await store.audit.verify(tenant)).ok) // true
await store.close()
