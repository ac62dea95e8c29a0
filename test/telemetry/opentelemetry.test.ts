// The OpenTelemetry API is the copy that is installed beside the SDK, or none.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { expect, onTestFinished, test } from 'vitest'
import { aStage } from '../../packages/gateway/src/contract/stage.suite.ts'
import { aRawServer, call, complete } from '../../packages/gateway/src/contract/wire.suite.ts'

const require = createRequire(import.meta.url)

test('[WATCH-5] an SDK that registered with API 1.9.0 records the spans of the gateway', async () => {
  const besideTheSdk = createRequire(import.meta.resolve('@opentelemetry/sdk-trace-base'))
  const { trace } = besideTheSdk('@opentelemetry/api') as typeof import('@opentelemetry/api')
  const exporter = new InMemorySpanExporter()
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  onTestFinished(() => trace.disable())
  const server = await aRawServer(() => complete)
  const { url } = await (await aStage()).gateway({ deploy: { url: server.url } })

  await call(url, {})

  const manifest = new URL('../../package.json', pathToFileURL(besideTheSdk.resolve('@opentelemetry/api')))
  expect(JSON.parse(readFileSync(manifest, 'utf8')).version).toBe('1.9.0')
  expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(
    expect.arrayContaining(['mcp.server', 'mcp.request']),
  )
})

test('[WATCH-5] the API is an optional peer, of any version that an SDK in use may have registered with', () => {
  const manifest = require('../../packages/gateway/package.json')

  expect(manifest.dependencies).not.toHaveProperty('@opentelemetry/api')
  expect(manifest.peerDependencies).toEqual({ '@opentelemetry/api': '>=1.3.0 <2' })
  expect(manifest.peerDependenciesMeta).toEqual({ '@opentelemetry/api': { optional: true } })
})

test('[WATCH-5] where the API is not installed, calls pass as they are', () => {
  const source = import.meta.resolve('../../packages/gateway/src/watch/trace.ts')
  const notInstalled = `import { registerHooks } from 'node:module'
    registerHooks({ resolve: (name, context, next) => {
      if (name !== '@opentelemetry/api') return next(name, context)
      throw Object.assign(new Error('not installed'), { code: 'ERR_MODULE_NOT_FOUND' })
    } })
    const { tracedCall, tracedRequest } = await import(${JSON.stringify(source)})
    const call = { method: 'tools/call', params: { _meta: { traceparent: 'as it came' } } }
    const { passed } = await tracedRequest(call, () => tracedCall('a', call, async (sent) => ({ passed: sent === call })))
    console.log(passed)`
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=assent-source', '--input-type=module', '--eval', notInstalled],
    { encoding: 'utf8' },
  )

  expect({ stdout, stderr }).toEqual({ stdout: 'true\n', stderr: '' })
})
