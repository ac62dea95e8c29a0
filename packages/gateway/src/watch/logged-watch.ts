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
    ended: (server, end, waitedMs) => {
      figures.ended(server, end, waitedMs)
      log.info({ server, end, waitedMs: Math.round(waitedMs) }, 'A question ended.')
    },
    unseen: (server) => {
      figures.unseen(server)
      log.info({ server }, 'A client answered before anyone can have read the question.')
    },
    refused: (reason) => {
      figures.refused(reason)
      log.debug({ reason }, 'Refused.')
    },
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
