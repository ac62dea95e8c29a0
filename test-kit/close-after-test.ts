// Cleaning up after a test. These functions need vitest.

import type { RequestListener } from 'node:http'
import type { Server } from 'node:net'
import { onTestFinished } from 'vitest'
import { listen } from './listen.ts'

/** Resources are closed in reverse order. */
export function closeAfterTest(close: () => Promise<void> | void): void {
  onTestFinished(async () => {
    await close()
  })
}

/** A server on a free port until the test ends. The URL has no path. */
export async function listening(server: Server | RequestListener): Promise<{ url: string }> {
  const { origin, close } = await listen(server)
  closeAfterTest(close)
  return { url: origin }
}
