// The lock: one process at a time changes anything.
//
// A process first writes its own claim file and then looks for claims of other processes. In this order, at least one
// of two concurrent processes sees the other. A single lock file would be simpler, but removing the one of a dead
// process safely needs a second lock. A claim counts while its process is alive. A claim from another machine cannot be
// checked and counts as alive; the error describes how to remove it.

import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { writeDurably } from '../disk/durable.ts'
import { readRegular } from '../disk/read-regular.ts'
import { onboardingLimits } from '../limits.ts'
import { type OnboardingError, refusal } from '../onboarding-error.ts'
import type { Site } from '../site.ts'
import { reasons, refusals } from '../text/refusals.ts'
import { folderFor, names, ours } from './folder.ts'

/** Claims are in the repository and can come with it, so their text is never shown as our own. */
const claimSchema = z.object({
  pid: z.int(),
  host: z.string().regex(/^[\w.-]{0,255}$/),
  started: z.string().regex(/^\d{0,20}$/),
  at: z.iso.datetime(),
  action: z.enum(['analyze', 'propose', 'approve', 'migrate', 'rollback', 'skip']),
})
type Claim = Omit<z.output<typeof claimSchema>, 'action'> & { readonly action: string }

/** Runs the work exclusively, or throws that another process holds the lock. */
export async function alone<Value>(site: Site, action: string, work: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries++) {
    const taken = await claim(site, action)
    if (taken.ok) {
      site.reached('locked')
      try {
        return await work()
      } finally {
        await rm(taken.place, { force: true })
        site.reached('unlocked')
      }
    }
    if (tries >= onboardingLimits.lockTries) throw busy(site, taken.by)
    await pause(1 + Math.random() * onboardingLimits.lockPauseMs)
  }
}

type Taken = { readonly ok: true; readonly place: string } | { readonly ok: false; readonly by: Claim }

async function claim(site: Site, action: string): Promise<Taken> {
  const name = `${process.pid}-${randomBytes(8).toString('hex')}.json`
  const place = await folderFor(site, ours(site, names.locks, name))
  const ownClaim: Claim = {
    pid: process.pid,
    host: hostname(),
    started: await startOf(process.pid),
    at: new Date(site.nowMs()).toISOString(),
    action,
  }
  await writeDurably({ place, bytes: Buffer.from(`${JSON.stringify(ownClaim)}\n`), mode: 0o644 }, site.newId())
  const other = await otherThan(join(place, '..'), name)
  if (other === undefined) return { ok: true, place }
  await rm(place, { force: true })
  return { ok: false, by: other }
}

/** The process that holds the lock, if any. Claims of dead processes are deleted. */
async function otherThan(folder: string, own: string): Promise<Claim | undefined> {
  const others = (await readdir(folder)).filter((name) => name.endsWith('.json') && name !== own)
  for (const name of others) {
    const found = await readClaim(join(folder, name))
    if (found === undefined) continue
    if (await isAlive(found)) return found
    await rm(join(folder, name), { force: true })
  }
  return undefined
}

async function readClaim(place: string): Promise<Claim | undefined> {
  try {
    const read = await readRegular(place, onboardingLimits.claimBytes)
    if (read === undefined) return undefined
    if (read === 'other') throw new Error('not a file')
    return claimSchema.parse(JSON.parse(read.bytes.toString('utf8')))
  } catch {
    // Claims are written atomically, so a file that cannot be read was not written by us, and its owner is unknown.
    return {
      pid: 0,
      host: 'unknown',
      started: '',
      at: reasons.lock.unknownTime,
      action: reasons.lock.unreadable(place),
    }
  }
}

async function isAlive({ pid, host, started }: Claim): Promise<boolean> {
  if (host !== hostname()) return true
  try {
    process.kill(pid, 0)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // No permission to signal it means that it is alive.
    return code !== 'ESRCH'
  }
  const now = await startOf(pid)
  // The pid may have been reused. If the start time is unknown, it counts as the same process.
  return started === '' || now === '' || started === now
}

/** When a process started, in a form that is only compared; empty where the system does not report it. */
async function startOf(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    // No such file system here, or the process has just ended; then the result of `kill` decides.
    return ''
  }
}

function busy(site: Site, { pid, host, at, action }: Claim): OnboardingError {
  const isHere = host === hostname()
  const who = isHere ? reasons.lock.processHere(pid) : reasons.lock.processAt(pid, host)
  return refusal('BUSY', refusals.busy(action, who, at, isHere ? undefined : ours(site, names.locks)))
}
