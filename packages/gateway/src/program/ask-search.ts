// The search of `assent asks list --search`: the same as in the web inbox, in the texts that a person sees of an ask.

import { type AskView, whoAsks } from '@assent/core'

/** Every word must occur in the ask. */
export function matchesWords(ask: AskView, search = ''): boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = words.length === 0 ? '' : textOf(ask)
  return words.every((word) => shown.includes(word))
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
