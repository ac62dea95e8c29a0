// The playground.

const tools = {
  page: 'Playground',
  heading: 'Tools',
  of: (server: string) => `Tools of ${server}`,
  none: 'This server has no tools.',
  select: 'Select a tool to run.',
  back: '‹ Tools',
}

const form = {
  invalidJson: 'This is not valid JSON.',
  notAnObject: 'The arguments must be a JSON object.',
  arguments: 'Arguments',
  asJson: 'As JSON.',
  noArguments: 'This tool takes no arguments.',
  run: 'Run',
  running: 'Running…',
  editJson: 'Edit as JSON',
  backToForm: 'Back to the form',
  schema: 'Input schema',
  optional: 'optional',
}

const run = {
  heading: 'Run',
  titles: { running: 'Running', stopped: 'Stopped', failed: 'Failed', finished: 'Done' },
  toolError: 'The tool reported an error',
  running: (duration: string) => `for ${duration}`,
  ended: (duration: string) => `after ${duration}`,
  stop: 'Stop',
  moreQuestions: (count: number) => `${count} more after this one.`,
  text: 'Text',
  part: (number: number) => `Part ${number}`,
  structured: 'Structured',
  noContent: 'The tool returned no content.',
  full: 'Full result',
  json: 'JSON',
}

export const playText = { tools, form, run }
