// The result of a run as text in which hidden characters are made visible.

import { isPlainObject, type JsonObject, oneLine, type PlayRunView, visibleText } from '@assent/core'
import { type Reply, stringAt } from '../../protocol/messages.ts'
import { playLimits } from '../limits.ts'
import { playRunText } from '../text/requests.ts'

export function drawReply(reply: Reply, atMs: number): PlayRunView['state'] {
  if ('error' in reply) return { kind: 'failed', atMs, problem: shown(reply.error.message) }
  const { result } = reply
  const parts = Array.isArray(result.content) ? result.content : []
  const { structuredContent } = result
  return {
    kind: 'finished',
    atMs,
    isError: result.isError === true,
    texts: parts.map((part) => drawPart(part)),
    ...(structuredContent === undefined ? {} : { structured: pretty(structuredContent) }),
    json: pretty(result),
  }
}

export function drawProgress({ progress, total, message }: JsonObject): string {
  const text = typeof message === 'string' ? oneLine(message, 'web', { maxChars: playLimits.stepChars }) : ''
  const done = typeof progress === 'number' && Number.isInteger(progress) ? String(progress) : ''
  const share = done !== '' && typeof total === 'number' ? playRunText.share(done, total) : done
  return [share, text].filter((part) => part !== '').join(': ')
}

function drawPart(part: unknown): string {
  if (!isPlainObject(part)) return pretty(part)
  const text = part.type === 'text' ? stringAt(part as JsonObject, 'text') : undefined
  if (text !== undefined) return shown(text)
  // Images and audio are named, not shown: content of a server is not loaded into our page.
  const { data, ...rest } = part as JsonObject
  return pretty(typeof data === 'string' ? { ...rest, data: playRunText.notShown(data.length) } : rest)
}

function pretty(value: unknown): string {
  return shown(JSON.stringify(value, undefined, 2) ?? '')
}

function shown(text: string): string {
  return visibleText(text, 'web', { maxChars: playLimits.resultChars })
}
