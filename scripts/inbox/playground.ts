// `assent play` with the deploy example, for pictures. A sign-in link works once, so there is one process per visit.
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const source = '--conditions=assent-source'
const main = fileURLToPath(new URL('../../packages/gateway/src/program/main.ts', import.meta.url))
const home = fileURLToPath(new URL('../../', import.meta.url))
const visits = 4

export interface Playground {
  link(): string
  close(): Promise<void>
}

export async function aPlayground(): Promise<Playground> {
  const children = Array.from({ length: visits }, () =>
    // As a person would type it: the page shows this command.
    spawn(process.execPath, [source, main, 'play', 'node', source, 'examples/deploy.ts'], { cwd: home }),
  )
  const links = await Promise.all(children.map(linkOf))
  return {
    link: () => links.shift() ?? '',
    close: async () => {
      const ended = children.map((child) => new Promise((resolve) => child.on('close', resolve)))
      for (const child of children) child.kill('SIGTERM')
      await Promise.all(ended)
    },
  }
}

function linkOf(child: ChildProcess): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      text += chunk
      const [link] = /http:\S+/.exec(text) ?? []
      if (link !== undefined) resolve(link)
    })
    child.on('close', () => reject(new Error('The playground exited before it printed a link.')))
  })
}
