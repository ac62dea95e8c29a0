// OpenTelemetry spans: one per run of a handler, in the trace that the caller sent in `_meta`, and one per step.
//
// Uses only the OpenTelemetry API, an optional peer dependency that is loaded with the first call. Without it, or without a
// registered SDK, nothing is recorded. A span contains names and outcomes, and nothing of questions or answers.

import type { Span, SpanOptions } from '@opentelemetry/api'

type Api = typeof import('@opentelemetry/api')

let loading: Promise<Api | undefined> | undefined
let api: Api | undefined

export interface TracedCall {
  readonly method: string
  readonly handler: string | undefined
  /** The `_meta` of the request, which may contain a trace context. */
  readonly meta: unknown
}

/** Runs a handler in a span. `outcomeOf` names how it ended. */
export async function tracedRun<Value>(
  { method, handler, meta }: TracedCall,
  run: () => Promise<Value>,
  outcomeOf: (value: Value) => string,
): Promise<Value> {
  loading ??= installedApi()
  api = await loading
  if (api === undefined) return run()
  const { context, propagation, SpanKind } = api
  const carrier = typeof meta === 'object' && meta !== null ? meta : {}
  const parent = propagation.extract(context.active(), carrier)
  const attributes = { 'mcp.method.name': method, ...(handler === undefined ? {} : { 'assent.handler': handler }) }
  return inSpan(api, 'assent.handler', { kind: SpanKind.INTERNAL, attributes }, parent, async (span) => {
    const value = await run()
    span.setAttribute('assent.outcome', outcomeOf(value))
    return value
  })
}

export function tracedStep<Value>(step: string, run: () => Promise<Value>): Promise<Value> {
  if (api === undefined) return run()
  return inSpan(api, 'assent.step', { attributes: { 'assent.step': step } }, api.context.active(), run)
}

function inSpan<Value>(
  { context, SpanStatusCode, trace }: Api,
  name: string,
  options: SpanOptions,
  parent: ReturnType<Api['context']['active']>,
  run: (span: Span) => Promise<Value>,
): Promise<Value> {
  const span = trace.getTracer('assent').startSpan(name, options, parent)
  return context.with(trace.setSpan(parent, span), async () => {
    try {
      return await run(span)
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR })
      const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined
      if (code !== undefined) span.setAttribute('assent.code', code)
      throw error
    } finally {
      span.end()
    }
  })
}

/** Undefined where it is not installed. Any failure to load it means the same: tracing must not fail a call. */
async function installedApi(): Promise<Api | undefined> {
  try {
    return await import('@opentelemetry/api')
  } catch {
    return undefined
  }
}
