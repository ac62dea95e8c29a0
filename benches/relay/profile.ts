// Where a process spends its time, in a few lines: our functions with the most time.
//
// Time in Node's code counts for our function that called it; time without a caller of ours, such as reading sockets and
// garbage collection, is listed separately.

import { type Profiler, Session } from 'node:inspector/promises'

const shown = 14
const samplingUs = 200

export function profiler(): { start(): Promise<void>; stop(): Promise<string[]> } {
  const session = new Session()
  return {
    start: async () => {
      session.connect()
      await session.post('Profiler.enable')
      await session.post('Profiler.setSamplingInterval', { interval: samplingUs })
      await session.post('Profiler.start')
    },
    stop: async () => {
      const { profile } = await session.post('Profiler.stop')
      session.disconnect()
      const spent = spentBy(profile.nodes)
      const busy = [...spent.values()].reduce((sum, hits) => sum + hits, 0)
      const most = [...spent].sort(([, a], [, b]) => b - a).slice(0, shown)
      return most.map(([name, hits]) => `${((100 * hits) / busy).toFixed(1)} % ${name}`)
    },
  }
}

function spentBy(nodes: readonly Profiler.ProfileNode[]): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const spent = new Map<string, number>()
  const walk = (node: Profiler.ProfileNode, caller: string) => {
    const owner = ownName(node.callFrame) ?? caller
    if (node.callFrame.functionName !== '(idle)') spent.set(owner, (spent.get(owner) ?? 0) + (node.hitCount ?? 0))
    for (const id of node.children ?? []) {
      const child = byId.get(id)
      if (child !== undefined) walk(child, owner)
    }
  }
  const [root] = nodes
  if (root !== undefined) walk(root, 'Node by itself')
  return spent
}

function ownName({ functionName, url }: Profiler.ProfileNode['callFrame']): string | undefined {
  if (functionName === '(garbage collector)') return 'collecting garbage'
  const file = /\/(?:packages|benches)\/(.+)$/.exec(url)?.[1]
  return file === undefined ? undefined : `${functionName || '(unnamed)'} in ${file.replace('/src/', '/')}`
}
