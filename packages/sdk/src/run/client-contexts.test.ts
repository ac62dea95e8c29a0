// Contexts and replies of 2025 clients that the SDKs produce rarely: no connection, other servers, refused questions.

import { askMetaKey, isAssentError } from '@assent/core'
import { Server as Server1 } from '@modelcontextprotocol/sdk/server/index.js'
import { McpServer } from '@modelcontextprotocol/server'
import { describe, expect, test, vi } from 'vitest'
import * as asked from '../ask/describe.ts'
import { createAssent } from '../assent.ts'
import { clientSurface, read20251125 } from './2025-11-25.ts'
import { read20260728 } from './2026-07-28.ts'
import { declaredModes } from './modes.ts'
import { negotiatedRevision, recordRevision } from './negotiated-revision.ts'

const name = asked.text('Name?')
const putting = { signal: new AbortController().signal, waitMs: 1_000, isDefaultWait: true }
const info = { name: 's', version: '1' }
const gateway = { elicitation: { form: {} }, experimental: { 'assent/ask': {} } }

/** A server whose client declared these capabilities. */
const serverFor = (capabilities: unknown) => ({ getClientCapabilities: () => capabilities })

/** A context as SDK 1.x passes it, whose client replies like this. */
function context1(reply: () => unknown, more: object = {}) {
  const sendRequest = vi.fn(async (_request: object) => reply())
  return { sendRequest, sendNotification: async () => undefined, ...more }
}

function surfaceOf(context: object, server: object | undefined) {
  const call = read20251125(context, server)
  if (call === undefined) throw new Error('The context was not read.')
  return clientSurface(call, () => 'ask_1', 0)
}

function errorOf(code: unknown, message: string, data?: unknown): () => never {
  return () => {
    throw Object.assign(new Error(message), { code, data })
  }
}

describe('the server', () => {
  test('[SDK-4] may be the one inside an McpServer; it has the capabilities of its client', () => {
    const server = new Server1(info, { capabilities: { tools: {} } })
    // Not connected, so its client declared nothing.
    const surface = surfaceOf(
      context1(() => ({})),
      server,
    )
    expect(surface.refuses(name)).toContain('the client did not declare that it can show forms')
    expect(
      surfaceOf(
        context1(() => ({})),
        { server: null, ...serverFor({ elicitation: {} }) },
      ).refuses(name),
    ).toBeUndefined()
  })

  test('[SDK-11] that reports no capabilities is a mistake of the settings', () => {
    for (const server of [{}, { server: {} }, { getClientCapabilities: true }])
      expect(() =>
        read20251125(
          context1(() => ({})),
          server,
        ),
      ).toThrow(
        expect.objectContaining({ code: 'misconfigured', message: expect.stringContaining('is not an MCP server') }),
      )
    expect(() =>
      read20251125(
        context1(() => ({})),
        undefined,
      ),
    ).toThrow('interactive(handler, { server })')
  })

  test('[SDK-34] that has no session with its client is reported as such, with SDK 1 too', () => {
    const stateless = context1(() => ({}), { requestInfo: { headers: {} } })
    expect(surfaceOf(stateless, serverFor(undefined)).refuses(name)).toContain('handles HTTP without sessions')
    const session = context1(() => ({}), { requestInfo: { headers: {} }, sessionId: 's1' })
    expect(surfaceOf(session, serverFor(undefined)).refuses(name)).toContain('the client did not declare')
    expect(surfaceOf(stateless, serverFor({ elicitation: {} })).refuses(name)).toBeUndefined()
  })

  test('[SDK-19] the revision is recorded for the server inside an McpServer, and read from one of SDK 2 itself', () => {
    const inner = { connect: vi.fn() }
    recordRevision({ server: inner })
    recordRevision(inner)
    const transport = { send: vi.fn() }
    ;(inner.connect as (transport: object) => void)(transport)
    transport.send({ result: 'no object' })
    expect(negotiatedRevision(inner)).toBeUndefined()
    transport.send({ result: { protocolVersion: '2025-06-18', serverInfo: info } })
    expect(negotiatedRevision(inner)).toBe('2025-06-18')
    const server2 = new McpServer(info)
    const { connect } = server2.server
    recordRevision(server2)
    expect(server2.server.connect).toBe(connect)
  })
})

describe('a question', () => {
  test('[SDK-4] that the client cannot show is not sent', async () => {
    const context = context1(() => ({ action: 'accept' }))
    const surface = surfaceOf(context, serverFor({ elicitation: { url: {} } }))
    expect(await surface.put(name, putting)).toMatchObject({ kind: 'unsupported' })
    expect(context.sendRequest).not.toHaveBeenCalled()
  })

  test.each<[string, unknown, () => unknown, object]>([
    ['the time of a gateway has passed', gateway, errorOf(-32_000, 'late', { reason: 'expired' }), { kind: 'expired' }],
    [
      'another error of a gateway',
      gateway,
      errorOf(-32_000, 'late', { reason: 'lost' }),
      { kind: 'gone', why: 'late' },
    ],
    ['an error without data', gateway, errorOf(-32_000, 'late'), { kind: 'gone', why: 'late' }],
    ['a plain error of a gateway', gateway, () => Promise.reject(new Error('closed')), { kind: 'gone', why: 'closed' }],
    [
      'a text that a gateway’s connection throws',
      gateway,
      () => Promise.reject('closed'),
      { kind: 'gone', why: 'closed' },
    ],
    [
      'the same error of another client',
      { elicitation: {} },
      errorOf(-32_000, 'late', { reason: 'expired' }),
      { kind: 'gone', why: 'late' },
    ],
    [
      'an unknown method',
      { elicitation: {} },
      errorOf(-32_601, 'no method'),
      { kind: 'unsupported', why: 'no method' },
    ],
    ['refused params', { elicitation: {} }, errorOf(-32_602, 'no forms'), { kind: 'unsupported', why: 'no forms' }],
    [
      'a thrown text',
      { elicitation: {} },
      () => {
        // biome-ignore lint/style/useThrowOnlyError: other code may throw anything
        throw 'closed'
      },
      { kind: 'gone', why: 'closed' },
    ],
  ])('[SDK-17] that ends with %s is not answered', async (_, capabilities, reply, ending) => {
    expect(await surfaceOf(context1(reply), serverFor(capabilities)).put(name, putting)).toEqual(ending)
  })

  test('[ANSWER-5] whose answer the SDK refused is invalid, with the reason of the SDK', async () => {
    const refused = errorOf(-32_602, 'Elicitation response content does not match')
    const reply = await surfaceOf(context1(refused), serverFor({ elicitation: {} })).put(name, putting)
    expect(reply).toEqual({ kind: 'invalid', why: 'Elicitation response content does not match' })
  })

  test('[SDK-19] carries the id of its call for a gateway, if the context has one', async () => {
    for (const [more, call] of [
      [{ requestId: 7 }, 7],
      [{}, undefined],
    ] as const) {
      const context = context1(() => ({ action: 'decline' }), more)
      await surfaceOf(context, serverFor(gateway)).put(name, putting)
      const [request] = context.sendRequest.mock.calls[0] as [{ params: { _meta: Record<string, object> } }]
      expect(request.params._meta[askMetaKey]).toMatchObject({ waitMs: 1_000, isDefault: true })
      expect(request.params._meta[askMetaKey]).toEqual(
        expect.objectContaining(call === undefined ? { waitMs: 1_000 } : { call }),
      )
    }
  })
})

describe('a context', () => {
  test('[SDK-11] that belongs to no MCP server or surface is a mistake of the caller', async () => {
    const handler = createAssent({ log: false }).interactive(async () => 'done', { name: 'tool' })
    for (const context of [undefined, null, 'text', {}, { mcpReq: null }, { mcpReq: 'x' }, { elicit: 'x' }]) {
      const error = await handler(context).catch((thrown: unknown) => thrown)
      expect(isAssentError(error, 'misconfigured')).toBe(true)
    }
  })

  test('[SDK-19] of an older revision, or without a valid one, is not read as 2026-07-28', () => {
    const key = 'io.modelcontextprotocol/protocolVersion'
    const of = (envelope: unknown) => read20260728({ mcpReq: { envelope } })
    for (const envelope of [undefined, 'text', {}, { [key]: 20260728 }, { [key]: '2025-11-25' }])
      expect(of(envelope)).toBeUndefined()
    // A client that declares nothing can show nothing.
    expect(of({ [key]: '2026-07-28' })).toMatchObject({ modes: { form: false, url: false }, answers: {} })
    expect(of({ [key]: '2027-01-01' })).toBeDefined()
  })

  test('[SDK-4] capabilities that are no object declare nothing', () => {
    for (const capabilities of [undefined, null, 'forms', [], { elicitation: true }, { elicitation: null }])
      expect(declaredModes(capabilities)).toEqual({ form: false, url: false })
    expect(declaredModes({ elicitation: {} })).toEqual({ form: true, url: false })
    expect(declaredModes({ elicitation: { url: {} } })).toEqual({ form: false, url: true })
  })
})
