// The same hostile strings in notifications of all three operating systems.
//
// The program that shows a notification is fixed, and so is everything that it could run: a command must differ from that
// of a harmless question only in the texts, and each of them must be one argument, or a value in the JSON input.

import { askView, raise } from '@assent/core'
import { notificationOf } from '../../packages/gateway/src/program/standalone/ask-notifier.ts'
import {
  notificationCommand,
  type SystemNotification,
} from '../../packages/gateway/src/program/standalone/system-notification.ts'
import type { SeededRandom } from '../../test-kit/random.ts'
import { hostileDraft, nothingSeen, Strings } from './page.ts'
import { rawCharactersIn } from './terminal.ts'

export interface SeenInNotifications {
  readonly strings: number
  readonly commands: number
  /** Commands that differ in more than the texts. */
  readonly altered: number
  readonly rawCharacters: number
}

const platforms = ['darwin', 'linux', 'win32'] as const
const display = { DISPLAY: ':0' }
const url = 'http://localhost:7421/'
const naming = { nameOf: (principal: string) => principal, describe: () => ({}) }

export function throughNotifications(random: SeededRandom, wanted: number): SeenInNotifications {
  const counted = nothingSeen()
  const strings = new Strings(random, counted)
  let [commands, altered, rawCharacters] = [0, 0, 0]
  for (let turn = 0; counted.strings < wanted; turn++) {
    const draft = hostileDraft(strings, turn)
    const caller = { client: strings.next(60), folder: strings.next(60), branch: strings.next(60) }
    const ask = raise({ ...draft, asker: { server: strings.next(60), tool: strings.next(100) }, caller }, 0)
    const describe = () => (turn % 2 === 0 ? { isAgent: true as const } : {})
    const shown = notificationOf(askView(ask, { principal: 'ann', groups: [] }, { ...naming, describe }), url)
    rawCharacters += rawCharactersIn(shown.title) + rawCharactersIn(shown.text)
    for (const platform of platforms) {
      commands += 1
      if (fixedPartOf(platform, shown) !== fixedPartOf(platform, { title: 'T', text: 'X', url: shown.url }))
        altered += 1
    }
  }
  return { strings: counted.strings, commands, altered, rawCharacters }
}

/** The command without the texts. */
function fixedPartOf(platform: NodeJS.Platform, notification: SystemNotification): string {
  const { title, text } = notification
  const { program, args = [], input } = notificationCommand(notification, platform, display) ?? {}
  const texts = new Set([title, text, `${title}: ${text}`])
  const given = input === undefined ? [] : Object.values(JSON.parse(input) as Record<string, string>)
  const [fixed, ofInput] = [args, given].map((list) => list.map((one) => (texts.has(one) ? 'a text' : one)))
  return JSON.stringify([program, fixed, ofInput])
}
