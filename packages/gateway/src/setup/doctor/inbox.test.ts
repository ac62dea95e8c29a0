// What `assent doctor` reports about the inbox's port: a listener must prove that it has the keys of this store.

import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { closeAfterTest, listening } from '../../../../../test-kit/close-after-test.ts'
import { listenerKey, proofsForPrograms } from '../../inbox/listener-proof.ts'
import { type ExpectedInbox, portFinding } from './environment.ts'

const key = listenerKey(randomBytes(32))
const own = { store: '/home/me/assent.db', keys: [key], lastOrigin: undefined }

/** Serves a page, and a proof with this key if there is one. */
async function listenerWith(page: string, proofKey?: Uint8Array): Promise<ExpectedInbox['listen']> {
  const http = createServer((request, response) => {
    const challenge = new URL(request.url ?? '', 'http://localhost').searchParams.get('challenge')
    const { port } = http.address() as AddressInfo
    const view = { instance: 'one', origin: `http://localhost:${port}` }
    response.end(
      challenge === null || proofKey === undefined
        ? page
        : JSON.stringify(proofsForPrograms([proofKey], challenge, view)),
    )
  })
  await listening(http)
  closeAfterTest(() => void http.close())
  return { host: '127.0.0.1', port: (http.address() as AddressInfo).port }
}

test('[DOCTOR-5] the inbox port is reported as free, or taken by another program', async () => {
  const free = await portFinding({ ...own, listen: { host: '127.0.0.1', port: 1 } })
  expect(free).toMatchObject({ ok: true })
  expect(free.words).toContain('is free')

  const other = await portFinding({ ...own, listen: await listenerWith('<title>Something else</title>') })
  expect(other).toMatchObject({ ok: false })
  expect(other.words).toContain('taken by another program')
  expect(other.change).toContain('ASSENT_LISTEN')
})

test('[DOCTOR-9] only a listener that proves the same store is reported as the inbox of all windows', async () => {
  const page = '<title>Assent</title>'
  const mine = await portFinding({ ...own, listen: await listenerWith(page, key) })
  expect(mine).toMatchObject({ ok: true })
  expect(mine.words).toContain('all windows with this store share it')

  const stranger = listenerKey(randomBytes(32))
  for (const listen of [await listenerWith(page, stranger), await listenerWith(page)]) {
    const finding = await portFinding({ ...own, listen })
    expect(finding).toMatchObject({ ok: false })
    expect(finding.words).toContain('an Assent with another store, or of another user')
    expect(finding.words).not.toContain('share')
  }
  const withoutStore = await portFinding({ ...own, keys: [], listen: await listenerWith(page, key) })
  expect(withoutStore).toMatchObject({ ok: false })
})

test('[DOCTOR-9] an inbox of the same store on another port is found where it was last served', async () => {
  const { port } = await listenerWith('', key)
  const listen = await listenerWith('<title>Something else</title>')

  const finding = await portFinding({ ...own, listen, lastOrigin: `http://localhost:${port}` })

  expect(finding).toMatchObject({ ok: true })
  expect(finding.words).toContain(`http://localhost:${port}/`)
})
