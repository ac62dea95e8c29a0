// The configuration of a command, and what `config check` and `servers` report about it.

const migrations = (count: number) => (count === 1 ? '1 migration' : `${count} migrations`)

export const configText = {
  gatewayOption: (file: string) => `the configuration, YAML or JSON (default: ${file} in this folder)`,
  storeOption: (file: string) => `the gateway's configuration; ${file} if it is here, else the store of this user`,
  personalOption: "a gateway's configuration (default: your own inbox)",
  unusedFile: (file: string) => `Using your own inbox. For the gateway of ./${file}, add: --config ${file}`,
  noFileToRead: 'there is no configuration file',
  noFile: (
    file: string,
    folder: string,
  ) => `There is no ${file} in ${folder}. Give another file with --config, or create one:
  servers:
    files: { command: npx, args: [-y, "@modelcontextprotocol/server-filesystem", .] }`,
  postgres: (host: string, path: string) => `postgres ${host}${path}`,
  noProblems: (file: string, servers: readonly string[]) =>
    `${file}: ${servers.length === 1 ? `the server ${servers[0]}` : `${servers.length} servers (${servers.join(', ')})`}, no problems.`,
  problems: (count: number, file: string) => `${count} ${count === 1 ? 'problem' : 'problems'} in ${file}.`,
}

export const liveText = {
  schema: (place: string, schema: string) => `${place}, schema ${schema}`,
  newStore: (place: string) => `${place}: new, without tables yet; can be written`,
  upToDate: (place: string, applied: number) => `${place}: up to date (${migrations(applied)}); can be written`,
  behind: (place: string, count: number, first: string | undefined) =>
    `${place}: ${count} migrations of this version are missing, from ${first}; can be written`,
  notConfigured: 'not configured',
  issuerKeys: (issuer: string, count: number) => `${issuer}: ${count === 1 ? '1 key' : `${count} keys`} read`,
  canSignIn: (keys: string) => `${keys}; people can sign in to the inbox there`,
  /** In front of the name of a server. */
  server: 'server ',
}

export const serversText = {
  usable: (working: number, all: number) => `${working} of ${all} ${all === 1 ? 'server' : 'servers'} can be used.`,
  transports: {
    stdio: 'stdio',
    'streamable-http': 'Streamable HTTP',
    'http+sse': 'HTTP+SSE',
    'in-process': 'in this process',
  },
  notOffered: (count: number) => ` (${count} more not offered)`,
  shortNames: (count: number) => `, ${count} with a short name for clients`,
  tools: (count: number) => (count === 1 ? '1 tool' : `${count} tools`),
  ready: (revision: string, transport: string, tools: string, ms: number) =>
    `${revision} over ${transport}, ${tools}, ready after ${ms} ms`,
}
