// Generates the reference of all commands from their `--help`.
import { commandLine } from '../../packages/gateway/src/program/program.ts'
import { referenceText as text } from './text/reference.ts'

type Command = ReturnType<typeof commandLine>

/** The width that help is wrapped to, so that the page is the same on every terminal. As wide as a block of text on the docs site. */
const helpWidth = 88

export function commandsPage(): string {
  const sections = visibleCommands(program()).map((command) => {
    const name = fullName(command)
    return `## ${name}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\``
  })
  return `${[text.commands.intro, `\`\`\`text\n${helpOf(program())}\n\`\`\``, ...sections].join('\n\n')}\n`
}

/** The names of all commands with help, such as `asks list`. */
export function commandNames(): string[] {
  return visibleCommands(program()).map((command) => fullName(command).replace('assent ', ''))
}

function program(): Command {
  const silent = () => undefined
  return commandLine({ out: silent, err: silent, variables: {}, isOutColoured: false, isErrColoured: false }, silent)
}

function visibleCommands(command: Command): Command[] {
  const shown = command.createHelp().visibleCommands(command)
  return shown
    .filter((one) => one.name() !== 'help')
    .flatMap((one) => [one as Command, ...visibleCommands(one as Command)])
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`
}

function helpOf(command: Command): string {
  let help = ''
  command.configureOutput({
    writeOut: (part) => {
      help += part
    },
    getOutHelpWidth: () => helpWidth,
    getOutHasColors: () => false,
  })
  command.outputHelp()
  return help.trimEnd().replaceAll(/[ \t]+$/gm, '')
}
