import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { protocolLimits } from '../limits.ts'
import { readServerEvents, type ServerEvent } from './sse.ts'

async function eventsIn(...chunks: (string | Buffer)[]): Promise<ServerEvent[]> {
  const events: ServerEvent[] = []
  const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk))) as IncomingMessage
  for await (const event of readServerEvents(stream)) events.push(event)
  return events
}

const two = [{ data: 'one', id: '1' }, { data: 'two' }]

test.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('[RELAY-13] events whose lines end with %s are read correctly, wherever the stream is split', async (_name, end) => {
  const text = `id: 1${end}data: one${end}${end}event: message${end}data:two${end}${end}: the end${end}`

  expect(await eventsIn(text)).toEqual(two)
  expect(await eventsIn(...text)).toEqual(two)
  for (let at = 1; at < text.length; at++) expect(await eventsIn(text.slice(0, at), text.slice(at))).toEqual(two)
})

test('[RELAY-13] data on several lines is joined, and a character may be split between chunks', async () => {
  const bytes = Buffer.from('data: grün\ndata:  \u{1f30d}\ndata\n\n')

  for (let at = 1; at < bytes.length; at++) {
    expect(await eventsIn(bytes.subarray(0, at), bytes.subarray(at))).toEqual([{ data: 'grün\n \u{1f30d}\n' }])
  }
})

test('[RELAY-13] comments, unknown fields and invalid retry values carry no data', async () => {
  const events = await eventsIn(': hello\nretry: soon\ndata: a\n\n\n\nretry: 250\nid: 7\ncolour: red\ndata:\n\n:\n\n')

  expect(events.filter(({ data, id }) => data !== '' || id !== undefined)).toEqual([
    { data: 'a' },
    { data: '', id: '7', retryMs: 250 },
  ])
})

test('[RELAY-13] an unfinished event is dropped, and one that is too large ends the stream', async () => {
  const lines = Array.from({ length: 5 }, () => `data: ${'x'.repeat(protocolLimits.messageBytes / 4)}\n`)

  expect(await eventsIn('data: whole\n\ndata: half\n')).toEqual([{ data: 'whole' }])
  expect(await eventsIn('data: whole\r\r')).toEqual([{ data: 'whole' }])
  await expect(eventsIn(...lines)).rejects.toThrow('limits.message_size')
  const largest = `data: ${'x'.repeat(protocolLimits.messageBytes)}`
  expect(await eventsIn(`${largest}\n\n`)).toHaveLength(1)
  await expect(eventsIn(`${largest}x\n\n`)).rejects.toThrow()
  await expect(eventsIn(`${largest}x`)).rejects.toThrow('limits.message_size')
})

test('[LIMIT-3] a large event in small chunks is scanned once', async () => {
  const data = 'x'.repeat(protocolLimits.messageBytes / 8)
  const bytes = Buffer.from(`data: ${data}\n\n`)
  const pieces = Array.from({ length: Math.ceil(bytes.length / 8) }, (_, at) => bytes.subarray(at * 8, at * 8 + 8))
  const before = process.cpuUsage()

  expect(await eventsIn(...pieces)).toEqual([{ data }])
  // Scanning all of it again with each chunk would take minutes.
  expect(process.cpuUsage(before).user / 1_000_000).toBeLessThan(10)
})

test('[LIMIT-2] an event that is not UTF-8 ends the stream', async () => {
  await expect(eventsIn(Buffer.from([...Buffer.from('data: '), 0xff, 0x0a, 0x0a]))).rejects.toThrow('not UTF-8')
})

test('[LIMIT-3] unknown fields are not buffered', async () => {
  const noise = 'x:\n'.repeat(protocolLimits.messageBytes / 2)

  expect(await eventsIn(noise, 'data: a\n\n')).toEqual([{ data: 'a' }])
})
