// Forged repositories: no state, plan or backup in a clone is trusted, and nothing outside the instruction files is
// written, although the person approves everything.

import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { recognise } from '../../packages/onboarding/src/files/kinds.ts'
import { createRepository, treeDigest } from '../../packages/onboarding/src/fixtures/fixture.suite.ts'
import { forgeries } from '../../packages/onboarding/src/fixtures/forged.corpus.ts'
import {
  type ForgedAction,
  type Forgery,
  forgedRepository,
  type Victim,
} from '../../packages/onboarding/src/fixtures/forgery.suite.ts'
import type { Installed } from './installed.ts'
import { inParallel, type Section } from './section.ts'
import { type Person, type StdioClient, startStdioClient, type ToolResult } from './stdio-client.ts'

const atOnce = 3
/** In a smaller run, every n-th forgery. */
const everyInPart = 16

/** Ticks every box. After a pause, because an instant answer would not count. */
const agreeing: Person = ({ requestedSchema: { properties } }) => {
  const boxes = Object.entries(properties).filter(([, field]) => field.type === 'boolean')
  return { answer: { action: 'accept', content: Object.fromEntries(boxes.map(([name]) => [name, true])) }, afterMs: 20 }
}

export const repositoriesSection: Section = {
  name: 'forged repositories',
  run: async ({ program, share }) => {
    const chosen = share === 1 ? forgeries : forgeries.filter((_, index) => index % everyInPart === 0)
    const faults: string[] = []
    await inParallel(chosen, atOnce, async (forgery) => {
      faults.push(...(await faultsOf(program, forgery)).map((fault) => `${forgery.name}: ${fault}`))
    })
    return { tried: chosen.length, faults }
  },
  bugs: [
    {
      name: 'state without a valid MAC counts',
      package: '@assent/onboarding',
      file: 'dist/state/mac.js',
      from: 'export function isMacOf(site, what, digest, mac) {',
      to: 'export function isMacOf(site, what, digest, mac) {\n    return true;',
    },
  ],
}

async function faultsOf(program: Installed, { plant, calls, expected }: Forgery): Promise<string[]> {
  const { root, outside, home, remove } = await createRepository(forgedRepository)
  const clients = new Map<string, StdioClient>()
  const act = async (action: ForgedAction, folder: string, state: string): Promise<ToolResult> => {
    const key = `${folder} ${state}`
    const client =
      clients.get(key) ?? (await startStdioClient({ program, cwd: folder, env: environment(state), person: agreeing }))
    clients.set(key, client)
    return client.call('onboarding', { action })
  }
  const victim: Victim = {
    root,
    outside,
    act: (action, folder = root) => act(action, folder, home),
    actAsAttacker: (action) => act(action, root, join(dirname(root), 'attacker')),
  }
  try {
    await plant(victim)
    const [before, untouchableBefore] = [await treeDigest(root), await untouchable(victim)]
    const faults: string[] = []
    for (const action of calls) {
      const { text, data } = (await victim.act(action)) as ToolResult
      if (expected === 'ignored' && !text.includes('ignored'))
        faults.push(`${action} does not report the forged state: ${text.slice(0, 200)}`)
      if (expected === 'ignored' && action !== 'status' && data.status !== 'error')
        faults.push(`${action} ended with ${String(data.status)}`)
      if (expected === 'refused' && data.status !== 'error') faults.push(`${action} ended with ${String(data.status)}`)
    }
    if (expected !== 'harmless' && (await treeDigest(root)) !== before) faults.push('a file in the repository changed')
    if ((await untouchable(victim)) !== untouchableBefore) faults.push('a file changed that onboarding must not touch')
    return faults
  } finally {
    for (const client of clients.values()) await client.close()
    await remove()
  }
}

function environment(state: string): Record<string, string> {
  const path = `${dirname(process.execPath)}:${process.env.PATH ?? ''}`
  return {
    PATH: path,
    HOME: state,
    ASSENT_HOME: state,
    ASSENT_LISTEN: '127.0.0.1:0',
    ASSENT_ASKS_UNSEEN_AFTER: '0s',
    NO_COLOR: '1',
  }
}

/** Everything that onboarding may never change: git's folder, other files, other repositories, the sibling folder. */
async function untouchable({ root, outside }: Victim): Promise<string> {
  const lines = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .sort()
    .filter((path) => !path.startsWith('.copilot-state'))
    .filter((path) => recognise(path) === undefined || /^(\.git|module)\//.test(path))
    .map((path) => {
      const stat = lstatSync(join(root, path))
      return `${path} ${stat.mode} ${stat.isFile() ? readFileSync(join(root, path)).toString('base64') : ''}`
    })
  return [...lines, await treeDigest(outside, [])].join('\n')
}
