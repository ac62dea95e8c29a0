// Runs one tool of a file or of a server, with its questions in this terminal, and prints its result.

import { isPlainObject } from '@assent/core'
import { safeLines } from '../inbox/terminal/safe-json.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { RunToolSettings } from './run-tool-settings.ts'
import type { Terminal } from './terminal.ts'
import { isToolFile, toolOfFile } from './tools-of-file.ts'

export async function runTool(
  words: readonly string[],
  settings: RunToolSettings,
  terminal: Terminal,
): Promise<ExitCode> {
  const given = argumentsIn(settings.args)
  const [target = '', ...rest] = words
  const run =
    rest.length === 0 && isToolFile(target)
      ? await toolOfFile(target, settings.tool)
      : (await import('./tools-of-server.ts')).toolOfServer(words, settings, terminal)
  return printed(await run(given), terminal)
}

function argumentsIn(json: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (json === undefined) return undefined
  let given: unknown
  try {
    given = JSON.parse(json)
  } catch {
    given = undefined
  }
  if (isPlainObject(given)) return given
  throw new Error(`--args takes a JSON object such as '{"env":"test"}', not ${json}.`)
}

/** The texts of the result, or all of it where it has none. A program that reads them gets them unchanged. */
function printed(result: unknown, { out, err, isOutTerminal, isErrTerminal }: Terminal): ExitCode {
  const { content, isError } = isPlainObject(result) ? result : {}
  const texts = Array.isArray(content) ? content.map((part) => (isPlainObject(part) ? part.text : undefined)) : []
  const isText = texts.length > 0 && texts.every((text) => typeof text === 'string')
  const text = isText ? texts.join('\n') : (JSON.stringify(result, null, 2) ?? '')
  const [print, isTerminal] = isError === true ? [err, isErrTerminal] : [out, isOutTerminal]
  print(isTerminal === true ? safeLines(text) : text)
  return isError === true ? exitCodes.problem : exitCodes.ok
}
