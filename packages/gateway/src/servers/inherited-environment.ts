// The environment variables that a server's process inherits: those it needs to start, and none of the gateway's
// secrets.

const basic = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'USER', 'SHELL', 'TERM']
/** Network settings. Programs read some of them in lower case. */
const network = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
]
/** Many servers are started with `npx`. npm's settings may contain tokens, so only these are inherited. */
const npm = ['registry', 'cafile', 'proxy', 'https_proxy', 'noproxy', 'cache']

const inheritedNames = [
  ...basic,
  ...network,
  ...network.map((name) => name.toLowerCase()),
  ...npm.map((name) => `npm_config_${name}`),
]

export function inherited(variables: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const given = inheritedNames.flatMap((name) => {
    const value = variables[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(given)
}
