// A caller made of the SDK 2.x client, pinned to revision 2026-07-28. Questions are in the result, and the call is made
// again with the answers.

import type { JsonObject } from '@assent/core'
import { Client } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { transportTo } from '../../test-kit/mcp/client-2026-07-28.ts'
import {
  acceptsAll,
  answered,
  type Caller,
  type ConnectCaller,
  everything,
  type Question,
  requestTimeoutMs,
  type Seen,
} from './caller.ts'
import { Recorder } from './recorder.ts'

const anything = z.looseObject({})
const mostRounds = 12

export const connect: ConnectCaller = async (to, options = {}) => {
  const { answer = acceptsAll, capabilities = everything, timeoutMs = requestTimeoutMs } = options
  const client = new Client(
    { name: 'grid-compare', version: '1.0.0' },
    {
      capabilities,
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      inputRequired: { autoFulfill: false },
    },
  )
  const questions: Question[] = []
  const recorder = new Recorder()
  const transport = transportTo(to, 'ignore')
  recorder.attach(transport)
  await client.connect(transport, { timeout: timeoutMs })
  let logLevel: string | undefined

  const once: Caller['request'] = async (method, params = {}, how = {}) => {
    const settings = {
      timeout: how.timeoutMs ?? timeoutMs,
      allowInputRequired: true,
      ...(how.signal === undefined ? {} : { signal: how.signal }),
      ...(how.progress === true ? { onprogress: () => undefined } : {}),
    }
    const { _meta, ...rest } = params
    const meta = {
      ...(_meta as JsonObject | undefined),
      ...(logLevel === undefined ? {} : { 'io.modelcontextprotocol/logLevel': logLevel }),
    }
    const sent = { method, params: Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta } }
    return recorder.record(() => client.request(sent, anything, settings))
  }

  const request: Caller['request'] = async (method, params = {}, how = {}) => {
    let seen: Seen = await once(method, params, how)
    for (let round = 0; round < mostRounds && isUnfinished(seen); round++) {
      const { inputRequests = {}, requestState } = seen.result as { inputRequests?: object; requestState?: string }
      const responses = Object.entries(inputRequests).map(async ([key, asked]) => {
        const { method: kind, params: given = {} } = asked as Question
        questions.push({ method: kind, params: given })
        return [key, await answered(answer, { method: kind, params: given })] as const
      })
      const state = requestState === undefined ? {} : { requestState }
      seen = await once(
        method,
        { ...params, inputResponses: Object.fromEntries(await Promise.all(responses)), ...state },
        how,
      )
    }
    return seen
  }

  const discovered = await once('server/discover')
  return {
    generation: '2026',
    described: 'result' in discovered ? discovered.result : {},
    notifications: recorder.notifications,
    questions,
    request,
    notify: (method, params) => client.notification({ method, ...(params === undefined ? {} : { params }) } as never),
    watch: async (uris) => {
      const subscription = await client.listen({
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        ...(uris.length === 0 ? {} : { resourceSubscriptions: [...uris] }),
      })
      return async () => {
        await subscription.close()
        return { result: {} }
      }
    },
    setLevel: async (level) => {
      logLevel = level
      return { result: {} }
    },
    close: () => client.close(),
  }
}

function isUnfinished(seen: Seen): seen is { readonly result: JsonObject } {
  return 'result' in seen && seen.result.resultType === 'input_required'
}
