import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { newId } from '@assent/core'
import { openSqlite, type RecordedCall, type Store } from '@assent/store'
import { expect, test } from 'vitest'
import { aFolder, assent, assentHere } from './process.suite.ts'
import { localKeyRing } from './state.ts'

const dayMs = 24 * 60 * 60 * 1_000
const config = 'store: sqlite:./assent.db\nservers: { files: { command: my-server } }\n'

function aCall(changes: Partial<RecordedCall> = {}): RecordedCall {
  return {
    tenant: 'default',
    id: newId('record', Date.now(), randomBytes),
    principal: 'ann',
    groups: ['ops'],
    client: 'Claude Code',
    server: 'deploy',
    method: 'tools/call',
    target: 'rollout',
    digest: 'none',
    beganAtMs: Date.now(),
    ...changes,
  }
}

async function aRecord(write: (store: Store, clock: { ms: number }) => Promise<void>) {
  const folder = await aFolder({ 'assent.yaml': config })
  const path = join(folder, 'assent.db')
  const clock = { ms: Date.now() - 10 * dayMs }
  const again = async (act: typeof write) => {
    const store = await openSqlite(path, { keys: localKeyRing(path), clock: () => clock.ms })
    try {
      await act(store, clock)
    } finally {
      await store.close()
    }
  }
  await again(write)
  const exported = async (...words: string[]) => {
    const { code, out, err } = await assentHere(['audit', 'export', '-c', join(folder, 'assent.yaml'), ...words])
    const lines = out.split('\n').filter(Boolean)
    return { code, err, lines: lines.map((line) => JSON.parse(line)), next: /--after (\S+)$/m.exec(err)?.[1] ?? '' }
  }
  return { folder, path, again, exported }
}

const note = (text: string) => [{ subject: 'relay', body: { text } }]

test('[RECORD-8] the export has the entries of the audit log and the recorded calls, oldest first', async () => {
  const call = aCall({
    effect: 'ask',
    policies: ['release'],
    askId: 'ask_1',
    outcome: 'ok',
    arguments: '{"env":"test"}',
    beganAtMs: 1_000,
    endedAtMs: 1_250,
  })
  const { exported } = await aRecord(async (store, clock) => {
    await store.audit.append('default', note('first'))
    clock.ms += 1
    await store.recordedCalls.write([call])
    clock.ms += 1
    await store.audit.append('default', note('last'))
  })

  const { code, lines, err } = await exported()

  expect(code).toBe(0)
  expect(lines).toMatchObject([
    { type: 'entry', seq: 1, kind: 'note', subject: 'relay', body: { text: 'first' }, hash: expect.any(String) },
    {
      type: 'call',
      id: call.id,
      principal: 'ann',
      groups: ['ops'],
      client: 'Claude Code',
      server: 'deploy',
      target: 'rollout',
      policies: ['release'],
      askId: 'ask_1',
      outcome: 'ok',
      arguments: { env: 'test' },
      at: '1970-01-01T00:00:01.000Z',
      durationMs: 250,
    },
    { type: 'entry', seq: 2, body: { text: 'last' } },
  ])
  expect(err).toMatch(/^Exported 2 entries and 1 call\. Continue with: --after \S+\n$/)
})

test('[RECORD-9] an export continues after the cursor of any line, and gets what was written or completed since', async () => {
  const open = aCall()
  const { exported, again } = await aRecord(async (store, clock) => {
    for (let n = 0; n < 3; n++) {
      await store.audit.append('default', note(String(n)))
      await store.recordedCalls.write([n === 0 ? open : aCall({ outcome: 'ok' })])
      clock.ms += 1
    }
  })
  const whole = await exported()
  expect(whole.lines).toHaveLength(6)
  for (const [index, { cursor }] of whole.lines.entries()) {
    const rest = await exported('--after', cursor)
    expect(rest.lines.map(keyOf)).toEqual(whole.lines.slice(index + 1).map(keyOf))
  }
  expect((await exported('--after', whole.next)).lines).toEqual([])

  await again(async (store) => {
    await store.audit.append('default', note('new'))
    await store.recordedCalls.write([{ ...open, outcome: 'denied' }])
  })

  const more = await exported('--after', whole.next)
  expect(more.lines).toMatchObject([
    { type: 'entry', body: { text: 'new' } },
    { type: 'call', id: open.id, outcome: 'denied' },
  ])
  expect(whole.lines.find(({ id }) => id === open.id)).toMatchObject({ outcome: 'unfinished' })
})

const keyOf = ({ type, seq, id }: { type: string; seq?: number; id?: string }) => [type, seq ?? id]

test('[RECORD-9] --since leaves out what is older, by a duration or a time', async () => {
  const { exported } = await aRecord(async (store, clock) => {
    clock.ms += dayMs / 24
    for (let day = 0; day < 9; day++) {
      await store.audit.append('default', note(String(day)))
      await store.recordedCalls.write([aCall({ target: `t${day}` })])
      clock.ms += dayMs
    }
  })
  const textsOf = (lines: readonly { body?: { text: string }; target?: string }[]) =>
    lines.map(({ body, target }) => body?.text ?? target)

  expect(textsOf((await exported('--since', '3d')).lines)).toEqual(['7', 't7', '8', 't8'])
  const at = new Date(Date.now() - 5 * dayMs + dayMs / 12).toISOString()
  expect(textsOf((await exported('--since', at)).lines)).toEqual(['6', 't6', '7', 't7', '8', 't8'])
  expect((await exported()).lines).toHaveLength(18)
})

test('[RECORD-8] calls of the last seconds are left for the next export, entries are not', async () => {
  const { exported } = await aRecord(async (store, clock) => {
    clock.ms = Date.now()
    await store.audit.append('default', note('now'))
    await store.recordedCalls.write([aCall()])
  })
  expect((await exported()).lines.map(({ type }) => type)).toEqual(['entry'])
})

test('[RECORD-8] a large export is complete, and ends when its reader closes the pipe', async () => {
  const { folder, path, exported } = await aRecord(async (store) => {
    await store.recordedCalls.write(Array.from({ length: 2_300 }, () => aCall()))
  })
  const { lines } = await exported()
  expect(new Set(lines.map(({ id }) => id)).size).toBe(2_300)
  expect(new DatabaseSync(path).prepare('select count(*) as n from recorded_calls').get()).toEqual({ n: 2_300 })
  const ended = await assent(['audit', 'export'], { folder })
  expect(ended).toMatchObject({ code: 0 })
  expect(ended.out.trimEnd().split('\n')).toHaveLength(2_300)
})

test.each<[words: string[], message: string]>([
  [['--since', 'yesterday'], '--since must be a duration such as 7d or a time'],
  [['--after', 'x'], '--after needs the cursor of an exported line.'],
  [['--format', 'csv'], '--format must be jsonl, not "csv".'],
  [['--since', '1d', '--after', 'x'], 'Give either --since or --after'],
])('[RECORD-8] %j is refused', async (words, message) => {
  const { exported } = await aRecord(async () => undefined)
  const { code, err, lines } = await exported(...words)
  expect({ code, lines }).toEqual({ code: 2, lines: [] })
  expect(err).toContain(message)
})

test('[RETAIN-1] an entry whose text was erased is exported without it', async () => {
  const { exported } = await aRecord(async (store, clock) => {
    await store.audit.append('default', note('first'))
    clock.ms += 3 * dayMs
    await store.audit.append('default', note('last'))
    await store.retention.apply('default', { answersMs: dayMs })
  })

  const { code, lines } = await exported()

  expect(code).toBe(0)
  const [first] = lines
  expect(first).toMatchObject({ seq: 1, kind: 'note', erased: true, digest: expect.any(String) })
  expect(Object.keys(first)).not.toContain('body')
  expect(Object.keys(first)).not.toContain('salt')
  expect(lines.slice(1)).toMatchObject([
    { seq: 2, body: { text: 'last' } },
    { seq: 3, kind: 'record.erased', subject: 'retention', body: { reason: 'expired' } },
  ])
})
