// The question and the answer of every ask, in one file each.
//
// I1  The file is written before the person is asked, without a response, so that a question that was open when the process
//     ended has a trace too.
// I2  The file is replaced when the question has ended, and deleted if it turns out that no person could be asked.

import { rmdir, unlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { placeIn } from '../disk/safe-path.ts'
import type { Site } from '../site.ts'
import { createFolderFor, names, ours, writeOursAsJson } from './folder.ts'

export interface Trace {
  readonly timestamp: string
  readonly action: string
  readonly message: string
  readonly schema: unknown
  /** Null while the question is open. */
  readonly response: { readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: unknown } | null
  /** Null while the question is open. */
  readonly duration_ms: number | null
}

/** The trace of a question that has not ended yet. */
export interface OpenTrace {
  readonly path: string
  readonly timestamp: string
  /** How many folders were created for it. */
  readonly folders: number
}

type TracedQuestion = Pick<Trace, 'action' | 'message' | 'schema'>

/** Two asks in one millisecond get two files: the later one gets the time of the next free millisecond. */
export async function openTrace(site: Site, question: TracedQuestion): Promise<OpenTrace> {
  for (let atMs = site.nowMs(); ; atMs++) {
    const timestamp = new Date(atMs).toISOString()
    const path = ours(site, names.traces, `${timestamp.replace(/[:.]/g, '-')}-${question.action}.json`)
    const trace: Trace = { timestamp, ...question, response: null, duration_ms: null }
    const { place, created } = await createFolderFor(site, path)
    try {
      // `wx` fails if the file exists, so an older trace is never overwritten.
      await writeFile(place, `${JSON.stringify(trace, null, 2)}\n`, { flag: 'wx', flush: true })
      return { path, timestamp, folders: created }
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
  }
}

export async function closeTrace(
  site: Site,
  { path, timestamp }: OpenTrace,
  question: TracedQuestion,
  response: NonNullable<Trace['response']>,
): Promise<void> {
  const duration_ms = Math.max(0, site.nowMs() - Date.parse(timestamp))
  const trace: Trace = { timestamp, ...question, response, duration_ms }
  await writeOursAsJson(site, path, trace)
}

/** No person could be asked, so there was no question: deletes the trace, and the folders that were created for it. */
export async function deleteTrace(site: Site, { path, folders }: OpenTrace): Promise<void> {
  let place = await placeIn(site.root, path)
  await unlink(place)
  for (let left = folders; left > 0; left--) {
    place = dirname(place)
    try {
      await rmdir(place)
    } catch (error) {
      // Another call has written into it meanwhile.
      if (hasCode(error, 'ENOTEMPTY') || hasCode(error, 'EEXIST')) return
      throw error
    }
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
