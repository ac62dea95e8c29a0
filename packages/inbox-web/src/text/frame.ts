// The frame around the pages: header, banners, errors, keyboard shortcuts, notifications.

import { code, type Part, strong } from './parts.ts'

const header = {
  name: 'Assent',
  pages: 'Pages',
  inbox: 'Inbox',
  history: 'History',
  statistics: 'Statistics',
  playground: 'Playground',
  notify: 'Notify me',
  notificationsOn: 'Notifications on',
  notificationsBlocked: 'Notifications blocked',
  shortcuts: 'Keyboard shortcuts',
  theme: (name: string) => `Theme: ${name}`,
  themes: { auto: 'Auto', light: 'Light', dark: 'Dark' },
  documentTitle: (count: string) => (count === '' ? 'Assent' : `(${count}) Assent`),
}

const account = {
  signedInAs: (name: string, host: string): readonly Part[] => ['Signed in as ', strong(name), ' at ', code(host)],
  passkeys: 'Passkeys',
  sound: 'Play a sound for new questions',
  signOut: 'Sign out',
  notSignedOut: 'You are not signed out yet. Try again.',
}

const unreachable = 'The inbox cannot be reached. This page reconnects by itself.'
const connection = {
  lost: unreachable,
  'lost-for-long': unreachable,
  failing: 'The inbox cannot read or record anything at the moment. This page tries again by itself.',
  stale: 'New questions may be missing here. This page reconnects by itself.',
  startInbox: [' If no agent is running, start the inbox with ', code('npx assent inbox open'), '.'] as readonly Part[],
}

const errors = {
  notFound: 'Not found, or you do not have access.',
  tryAgain: 'Try again',
  notLoaded: 'Not loaded yet.',
  loading: 'Loading',
  failedPage: 'This page could not be shown. Nothing was answered. Load it again.',
}

const notices = {
  heading: 'Changes of passkeys',
  when: (ago: string) => `${ago.charAt(0).toUpperCase()}${ago.slice(1)}.`,
  notYou: 'Was this not you? See',
  passkeys: 'Passkeys',
  verify: [', and run ', code('assent audit verify'), '.'] as readonly Part[],
}

const notification = 'A question is waiting for you'

type Shortcut = readonly [keys: readonly string[], action: string]

const shortcutGroups: readonly { readonly title: string; readonly shortcuts: readonly Shortcut[] }[] = [
  {
    title: 'List',
    shortcuts: [
      [['j', 'k'], 'next ask, previous ask'],
      [['Enter'], 'move the focus to the card'],
      [['/'], 'search'],
      [['s'], 'select several, to decline or dismiss them'],
    ],
  },
  {
    title: 'Card',
    shortcuts: [
      [['y', 'n'], 'yes and no, or approve and decline'],
      [['1', '…', '6'], 'choose an option'],
      [['u'], 'undo a yes that is not sent yet'],
      [['x'], 'dismiss: the agent gets no answer'],
      [['c'], 'write a comment'],
      [['e'], 'go to the first field of a form'],
      [['Ctrl+Enter'], 'send a form'],
    ],
  },
  {
    title: 'Everywhere',
    shortcuts: [
      [['Esc'], 'leave the field, or go back to the list'],
      [['?'], 'show this help'],
    ],
  },
]

const shortcuts = {
  title: 'Keyboard shortcuts',
  groups: shortcutGroups,
  note: 'Shortcuts are off while you type, and for 0.5 s after a card appears. Those that agree work once you have seen the end of the card.',
  close: 'Close',
}

export const frameText = { header, account, connection, errors, notices, notification, shortcuts }
