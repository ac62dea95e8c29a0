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

export interface DoctorFinding {
  readonly what: string
  readonly ok: boolean
  readonly words: string
  /** How to fix it. */
  readonly change?: string
}

/** @param isStarted whether a client starts the Node that is first on the PATH, as npx does */
export function nodeFinding({ variables }: Machine, isStarted: boolean): DoctorFinding {
  if (!isStarted) return { what: 'Node', ok: true, words: 'clients start it by its path' }
  const { stdout, error } = spawnSync('node', ['--version'], {
    env: { PATH: variables.PATH ?? '' },
    encoding: 'utf8',
    timeout: doctorLimits.nodeMs,
  })
  const change = `Install Node ${oldestNode.join('.')} or later where your clients find it first.`
  if (error !== undefined) return { what: 'Node', ok: false, words: 'no program node is on the path', change }
  const version = stdout.trim()
  const isRecent = isAtLeast(version, oldestNode)
  return { what: 'Node', ok: isRecent, words: `${version} is what clients start`, ...(isRecent ? {} : { change }) }
}

export function folderFinding(machine: Machine): DoctorFinding {
  const folder = stateFolder(machine)
  const probe = join(folder, `.probe-${randomBytes(4).toString('hex')}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(probe, '')
    rmSync(probe)
    return { what: 'Data folder', ok: true, words: `${folder} can be written` }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const change = 'Make it writable, or set XDG_STATE_HOME to a folder that is.'
    return { what: 'Data folder', ok: false, words: `${folder} cannot be written (${code})`, change }
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
  const what = 'Inbox'
  for (const origin of new Set([expectedOrigin(listen), ...(lastOrigin === undefined ? [] : [lastOrigin])])) {
    const listener = await askListener(new URL(origin), keys, AbortSignal.timeout(doctorLimits.portMs))
    if (listener === undefined) continue
    return {
      what,
      ok: true,
      words: `${origin}/ is served by a running Assent with the store ${store}; all windows with this store share it`,
    }
  }
  const url = `http://${addressText(listen)}/`
  const page = await firstPage(listen)
  if (page === undefined)
    return {
      what,
      ok: true,
      words: `${url} is free; the first window will serve the inbox there, with the store ${store}`,
    }
  const owner = /assent/i.test(page) ? 'an Assent with another store, or of another user' : 'another program'
  return {
    what,
    ok: false,
    words: `${url} is taken by ${owner}; your windows use a free port instead, which changes`,
    change: 'Stop that program, or give Assent another address: set ASSENT_LISTEN, such as 127.0.0.1:7431.',
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
