// `@assent/sdk/terminal`: the terminal as a surface, for programs that ask the person in front of them.
// Apart from the package's index, so that a server that never asks in a terminal loads nothing of it.

export type { RegisteredToolLike } from './register/call-handler.ts'
export { truncateToWidth } from './terminal/truncate.ts'
export type { KeySource } from './terminal/keyboard.ts'
export { openInBrowser } from './terminal/open-link.ts'
export { type Pen, penFor, type Screen } from './terminal/pen.ts'
export {
  type RunInTerminalOptions,
  runInTerminal,
  type TerminalSurfaceOptions,
  terminalSurface,
} from './terminal/surface.ts'
export {
  openTerminal,
  type SecretOutcome,
  type Terminal,
  type TerminalAsk,
  type TerminalOptions,
  type TerminalOutcome,
} from './terminal/terminal.ts'
