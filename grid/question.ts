// What the servers of the grid ask, and what a willing person answers. Both generations ask exactly this.
//
// Every question names the call it belongs to and carries a build number that no other call has, and the only right
// answer repeats that number. So an answer that strayed to another call, or a question to another person, shows itself.

export type Mode = 'form' | 'url'

/** How a call asks: the rounds it takes, and the names of the questions in each. */
export const scripts = {
  one: [['first']],
  'in sequence': [['first'], ['second']],
  'three at once': [['left', 'middle', 'right']],
  'refused first': [['first']],
} as const satisfies Readonly<Record<string, readonly (readonly string[])[]>>

export type Script = keyof typeof scripts

/** A call's arguments, the same for a tool, a prompt and a resource. */
export interface Release {
  readonly callId: string
  readonly build: string
  readonly mode: Mode
  readonly script: Script
}

/** One object for every ask: both SDKs compile and keep each new one. */
export const requestedSchema = {
  type: 'object' as const,
  properties: {
    build: { type: 'string' as const, title: 'Build', maxLength: 80 },
    stage: {
      type: 'string' as const,
      oneOf: [
        { const: 'blue', title: 'Blue' },
        { const: 'green', title: 'Green' },
      ],
    },
    copies: { type: 'integer' as const, minimum: 1, maximum: 9 },
    sure: { type: 'boolean' as const },
  },
  required: ['build', 'stage', 'copies', 'sure'],
}

export function messageOf({ callId, build }: Release, key: string): string {
  return `Release build ${build}? Asked by ${callId}, ${key}.`
}

export function urlOf({ build }: Release, key: string): string {
  return `https://consent.example.com/release?build=${build}&part=${key}`
}

/** What a message says about where it comes from; undefined if no server of the grid wrote it. */
export function readMessage(message: string): { callId: string; build: string; key: string } | undefined {
  const [, build, callId, key] = /^Release build (\S+)\? Asked by (\S+), (\S+)\.$/.exec(message) ?? []
  if (build === undefined || callId === undefined || key === undefined) return undefined
  return { callId, build, key }
}

/** Every kind of value a form can carry, and all of it derived from the build, so that nothing else will do. */
export function rightContent(build: string, key: string): Record<string, string | number | boolean> {
  const sum = [...build].reduce((so, letter) => so + letter.charCodeAt(0), 0)
  return { build: `${build}/${key}`, stage: sum % 2 === 0 ? 'blue' : 'green', copies: (sum % 9) + 1, sure: true }
}
