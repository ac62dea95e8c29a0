// The SHA-256 digest of a file's bytes.

import { createHash, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'

export function bytesDigest(bytes: Buffer): string {
  return `sha256:${hash('sha256', bytes, 'hex')}`
}

/** Without holding the file in memory. */
export async function fileDigest(place: string): Promise<string> {
  const hashing = createHash('sha256')
  for await (const chunk of createReadStream(place)) hashing.update(chunk)
  return `sha256:${hashing.digest('hex')}`
}
