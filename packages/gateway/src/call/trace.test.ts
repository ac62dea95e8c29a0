import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { expect, onTestFinished, test } from 'vitest'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { anOlderRawServer, aRawServer, asks, call, complete, request } from '../contract/wire.suite.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`
const secret = 'c4nary-7b0f1e'

/** A real SDK, registered as an operator would register it. */
function recording(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter()
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  onTestFinished(() => {
    for (const one of [trace, context, propagation]) one.disable()
  })
  return exporter
}

const shown = ({ name, attributes }: ReadableSpan) => ({ name, ...attributes })

test('[WATCH-5] both hops of a call are spans of the caller’s trace, and the server receives its own span as parent', async () => {
  const exporter = recording()
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ q: whichRegion }) : complete,
  )
  const older = await anOlderRawServer(({ end }) => end({ result: { content: [] } }))
  const { url } = await (await openTestEnv()).gateway({ newest: { url: server.url }, older: { url: older.url } })
  const meta = { traceparent }

  await request(url, 'tools/call', { name: 'newest__t', arguments: { words: secret } }, { meta })
  await request(url, 'tools/call', { name: 'older__t', arguments: {} }, { meta })
  await request(url, `made/up/${secret}`, {}, { meta })

  const spans = exporter.getFinishedSpans().filter(({ attributes }) => attributes['mcp.method.name'] === 'tools/call')
  expect(spans.map(shown)).toEqual([
    {
      name: 'mcp.server',
      'mcp.method.name': 'tools/call',
      'assent.server': 'newest',
      'assent.outcome': 'input-required',
    },
    { name: 'mcp.request', 'mcp.method.name': 'tools/call', 'assent.outcome': 'input-required' },
    { name: 'mcp.server', 'mcp.method.name': 'tools/call', 'assent.server': 'older', 'assent.outcome': 'finished' },
    { name: 'mcp.request', 'mcp.method.name': 'tools/call', 'assent.outcome': 'finished' },
  ])
  expect(new Set(spans.map((span) => span.spanContext().traceId))).toEqual(new Set([traceId]))
  const [ofServer, ofRequest] = spans
  expect(ofRequest?.parentSpanContext?.spanId).toBe('b7ad6b7169203331')
  expect(ofServer?.parentSpanContext?.spanId).toBe(ofRequest?.spanContext().spanId)
  expect(server.requests[0]?.params._meta?.traceparent).toBe(`00-${traceId}-${ofServer?.spanContext().spanId}-01`)
  const received = older.received.find(({ method }) => method === 'tools/call')?.params as { _meta: object }
  expect(received._meta).toMatchObject({ traceparent: expect.stringContaining(traceId) })
  expect(
    JSON.stringify(exporter.getFinishedSpans().map((span) => [span.name, span.attributes, span.events, span.status])),
  ).not.toContain(secret)
})

test('[WATCH-5] without an SDK, the caller’s trace passes unchanged, and none is created', async () => {
  const server = await aRawServer(() => complete)
  const { url } = await (await openTestEnv()).gateway({ deploy: { url: server.url } })

  await call(url, {}, {}, { meta: { traceparent } })
  await call(url, {})

  expect(server.requests.map(({ params }) => params._meta?.traceparent)).toEqual([traceparent, undefined])
})
