// `assent doctor`: its help, and the lines that it prints.

const problems = (count: number) => (count === 1 ? '1 problem' : `${count} problems`)

export const doctorText = {
  help: {
    summary: 'what works with each client, and what to change',
    json: 'one JSON object on standard output at the end, for scripts',
    noStart: 'only read configurations; do not start servers',
    trustProject: 'also start a command from this repository that differs from the one init writes',
    description:
      'Reports for each client used here whether Assent is set up, which questions the client shows, which ones go to the inbox instead, and how long it waits. Then it tests the setup: it starts the configured command as the client would, and sends requests in both generations of the protocol. All clients are checked at the same time, and each result is printed as soon as it is known; the command ends within 20 seconds. A started command gets your settings for proxies, certificates and the npm registry. No configuration is changed.\n\nThe exit code is 0 if at least one client is set up and no problem was found, otherwise 1.',
  },
  noClient: 'No supported client was found here. Set one up: assent init <client>',
  notSetUp: (id: string) => `not set up. Run: assent init ${id}`,
  works: 'works',
  notStarted: 'set up, not started',
  late: 'not checked in time',
  problems,
  problem: 'Problem',
  shows: (forms: string, links: string, waits: string) => `Forms: ${forms}. Links: ${links}. Waits: ${waits}.`,
  inbox: (questions: string) => `The inbox is used for: ${questions}.`,
  tools: (count: number) => `${count} tools`,
  newestLate: '2026-07-28 not checked in time',
  newestNotSupported: '2026-07-28 not supported',
  answered: (revision: string, ms: number) => `${revision} answered in ${ms} ms`,
  /** A client that is not set up is no problem, and is not counted as working. */
  end: (working: number, clients: number, notSetUp: number, count: number) =>
    `${[
      `${working} of ${clients} ${clients === 1 ? 'client works' : 'clients work'}`,
      ...(notSetUp === 0 ? [] : [`${notSetUp} not set up`]),
      ...(count === 0 ? [] : [`${problems(count)} found`]),
    ].join('; ')}.`,
}
