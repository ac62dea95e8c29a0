// The users of the cluster in a separate process: callers, and people in the inbox.

import { newAgent } from '../relay/ways.ts'
import { type Deciding, decide, type Person } from './decide.ts'
import { type Opening, openMany, type Picking, pickSome } from './open.ts'
import { type OpenPage, openPage, signIn } from './person.ts'
import { type Resuming, resume } from './resume.ts'

export interface Invited {
  readonly name: string
  readonly link: string
}

export type LoadCommand =
  | { readonly kind: 'arrive'; readonly url: string; readonly invited: readonly Invited[] }
  | ({ readonly kind: 'decide'; readonly people: number } & Deciding)
  | ({ readonly kind: 'resume'; readonly people: number } & Resuming)
  | ({ readonly kind: 'open' } & Opening)
  | ({ readonly kind: 'pick' } & Picking)
  | { readonly kind: 'watch'; readonly urls: readonly string[] }
  | { readonly kind: 'unwatch' }

let people: readonly Person[] = []
let pages: readonly OpenPage[] = []

// Ends when the bench is interrupted.
process.on('disconnect', () => process.exit())
process.on('message', async (command: LoadCommand) => process.send?.(await runCommand(command)))
process.send?.({ url: '' })

async function runCommand(command: LoadCommand): Promise<object> {
  const agent = newAgent()
  try {
    switch (command.kind) {
      case 'arrive': {
        const { origin } = new URL(command.url)
        const arriving = command.invited.map(async ({ name, link }) => ({
          name,
          cookie: await signIn(agent, origin, link),
        }))
        people = await Promise.all(arriving)
        return {}
      }
      case 'decide':
        return await decide(agent, people.slice(0, command.people), command)
      case 'resume':
        return await resume(agent, people.slice(0, command.people), command)
      case 'open':
        return await openMany(agent, command)
      case 'watch':
        pages = await Promise.all(command.urls.map((url) => openPage(new URL(url).origin, people[0]?.cookie ?? '')))
        return {}
      case 'unwatch':
        return { changes: pages.map((page) => page.close()) }
      case 'pick':
        return await pickSome(agent, people, command)
    }
  } finally {
    // Idle keep-alive connections belong to no question.
    agent.destroy()
  }
}
