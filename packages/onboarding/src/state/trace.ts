// The question and the answer of every ask, in one file each.

import { writeFile } from 'node:fs/promises'
import type { Site } from '../site.ts'
import { folderFor, names, ours } from './folder.ts'

export interface Trace {
  readonly timestamp: string
  readonly action: string
  readonly message: string
  readonly schema: unknown
  readonly response: { readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: unknown }
  readonly duration_ms: number
}

/** Two asks in one millisecond get two files: the later one gets the time of the next free millisecond. */
export async function writeTrace(site: Site, trace: Omit<Trace, 'timestamp'>): Promise<string> {
  for (let atMs = site.nowMs(); ; atMs++) {
    const timestamp = new Date(atMs).toISOString()
    const path = ours(site, names.traces, `${timestamp.replace(/[:.]/g, '-')}-${trace.action}.json`)
    const place = await folderFor(site, path)
    try {
      // `wx` fails if the file exists, so an older trace is never overwritten.
      await writeFile(place, `${JSON.stringify({ timestamp, ...trace }, null, 2)}\n`, { flag: 'wx', flush: true })
      return path
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
}
