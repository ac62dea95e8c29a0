// Which questions of servers need a passkey. Such a question is asked in the inbox only: a client cannot prove presence.

import { compact, needsPresence, type PresenceSetting, readAskMeta } from '@assent/core'
import type { InputRequest } from './model.ts'
import { readKnownForm } from './screen/screen-questions.ts'

type Wanted = Readonly<Record<string, InputRequest>>

/** The questions, marked if accepting them needs a passkey. The mark stays, whatever the setting is later. */
export function markedForPresence(setting: PresenceSetting, wanted: Wanted): Wanted {
  if (setting === 'none') return wanted
  const all = Object.entries(wanted).map(([key, one]) => [
    key,
    needsPasskey(setting, one) ? { ...one, needsPresence: true as const } : one,
  ])
  return Object.fromEntries(all)
}

/** Whether accepting this question needs a passkey: since it was asked, or by the setting in force now. */
export function needsPasskey(setting: PresenceSetting, wanted: InputRequest): boolean {
  if (wanted.kind !== 'form' && wanted.kind !== 'url') return false
  if (wanted.needsPresence === true) return true
  if (wanted.kind === 'url') return needsPresence(setting, { kind: 'url' })
  if (wanted.approval !== undefined) {
    const { isDestructive, isInDestructiveTool } = wanted.approval
    return needsPresence(setting, { kind: 'approval', ...compact({ isDestructive, isInDestructiveTool }) })
  }
  const read = readKnownForm(wanted.schema)
  // A form that cannot be read is refused later; until then it counts as an approval.
  if (!read.ok) return needsPresence(setting, { kind: 'approval' })
  const isDestructive = readAskMeta(wanted.params)?.isDestructive === true || wanted.isInDestructiveTool === true
  return needsPresence(setting, { kind: 'form', form: read.form, ...(isDestructive ? { isDestructive } : {}) })
}
