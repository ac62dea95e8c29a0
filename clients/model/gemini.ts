// The Gemini API, as Gemini CLI uses it.

import { listAt, type ModelApi, scripted, sendEvents } from './script.ts'

export const geminiApi: ModelApi = {
  otherwise: { totalTokens: 1 },
  readTurn: ({ url = '' }, body) => {
    if (!/:(stream)?generateContent/i.test(url)) return undefined
    const parts = listAt(body, 'contents').flatMap((content) => listAt(content, 'parts'))
    const results = parts.flatMap((part) => ('functionResponse' in part ? [JSON.stringify(part.functionResponse)] : []))
    const isScripted = (result: string) => result.includes(`"id":"${scripted}`)
    return {
      offered: listAt(body, 'tools')
        .flatMap((group) => listAt(group, 'functionDeclarations'))
        .map(({ name }) => String(name)),
      results: results.filter(isScripted),
      worked: results.filter((result) => !isScripted(result)).length,
    }
  },
  writeReply: (reply, _body, response, url) => {
    const part =
      reply.kind === 'text'
        ? { text: reply.text }
        : { functionCall: { id: reply.id, name: reply.name, args: reply.args } }
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
    const candidates = [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }]
    const whole = { candidates, usageMetadata, modelVersion: 'fake' }
    if (url.includes('stream')) sendEvents(response, [['', whole]])
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(whole))
  },
}
