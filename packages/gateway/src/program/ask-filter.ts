// Which asks `assent asks list` prints: the same search, agent and project filters as in the web inbox.
//
// The store filters by server, kind and outcome. These filters are about what a person sees, so they are applied to views.

import { type AskView, whoAsks } from '@assent/core'

export interface AskFilter {
  /** Words that must all occur in the ask. */
  readonly search?: string | undefined
  readonly agent?: string | undefined
  readonly project?: string | undefined
}

export function hasAskFilter({ search, agent, project }: AskFilter): boolean {
  return search !== undefined || agent !== undefined || project !== undefined
}

export function matchesFilter(ask: AskView, { search = '', agent, project }: AskFilter): boolean {
  if (agent !== undefined && agentOf(ask) !== agent) return false
  if (project !== undefined && ask.caller?.folder !== project) return false
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = words.length === 0 ? '' : textOf(ask)
  return words.every((word) => shown.includes(word))
}

function agentOf({ caller, asker }: AskView): string | undefined {
  return caller?.client ?? (asker.isAgent === true ? asker.server : undefined)
}

function textOf(ask: AskView): string {
  const { question, caller, headline, onBehalfOf, state } = ask
  const claim = 'claim' in question ? question.claim : undefined
  const called = question.kind === 'approval' ? question.json : question.call?.json
  const comment = state.kind === 'settled' ? state.comment : undefined
  return [
    whoAsks(ask),
    headline,
    claim,
    called,
    caller?.client,
    caller?.folder,
    caller?.branch,
    onBehalfOf.name,
    comment,
  ]
    .filter((text) => text !== undefined)
    .join('\n')
    .toLowerCase()
}
