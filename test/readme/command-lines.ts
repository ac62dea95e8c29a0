// The command lines of `assent` in a Markdown page, and whether the program has them.
import type { commandLine } from '../../packages/gateway/src/program/program.ts'

type Command = ReturnType<typeof commandLine>

/** In code blocks and between backticks, without comments; `npx assent` and `npx -y assent@0.1.0` are `assent`. */
export function commandLinesIn(page: string): string[] {
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.split('\n'))
  const inline = [...page.replaceAll(/```[\s\S]*?```/g, '').matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text)
  return [...blocks, ...inline]
    .map((line) => line.trim().replace(/\s+#.*$/, ''))
    .map((line) => line.replace(/^([A-Z_]+=('[^']*'|\S+) )+/, '').replace(/^npx (-y )?/, ''))
    .filter((line) => /^assent(@\S+)?( |$)/.test(line))
}

/** What the program does not know of this line; undefined if it knows everything. */
export function unknownIn(line: string, program: Command): string | undefined {
  // `assent play` runs the command of a server, which has options of its own.
  const [own = ''] = line.replaceAll(/"[^"]*"|'[^']*'/g, 'quoted').split(/ npx | >>? /)
  const [, ...words] = own.split(' ').filter(Boolean)
  let command = program
  let isArgument = false
  for (const word of words) {
    const below = isArgument ? undefined : command.commands.find((one) => one.name() === word)
    if (below !== undefined) command = below
    else if (word.startsWith('-')) {
      const [flag] = word.split('=')
      // Every command has it, and it is not in the list of options.
      if (flag === '--help') continue
      if (!command.options.some(({ long, short }) => long === flag || short === flag)) return word
      isArgument = true
    } else if (command.registeredArguments.length === 0 && !isArgument) return word
  }
  return undefined
}
