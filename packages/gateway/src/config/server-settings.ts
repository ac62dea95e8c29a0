// The settings of one server, under `servers.<name>`.

import { choice, count, duration, flag, text, url } from './kinds.ts'
import { group, list, named, optional, required, type ValueOf, value } from './setting.ts'
import { namePrefix } from './special-kinds.ts'
import { day, hour, minute } from './units.ts'

const headerName = /^[A-Za-z0-9!#$%&'*+.^_|~-]+$/
const toolPattern = text('the name of a tool, or a pattern with `*`', /^\S{1,128}$/)

export const serverSettings = group(
  'One MCP server: at an address (`url`), or a program that the gateway starts (`command`).',
  {
    url: optional(
      url({ mayBePlain: true }),
      'The address of the Streamable HTTP endpoint of the server. Use https unless the server is on your own network.',
    ),
    headers: named(
      required(text('a text'), 'The value of the header.', { isSecret: true }),
      { pattern: headerName, words: 'the name of an HTTP header' },
      "Headers for every request to `url`, such as the gateway's own credentials. Headers of client requests are forwarded only if `forward_headers` lists them.",
      { isSecret: true },
    ),
    command: optional(
      text('the name or path of a program'),
      'The program to start. It uses MCP over its standard input and output.',
    ),
    args: list(text('a text'), [], 'The arguments of the program.', { isSecret: true }),
    env: named(
      required(text('a text'), 'The value of the variable.', { isSecret: true }),
      { pattern: /^[A-Za-z_][A-Za-z0-9_]*$/, words: 'the name of an environment variable' },
      "Environment variables of the program. It also gets some of the gateway's own variables: those that a program needs to start, such as `PATH` and `HOME`, and those to reach the network (proxy, certificate and npm registry settings).",
      { isSecret: true },
    ),
    cwd: optional(
      text('a folder'),
      'The working directory of the program, relative to the configuration file. Default: the working directory of the gateway.',
    ),
    isolation: value(
      choice('session', 'call'),
      'session',
      'Which calls share a process or session of a 2025 server: all calls of one client (`session`), or none (`call`). A server that keeps state between calls needs `session`.',
    ),
    processes: optional(
      count(1, 100_000),
      'Maximum number of processes of this server, for all clients. `limits.processes` applies too.',
    ),
    allow_secret_answers: value(
      flag,
      false,
      'Whether the server gets answers from clients that look like a secret (a private key, an access token, a card number). Otherwise the server gets an error with the reason. In the inbox and in a terminal, the person confirms such an answer instead.',
    ),
    tools: group(
      'Which tools of the server clients can use, and under which names. A tool that is not offered is not listed, and calling it returns the error for an unknown tool; nothing is sent to the server.',
      {
        allow: list(
          toolPattern,
          ['*'],
          "Only these tools are offered. Patterns are compared with the server's own tool names; `*` matches any text.",
        ),
        deny: list(toolPattern, [], 'These tools are not offered, even if `allow` lists them.'),
        rename: named(
          required(text('a name of at most 128 characters, without spaces', /^\S{1,128}$/), 'The name for clients.'),
          { pattern: /^\S{1,128}$/, words: "the server's own name of a tool" },
          "Other names for tools, by the server's own names. The inbox and the audit log show the server's own names.",
        ),
      },
    ),
    prefix: optional(
      namePrefix,
      "With several servers: the prefix of this server's names, instead of the server's name (`name__tool`). `false` removes the prefix, for at most one server; a name that would then equal a name of another server keeps the prefix. A prefixed tool name of more than 64 characters is shortened to its beginning and a digest.",
      { fallbackWords: 'the name of the server' },
    ),
    timeouts: group('Timeouts of this server that differ from `limits`.', {
      start: optional(
        duration(100, 10 * minute),
        'Time to start (for a program), to negotiate the protocol revision and to open a session.',
        { fallbackWords: '`limits.server_open_within`' },
      ),
      reply: optional(
        duration(100, hour),
        'Timeout for requests during which the server cannot ask a person, such as `tools/list`.',
        {
          fallbackWords: '`limits.server_reply_within`',
        },
      ),
      silent: optional(
        duration(1_000, 7 * day),
        'Timeout of a call in which the server sends nothing: no result, no question, no progress.',
        { fallbackWords: '`limits.server_silent_within`' },
      ),
    }),
    surfaces: list(
      choice('client', 'inbox'),
      [],
      'Where questions of this server are shown, in order of preference: a subset of `asks.surfaces`.',
      { fallbackWords: '`asks.surfaces`' },
    ),
    forward_headers: list(
      text('the name of an HTTP header', headerName),
      [],
      'Headers of client requests that are forwarded to `url`. Each request to the server has those of the client request that it is made for. Never forwarded: `Authorization`, `Cookie`, `DPoP`, `Host`, `Accept`, `Expect`, `Last-Event-ID`, `Content-*`, `Mcp-*`, `Proxy-*` and connection headers.',
    ),
    secrets: group('Whether the server may ask people for passwords, keys and tokens, on a page of the inbox.', {
      allowed: value(
        flag,
        false,
        'Secrets are encrypted in the browser for this server only. A server that the gateway starts gets its credential in its environment (`ASSENT_SECRETS_URL`, `ASSENT_SECRETS_TOKEN`); a server at a `url` needs `token`.',
      ),
      token: optional(
        text('at least 32 letters, digits and signs', /^[\x21-\x7e]{32,1024}$/),
        'Authenticates the server at `url` when it opens a page: the same value as its own `ASSENT_SECRETS_TOKEN`. `assent config key` creates one.',
        { isSecret: true },
      ),
    }),
  },
  ['url', 'command'],
)

export type ServerSettings = ValueOf<typeof serverSettings>
