// A certificate for a server on 127.0.0.1.

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** PEM texts: a key, and a certificate for 127.0.0.1 that is its own authority. */
export async function aCertificate(): Promise<{ cert: string; key: string; ca: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-tls-'))
  try {
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    const subject = ['-subj', '/CN=assent', '-addext', 'subjectAltName=IP:127.0.0.1']
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
    await promisify(execFile)('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', cert, ...subject])
    const text = await readFile(cert, 'utf8')
    return { cert: text, key: await readFile(key, 'utf8'), ca: text }
  } finally {
    await rm(folder, { recursive: true })
  }
}
