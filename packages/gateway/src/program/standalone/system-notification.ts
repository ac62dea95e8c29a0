// Shows a notification of the operating system.
//
// The texts come from agents and servers. They are arguments or standard input of a fixed program with a fixed script, and
// never part of a script, a shell command or markup. Linux shows markup in the body of a notification, so the texts are in
// its summary, which is plain.

import { type DesktopCommand, hasDesktop, windowsFolder } from './desktop.ts'

export interface SystemNotification {
  readonly title: string
  readonly text: string
  /** Where the person answers. Our own address. */
  readonly url: string
}

const macScript = [
  'on run argv',
  'display notification (item 2 of argv) with title (item 1 of argv) subtitle (item 3 of argv)',
  'end run',
]

// The texts are added as text nodes, so that nothing in them is read as XML.
const windowsScript = `
$ErrorActionPreference = 'Stop'
[Console]::InputEncoding = [Text.Encoding]::UTF8
$texts = [Console]::In.ReadToEnd() | ConvertFrom-Json
$null = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$manager = [Windows.UI.Notifications.ToastNotificationManager]
$xml = $manager::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)
$nodes = $xml.GetElementsByTagName('text')
$null = $nodes.Item(0).AppendChild($xml.CreateTextNode($texts.title))
$null = $nodes.Item(1).AppendChild($xml.CreateTextNode($texts.text))
$app = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe'
$manager::CreateToastNotifier($app).Show([Windows.UI.Notifications.ToastNotification]::new($xml))
`

// A name without a path would be looked up in the current folder first, which is the project that the agent works on.
const powershell = '\\System32\\WindowsPowerShell\\v1.0\\powershell.exe'

/** The command that shows a notification; undefined where there is no desktop. */
export function notificationCommand(
  { title, text, url }: SystemNotification,
  platform: NodeJS.Platform,
  variables: NodeJS.ProcessEnv,
): DesktopCommand | undefined {
  if (!hasDesktop(platform, variables)) return undefined
  const answer = `Answer in your inbox: ${url}`
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
