// Shows a notification of the operating system.
//
// The texts come from agents and servers. They are arguments or standard input of a fixed program with a fixed script, and
// never part of a script, a shell command or markup. Linux shows markup in the body of a notification, so the texts are in
// its summary, which is plain.

import { notificationText } from '../text/desktop.ts'
import { type DesktopCommand, hasDesktop, windowsFolder } from './desktop.ts'
import { macScript, windowsScript } from './notification-scripts.ts'

export interface SystemNotification {
  readonly title: string
  readonly text: string
  /** Where the person answers. Our own address. */
  readonly url: string
}

// A name without a path would be looked up in the current folder first, which is the project that the agent works on.
const powershell = '\\System32\\WindowsPowerShell\\v1.0\\powershell.exe'

/** The command that shows a notification; undefined where there is no desktop. */
export function notificationCommand(
  { title, text, url }: SystemNotification,
  platform: NodeJS.Platform,
  variables: NodeJS.ProcessEnv,
): DesktopCommand | undefined {
  if (!hasDesktop(platform, variables)) return undefined
  const answer = notificationText.answerAt(url)
  if (platform === 'darwin')
    return {
      program: '/usr/bin/osascript',
      args: [...macScript.flatMap((line) => ['-e', line]), '--', title, text, answer],
    }
  if (platform === 'win32') {
    const args = ['-NoProfile', '-NonInteractive', '-Command', windowsScript]
    return {
      program: `${windowsFolder(variables)}${powershell}`,
      args,
      input: JSON.stringify({ title, text }),
    }
  }
  return { program: 'notify-send', args: ['--app-name=Assent', '--', `${title}: ${text}`, answer] }
}
