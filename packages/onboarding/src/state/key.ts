// The key of this Assent installation that authenticates onboarding's files in a repository.
//
// A repository can be cloned from anywhere, so its files prove nothing by themselves. The key is in the user's Assent home,
// never in the repository: readable only by the user, created once, and refused if another user could have read or replaced it.

import { randomBytes } from 'node:crypto'
import { link, mkdir, open, realpath, rm, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { readRegular } from '../disk/read-regular.ts'
import { onboardingLimits } from '../limits.ts'
import { errorMessage, OnboardingError, refusal } from '../onboarding-error.ts'
import { reasons, refusals } from '../text/refusals.ts'

const fileName = 'onboarding.key'

export interface Installation {
  /** The Assent home, without symbolic links in its path. */
  readonly home: string
  readonly key: Buffer
}

/** Creates the key if there is none. Throws if the key could not be kept private to this user. */
export async function installationIn(folder: string, root: string): Promise<Installation> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const home = await realpath(folder)
    if (home === root || home.startsWith(root.endsWith(sep) ? root : root + sep)) {
      throw refused(reasons.key.inProject(home, root))
    }
    if (!isWindows && ((await stat(home)).mode & 0o002) !== 0) throw refused(reasons.key.writable(home))
    const file = join(home, fileName)
    return { home, key: (await readKey(file)) ?? (await makeKey(file)) }
  } catch (error) {
    throw error instanceof OnboardingError ? error : refused(errorMessage(error), error)
  }
}

const isWindows = process.platform === 'win32'

async function readKey(file: string): Promise<Buffer | undefined> {
  const read = await readRegular(file, onboardingLimits.keyBytes)
  if (read === undefined) return undefined
  if (read === 'other' || read.bytes.length !== onboardingLimits.keyBytes) throw refused(reasons.key.invalid(file))
  if (!isWindows && (read.stat.mode & 0o077) !== 0) throw refused(reasons.key.readable(file))
  if (!isWindows && read.stat.uid !== process.getuid?.()) throw refused(reasons.key.othersFile(file))
  return read.bytes
}

/** If several processes create it at once, one key remains: `link` fails if the file exists. */
async function makeKey(file: string): Promise<Buffer> {
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(randomBytes(onboardingLimits.keyBytes))
      await handle.sync()
    } finally {
      await handle.close()
    }
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  const made = await readKey(file)
  if (made === undefined) throw refused(reasons.key.removed(file))
  return made
}

function refused(why: string, cause?: unknown): OnboardingError {
  return refusal('NO_KEY', refusals.noKey(why), { cause })
}
