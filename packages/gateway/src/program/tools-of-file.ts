// The tools that a file exports, ready to run in this terminal.
//
// A tool is a handler made with @assent/sdk, a function that asks, a generator that yields its asks, or a method of an exported
// class that is such a generator.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { interactive, isInteractive, yielding } from '@assent/sdk'
import { runInTerminal } from '@assent/sdk/terminal'
import { runText } from './text/run.ts'

type AnyFunction = (...given: never[]) => unknown
type RunOne = (given: Readonly<Record<string, unknown>> | undefined) => Promise<unknown>

export function isToolFile(word: string): boolean {
  return /\.[cm]?[jt]s$/.test(word) && existsSync(word)
}

export async function toolOfFile(file: string, name: string | undefined): Promise<RunOne> {
  const module = (await import(pathToFileURL(resolve(file)).href)) as Readonly<Record<string, unknown>>
  const tools = toolsIn(module)
  const names = [...tools.keys()].sort()
  if (names.length === 0) {
    throw new Error(runText.noTool(file))
  }
  const chosen = name ?? (names.length === 1 ? names[0] : undefined)
  if (chosen === undefined) throw new Error(runText.severalTools(file, names))
  const run = tools.get(chosen)
  if (run === undefined) throw new Error(runText.unknownTool(file, chosen, names))
  return run
}

function toolsIn(module: Readonly<Record<string, unknown>>): Map<string, RunOne> {
  const tools = new Map<string, RunOne>()
  for (const [name, exported] of Object.entries(module)) {
    if (isClass(exported)) for (const [method, run] of methodsOf(exported)) tools.set(method, run)
    else if (typeof exported === 'function') tools.set(name, runOf(name, exported as AnyFunction))
  }
  return tools
}

function isClass(exported: unknown): exported is new () => Readonly<Record<string, unknown>> {
  return typeof exported === 'function' && /^class\b/.test(Function.prototype.toString.call(exported))
}

/** Methods take their arguments as one object. */
function methodsOf(exported: new () => object): [string, RunOne][] {
  const holder = new exported() as Readonly<Record<string, unknown>>
  return Object.getOwnPropertyNames(exported.prototype).flatMap((name): [string, RunOne][] => {
    const method = holder[name]
    if (name === 'constructor' || name.startsWith('_') || typeof method !== 'function') return []
    const bound = (...given: never[]) => method.apply(holder, given)
    const run = runOf(name, isGenerator(method) ? generating(bound) : bound)
    return [[name, (given) => run(given ?? {})]]
  })
}

/** A handler that was not made with `interactive` becomes one. */
function runOf(name: string, exported: AnyFunction): RunOne {
  if (isInteractive(exported)) return (given) => runInTerminal(exported as never, given)
  const handler = isGenerator(exported) ? generating(exported) : exported
  const made = interactive(async (...received: unknown[]) => shown(await handler(...(received as never[]))), { name })
  return (given) => runInTerminal(made as never, given)
}

function isGenerator(candidate: unknown): boolean {
  return /^\[object (?:Async)?GeneratorFunction\]$/.test(Object.prototype.toString.call(candidate))
}

function generating(generator: AnyFunction): (...given: never[]) => Promise<unknown> {
  return yielding<unknown[], unknown, unknown>(generator as never) as unknown as (...given: never[]) => Promise<unknown>
}

/** A result that is neither text nor a result of the protocol is shown as JSON. */
function shown(value: unknown): never {
  const isResult = typeof value === 'object' && value !== null && 'content' in value
  return (typeof value === 'string' || isResult ? value : (JSON.stringify(value, null, 2) ?? '')) as never
}
