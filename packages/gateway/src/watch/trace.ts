// Spans for the two hops of a call, and the trace it belongs to, carried in `_meta` as the protocol has it
// (traceparent, tracestate: https://www.w3.org/TR/trace-context/).
//
// It speaks to the OpenTelemetry API alone. Unless whoever runs the process has registered an SDK, nothing is recorded and
// nothing is added to any message; what a client put into `_meta` passes in either case. A span names the method, the server
// and the outcome, and nothing that anyone asked or answered.

import type { JsonObject } from '@assent/core'
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Call, Outcome } from '../relay/exchange.ts'
import { objectAt } from '../wire/messages.ts'
import { knownMethod } from './watch.ts'

const tracer = trace.getTracer('assent')

/** The hop from the client to us: it belongs to the trace that the client named, if it did. */
export function tracedRequest(call: Call, run: () => Promise<Outcome>): Promise<Outcome> {
  const parent = propagation.extract(context.active(), objectAt(call.params, '_meta') ?? {})
  const span = tracer.startSpan(
    'mcp.request',
    { kind: SpanKind.SERVER, attributes: { 'mcp.method.name': knownMethod(call.method) } },
    parent,
  )
  return context.with(trace.setSpan(parent, span), () => ended(span, run()))
}

/** The hop from us to a server, which is told which trace it belongs to. */
export function tracedCall(server: string, call: Call, run: (call: Call) => Promise<Outcome>): Promise<Outcome> {
  const attributes = { 'mcp.method.name': knownMethod(call.method), 'assent.server': server }
  const span = tracer.startSpan('mcp.server', { kind: SpanKind.CLIENT, attributes })
  const here = trace.setSpan(context.active(), span)
  return context.with(here, () => {
    const carried: Record<string, string> = {}
    propagation.inject(here, carried)
    return ended(span, run(Object.keys(carried).length === 0 ? call : withMeta(call, carried)))
  })
}

async function ended(span: ReturnType<typeof tracer.startSpan>, outcome: Promise<Outcome>): Promise<Outcome> {
  try {
    const { kind } = await outcome
    span.setAttribute('assent.outcome', kind)
    if (kind === 'failed') span.setStatus({ code: SpanStatusCode.ERROR })
    return await outcome
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
}

function withMeta(call: Call, carried: JsonObject): Call {
  return { ...call, params: { ...call.params, _meta: { ...objectAt(call.params, '_meta'), ...carried } } }
}
