// `assent inbox`, `inbox open`, `inbox link` and `assent try`: their help, and what they print.

const terminal = {
  summary: 'answer your open asks in this terminal',
  description:
    'Lists your open asks as they arrive, and shows one when you open it. An answer has the same effect as in the web inbox, and open pages show it immediately.\n\nEscape leaves a question open. Approve, decline and dismiss each need a key and Enter; none is preselected.',
  after: '\nFor scripts: assent help asks',
  noTerminal: 'Standard input is not a terminal. In scripts, use: assent asks list --json',
  notAskedHere:
    'asks.surfaces does not contain inbox in this configuration: questions are shown in clients, and few appear here.',
}

const open = {
  summary: 'open the web inbox in your browser; starts it if needed',
  description: (idleMinutes: number) =>
    `Opens the web inbox in your browser and signs you in. The inbox of your agents is started if no process serves it; it then runs in the background until no page has been open for ${idleMinutes} minutes. A gateway has to run already. On a machine without a desktop, such as over SSH, it prints a sign-in link instead.`,
  openAddress: 'There is no desktop here. Open this address in a browser, and sign in with your account.',
  addressFailed: (why: string, address: string) => `${why} Open ${address} in a browser.`,
  openedAddress: (address: string) => `Opened ${address} in your browser.`,
  opened: 'Your inbox is open in your browser.',
  notOpened: 'Your browser did not open the inbox.',
  useLink: (why: string) => `${why} To get a link instead, run: assent inbox link`,
  openLink: (minutes: number, host: string, port: string) =>
    `There is no desktop here. Open this link in a browser on this machine. It works once, within ${minutes} minutes.
Over SSH, connect with the port forwarded, and open the link on your own machine: ssh -L ${port}:${host} …`,
}

const link = {
  summary: 'print a link that signs you in to the web inbox',
  description: (minutes: number) =>
    `Prints a link that signs you in to the web inbox: of the gateway with this configuration, or of the programs that your agents start. It works once, within ${minutes} minutes. On this machine it is valid for the process that serves the inbox now, which first has to prove its identity; over https every gateway on the same store accepts it.`,
  qr: 'also as a QR code, for a phone; needs https and identity or a passkey',
  worksOnce: (minutes: number) => `The link works once, within ${minutes} minutes.`,
  scanAndSignIn: 'Scan the code with your phone, and sign in with your account.',
  scan: (minutes: number) =>
    `Scan the code with your phone. It works once, within ${minutes} minutes. Keep it private.`,
  tooMany: (minutes: number) => `Too many links are unused. Use one of them, or wait ${minutes} minutes.`,
  noInbox: 'This configuration has no inbox. Write: asks: { surfaces: [client, inbox] }',
  ownAccount: (address: string | undefined) => `With identity people sign in with their own account, at ${address}`,
  randomPort: 'The gateway listens on a random port, so the address of its inbox is unknown. Set a port in listen.',
  notFound: (origin: string, next: string) =>
    `No inbox found at ${origin}: nothing listens there, or the program there could not prove that it is your Assent. ${next}`,
  startGateway: 'Start a gateway with this configuration, and try again.',
  startInbox: 'To start it and open it in your browser, run: assent inbox open',
  notStarted: 'It was started now, and did not answer in time. Try again.',
}

/** Why there is no QR code for a phone. */
const noCode = {
  because: (why: string) => `No code was made. ${why}`,
  noHttps:
    'A phone reaches the inbox over a network, so it needs https: set inbox.url to its https address, behind a reverse proxy or a tunnel with a certificate.',
  noHostName: 'inbox.url needs a host name that the phone can reach: browsers have no passkeys for IP addresses.',
  unprotected:
    'A person who photographs the code could sign in and answer for you. Configure identity, or set inbox.presence, so that accepting needs your passkey.',
  noPasskey:
    'You have no passkey yet, and a person who photographs the code could add the first one. Add yours at /passkeys in the inbox on this machine.',
}

const serve = {
  description: 'Serves the inbox of your agents until no page has been open for a while.',
}

/** Why a command cannot open the asks of a person. */
const notOpened = {
  configuration: 'The configuration has mistakes. Nothing was opened.',
  identity:
    'This configuration has identity, and a command cannot authenticate its user. Answer in your client or in the web inbox. Nothing was opened.',
  store: (why: string) => `The store cannot be opened: ${why}`,
}

export const inboxText = { terminal, open, link, noCode, serve, notOpened }

export const tryText = {
  summary: 'answer a sample question in your browser, and see what the agent gets',
  description:
    'Plays an agent that asks you a question: it starts Assent as a client does, calls one of its tools and waits. Your inbox opens in the browser; once you have answered, you see what the agent gets. Then you can choose the clients that use Assent.\n\nThe question is a real one in your own inbox, and it stays in your history. Nothing else happens, whatever you answer. Ctrl+C withdraws it.',
  question: 'This is a sample question. Shall your agent continue?',
  asks: (question: string) => `An agent asks: "${question}"`,
  youAnswer: 'You answer in your inbox.',
  openLink: (minutes: number) => `Open this link (it works once, within ${minutes} minutes):`,
  agentGets: 'The agent gets your answer:',
  withdrawn: 'The question was withdrawn.',
  connect: 'Connect your coding agent now?',
  connectLater: 'To connect Claude Code, Cursor, Codex and others, run: npx assent init',
}
