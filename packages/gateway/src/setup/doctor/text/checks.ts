// What the checks of `assent doctor` found, and how to fix it.

export const machineText = {
  node: {
    title: 'Node',
    byPath: 'clients start it by its path',
    missing: 'no program node is on the path',
    version: (version: string) => `${version} is what clients start`,
    install: (oldest: string) => `Install Node ${oldest} or later where your clients find it first.`,
  },
  folder: {
    title: 'Data folder',
    writable: (folder: string) => `${folder} can be written`,
    notWritable: (folder: string, code: string | undefined) => `${folder} cannot be written (${code})`,
    change: 'Make it writable, or set XDG_STATE_HOME to a folder that is.',
  },
  inbox: {
    title: 'Inbox',
    shared: (origin: string, store: string) =>
      `${origin}/ is served by a running Assent with the store ${store}; all windows with this store share it`,
    free: (url: string, store: string) =>
      `${url} is free; the first window will serve the inbox there, with the store ${store}`,
    otherAssent: 'an Assent with another store, or of another user',
    otherProgram: 'another program',
    taken: (url: string, owner: string) =>
      `${url} is taken by ${owner}; your windows use a free port instead, which changes`,
    change: 'Stop that program, or give Assent another address: set ASSENT_LISTEN, such as 127.0.0.1:7431.',
  },
}

/** Problems of a client, each with its fix. */
export const clientProblems = {
  notSetUp: (id: string) => `It is not set up. Run: assent init ${id}`,
  late: (line: string, because: string) =>
    `Not checked in time: \`${line}\`. ${because} The first start may download the program: run assent doctor again.`,
  noResponse: (line: string, because: string) => `\`${line}\` does not respond: ${because}`,
  unusable: (file: string, because: string) => `${file} cannot be used: ${because}.`,
  off: (file: string) => `It is switched off in ${file}.`,
  noVersion: (file: string) =>
    `${file} names no version, so every start runs the newest one in the registry. Run \`assent init --undo\`, then \`assent init\`: it writes the version.`,
  shortTimeout: (file: string, seconds: number, needed: number) =>
    `${file} sets a timeout of ${seconds} s, which is too short for a person to answer. Raise it to ${needed} s or more.`,
  otherStore: (file: string, store: string) =>
    `The variables in ${file} select another store, ${store}: its questions are in another inbox. Remove them to share one inbox.`,
  otherConductor: (file: string, client: string, isProject: boolean) =>
    `The agent ${file} does not use the tools of Assent. Run: assent init ${client}${isProject ? ' --project' : ''}`,
  notStarted: (line: string) =>
    `${line}; not started, because the command comes from this repository (--trust-project starts it)`,
  notUnderstood: (entry: string) => `${entry} is not understood`,
  noCommand: (entry: string) => `${entry} has no command`,
}

/** A program that was started for a check. */
export const launchText = {
  noResponseYet: (output: string) => `It has not responded yet.${output}`,
  output: (lines: readonly string[]) => ` Its output: ${lines.join(' / ')}`,
}

/** How a client handles questions. */
export const clientTraitsText = {
  kinds: {
    text: 'text',
    number: 'numbers',
    boolean: 'yes or no',
    choice: 'one choice',
    choices: 'several choices',
    list: 'lists of texts',
  },
  all: 'all kinds',
  supported: 'supported',
  notSupported: 'not supported',
  everyQuestion: 'every question',
  formsWith: (kind: string) => `forms with ${kind}`,
  pages: 'every link, such as the one to the page for a secret',
  fastAnswers: 'questions that the client answers faster than a person can read',
  list: (items: readonly string[]) =>
    items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`,
  waits: {
    unlimited: 'until the question expires',
    limited: (seconds: number) =>
      `${seconds} s; then the agent gets a handle to fetch the answer later, and the question stays open`,
    whileShown: (limited: string) => `as long as it shows the question itself; else ${limited}`,
  },
}
