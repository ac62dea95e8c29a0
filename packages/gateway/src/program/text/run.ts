// `assent play` and `assent run`: what they print, and why they end.

export const playText = {
  opened: 'The playground opens in your browser. Ctrl+C stops it.',
  openLink: (link: string) => `Open ${link} (the link works once). Ctrl+C stops it.`,
  unusable: (reason: string) => `The server cannot be used. ${reason}`,
  invalidAddress: (address: string) => `Invalid address: ${address}.`,
  addressWithArguments: 'A server at an address takes no arguments.',
  invalidVariable: (given: string) => `--env takes NAME=value, not ${given}.`,
  invalidPort: (port: string) => `Invalid port: ${port}.`,
}

export const runText = {
  noTool: (file: string) => `${file} exports no tool. If it is a server, run it with: assent run node ${file}`,
  severalTools: (file: string, names: readonly string[]) =>
    `${file} has several tools. Choose one with --tool: ${names.join(', ')}.`,
  unknownTool: (file: string, name: string, names: readonly string[]) =>
    `${file} has no tool "${name}". It has ${names.join(', ')}.`,
  chooseTool: (names: readonly string[]) => `Choose a tool with --tool. The server has: ${names.join(', ')}.`,
  unknownServerTool: (name: string, names: readonly string[]) =>
    `The server has no tool "${name}". It has: ${names.join(', ')}.`,
  stopped: 'The call was stopped.',
  noTerminal: (title: string) => `No person could be asked "${title}": there is no terminal here.`,
}
