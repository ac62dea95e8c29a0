// Sends messages as mails. The library for mail is loaded with the first one.
//
// I1  Every connection is encrypted and its certificate verified, except to this machine and in the stated networks.
// I2  A mail is plain text. Titles come from servers and are written into the subject and the body only, as one line.

import { createHash } from 'node:crypto'
import { connect, isIP, type LookupFunction } from 'node:net'
import type { Transporter } from 'nodemailer'
import { PlainNetworks } from '../cluster/plain-networks.ts'
import type { SmtpSettings } from '../config/notify-settings.ts'
import { sleep } from '../protocol/sleep.ts'
import { type AskMessage, messageHeading, messageNote, titleWithoutLinks } from './ask-message.ts'
import type { Channel, SendResult } from './channel.ts'
import { notifyLimits } from './limits.ts'
import { RefusedAddress } from './outbound-guard.ts'
import { messageText } from './text/messages.ts'

export interface MailOptions {
  /** Networks in which the connection may be unencrypted. */
  readonly networks: readonly string[]
  readonly totalMs?: number
  /** Certificates of authorities besides those that the system trusts; for tests. */
  readonly ca?: string
}

export interface Mail {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly messageId: string
  readonly references: string
}

export function mailChannel(smtp: SmtpSettings, options: MailOptions): Channel {
  const { totalMs = notifyLimits.mailTotalMs } = options
  let opened: Promise<Transporter> | undefined
  return {
    send: async (message, address, signal) => {
      if (address === undefined) return { ok: false, reason: 'no address', isFinal: true }
      opened ??= openTransport(smtp, options)
      const stopped = new AbortController()
      const sent = sendMail(await opened, mailFor(message, smtp.from, address))
      const late = sleep(totalMs, AbortSignal.any([signal, stopped.signal])).then((): SendResult => {
        return { ok: false, reason: signal.aborted ? 'shutting down' : 'timeout' }
      })
      const result = await Promise.race([sent, late])
      stopped.abort()
      return result
    },
    close: () => void opened?.then((transport) => transport.close()),
  }
}

export function mailFor(message: AskMessage, from: string, to: string): Mail {
  const title = titleWithoutLinks(message).replaceAll(/\s+/g, ' ')
  const note = messageNote(message)
  const { hostname } = new URL(message.link)
  const host = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : 'assent.invalid'
  const ofAddress = createHash('sha256').update(to).digest('hex').slice(0, 16)
  return {
    from,
    to,
    subject: `${messageHeading(message)}: ${title}`,
    text: [
      `${messageHeading(message)}.`,
      messageText.mail.title(title),
      ...(note === undefined ? [] : [note]),
      `${messageText.open}: ${message.link}`,
      messageText.mail.linkOpens,
    ].join('\n\n'),
    // The same for every attempt, so that mail programs show a repeated mail once, and one thread for each ask.
    messageId: `<${message.id}.${ofAddress}@${host}>`,
    references: `<${message.askId}@${host}>`,
  }
}

async function sendMail(transport: Transporter, { to, ...mail }: Mail): Promise<SendResult> {
  try {
    await transport.sendMail({
      ...mail,
      to: { name: '', address: to },
      envelope: { from: mail.from, to: [to] },
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    })
    return { ok: true }
  } catch (error) {
    return failureOf(error)
  }
}

/** The code of the failure only: the text of the mail server may contain anything. */
function failureOf(error: unknown): SendResult {
  const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown }
  const reason = `mail server: ${[code, responseCode].filter((one) => one !== undefined).join(' ')}`
  // The mail server refuses this address or this mail, and not only now.
  const isFinal = (code === 'EENVELOPE' || code === 'EMESSAGE') && Number(responseCode) >= 500
  return { ok: false, reason: reason.slice(0, notifyLimits.reasonChars), ...(isFinal ? { isFinal } : {}) }
}

async function openTransport(smtp: SmtpSettings, { networks, ca }: MailOptions): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const { host, port, tls, user, password } = smtp
  const plain = new PlainNetworks(networks)
  return createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    tls: { minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca }) },
    ...(user === undefined || password === undefined ? {} : { auth: { user, pass: password } }),
    connectionTimeout: notifyLimits.mailMs,
    greetingTimeout: notifyLimits.mailMs,
    socketTimeout: notifyLimits.mailMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(tls === 'none' ? { getSocket: guardedSocket(plain) } : {}),
  })
}

type GetSocket = (
  options: { host?: string | undefined; port?: number | string | undefined },
  callback: (error: Error | null, socket?: { connection: ReturnType<typeof connect> }) => void,
) => void

/** An unencrypted connection, only to this machine and the stated networks, whatever address the name has now. */
function guardedSocket(networks: PlainNetworks): GetSocket {
  const lookup: LookupFunction = networks.lookup
  return ({ host = '', port = 25 }, callback) => {
    if (!networks.mayContain(host)) return callback(new RefusedAddress())
    const connection = connect({ host, port: Number(port), lookup, timeout: notifyLimits.mailMs })
    connection.once('error', callback)
    connection.once('timeout', () => connection.destroy(new Error('timeout')))
    connection.once('connect', () => {
      connection.off('error', callback)
      connection.setTimeout(0)
      callback(null, { connection })
    })
  }
}
