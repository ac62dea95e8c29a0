import * as openTelemetry from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { createAssent } from '../assent.ts'
import type { Interaction } from '../interaction.ts'
import { callTool } from '../testing/call-tool.ts'
import { scriptedPerson } from '../testing/person.ts'
import { storeThatCannotFinish } from './store.suite.ts'

const exporter = new InMemorySpanExporter()
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
openTelemetry.trace.setGlobalTracerProvider(provider)
openTelemetry.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
openTelemetry.propagation.setGlobalPropagator(new W3CTraceContextPropagator())
afterEach(() => exporter.reset())
afterAll(() => provider.shutdown())

const assent = createAssent({ log: false, openTelemetry })
const deploy = async ({ ask, step }: Interaction) => {
  const name = await ask.text('What is your private name?')
  return `${name} ${await step('build', () => 1)}`
}

test('[OBSERVE-4] a span per run of a handler and per step, with names and outcomes only', async () => {
  const tool = assent.interactive(deploy, { name: 'deploy' })
  await callTool(tool, undefined, { person: scriptedPerson().accepts('Ada Private') })
  const spans = exporter.getFinishedSpans()
  expect(spans.map(({ name, attributes }) => [name, attributes['assent.outcome']])).toEqual([
    ['assent.handler', 'input-required'],
    ['assent.step', undefined],
    ['assent.handler', 'finished'],
  ])
  expect(spans[1]?.parentSpanContext?.spanId).toBe(spans[2]?.spanContext().spanId)
  expect(spans[2]?.attributes).toMatchObject({ 'mcp.method.name': 'tools/call', 'assent.handler': 'deploy' })
  expect(JSON.stringify(spans.map(({ attributes, events }) => [attributes, events]))).not.toMatch(/private/i)
})

test('[OBSERVE-4] the spans are in the trace of the caller, and a refused call has its code', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const tool = assent.interactive(deploy, { name: 'deploy' })
  const mcpReq = {
    id: 1,
    method: 'tools/call',
    _meta: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    elicitInput: async () => ({ action: 'decline' }),
    notify: async () => undefined,
    signal: new AbortController().signal,
  }
  await tool({ mcpReq })
  const [span] = exporter.getFinishedSpans()
  expect(span?.spanContext().traceId).toBe(traceId)
  expect(span?.attributes).toMatchObject({ 'assent.code': 'declined' })
})

test('[OBSERVE-4] the span of a step that ends its round with an error ends, too', async () => {
  const { interactive } = createAssent({ log: false, openTelemetry, store: storeThatCannotFinish })
  const tool = interactive(async ({ step }) => String(await step('charge', () => 1)), { name: 'tool' })
  await expect(callTool(tool)).rejects.toThrow('database is away')
  await vi.waitFor(() =>
    expect(exporter.getFinishedSpans().map(({ name, status }) => [name, status.code])).toEqual(
      expect.arrayContaining([['assent.step', openTelemetry.SpanStatusCode.ERROR]]),
    ),
  )
})
