// Gateway processes behind PgBouncer in transaction pooling: they work as one, and log how they are notified.

import { expect, test } from 'vitest'
import { call } from '../../packages/gateway/src/contract/wire.suite.ts'
import {
  aDatabase,
  aKey,
  aProcessOf,
  aRunningGateway,
  assent,
} from '../../packages/gateway/src/program/process.suite.ts'
import { aPgBouncer, isMissing } from '../../packages/store/src/contract/pgbouncer.suite.ts'
import { whichRegion } from '../../test-kit/mcp/asking-tools.ts'

const args = { questions: [whichRegion] }
const inEurope = { action: 'accept', content: { region: 'eu' } }

test.skipIf(isMissing).each([
  ['poll', ''],
  ['listen', 'the database itself'],
])(
  '[PROG-70] two gateways behind PgBouncer work as one, and log their kind of notification: %s',
  async (transport, wake) => {
    const { name, url } = await aDatabase()
    const bouncer = await aPgBouncer('transaction')
    const through = Object.assign(new URL(bouncer.url), { pathname: `/${name}` }).href
    const config = `keys: { k1: "${aKey}" }\ncluster: { listen: "127.0.0.1:0" }\nservers: { a: ${aProcessOf('2025-11-25')} }`
    const variables = { ASSENT_STORE: through, ...(wake === '' ? {} : { ASSENT_WAKE: url }) }
    expect(await assent(['migrate', '--store', url])).toMatchObject({ code: 0 })
    const [first, second] = [await aRunningGateway(config, variables), await aRunningGateway(config, variables)]

    const { requestState } = (await call(first.url, args)).message.result
    const outcome = await call(second.url, args, { requestState, inputResponses: { ask_1: inEurope } })

    expect(outcome.message.result).toMatchObject({ content: [{ type: 'text', text: 'done' }] })
    for (const gateway of [first, second]) {
      expect(gateway.lines()).toContainEqual(expect.objectContaining({ notifications: transport, pooled: true }))
      expect(gateway.lines().filter(({ level }) => level === 'error')).toEqual([])
    }
  },
)
