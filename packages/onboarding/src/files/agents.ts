// Which coding agent reads which file, in one table with a row per kind of file.
//
// It contains what the vendors document in 2026. Other agents are not checked.

import type { InstructionKind } from './kinds.ts'

export type Agent = 'Claude Code' | 'Codex' | 'Cursor' | 'Gemini CLI' | 'GitHub Copilot' | 'Windsurf'

export const agents: readonly Agent[] = ['Claude Code', 'Codex', 'Cursor', 'Gemini CLI', 'GitHub Copilot', 'Windsurf']

const readersByKind: Readonly<Record<InstructionKind, readonly Agent[]>> = {
  agents: ['Codex', 'Cursor', 'GitHub Copilot', 'Windsurf'],
  claude: ['Claude Code'],
  'claude-rule': ['Claude Code'],
  gemini: ['Gemini CLI'],
  copilot: ['GitHub Copilot'],
  'copilot-scoped': ['GitHub Copilot'],
  'cursor-rule': ['Cursor'],
  'cursor-legacy': ['Cursor'],
  windsurf: ['Windsurf'],
}

export function readersOf(kind: InstructionKind): readonly Agent[] {
  return readersByKind[kind]
}

/** The only agent that reads this kind of file; undefined for AGENTS.md, which several read. */
export function ownerOf(kind: InstructionKind): Agent | undefined {
  return kind === 'agents' ? undefined : readersByKind[kind][0]
}

/** Words by which a text names the agent that it is meant for. */
const namesByAgent: Readonly<Record<Agent, RegExp>> = {
  'Claude Code': /\bclaude\b/i,
  Codex: /\bcodex\b/i,
  Cursor: /\bcursor(?:'s|\s+(?:rules?|ide|agent|editor|composer|tab))\b|\bin cursor\b/i,
  'Gemini CLI': /\bgemini\b/i,
  'GitHub Copilot': /\bcopilot\b/i,
  Windsurf: /\b(?:windsurf|cascade)\b/i,
}

export function namesAgent(text: string, agent: Agent): boolean {
  return namesByAgent[agent].test(text)
}

/** Codex stops reading a project's instructions here unless it is configured otherwise. */
export const codexReadsBytes = 32_768
