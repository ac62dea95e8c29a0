// Everybody who uses the fleet of the bench, in a process of their own: callers, and people in the inbox.

import { type Deciding, decide, type Person } from './fleet-decide.part.ts'
import { type Opening, openMany, type Picking, pickSome } from './fleet-open.part.ts'
import { signIn } from './fleet-person.part.ts'
import { type Resuming, resume } from './fleet-resume.part.ts'
import { newAgent } from './relay-ways.part.ts'

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

let people: readonly Person[] = []

// Nothing is left behind when the bench is interrupted.
process.on('disconnect', () => process.exit())
process.on('message', async (command: LoadCommand) => process.send?.(await obey(command)))
process.send?.({ url: '' })

async function obey(command: LoadCommand): Promise<object> {
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
      case 'pick':
        return await pickSome(agent, people, command)
    }
  } finally {
    // What waits for the next request belongs to no question.
    agent.destroy()
  }
}
