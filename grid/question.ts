// The questions of the grid's servers, and the valid answers. Both generations ask the same questions.
//
// Every question names the call it belongs to and carries a build number that no other call has, and the only right
// answer repeats that number. So an answer or question that reaches the wrong call or person is detected.

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

/** One object for all asks: both SDKs compile and keep each new schema object. */
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

/** The call, build and key in a message; undefined if no server of the grid wrote it. */
export function readMessage(message: string): { callId: string; build: string; key: string } | undefined {
  const [, build, callId, key] = /^Release build (\S+)\? Asked by (\S+), (\S+)\.$/.exec(message) ?? []
  if (build === undefined || callId === undefined || key === undefined) return undefined
  return { callId, build, key }
}

/** Every type of value that a form can contain, all derived from the build, so that only this answer is right. */
export function rightContent(build: string, key: string): Record<string, string | number | boolean> {
  const sum = [...build].reduce((so, character) => so + character.charCodeAt(0), 0)
  return { build: `${build}/${key}`, stage: sum % 2 === 0 ? 'blue' : 'green', copies: (sum % 9) + 1, sure: true }
}
