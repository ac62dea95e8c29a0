// Replayed answers: a request with an answer is sent again after the answer was used, identical except for its id.
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { afterEach, expect, test } from 'vitest'
import { createRepository, type TestRepository, treeDigest } from './fixtures/fixture.suite.ts'
import { monorepo } from './fixtures/repositories.corpus.ts'
import { acceptAll } from './test-env.suite.ts'
import { onboardingServer } from './test-server.suite.ts'

let placed: TestRepository | undefined
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
  placed = await createRepository(monorepo)
  const { root } = placed
  const [near, far] = InMemoryTransport.createLinkedPair()
  const serving = serveStdio(onboardingServer({ folder: root, home: placed.home }), { transport: far })
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
  client.setRequestHandler('elicitation/create', async ({ params }) => acceptAll(params as never) as never)
  await client.connect(near)
  const call = async (action: string) => {
    const { structuredContent } = await client.callTool({ name: 'onboarding', arguments: { action } })
    return (structuredContent as { status: string }).status
  }
  const again = async (action: string) => {
    const used = sent.find(({ params }) => params?.arguments?.action === action && params.inputResponses !== undefined)
    const id = `again-${action}`
    const answered = Promise.withResolvers<Message>()
    const receive = near.onmessage
    near.onmessage = (message, extra) => {
      if ((message as Message).id === id) answered.resolve(message as Message)
      else receive?.(message, extra)
    }
    await send({ ...used, id } as never)
    const { result } = await answered.promise
    if (receive !== undefined) near.onmessage = receive
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
