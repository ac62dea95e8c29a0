import { expect, test } from 'vitest'
import { aCertificate } from '../../../../test-kit/certificate.ts'
import type { SmtpSettings } from '../config/notify-settings.ts'
import type { AskMessage } from './ask-message.ts'
import { mailChannel, mailFor } from './mail-channel.ts'
import { aMailServer } from './mail-server.suite.ts'
import { aMessage, hostileTitles } from './message-asks.suite.ts'

const { signal } = new AbortController()
const from = 'assent@example.com'
const to = 'ann@example.com'

function smtpAt(port: number, changes: Partial<SmtpSettings> = {}): SmtpSettings {
  return { host: '127.0.0.1', port, tls: 'none', user: undefined, password: undefined, from, ...changes }
}

function send(smtp: SmtpSettings, message: AskMessage = aMessage(), options: { ca?: string; totalMs?: number } = {}) {
  return mailChannel(smtp, { networks: [], ...options }).send(message, to, signal)
}

test('[MESSAGE-8] a mail has the title and the link as plain text, for one address', async () => {
  const server = await aMailServer()

  expect(await send(smtpAt(server.port))).toEqual({ ok: true })

  const [mail] = server.mails
  expect(mail?.to).toEqual([to])
  expect(mail?.headers).toEqual(
    expect.arrayContaining([
      `From: ${from}`,
      `To: ${to}`,
      'Subject: Assent: a decision is waiting: Roll out',
      'Auto-Submitted: auto-generated',
      'Content-Type: text/plain; charset=utf-8',
    ]),
  )
  const text = mail?.text.replaceAll('=\r\n', '') ?? ''
  expect(text).toContain('Title: Roll out')
  expect(text).toContain('It expires at 2026-07-28 13:00 UTC.')
  expect(text).toContain(`Open in Assent: ${aMessage().link}`)
})

test.each(hostileTitles)('[MESSAGE-8] a title adds no header, no recipient and no link: %j', async (title) => {
  const server = await aMailServer()

  expect(await send(smtpAt(server.port), aMessage({ title }))).toEqual({ ok: true })

  const [mail] = server.mails
  expect(mail?.to).toEqual([to])
  const names = (mail?.headers ?? []).map((line) => line.split(':', 1)[0])
  expect(names.filter((name) => /^(bcc|cc|reply-to)$/i.test(name ?? ''))).toEqual([])
  expect(names.filter((name) => name === 'Subject')).toHaveLength(1)
  const { subject, text } = mailFor(aMessage({ title }), from, to)
  expect(subject).not.toMatch(/[\r\n]|:\/\/|www\.|\w\.\w|\w@/)
  const addresses = text.match(/\S*(?::\/\/|www\.|\w\.\w|\w@)\S*/g)
  expect(addresses).toEqual([aMessage().link])
})

test('[MESSAGE-8] every attempt has the same id, each address its own, and all messages about an ask are one thread', () => {
  const { askId } = aMessage()
  const [first, again] = [mailFor(aMessage(), from, to), mailFor(aMessage(), from, to)]
  const other = mailFor(aMessage(), from, 'ben@example.com')
  const ended = mailFor(aMessage({ id: `${askId}_ended`, kind: 'ended', outcome: 'approved' }), from, to)

  expect(again).toEqual(first)
  expect(first.messageId).toMatch(/^<ask_0+_raised\.[0-9a-f]{16}@assent\.example\.com>$/)
  expect(new Set([first, other, ended].map(({ messageId }) => messageId)).size).toBe(3)
  expect(new Set([first, other, ended].map(({ references }) => references))).toEqual(
    new Set([`<${askId}@assent.example.com>`]),
  )
  expect(mailFor(aMessage({ link: 'http://127.0.0.1:7420/asks/x' }), from, to).messageId).toContain('@assent.invalid>')
})

test.each(['starttls', 'implicit'] as const)(
  '[MESSAGE-8] with %s the connection is encrypted, and the password is sent only then',
  async (tls) => {
    const { cert, key, ca } = await aCertificate()
    const server = await aMailServer({ cert, key, secure: tls === 'implicit' })
    const smtp = smtpAt(server.port, { tls, user: 'assent', password: 'pass word' })

    expect(await send(smtp)).toMatchObject({ ok: false })
    expect(await send(smtp, aMessage(), { ca })).toEqual({ ok: true })

    expect(server.mails.map(({ isEncrypted }) => isEncrypted)).toEqual([true])
    expect(server.users).toEqual(['assent'])
  },
)

test('[MESSAGE-8] a mail server that does not offer TLS gets nothing', async () => {
  const server = await aMailServer({ disabledCommands: ['STARTTLS'] })

  expect(await send(smtpAt(server.port, { tls: 'starttls', user: 'assent', password: 'pass word' }))).toMatchObject({
    ok: false,
  })

  expect(server.mails).toEqual([])
  expect(server.users).toEqual([])
})

test('[MESSAGE-8] without TLS, a mail server outside this machine and the stated networks gets nothing', async () => {
  const result = await send(smtpAt(25, { host: '93.184.215.14' }))

  expect(result).toEqual({ ok: false, reason: 'mail server: ERR_ADDRESS_REFUSED' })
})

test('[MESSAGE-8] an address that the mail server refuses gets no further attempt, and its answer is not logged', async () => {
  const refuse = (responseCode: number) =>
    aMailServer({
      onRcptTo: (_address, _session, callback) => callback(Object.assign(new Error('s3cret text'), { responseCode })),
    })
  const [never, later] = [await refuse(550), await refuse(451)]

  expect(await send(smtpAt(never.port))).toEqual({ ok: false, reason: 'mail server: EENVELOPE 550', isFinal: true })
  expect(await send(smtpAt(later.port))).toEqual({ ok: false, reason: 'mail server: EENVELOPE 451' })
})

test('[MESSAGE-8] a mail server that does not respond in time, or refuses the password, has failed for now', async () => {
  const silent = await aMailServer({ onConnect: () => undefined })
  const server = await aMailServer()

  expect(await send(smtpAt(silent.port), aMessage(), { totalMs: 200 })).toEqual({ ok: false, reason: 'timeout' })
  expect(await send(smtpAt(server.port, { user: 'assent', password: 'wrong one' }))).toEqual({
    ok: false,
    reason: 'mail server: EAUTH 535',
  })
})
