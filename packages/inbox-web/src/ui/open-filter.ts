// Which of the open asks the list shows, and which of them ask for exactly the same.

import type { AskView } from '@assent/core'
import { whoAsks } from './who-asks.ts'

export interface OpenFilter {
  readonly text: string
  readonly agent: string | null
  readonly project: string | null
}

export const noFilter: OpenFilter = { text: '', agent: null, project: null }

export function isFiltering({ text, agent, project }: OpenFilter): boolean {
  return text.trim() !== '' || agent !== null || project !== null
}

/** Every word of the text must occur in what the card shows of the ask. */
export function matching(asks: readonly AskView[], { text, agent, project }: OpenFilter): readonly AskView[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return asks.filter((ask) => {
    if (agent !== null && agentOf(ask) !== agent) return false
    if (project !== null && ask.caller?.folder !== project) return false
    const shown = words.length === 0 ? '' : textOf(ask)
    return words.every((word) => shown.includes(word))
  })
}

export function agentsOf(asks: readonly AskView[]): readonly string[] {
  return distinct(asks.map(agentOf))
}

export function projectsOf(asks: readonly AskView[]): readonly string[] {
  return distinct(asks.map(({ caller }) => caller?.folder))
}

/** The other open asks for exactly the same action of the same server, which one more press can approve. */
export function sameAction(asks: readonly AskView[], approved: AskView): readonly AskView[] {
  const action = actionOf(approved)
  if (action === undefined) return []
  return asks.filter((ask) => ask.id !== approved.id && actionOf(ask) === action && approvalOf(ask) !== undefined)
}

/** The answer that approves this ask; undefined if a person has to do more than press one button. */
export function approvalOf({
  buttons,
  undoMs,
  needsPresence,
  state,
}: AskView): AskView['buttons'][number]['answer'] | undefined {
  const yes = buttons.filter(({ verdict }) => verdict === 'yes')
  const isOneStep = undoMs === undefined && needsPresence === undefined
  const isPlain = state.kind === 'open' && isOneStep && yes.length === 1 && yes[0]?.fillsIn !== true
  return isPlain ? yes[0]?.answer : undefined
}

function agentOf({ caller, asker }: AskView): string | undefined {
  return caller?.client ?? (asker.isAgent === true ? asker.server : undefined)
}

/** The exact action that a yes approves; undefined for a question about something else. */
function actionOf({ question, asker }: AskView): string | undefined {
  const declared = question.kind === 'form' ? question.declared?.digest : undefined
  const digest = question.kind === 'approval' ? question.digest : declared
  return digest === undefined ? undefined : `${asker.server} ${digest}`
}

function textOf(ask: AskView): string {
  const { question, caller, headline, onBehalfOf } = ask
  const { claim } = question
  const called = question.kind === 'approval' ? question.json : question.call?.json
  const declared = question.kind === 'form' ? question.declared?.json : undefined
  return [
    whoAsks(ask),
    headline,
    claim,
    called,
    declared,
    caller?.client,
    caller?.folder,
    caller?.branch,
    onBehalfOf.name,
  ]
    .filter((text) => text !== undefined)
    .join('\n')
    .toLowerCase()
}

function distinct(names: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(names.filter((name) => name !== undefined))].sort()
}

/** Whether the person can do something about it. Others are shown because their call waits, or because they have voted. */
export function isForYou({ answers }: AskView): boolean {
  return answers.length > 0
}
