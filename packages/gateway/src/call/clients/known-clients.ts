// The known clients, as one table: how each handles a question.
//
// The first matching row is used, so a row for certain versions comes before the general one. Each row names the source
// of its facts; when a client changes, only its row has to change.

import { type ClientTraits, carefulTraits, drawsAll, drawsNothing, drawsPortable } from './traits.ts'

export interface KnownClient extends Omit<ClientTraits, 'title'> {
  readonly title: string
  /** The names that it declares; `*` at the end matches any ending. */
  readonly names: readonly string[]
  /** The first version that this row describes, and the first that it no longer describes. */
  readonly from?: string
  readonly before?: string
}

const minute = 60_000
const { title: _careful, ...careful } = carefulTraits
/** A client that declares nothing is never asked; these rows only keep its timeout. */
const neverAsks = { ...careful, form: drawsNothing, showsLinks: false, no: 'program' } as const
const claudeChat = {
  form: drawsNothing,
  showsLinks: false,
  no: 'program',
  acceptsEmptyFormByItself: false,
  patience: { quietMs: 3 * minute, extendedBy: 'nothing' },
} as const

const claudeCode: KnownClient = {
  title: 'Claude Code',
  names: ['claude-code'],
  // The terminal draws forms; the same program inside an editor or without a terminal declines automatically and
  // declares the same name (claude-code #79174, #89858), so a quick "no" proves nothing.
  form: drawsAll,
  showsLinks: true,
  no: 'either',
  acceptsEmptyFormByItself: false,
  patience: { quietMs: 5 * minute, extendedBy: 'progress' },
}

export const knownClients: readonly KnownClient[] = [
  {
    title: 'VS Code',
    names: ['Visual Studio Code*', 'Visual-Studio-Code*'],
    form: drawsAll,
    showsLinks: true,
    // Its button "Cancel" declines and Esc cancels; autopilot may answer for a person who is away.
    no: 'person',
    acceptsEmptyFormByItself: false,
    // It sets no timeout, but its HTTP stream is cut after five minutes without bytes (vscode #261734).
    patience: { quietMs: 5 * minute, extendedBy: 'bytes', isOfHttpAlone: true },
  },
  {
    title: 'Claude Desktop, Code tab',
    names: ['local-agent-mode-*'],
    ...neverAsks,
    patience: { quietMs: minute, extendedBy: 'nothing' },
  },
  // Declared no links in 2.1.241; 2.1.326 declares them and draws them in its terminal.
  { ...claudeCode, before: '2.1.326', showsLinks: false },
  claudeCode,
  // Both accept the question, draw nothing and cancel after a minute, or never reply (claude-code #88901,
  // claude-ai-mcp #1046).
  { title: 'Claude Desktop', names: ['claude-ai'], ...claudeChat },
  { title: 'Claude', names: ['Anthropic/*', 'cowork*'], ...claudeChat },
  {
    title: 'Codex',
    names: ['codex-mcp-client', 'Codex'],
    // Numbers and multi-selects become a plain yes or no that returns without content; by policy it accepts, declines
    // or cancels automatically (codex #45776, #17164).
    form: drawsPortable,
    showsLinks: true,
    no: 'either',
    acceptsEmptyFormByItself: true,
    patience: { quietMs: 5 * minute, extendedBy: 'question' },
  },
  {
    title: 'Cursor',
    names: ['cursor-vscode', 'Cursor*'],
    form: drawsAll,
    showsLinks: true,
    no: 'either',
    acceptsEmptyFormByItself: true,
    patience: { quietMs: minute, extendedBy: 'nothing' },
  },
  {
    title: 'GitHub Copilot',
    names: ['github-copilot-developer', 'JetBrains-*', 'Xcode-copilot-xcode'],
    // Autopilot skips questions at once (copilot-cli #4899).
    form: drawsAll,
    showsLinks: false,
    no: 'either',
    acceptsEmptyFormByItself: true,
    patience: { quietMs: minute, extendedBy: 'nothing' },
  },
  {
    title: 'Goose',
    names: ['goose*'],
    // Draws plain enums only, and can only accept: everything else arrives as an error.
    form: drawsPortable,
    showsLinks: false,
    no: 'person',
    acceptsEmptyFormByItself: false,
    patience: { quietMs: 5 * minute, extendedBy: 'nothing' },
  },
  {
    title: 'MCP Inspector',
    names: ['inspector-client', 'mcp-inspector*'],
    form: drawsAll,
    showsLinks: true,
    no: 'person',
    acceptsEmptyFormByItself: false,
    patience: { quietMs: minute, extendedBy: 'progress' },
  },
  {
    title: 'fast-agent',
    names: ['fast-agent*'],
    // Cancels automatically if it is set to cancel everything.
    form: drawsAll,
    showsLinks: true,
    no: 'either',
    acceptsEmptyFormByItself: false,
    patience: { quietMs: minute, extendedBy: 'nothing' },
  },
  {
    title: 'Amazon Q',
    names: ['Q-DEV-CLI'],
    // Declares forms since it merged support for them, and never shows one (amazon-q-developer-cli #3449).
    ...neverAsks,
  },
  { title: 'Gemini CLI', names: ['gemini-cli-mcp-client'], ...neverAsks, patience: quiet(10 * minute) },
  { title: 'Zed', names: ['Zed'], ...neverAsks },
  { title: 'Cline', names: ['Cline'], ...neverAsks },
  { title: 'opencode', names: ['opencode'], ...neverAsks, patience: { quietMs: minute, extendedBy: 'progress' } },
  { title: 'LibreChat', names: ['@librechat/api-client'], ...neverAsks },
  { title: 'Windsurf', names: ['Windsurf', 'windsurf-client'], ...neverAsks },
  { title: 'ChatGPT', names: ['ChatGPT'], ...neverAsks },
]

function quiet(quietMs: number): KnownClient['patience'] {
  return { quietMs, extendedBy: 'nothing' }
}
