// A caller made of the SDK 1.x client. Questions reach it as requests, and are answered as they came.

import type { JsonObject } from '@assent/core'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { z } from 'zod'
import type { Address } from '../../test-kit/mcp/address.ts'
import { transportTo, withStream } from '../../test-kit/mcp/client-2025-11-25.ts'
import {
  acceptsAll,
  answered,
  type Caller,
  type ConnectCaller,
  everything,
  type Question,
  requestTimeoutMs,
} from './caller.ts'
import { Recorder } from './recorder.ts'

const anything = z.looseObject({})

export const connect: ConnectCaller = async (to, options = {}) => {
  const { answer = acceptsAll, capabilities = everything, legacySse = false, timeoutMs = requestTimeoutMs } = options
  const stream = options.waitsForStream === true ? withStream(to) : { to, isOpen: undefined }
  const client = new Client({ name: 'grid-compare', version: '1.0.0' }, { capabilities })
  const questions: Question[] = []
  // Not with `setRequestHandler` per method: that refuses form fields which this SDK does not know and others do.
  client.fallbackRequestHandler = async ({ method, params = {} }) => {
    const question = { method, params: params as JsonObject }
    questions.push(question)
    return answered(answer, question)
  }
  const recorder = new Recorder()
  const transport = legacySse ? sseTo(to) : transportTo(stream.to, 'ignore')
  recorder.attach(transport)
  await client.connect(transport, { timeout: timeoutMs })
  await stream.isOpen
  // The first request of this SDK is `initialize`, and its id is 0.
  const opened = recorder.reply(0) ?? { broken: 'not opened' }
  const described = 'result' in opened ? opened.result : {}

  const request: Caller['request'] = async (method, params = {}, how = {}) => {
    const settings = {
      timeout: how.timeoutMs ?? timeoutMs,
      ...(how.signal === undefined ? {} : { signal: how.signal }),
      ...(how.progress === true ? { onprogress: () => undefined } : {}),
    }
    return recorder.record(() => client.request({ method, params }, anything, settings))
  }

  return {
    generation: '2025',
    described,
    notifications: recorder.notifications,
    questions,
    request,
    notify: (method, params) => client.notification({ method, ...(params === undefined ? {} : { params }) } as never),
    watch: async (uris) => {
      for (const uri of uris) await request('resources/subscribe', { uri })
      return async () => {
        const ended = await Promise.all(uris.map((uri) => request('resources/unsubscribe', { uri })))
        return ended[0] ?? { result: {} }
      }
    },
    setLevel: (level) => request('logging/setLevel', { level }),
    close: () => client.close(),
  }
}

function sseTo(to: Address): Transport {
  if (!('url' in to)) throw new Error('HTTP+SSE needs an address.')
  return new SSEClientTransport(new URL(to.url), { requestInit: { headers: to.headers ?? {} } }) as Transport
}
