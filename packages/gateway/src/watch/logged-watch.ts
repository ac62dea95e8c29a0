// Figures for machines, and a line in the log where something changed for the people who run the gateway.

import type { Figures } from './figures.ts'
import type { Log } from './log.ts'
import type { Watch } from './watch.ts'

export function loggedWatch(figures: Figures, log: Log): Watch {
  const isUp = new Map<string, boolean>()
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
    toolLeftOut: (server, tool) =>
      log.warn({ server, tool }, 'The tool requires tasks, which this gateway does not support: left out of the list.'),
    passed: (method, outcome, ms) => figures.passed(method, outcome, ms),
    replied: (server, ms) => figures.replied(server, ms),
    health: (server, isUpNow) => {
      figures.health(server, isUpNow)
      if (isUp.get(server) === isUpNow) return
      isUp.set(server, isUpNow)
      if (isUpNow) log.info({ server }, 'The server can be used.')
      else log.warn({ server }, 'The server cannot be reached.')
    },
  }
}
