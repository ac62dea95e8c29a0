// One process at a time changes anything.
//
// Whoever wants to work lays a claim, a file of its own, and then looks who else has one. Both steps in that order mean
// that of two who come together at least one sees the other; a file that only one can make would have to be taken away
// from the dead by somebody, and that cannot be done without a second lock. A claim counts while its process lives. What
// cannot be known, a claim from another machine, counts as alive, and the message says how to clear it.

import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { writeDurably } from '../disk/durable.ts'
import { readRegular } from '../disk/read-regular.ts'
import { onboardingLimits } from '../limits.ts'
import type { Site } from '../site.ts'
import { Stop } from '../stop.ts'
import { folderFor, names, ours } from './folder.ts'

/** Claims are in the repository and can come with it, so nothing in them can pass for words of ours. */
const claimSchema = z.object({
  pid: z.int(),
  host: z.string().regex(/^[\w.-]{0,255}$/),
  started: z.string().regex(/^\d{0,20}$/),
  at: z.iso.datetime(),
  action: z.enum(['analyze', 'propose', 'approve', 'migrate', 'rollback', 'skip']),
})
type Claim = Omit<z.output<typeof claimSchema>, 'action'> & { readonly action: string }

/** Runs the work alone, or throws that somebody else is at it. */
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
  const mine: Claim = {
    pid: process.pid,
    host: hostname(),
    started: await startOf(process.pid),
    at: new Date(site.nowMs()).toISOString(),
    action,
  }
  await writeDurably({ place, bytes: Buffer.from(`${JSON.stringify(mine)}\n`), mode: 0o644 }, site.newId())
  const other = await otherThan(join(place, '..'), name)
  if (other === undefined) return { ok: true, place }
  await rm(place, { force: true })
  return { ok: false, by: other }
}

/** Somebody who works, if anybody does. The claims of the dead are cleared away. */
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
    // Claims appear whole. What cannot be read was not made by us, and whose it is cannot be known.
    return {
      pid: 0,
      host: 'unknown',
      started: '',
      at: 'an unknown time',
      action: `a claim at ${place} that cannot be read`,
    }
  }
}

async function isAlive({ pid, host, started }: Claim): Promise<boolean> {
  if (host !== hostname()) return true
  try {
    process.kill(pid, 0)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // Not ours to signal is alive all the same.
    return code !== 'ESRCH'
  }
  const now = await startOf(pid)
  // The same number may be another process by now. Where its start cannot be known, it counts as the same.
  return started === '' || now === '' || started === now
}

/** When a process started, in a form that is only compared; empty where the system does not say. */
async function startOf(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    // No such file system here, or the process has just ended; `kill` has the last word.
    return ''
  }
}

function busy(site: Site, { pid, host, at, action }: Claim): Stop {
  const isHere = host === hostname()
  const who = isHere ? `process ${pid} on this machine` : `process ${pid} on ${host}`
  return new Stop(
    'BUSY',
    `Onboarding is at work elsewhere: ${action}, by ${who}, since ${at}. Nothing was done.`,
    isHere
      ? 'Wait until it is done, then call again.'
      : `Wait until it is done. If that machine is gone, remove its file in ${ours(site, names.locks)} and call again.`,
  )
}
