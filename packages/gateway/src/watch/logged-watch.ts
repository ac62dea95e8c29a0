// Figures for machines, and a line in the log where something changed for the people who run the gateway.

import type { Figures } from './figures.ts'
import type { Log } from './log.ts'
import type { Watch } from './watch.ts'

export function loggedWatch(figures: Figures, log: Log): Watch {
  /** So that each change is logged once. */
  const lastHealth = new Map<string, string>()
  return {
    asked: (server) => {
      figures.asked(server)
      log.debug({ server }, 'A question was put.')
    },
    ended: (server, end, waitedMs, answer) => {
      figures.ended(server, end, waitedMs, answer)
      const named = answer === undefined ? {} : { answer }
      log.info({ server, end, ...named, waitedMs: Math.round(waitedMs) }, 'A question ended.')
    },
    unseen: (server) => {
      figures.unseen(server)
      log.info({ server }, 'A client answered before a person can have read the question. The answer was not used.')
    },
    unattended: (server) => {
      figures.unattended(server)
      log.info({ server }, 'A client accepted a form before a person can have read it. Without an inbox it passes.')
    },
    refused: (reason) => {
      figures.refused(reason)
      log.debug({ reason }, 'Refused.')
    },
    questionRefused: (question) => {
      figures.questionRefused(question)
      log.warn({ ...question }, 'A question was refused; no person saw it.')
    },
    callsLost: (count) => {
      figures.callsLost(count)
      log.warn({ count }, 'Calls were given up: the process that held them fell silent.')
    },
    toolLeftOut: (server, tool) =>
      log.warn({ server, tool }, 'The tool requires tasks, which this gateway does not support: left out of the list.'),
    nameConflict: (server, name, why) =>
      log.warn(
        { server, name },
        why === 'taken'
          ? 'Another tool of this server has the same name for clients: left out of the list.'
          : 'Without a prefix this would be the name of something at another server: it keeps its prefix.',
      ),
    passed: (method, outcome, ms) => figures.passed(method, outcome, ms),
    replied: (server, ms) => figures.replied(server, ms),
    health: (server, isUp, reason) => {
      figures.health(server, isUp)
      const now = isUp ? 'up' : `${reason}`
      if (lastHealth.get(server) === now) return
      lastHealth.set(server, now)
      if (isUp) log.info({ server }, 'The server is ready.')
      else log.warn({ server, reason }, 'The server cannot be used.')
    },
  }
}
