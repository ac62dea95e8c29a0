// The memory of this process after garbage collection, and its sockets.

import { readdirSync, readlinkSync } from 'node:fs'

export interface Weight {
  /** Before garbage was collected, and after. */
  readonly rssBeforeBytes: number
  readonly rssBytes: number
  readonly heapBytes: number
  readonly sockets: number
}

export function weigh(): Weight {
  const rssBeforeBytes = process.memoryUsage.rss()
  // More than once: a collection may free objects that kept others alive.
  for (let round = 0; round < 3; round++) globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  return { rssBeforeBytes, rssBytes: rss, heapBytes: heapUsed, sockets: openSockets() }
}

function openSockets(): number {
  if (process.platform !== 'linux')
    return process.getActiveResourcesInfo().filter((name) => /^TCPSocket/.test(name)).length
  return readdirSync('/proc/self/fd').filter((fd) => targetOf(fd).startsWith('socket:')).length
}

function targetOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    // The descriptor that listed the folder is closed by now.
    return ''
  }
}
