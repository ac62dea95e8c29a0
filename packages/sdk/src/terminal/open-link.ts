// Opens a screened link with the system's program for links.
//
// The link is a single argument and never passes through a shell.

import { spawn } from 'node:child_process'

const programs: Readonly<Record<string, readonly [program: string, ...before: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

export function openInBrowser(url: string): Promise<void> {
  const [program, ...before] = programs[process.platform] ?? ['xdg-open']
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...before, url], { stdio: 'ignore', detached: true })
    child.once('error', reject)
    child.once('spawn', () => {
      child.unref()
      resolve()
    })
  })
}
