// Checks what Assent needs on this machine: Node, a writable data folder, a port for the inbox.

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { type Address, addressText } from '../../config/kinds.ts'
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

export function nodeFinding({ variables }: Machine): DoctorFinding {
  const { stdout, error } = spawnSync('node', ['--version'], { env: { PATH: variables.PATH ?? '' }, encoding: 'utf8' })
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

export async function portFinding(address: Address): Promise<DoctorFinding> {
  const url = `http://${addressText(address)}/`
  const what = 'Inbox'
  const page = await firstPage(address)
  if (page === undefined)
    return { what, ok: true, words: `${url} is free; the first window will serve the inbox there` }
  if (!/assent/i.test(page)) return taken(url)
  return { what, ok: true, words: `${url} is served by a running Assent; all windows share it` }
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

function taken(url: string): DoctorFinding {
  const change = 'Stop that program, or give Assent another address: set ASSENT_LISTEN, such as 127.0.0.1:7421.'
  return { what: 'Inbox', ok: false, words: `${url} is taken by another program`, change }
}
