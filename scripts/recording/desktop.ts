// A Linux desktop without a screen: an X server, a notification daemon and a screen recorder. Assent uses it as it uses a
// person's desktop: `notify-send` shows real notifications, and `xdg-open` leads to the browser of the recording.
//
// Owns: the processes that it starts. `close` ends them.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

export const screen = { width: 1120, height: 660 } as const
const programs = ['Xvfb', 'dbus-daemon', 'dunst', 'notify-send', 'xterm', 'xdotool', 'ffmpeg'] as const
const debianPackages = 'xvfb dbus dunst libnotify-bin xterm xdotool ffmpeg fonts-dejavu-core'
const framesPerSecond = 10
/** Longer than Assent needs on a slow machine. */
const opensWithinMs = 120_000
/** The notification is in the strip above the browser. */
const notifications = `[global]
width = 588
offset = 16x12
origin = top-right
font = DejaVu Sans 12
padding = 14
horizontal_padding = 18
frame_width = 1
frame_color = "#c9c9c4"
corner_radius = 10
format = "<b>%s</b>\\n%b"
markup = full
word_wrap = yes
icon_position = off
show_indicators = no
[urgency_normal]
background = "#fffefa"
foreground = "#1f2428"
timeout = 6
`

export interface Desktop {
  /** For programs on this desktop. */
  readonly variables: Readonly<Record<string, string>>
  run(program: string, ...args: string[]): ChildProcess
  /** The address that Assent opens in the browser. */
  opened(): Promise<string>
  /** Moves the pointer there, visibly, and clicks. */
  click(x: number, y: number): Promise<void>
  /** Records the screen into a file until the returned function is called. */
  record(file: string): () => Promise<void>
  close(): Promise<void>
}

/** The Debian packages to install; undefined if every program is there. */
export function missingPrograms(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const isThere = (program: string) => folders.some((folder) => existsSync(join(folder, program)))
  return programs.every(isThere) ? undefined : debianPackages
}

/** @param folder for its own files, which the caller deletes */
export async function startDesktop(folder: string): Promise<Desktop> {
  const children: ChildProcess[] = []
  const size = `${screen.width}x${screen.height}`
  const start = (program: string, args: readonly string[], env: NodeJS.ProcessEnv, output: 'ignore' | 'pipe') => {
    const child = spawn(program, args, { env, stdio: ['pipe', output, 'ignore', output] })
    children.push(child)
    return child
  }
  const server = start('Xvfb', ['-displayfd', '3', '-br', '-screen', '0', `${size}x24`], process.env, 'pipe')
  const display = `:${await firstLine(server.stdio[3] as Readable)}`
  const bus = start('dbus-daemon', ['--session', '--nofork', '--print-address=3'], process.env, 'pipe')
  const address = await firstLine(bus.stdio[3] as Readable)
  const link = join(folder, 'opened')
  writeFileSync(join(folder, 'xdg-open'), opener(link))
  chmodSync(join(folder, 'xdg-open'), 0o755)
  writeFileSync(join(folder, 'dunstrc'), notifications)
  const variables = {
    DISPLAY: display,
    DBUS_SESSION_BUS_ADDRESS: address,
    PATH: `${folder}${delimiter}${process.env.PATH}`,
  }
  const env = { ...process.env, ...variables }
  start('dunst', ['-config', join(folder, 'dunstrc')], env, 'ignore')
  const pointer = (...words: string[]) => execFileSync('xdotool', words, { env, encoding: 'utf8' })
  pointer('mousemove', '420', '600')
  return {
    variables,
    run: (program, ...args) => start(program, args, env, 'ignore'),
    opened: async () => {
      const giveUpAtMs = performance.now() + opensWithinMs
      while (!existsSync(link)) {
        if (performance.now() > giveUpAtMs) throw new Error('Assent did not open the question in the browser.')
        await sleep(50)
      }
      return readFileSync(link, 'utf8').trim()
    },
    click: async (x, y) => {
      const [fromX = 0, fromY = 0] = [...pointer('getmouselocation').matchAll(/[xy]:(\d+)/g)].map(([, at]) =>
        Number(at),
      )
      const steps = 12
      for (let step = 1; step <= steps; step++) {
        const between = (from: number, to: number) => String(Math.round(from + ((to - from) * step) / steps))
        pointer('mousemove', between(fromX, x), between(fromY, y))
        await sleep(60)
      }
      await sleep(500)
      pointer('click', '1')
    },
    record: (file) => {
      const grab = ['-f', 'x11grab', '-framerate', String(framesPerSecond), '-video_size', size, '-i', display]
      const lossless = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '0', '-y', file]
      const child = start('ffmpeg', ['-loglevel', 'error', ...grab, ...lossless], env, 'ignore')
      return () => {
        child.stdin?.write('q')
        return ended(child)
      }
    },
    close: async () => {
      for (const child of children.reverse()) {
        child.kill()
        await ended(child)
      }
    },
  }
}

/** In place of the program that opens the default browser: Assent gives it a file that redirects to the sign-in link. */
function opener(into: string): string {
  return `#!${process.execPath}
const { readFileSync, writeFileSync } = require('node:fs')
const [, link] = /url=([^"]+)"/.exec(readFileSync(process.argv[2], 'utf8'))
writeFileSync(${JSON.stringify(into)}, link.replaceAll('&amp;', '&'))
`
}

async function firstLine(stream: Readable): Promise<string> {
  const [line] = await once(createInterface(stream), 'line')
  return String(line)
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
