// Reports events as metrics, and those that concern the operator also as log lines.

import { compact } from '@assent/core'
import type { DefinitionChange } from '../call/policy/pinned-definitions.ts'
import type { Telemetry } from '../call/telemetry-port.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

const changed = 'The definition of the tool changed since it was accepted. Calls of it need approval'
const definitionChangeText: Readonly<Record<DefinitionChange, string>> = {
  asked: `${changed} until an owner of the policies accepts the new definition in the inbox.`,
  'no-owners': `${changed}. To accept the new definition, set policies.owners and add inbox to the surfaces of this server.`,
  'not-shown': `${changed}. The new definition is too large to be shown, so it cannot be accepted.`,
  'too-many-open': `${changed}. Owners were not asked yet, because too many asks are open; a later call asks them.`,
}

export function logTelemetry(metrics: Metrics, log: Log): Telemetry {
  /** Last logged state per server, so that each change is logged once. */
  const lastHealth = new Map<string, string>()
  return {
    connected: (connected) => {
      metrics.connected(connected)
      const { client = 'another client', isSession, ...declared } = connected
      // A client without a session can ask before each call.
      const write = isSession ? log.info : log.debug
      write({ client, ...declared }, 'A client connected, and declared which questions it shows.')
    },
    asked: (server) => {
      metrics.asked(server)
      log.debug({ server }, 'Question asked.')
    },
    ended: (server, end, waitedMs, { answer, ...asked } = {}) => {
      metrics.ended(server, end, waitedMs, compact({ answer }))
      // A name such as `approved`, not what a person wrote; the log censors a field called `answer`.
      const named = answer === undefined ? {} : { outcome: answer }
      log.info({ server, ...asked, end, ...named, waitedMs: Math.round(waitedMs) }, 'Question ended.')
    },
    unseen: (server) => {
      metrics.unseen(server)
      log.info({ server }, 'A client answered before a person can have read the question. The answer was not used.')
    },
    unattended: (server) => {
      metrics.unattended(server)
      log.info({ server }, 'A client accepted a form before a person can have read it. Without an inbox, it is used.')
    },
    refused: (reason) => {
      metrics.refused(reason)
      log.debug({ reason }, 'Refused.')
    },
    questionRefused: (question) => {
      metrics.questionRefused(question)
      log.warn({ ...question }, 'A question was refused; no person saw it.')
    },
    policyDecided: (server, { mode, effect }) => {
      metrics.policyDecided(server, { mode, effect })
      log.debug({ server, mode, effect }, 'Policies decided about a call.')
    },
    definitionChanged: (server, tool, change) => {
      metrics.definitionChanged(server)
      log.warn({ server, tool }, definitionChangeText[change])
    },
    callsLost: (count) => {
      metrics.callsLost(count)
      log.warn({ count }, 'Calls were abandoned: the replica that held them stopped responding.')
    },
    callsUnrecorded: (count) => {
      metrics.callsUnrecorded(count)
      log.error({ count }, 'Calls are missing in the record of calls: the store could not take them in time.')
    },
    toolLeftOut: (server, tool) =>
      log.warn({ server, tool }, 'The tool requires tasks, which this gateway does not support: left out of the list.'),
    nameConflict: (server, name, why) =>
      log.warn(
        { server, name },
        why === 'taken'
          ? 'Another tool of this server has the same name for clients: left out of the list.'
          : 'Without its prefix, this name would equal a name of another server: it keeps the prefix.',
      ),
    passed: (method, outcome, ms) => metrics.passed(method, outcome, ms),
    replied: (server, ms) => metrics.replied(server, ms),
    health: (server, isUp, reason) => {
      metrics.health(server, isUp)
      const now = isUp ? 'up' : `${reason}`
      if (lastHealth.get(server) === now) return
      lastHealth.set(server, now)
      if (isUp) log.info({ server }, 'The server is ready.')
      else log.warn({ server, reason }, 'The server cannot be used.')
    },
  }
}
