// Reads a regular file and nothing else: a link is not followed, a pipe or a device is not waited for.

import type { Stats } from 'node:fs'
import { constants, open } from 'node:fs/promises'
import { isMissing } from './safe-path.ts'

export interface ReadRegular {
  readonly bytes: Buffer
  readonly stat: Stats
}

// Windows has neither flag, and no links that an ordinary user can create.
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Undefined when nothing is there; `other` for a link, a folder, a device, and a file longer than `maxBytes`. */
export async function readRegular(place: string, maxBytes: number): Promise<ReadRegular | 'other' | undefined> {
  const handle = await open(place, flags).catch((error: NodeJS.ErrnoException) => {
    if (isMissing(error)) return undefined
    // ELOOP and EMLINK: a link, by system. ENXIO: a socket.
    if (['ELOOP', 'EMLINK', 'ENXIO', 'EISDIR'].includes(error.code ?? '')) return 'other' as const
    throw error
  })
  if (handle === undefined || handle === 'other') return handle
  try {
    const stat = await handle.stat()
    if (!stat.isFile() || stat.size > maxBytes) return 'other'
    return { bytes: await handle.readFile(), stat }
  } finally {
    await handle.close()
  }
}
