// Reads the steps of a Markdown page that a reader follows: files to save and commands to run, in their order.
//
// A command is a line of a block marked `sh`, or follows the words "run it with". A file is a block of TypeScript or YAML after the
// words "Save this as `<name>`". A block below the comment `<!-- not run: <reason> -->` is an illustration.

export type PageStep =
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'file'; readonly name: string; readonly text: string }

const parts =
  /(?:<!-- (?<comment>[^>]+?) -->\s+)?^ *(?<fence>```+)(?<language>[^\n]*)\n(?<code>[\s\S]*?)^ *\k<fence>$|save this as `(?<name>[^`]+)`|\brun it\s+with `(?<inline>[^`]+)`/gim

export function stepsOf(page: string): PageStep[] {
  const steps: PageStep[] = []
  /** The file that the page has announced and not shown yet. */
  let announced: string | undefined
  /** Commands between the name of a file and its text: they run once the file is saved. */
  let waiting: PageStep[] = []
  for (const { groups = {} } of page.matchAll(parts)) {
    const { comment = '', language = '', code = '', name, inline } = groups
    if (name !== undefined) announced = name
    else if (inline !== undefined) {
      const step: PageStep = { kind: 'command', text: inline }
      if (announced === undefined) steps.push(step)
      else waiting.push(step)
    } else if (language === 'sh') {
      if (!comment.startsWith('not run:')) steps.push(...commandsIn(code))
    } else if (announced !== undefined && (language === 'ts' || language === 'yaml')) {
      steps.push({ kind: 'file', name: announced, text: code }, ...waiting)
      announced = undefined
      waiting = []
    }
  }
  return [...steps, ...waiting]
}

/** One command per line; a line that ends with a backslash continues. */
function commandsIn(code: string): PageStep[] {
  const lines = code.replaceAll(/\\\n\s*/g, '').split('\n')
  const isCommand = (line: string) => line.trim() !== '' && !line.trim().startsWith('#')
  return lines.filter(isCommand).map((line) => ({ kind: 'command', text: line.trim() }))
}

/** The command without the comment behind it. */
export function withoutComment(command: string): string {
  return command.replace(/\s+#.*$/, '')
}
