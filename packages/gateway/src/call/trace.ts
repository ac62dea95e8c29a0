// Spans for the two hops of a call, and its trace, carried in `_meta` as the protocol defines
// (traceparent, tracestate: https://www.w3.org/TR/trace-context/).
//
// Uses only the OpenTelemetry API, from the copy installed next to the program: an SDK is found only through an API
// that is no newer than the one it registered with. Without the API, or without a registered SDK, nothing is recorded
// and nothing is added to any message; the client's `_meta` is passed on in either case. A span contains the method,
// the server and the outcome, and nothing of questions or answers.

import type { JsonObject } from '@assent/core'
import type { Span } from '@opentelemetry/api'
import { objectAt } from '../protocol/messages.ts'
import type { Call, Outcome } from './model.ts'
import { knownMethod } from './telemetry-port.ts'

const api = await installedApi()

/** The hop from the client to us, in the client's trace if it sent one. */
export function tracedRequest<State>(call: Call, run: () => Promise<Outcome<State>>): Promise<Outcome<State>> {
  if (api === undefined) return run()
  const { context, propagation, SpanKind, trace } = api
  const parent = propagation.extract(context.active(), objectAt(call.params, '_meta') ?? {})
  const span = trace
    .getTracer('assent')
    .startSpan(
      'mcp.request',
      { kind: SpanKind.SERVER, attributes: { 'mcp.method.name': knownMethod(call.method) } },
      parent,
    )
  return context.with(trace.setSpan(parent, span), () => ended(span, run(), api.SpanStatusCode.ERROR))
}

/** The hop from us to a server, which gets the trace context. */
export function tracedCall(server: string, call: Call, run: (call: Call) => Promise<Outcome>): Promise<Outcome> {
  if (api === undefined) return run(call)
  const { context, propagation, SpanKind, trace } = api
  const attributes = { 'mcp.method.name': knownMethod(call.method), 'assent.server': server }
  const span = trace.getTracer('assent').startSpan('mcp.server', { kind: SpanKind.CLIENT, attributes })
  const here = trace.setSpan(context.active(), span)
  return context.with(here, () => {
    const carried: Record<string, string> = {}
    propagation.inject(here, carried)
    const traced = Object.keys(carried).length === 0 ? call : withMeta(call, carried)
    return ended(span, run(traced), api.SpanStatusCode.ERROR)
  })
}

/** Undefined where it is not installed: it is an optional peer dependency. */
async function installedApi(): Promise<typeof import('@opentelemetry/api') | undefined> {
  try {
    return await import('@opentelemetry/api')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}

async function ended<State>(span: Span, outcome: Promise<Outcome<State>>, code: number): Promise<Outcome<State>> {
  try {
    const { kind } = await outcome
    span.setAttribute('assent.outcome', kind)
    if (kind === 'failed') span.setStatus({ code })
    return await outcome
  } catch (error) {
    span.setStatus({ code })
    throw error
  } finally {
    span.end()
  }
}

function withMeta(call: Call, carried: JsonObject): Call {
  return { ...call, params: { ...call.params, _meta: { ...objectAt(call.params, '_meta'), ...carried } } }
}
