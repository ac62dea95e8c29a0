// Checks what Assent needs on this machine: Node, a writable data folder, a port for the inbox.

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { type Address, addressText } from '../../config/kinds.ts'
import { expectedOrigin } from '../../http/listen.ts'
import { askListener } from '../../inbox/listener-proof.ts'
import { type Machine, stateFolder } from '../init/machine.ts'
import { doctorLimits } from '../limits.ts'
import { isAtLeast, oldestNode } from '../node-version.ts'
import { machineText } from './text/checks.ts'

const { node } = machineText

export interface DoctorFinding {
  readonly what: string
  readonly ok: boolean
  readonly words: string
  /** How to fix it. */
  readonly change?: string
}

/** @param isStarted whether a client starts the Node that is first on the PATH, as npx does */
export function nodeFinding({ variables }: Machine, isStarted: boolean): DoctorFinding {
  if (!isStarted) return { what: node.title, ok: true, words: node.byPath }
  const { stdout, error } = spawnSync('node', ['--version'], {
    env: { PATH: variables.PATH ?? '' },
    encoding: 'utf8',
    timeout: doctorLimits.nodeMs,
  })
  const change = node.install(oldestNode.join('.'))
  if (error !== undefined) return { what: node.title, ok: false, words: node.missing, change }
  const version = stdout.trim()
  const isRecent = isAtLeast(version, oldestNode)
  return { what: node.title, ok: isRecent, words: node.version(version), ...(isRecent ? {} : { change }) }
}

export function folderFinding(machine: Machine): DoctorFinding {
  const folder = stateFolder(machine)
  const text = machineText.folder
  const probe = join(folder, `.probe-${randomBytes(4).toString('hex')}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(probe, '')
    rmSync(probe)
    return { what: text.title, ok: true, words: text.writable(folder) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { what: text.title, ok: false, words: text.notWritable(folder, code), change: text.change }
  }
}

/** The inbox that the user's windows share. */
export interface ExpectedInbox {
  readonly listen: Address
  /** The database, for the person. */
  readonly store: string
  /** The keys with which the processes on this store authenticate; empty if no store exists yet. */
  readonly keys: readonly Uint8Array[]
  /** Where the inbox was last served, if another program had the port. */
  readonly lastOrigin: string | undefined
}

/**
 * A page that looks like ours proves nothing: it may belong to another user, or to another store. So the listener must
 * prove that it has the keys of this store.
 */
export async function portFinding({ listen, store, keys, lastOrigin }: ExpectedInbox): Promise<DoctorFinding> {
  const { title: what, ...text } = machineText.inbox
  for (const origin of new Set([expectedOrigin(listen), ...(lastOrigin === undefined ? [] : [lastOrigin])])) {
    const listener = await askListener(new URL(origin), keys, AbortSignal.timeout(doctorLimits.portMs))
    if (listener === undefined) continue
    return {
      what,
      ok: true,
      words: text.shared(origin, store),
    }
  }
  const url = `http://${addressText(listen)}/`
  const page = await firstPage(listen)
  if (page === undefined)
    return {
      what,
      ok: true,
      words: text.free(url, store),
    }
  const owner = /assent/i.test(page) ? text.otherAssent : text.otherProgram
  return {
    what,
    ok: false,
    words: text.taken(url, owner),
    change: text.change,
  }
}

/** Undefined if the connection is refused; empty if a program listens but sends no page. */
function firstPage({ host, port }: Address): Promise<string | undefined> {
  return new Promise((resolve) => {
    const request = get({ host, port, path: '/', timeout: doctorLimits.portMs }, (response) => {
      let page = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        page += piece
        if (page.length > doctorLimits.pageChars) response.destroy()
      })
      response.on('close', () => resolve(page))
    })
    request.on('timeout', () => request.destroy())
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED' ? undefined : ''))
  })
}
