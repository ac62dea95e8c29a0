// The text of the generated reference pages.

export const referenceText = {
  commands: {
    intro: `# Commands

Generated from \`assent --help\` (\`npm run docs\`). With \`npx\`, write \`npx assent\` instead of \`assent\`. Without a command and without
a terminal, as a client starts it, \`assent\` is the server of the [built-in tools](tools.md).`,
  },
  metrics: {
    intro: `# Metrics

Generated from the definitions in the gateway (\`npm run docs\`). \`/metrics\` has the Prometheus text format. It responds to direct requests
from the same machine, or at \`metrics.listen\`. [Monitoring](../guides/monitoring.md) explains how to collect it, and which alerts to start with.`,
    columns: ['metric', 'type', 'meaning'],
    after: `Metrics of the database connections and the notifications exist only with PostgreSQL, and those of the issuer only with \`identity\`.
Metrics contain no questions, answers, arguments, results or credentials.`,
  },
  tools: {
    intro: `# Tools for agents

Generated from what the server lists (\`npm run docs\`). \`npx assent\` serves these tools to your client, and
[\`npx assent init\`](../start/clients/index.md) sets it up. Your agent calls them, and each call waits for your decision.`,
    columns: ['argument', 'needed', 'meaning'],
    required: 'required',
    optional: 'optional',
    after: `## assent__await_answer

A client that cannot wait for the person gets a handle before its timeout. The agent fetches the answer with this tool, and passes the handle
on as it is. The question stays open until then.`,
  },
  api: {
    intro: `# Inbox API

Generated from the OpenAPI document of the inbox (\`npm run docs\`). A running inbox serves the document at \`/api/openapi.json\`, without a
session. The web app uses the same API. Every other request needs the session of a person, so an agent cannot use the API for that person.`,
    columns: ['request', 'what it does'],
    after: `For scripts, use [\`assent asks\`](commands.md#assent-asks): it reads and answers from the store on the same machine.`,
  },
}
