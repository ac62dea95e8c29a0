// The program whose call asks, as people see it: its name, and where it works.

import { type AskCaller, askLimits } from '@assent/core'
import { stringAt } from '../../protocol/messages.ts'
import type { ClientProfile } from '../model.ts'
import { carefulTraits } from './traits.ts'
import { traitsOf } from './traits-of.ts'

/** The name is what the client declares: it tells the programs of one person apart and grants nothing. */
export function callerOf({ info, workplace }: Pick<ClientProfile, 'info' | 'workplace'>): AskCaller {
  const known = traitsOf(info)
  const declared = stringAt(info, 'title') ?? stringAt(info, 'name')
  const { folder, branch } = workplace?.() ?? {}
  const all = { client: known === carefulTraits ? declared : known.title, folder, branch }
  const given = Object.entries(all).flatMap(([name, text]) => {
    const short = text?.toWellFormed().trim().slice(0, askLimits.callerChars).toWellFormed()
    return short === undefined || short === '' ? [] : [[name, short]]
  })
  return Object.fromEntries(given)
}
