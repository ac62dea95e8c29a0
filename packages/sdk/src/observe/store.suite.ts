// A store that is away when the result of a step is stored.

import type { DurableStore } from '../server/durable.ts'

const away = async () => {
  throw new Error('database is away')
}

export const storeThatCannotFinish: DurableStore = {
  steps: { claim: async () => ({ kind: 'yours' }), finish: away, keep: away },
  asks: { raise: away, answer: away, withdraw: away },
  grants: { read: away, use: away },
}
