// An answer that is brought back: the same request, byte for byte but for its id, sent again after it was used.
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { afterEach, expect, test } from 'vitest'
import { assentTools } from '../server.ts'
import { type Placed, place, treeDigest } from './fixtures/fixture.suite.ts'
import { monorepo } from './fixtures/repositories.corpus.ts'
import { agreeing } from './stage.suite.ts'

let placed: Placed | undefined
afterEach(async () => {
  await placed?.remove()
  placed = undefined
})

interface Message {
  readonly id?: unknown
  readonly result?: {
    readonly structuredContent?: { readonly status?: unknown; readonly error?: { readonly code: string } }
  }
  readonly params?: { readonly arguments?: { readonly action?: string }; readonly inputResponses?: unknown }
}

test('[ONBOARD-7] an answer that was used does nothing a second time, even when the same plan is approved again', async () => {
  placed = await place(monorepo)
  const { root } = placed
  const [near, far] = InMemoryTransport.createLinkedPair()
  const serving = serveStdio(assentTools({ folder: root, stateFolder: placed.home }), { transport: far })
  const sent: Message[] = []
  const send = near.send.bind(near)
  near.send = async (message, options) => {
    sent.push(message as Message)
    await send(message, options)
  }
  const client = new Client(
    { name: 'replayer', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  client.setRequestHandler('elicitation/create', async ({ params }) => agreeing(params as never) as never)
  await client.connect(near)
  const call = async (action: string) => {
    const { structuredContent } = await client.callTool({ name: 'onboarding', arguments: { action } })
    return (structuredContent as { status: string }).status
  }
  const again = async (action: string) => {
    const used = sent.find(({ params }) => params?.arguments?.action === action && params.inputResponses !== undefined)
    const id = `again-${action}`
    const answered = Promise.withResolvers<Message>()
    const hear = near.onmessage
    near.onmessage = (message, extra) => {
      if ((message as Message).id === id) answered.resolve(message as Message)
      else hear?.(message, extra)
    }
    await send({ ...used, id } as never)
    const { result } = await answered.promise
    if (hear !== undefined) near.onmessage = hear
    return result?.structuredContent
  }

  for (const action of ['propose', 'approve', 'migrate']) await call(action)
  const migrated = await treeDigest(root)
  expect(await again('migrate')).toMatchObject({ error: { code: 'CHANGED_WHILE_ASKING' } })
  expect(await treeDigest(root)).toBe(migrated)

  await call('rollback')
  const before = await treeDigest(root)
  await call('propose')
  expect(await again('approve')).toMatchObject({ error: { code: 'CHANGED_WHILE_ASKING' } })
  expect(await call('status')).toBe('proposed')
  await call('approve')
  expect(await again('migrate')).toMatchObject({ error: { code: 'CHANGED_WHILE_ASKING' } })
  expect(await treeDigest(root)).toBe(before)
  expect(await call('status')).toBe('approved')

  await client.close()
  await serving.close()
})
