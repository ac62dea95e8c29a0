// A real mail server on 127.0.0.1 that keeps the mails it gets.

import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { aCertificate } from './certificate.ts'
import { listen } from './listen.ts'

export interface ReceivedMail {
  /** The recipients that the connection named, whatever the headers say. */
  readonly to: string[]
  readonly raw: string
  /** The headers, with their continuation lines. */
  readonly headers: string[]
  readonly text: string
  readonly isEncrypted: boolean
}

export interface MailServer {
  readonly port: number
  readonly mails: ReceivedMail[]
  /** User names that signed in. */
  readonly users: string[]
  close(): Promise<void>
}

export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const users: string[] = []
  const { cert, key } = await aCertificate()
  const server = new SMTPServer({
    cert,
    key,
    authOptional: true,
    allowInsecureAuth: true,
    closeTimeout: 100,
    onAuth: ({ username = '', password }, _session, callback) => {
      if (password !== 'pass word') return callback(new Error('Wrong password'))
      users.push(username)
      callback(null, { user: username })
    },
    onData: (stream, session, callback) => {
      let raw = ''
      stream.on('data', (chunk: Buffer) => {
        raw += chunk.toString('utf8')
      })
      stream.on('end', () => {
        const [head = '', ...rest] = raw.split('\r\n\r\n')
        const to = session.envelope.rcptTo.map(({ address }) => address)
        const headers = head.split(/\r\n(?![ \t])/)
        mails.push({ to, raw, headers, text: rest.join('\r\n\r\n'), isEncrypted: session.secure === true })
        callback()
      })
    },
    ...options,
  })
  // Connections that a client breaks off.
  server.on('error', () => undefined)
  const { port } = await listen(server.server)
  return { port, mails, users, close: () => new Promise<void>((resolve) => server.close(() => resolve())) }
}
