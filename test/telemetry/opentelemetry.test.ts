// The OpenTelemetry API is the copy that is installed next to the SDK, or none.

import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

const require = createRequire(import.meta.url)
const traceSource = import.meta.resolve('../../packages/gateway/src/call/trace.ts')

/** Runs a module in a separate process, where modules are resolved as for an installed program. */
function printedBy(module: string): { stdout: string; stderr: string } {
  const words = ['--conditions=assent-source', '--input-type=module', '--eval', module]
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  return { stdout, stderr }
}

test('[WATCH-5] an SDK that registered with API 1.9.0 records the spans of the gateway', () => {
  const printed = printedBy(`import { readFileSync } from 'node:fs'
    import { createRequire } from 'node:module'
    import { pathToFileURL } from 'node:url'
    import * as sdk from '@opentelemetry/sdk-trace-base'
    const besideTheSdk = createRequire(import.meta.resolve('@opentelemetry/sdk-trace-base'))
    const manifest = new URL('../../package.json', pathToFileURL(besideTheSdk.resolve('@opentelemetry/api')))
    const exporter = new sdk.InMemorySpanExporter()
    const provider = new sdk.BasicTracerProvider({ spanProcessors: [new sdk.SimpleSpanProcessor(exporter)] })
    besideTheSdk('@opentelemetry/api').trace.setGlobalTracerProvider(provider)
    const { tracedCall, tracedRequest } = await import(${JSON.stringify(traceSource)})
    const call = { method: 'tools/call', params: {} }
    await tracedRequest(call, () => tracedCall('a', call, async () => ({ kind: 'finished' })))
    const names = exporter.getFinishedSpans().map(({ name }) => name)
    console.log(JSON.parse(readFileSync(manifest, 'utf8')).version, ...names)`)

  expect(printed).toEqual({ stdout: '1.9.0 mcp.server mcp.request\n', stderr: '' })
})

test('[WATCH-5] the API is an optional peer, of any version that an SDK in use may have registered with', () => {
  const manifest = require('../../packages/gateway/package.json')

  expect(manifest.dependencies).not.toHaveProperty('@opentelemetry/api')
  expect(manifest.peerDependencies).toEqual({ '@opentelemetry/api': '>=1.3.0 <2' })
  expect(manifest.peerDependenciesMeta).toEqual({ '@opentelemetry/api': { optional: true } })
})

test('[WATCH-5] calls work without the API installed', () => {
  const printed = printedBy(`import { registerHooks } from 'node:module'
    registerHooks({ resolve: (name, context, next) => {
      if (name !== '@opentelemetry/api') return next(name, context)
      throw Object.assign(new Error('not installed'), { code: 'ERR_MODULE_NOT_FOUND' })
    } })
    const { tracedCall, tracedRequest } = await import(${JSON.stringify(traceSource)})
    const call = { method: 'tools/call', params: { _meta: { traceparent: 'as it came' } } }
    const { passed } = await tracedRequest(call, () => tracedCall('a', call, async (sent) => ({ passed: sent === call })))
    console.log(passed)`)

  expect(printed).toEqual({ stdout: 'true\n', stderr: '' })
})
