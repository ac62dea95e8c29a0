// The key of this Assent installation that authenticates onboarding's files in a repository.
//
// A repository can be cloned from anybody, so its files prove nothing by themselves. The key is in the user's Assent home,
// never in the repository: readable by the user alone, made once, and refused if anybody else could have read or replaced it.

import { randomBytes } from 'node:crypto'
import { link, mkdir, open, realpath, rm, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { readRegular } from '../disk/read-regular.ts'
import { onboardingLimits } from '../limits.ts'
import { Stop, wordsOf } from '../stop.ts'

const fileName = 'onboarding.key'

export interface Installation {
  /** The Assent home, without symbolic links in its path. */
  readonly home: string
  readonly key: Buffer
}

/** Makes the key when there is none. Throws when there can be no key that only this user knows. */
export async function installationIn(folder: string, root: string): Promise<Installation> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const home = await realpath(folder)
    if (home === root || home.startsWith(root.endsWith(sep) ? root : root + sep)) {
      throw refused(`${home} is inside ${root}, where everybody who writes to the project could write the key`)
    }
    if (!isWindows && ((await stat(home)).mode & 0o002) !== 0) throw refused(`every user may write to ${home}`)
    const file = join(home, fileName)
    return { home, key: (await readKey(file)) ?? (await makeKey(file)) }
  } catch (error) {
    throw error instanceof Stop ? error : refused(wordsOf(error), error)
  }
}

const isWindows = process.platform === 'win32'

async function readKey(file: string): Promise<Buffer | undefined> {
  const read = await readRegular(file, onboardingLimits.keyBytes)
  if (read === undefined) return undefined
  if (read === 'other' || read.bytes.length !== onboardingLimits.keyBytes) throw refused(`${file} is not a key of ours`)
  if (!isWindows && (read.stat.mode & 0o077) !== 0) throw refused(`other users may read ${file}`)
  if (!isWindows && read.stat.uid !== process.getuid?.()) throw refused(`${file} belongs to another user`)
  return read.bytes
}

/** Of several processes that make it at once, one key stays: a link is made only where nothing is. */
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
  if (made === undefined) throw refused(`${file} was removed while it was made`)
  return made
}

function refused(why: string, cause?: unknown): Stop {
  return new Stop(
    'NO_KEY',
    `Onboarding has no key to authenticate its files with: ${why}. Nothing was done.`,
    'Set ASSENT_HOME to a folder outside the project that only you can write to, or correct its permissions (chmod 700 the folder, chmod 600 the key).',
    { cause },
  )
}
