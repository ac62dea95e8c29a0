// The help of commands whose other texts are short.

export const jsonHelp = 'one JSON object on standard output, for scripts'

export const auditHelp = {
  summary: 'verify and export the audit log',
  description: 'Verifies and exports the audit log, and prints its signed checkpoint.',
  tenant: 'the tenant, if several share a store',
  verify: {
    summary: 'verify the audit log, and compare asks, grants, passkeys, definitions of tools and lost calls with it',
    checkpoint: 'a signed checkpoint that was kept elsewhere: the log has to continue it',
    key: 'keys of the log that were kept elsewhere, one per line, as `audit key` printed them: the log has to be that of one of them, also if its keys were replaced since',
    proof: 'verify this proof of one ask, downloaded from the inbox; with --config also against the audit log',
    log: 'verify the log in this folder, which `audit export --log` wrote, instead of a database; needs --key',
    entries:
      'with --log: also compare the texts of all entries with it, in a file of lines that `audit export` printed',
    description:
      'Adds entries that wait to the audit log, verifies every entry, the Merkle tree above them and its signed checkpoint, compares every ask, grant, passkey, definition of a tool and lost call in the database with its entries, and verifies the signatures of all decisions. A log that was cut off or began anew is consistent in itself: compare it with a checkpoint that was kept elsewhere.\n\nA proof of one ask is verified without a store: its entries were not changed, and with --key, the audit log of that key contains them. With --config, they are also looked up in the audit log.\n\nWith --log, an exported log is verified from its files alone: the signature of a given key, every entry and every tile, and with --checkpoint that it continues an older checkpoint. With --proof, the entries of the proof have to be in it. With --entries, every entry of the log has to be in that file, with the text that it was made for unless that was erased; asks have to end once, and a grant may be used only for an approval.\n\nThe exit code is 0 if everything matches and 1 if not; the entry, ask, grant, passkey, definition or call is printed.',
  },
  checkpoint: {
    summary: 'print the signed checkpoint of the audit log',
    description:
      'Verifies the audit log as `audit verify` does, and prints its current checkpoint: a signed note (c2sp.org/tlog-checkpoint) with the number of entries and the root of the tree. Prints nothing if something does not match. Keep it outside the database, and compare the audit log with it later: assent audit verify --checkpoint.',
  },
  key: {
    summary: 'print the keys that verify checkpoints of the audit log',
    description:
      'Prints the public keys of the audit log, one per line, in the form of c2sp.org/signed-note. They are made from `keys`. Give them to people who verify proofs and checkpoints, and keep those of keys that you replace.',
  },
  export: {
    summary: 'print the audit log and the recorded calls, one JSON object per line',
    since: 'only what was recorded since this time: a duration such as 7d, or 2026-11-17T22:00:00Z',
    after: 'continue after this cursor, from the last line of an earlier export',
    format: 'the format: jsonl',
    log: 'write the log to this folder as a transparency log (c2sp.org/tlog-tiles), instead of printing lines',
    key: 'with --log: further keys of the log, if the folder was exported before its keys were replaced',
    description:
      'Prints the entries of the audit log, and the recorded calls if the gateway has `record: calls`, oldest first. Every line has a cursor, so an export that was interrupted continues after the last line; the next cursor is also printed on standard error. Calls of the last 15 seconds are left for the next export. A call that was exported before it ended is printed again when it has ended, with the same id.\n\nWith --log, it writes the checkpoint, the hashes and the entries of the log to a folder: ids, kinds, times and digests, no questions and no answers. A later export into the same folder adds what is new. It is refused if the log does not continue the checkpoint in the folder. Verify the folder anywhere with `audit verify --log`.',
    examples: `
Examples:
  assent audit export --since 7d > record.jsonl
  assent audit export --after "$(tail -n 1 record.jsonl | jq -r .cursor)" >> record.jsonl
  assent audit export --log /srv/audit-log

Exit codes:
  0  exported
  1  the configuration has a mistake, or the folder has another log
  2  the command line is invalid
  3  the store cannot be reached`,
  },
}

export const configHelp = {
  summary: 'check a configuration, print its schema, create a key',
  description: 'Checks a configuration, prints its schema, and creates keys.',
  check: {
    file: 'the configuration, YAML or JSON',
    live: 'also check the store, the issuer and every server',
    summary: 'list all mistakes in a configuration',
    description:
      'Reads a configuration as the gateway would, with its references and the ASSENT_… variables, and reports every mistake with its line, its column and a correction. Nothing is started, and no secret is printed.\n\nWith --live it also connects to the store (which migrations it has, whether it confirms a write), reads the metadata and the keys of the issuer, and starts or reaches every server, as `assent servers` does. Nothing is migrated, and what was started is stopped.',
    after: `
Exit codes:
  0  no problems
  1  a problem was found`,
  },
  schema: {
    summary: 'print the JSON Schema, for editors',
    description:
      'Prints the JSON Schema of the configuration, with which editors complete and check it while you type.',
  },
  key: {
    summary: 'create a key for `keys`',
    description:
      'Prints a new random key for the setting keys. Store it with your other secrets and refer to it: keys: { k1: "$' +
      '{file:/etc/assent/k1.key}" }',
  },
}

export const serversHelp = {
  summary: 'connect to every configured server; report its revision and tools, or why it fails',
  description:
    'Connects to every server of a configuration as the gateway does, all at once, and prints for each its protocol revision, its transport, how many tools it has and how long it took to start; or why it cannot be used: the program was not found, its exit code and what it printed last, an HTTP status, a certificate. A server gets limits.server_open_within to start. Afterwards everything that was started is stopped. A running gateway is not affected.',
  after: `
Exit codes:
  0  every server can be used
  1  at least one cannot, or the configuration has a mistake
  2  the command line is invalid`,
}

export const gatewayHelp = {
  summary: 'one endpoint for your MCP servers',
  stdio: 'serve one client over standard input and output instead of HTTP',
  description:
    'Serves the MCP servers of a configuration at one endpoint. Their questions reach the person who called, in every revision of the protocol, and every decision is recorded.\n\nThe log is written to standard error, one JSON object per line. SIGHUP reloads the configuration; if it is invalid, or its new issuer cannot be reached, the old one stays in force. SIGTERM drains running work, then stops.',
  after: `
The smallest configuration, in assent.yaml:
  servers:
    files: { command: npx, args: [-y, "@modelcontextprotocol/server-filesystem", .] }

Then point a client at http://127.0.0.1:7420/mcp, or have it start:
  assent gateway --config /path/to/assent.yaml --stdio`,
  warning: (problem: string) => `warning ${problem}`,
}

export const runHelp = {
  tool: 'the tool to run; needed where there are several',
  args: 'its arguments, as a JSON object',
  env: 'a variable for the server; may be repeated',
  target: 'a file that exports tools, the program that is a server, or the address of one',
  targetArgs: 'the arguments of the program',
  summary: 'run one tool here, and answer its questions in this terminal',
  description:
    'Runs one tool and prints its result. Its questions are asked in this terminal.\n\nA file exports its tools: handlers made with @assent/sdk, functions that ask, generators that yield their asks, or a class whose methods are such generators. A server may have any revision; the answers are used only for this run and are not stored.',
  after: `
Examples:
  assent run tool.ts
  assent run --tool deploy --args '{"env":"test"}' node server.ts
  assent run --tool search https://mcp.example.com/mcp`,
}

export const playHelp = {
  target: 'the program that is the server, or the address of one',
  targetArgs: 'its arguments',
  port: 'the port of the page, on this machine only; 0 picks a free one',
  env: 'a variable for the program; may be repeated',
  summary: 'the playground: run the tools of one server in the browser',
  description:
    'Connects to one MCP server, session-based or stateless, and opens a page on this machine where its tools can be run: their arguments as a form, their progress, their questions and their results.\n\nOnly this server can be used from the page. Asks are stored in a temporary folder that is deleted at exit.',
  after: `
Examples:
  assent play node server.ts
  assent play -e DEBUG=1 npx -y @acme/deploy-mcp
  assent play https://mcp.example.com/mcp`,
}

export const passkeysHelp = {
  summary: 'remove passkeys that were lost',
  reset: 'remove all passkeys of a person, so that they can add a new one',
  person: 'with identity: the person, by their subject at the issuer',
  description:
    'Removes all passkeys of the person at this machine, or, with identity, of the person that --person names. Use it when they are lost; otherwise remove one in the inbox, at /passkeys. The audit log records it with the name of your account, and the inbox shows it to the person for seven days.',
  after: `
Examples:
  assent passkeys reset
  assent passkeys reset --config /etc/assent/assent.yaml --person 8f14e45f

Exit codes:
  0  the passkeys were removed, or you have none
  1  the configuration has mistakes, or the person has no passkeys
  2  the command line is invalid, or --person is missing
  3  the store cannot be reached`,
}

export const migrateText = {
  summary: 'migrate the tables of a PostgreSQL store',
  store: 'the store, in place of the one in the configuration: postgres://owner@host/database',
  grants: 'also grant this role what a gateway needs, and revoke everything else',
  print: 'with --grants: only print the SQL',
  description:
    'Applies missing migrations, also while gateways run. It needs a role that may create tables, and a direct connection to the database, without a connection pooler. Gateways that use another role then need no right to change tables, nor to change or delete entries of the audit log.\n\nA password is read from PGPASSWORD, or from the password file of libpq, if the address has none. A gateway whose role may create tables applies missing migrations when it starts; a SQLite store is migrated when it is opened.',
  after: `
As the owner, before a new version is started:
  assent migrate --store postgres://assent_owner@db.internal/assent --grants assent`,
  roleMissing: 'Give the role whose grants to print: --grants <role>',
  sqlite: 'Nothing to do: a SQLite store is migrated when it is opened.',
  granted: (role: string) => ` ${role} has the rights that a gateway needs, and no others.`,
  upToDate: (granted: string) => `Up to date: nothing to apply.${granted}`,
  applied: (count: number, granted: string) =>
    `Applied ${count === 1 ? '1 migration' : `${count} migrations`}.${granted}`,
  invalidStore: (problem: string) => `--store ${problem}.`,
}
