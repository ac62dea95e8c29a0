// What Assent found: one finding per line, a list where the lines begin with a dash or are indented below a heading, and diffs.
// Problems are emphasised.
//
// Not Markdown: findings contain names and messages from the repository, which must not change how they are shown.

import { Fragment } from 'react'
import { Diff, isDiff } from './diff.tsx'

/** As `problemMark` in core, of which the page loads only types. */
const problemMark = '⚠ '

export function Findings({ text }: { readonly text: string }) {
  return (
    <div className="findings">
      {partsOf(text).map((part, at) => (
        <Fragment key={at}>{drawn(part)}</Fragment>
      ))}
    </div>
  )
}

/** How many findings speak against a yes. */
export function problemsIn(text: string): number {
  const isProblem = (line: string) => line.startsWith(`- ${problemMark}`)
  return partsOf(text)
    .filter(isList)
    .reduce((sum, part) => sum + part.split('\n').filter(isProblem).length, 0)
}

/** Whether the text has a list of findings. Without one it only describes something, such as a plan, and confirms nothing. */
export function hasFindings(text: string): boolean {
  return partsOf(text).some(isList)
}

function drawn(part: string) {
  if (isDiff('', part)) return <Diff text={part} />
  if (isHeadedList(part)) {
    const [heading, ...items] = part.split('\n')
    return (
      <>
        <p>{heading}</p>
        <ul>
          {items.map((line, at) => (
            <li key={at}>{line.slice(indent.length)}</li>
          ))}
        </ul>
      </>
    )
  }
  if (!isList(part)) return <p>{part}</p>
  return (
    <ul>
      {part.split('\n').map((line) => {
        const isProblem = line.startsWith(`- ${problemMark}`)
        return (
          <li key={line} data-problem={isProblem ? '' : undefined}>
            {line.slice(isProblem ? 2 + problemMark.length : 2)}
          </li>
        )
      })}
    </ul>
  )
}

function isList(part: string): boolean {
  return part.split('\n').every((line) => line.startsWith('- '))
}

const indent = '  '

/** "Found:" and below it lines that are indented once. */
function isHeadedList(part: string): boolean {
  const [heading = '', ...items] = part.split('\n')
  return heading.endsWith(':') && items.length > 0 && items.every((line) => /^ {2}\S/.test(line))
}

function partsOf(text: string): readonly string[] {
  return splitDiff(text).flatMap((part) => (isDiff('', part) ? [part] : part.split(/\n{2,}/)))
}

/** The text before a diff, and the diff at the end, if there is one. */
export function splitDiff(text: string): readonly string[] {
  const diffAt = text.search(/^(?:diff --git .*\n)?--- .*\n\+\+\+ .*\n@@ /m)
  if (diffAt < 0) return [text]
  return [text.slice(0, diffAt).trim(), text.slice(diffAt).trimEnd()].filter((part) => part !== '')
}
