// One connection between a replica and the database, on which every request that commits something is seen, and some are cut.

import type { Socket } from 'node:net'
import {
  Frames,
  flush,
  isInTransaction,
  readBind,
  readParse,
  readQuery,
  rowsOf,
  typeOf,
} from './database-frames.part.ts'

/** Where the connection breaks while a commit is under way. */
export const cutModes = [
  /** The server never hears of it. */
  'request lost',
  /** The server has done the work and says so, but is never told to commit. */
  'commit lost',
  /** It has committed; nothing of what it says arrives. */
  'reply lost',
  /** It has committed, and all it says arrives but the very end. */
  'reply torn',
  /** The connection breaks while the server is at it. */
  'midway',
  /** The connection breaks first, and what was on its way still arrives a moment later. */
  'late',
] as const

export type CutMode = (typeof cutModes)[number]

/** The modes in which the server was told to commit. */
export const insideCommit: ReadonlySet<string> = new Set<CutMode>(['reply lost', 'reply torn', 'midway', 'late'])

/** A request that commits something. */
export interface Commit {
  readonly statement: string
  readonly values: readonly string[]
}

/** A commit whose sender was not told how it ended. */
export interface Unclear extends Commit {
  /** `died`: the server went away. `given up`: the sender did not wait any longer. */
  readonly how: CutMode | 'died' | 'given up'
  /** Undefined until somebody has looked. */
  hasCommitted: boolean | undefined
}

export interface Watcher {
  /** How to cut this one, if at all. */
  chosen(commit: Commit): CutMode | undefined
  isUnclear(unclear: Unclear): void
}

const lateByMs = 40
const writes = /\b(insert into|update|delete from)\b/i
// These tidy up, and nearly always there is nothing to tidy.
const idle = /^(forget_|begin_chain$)/
// Parse, bind, describe, execute: the parts of a request before its end.
const parts = 'PBDE'

interface UnderWay extends Commit {
  how: Unclear['how'] | undefined
  isSent: boolean
  /** It was refused, or there was nothing to change. */
  didNothing: boolean
}

export class Line {
  readonly #client: Socket
  readonly #server: Socket
  readonly #watcher: Watcher
  readonly #fromClient = new Frames(false)
  readonly #fromServer = new Frames(true)
  /** The statements of this connection that write, by their names on it. */
  readonly #writers = new Set<string>()
  /** What was sent since the last end of a request, and what of it writes. */
  #request: Buffer[] = []
  #bound: Commit | undefined
  #isInTransaction = false
  /** What the open transaction has written so far. */
  #written: Commit | undefined
  /** The commit that the server was told of, or would have been, until its sender knows how it ended. */
  #underWay: UnderWay | undefined

  constructor(client: Socket, server: Socket, watcher: Watcher) {
    this.#client = client
    this.#server = server
    this.#watcher = watcher
    for (const socket of [client, server]) socket.on('error', () => socket.destroy()).setNoDelay()
    client.on('data', (bytes: Buffer) => this.#take(bytes))
    server.on('data', (bytes: Buffer) => this.#give(bytes))
    client.on('close', () => this.#clientLeft())
    server.on('close', () => this.#serverLeft())
  }

  destroy(): void {
    this.#client.destroy()
    this.#server.destroy()
  }

  #take(bytes: Buffer): void {
    for (const frame of this.#fromClient.take(bytes)) {
      this.#request.push(frame)
      const type = typeOf(frame)
      if (type === 'P') this.#learn(frame)
      if (type === 'B') this.#bind(frame)
      if (!parts.includes(type)) this.#end(frame)
    }
  }

  #learn(frame: Buffer): void {
    const { name, sql } = readParse(frame)
    if (writes.test(sql) && !idle.test(name)) this.#writers.add(name)
    else this.#writers.delete(name)
  }

  #bind(frame: Buffer): void {
    const { statement, values } = readBind(frame)
    this.#bound = this.#writers.has(statement) ? { statement, values } : undefined
  }

  #end(last: Buffer): void {
    const request = this.#request
    const commit = this.#commitOf(last)
    this.#request = []
    this.#bound = undefined
    if (commit === undefined) return void this.#server.write(Buffer.concat(request))
    const how = this.#watcher.chosen(commit)
    this.#underWay = { ...commit, how, isSent: false, didNothing: false }
    this.#begin(this.#underWay, request)
  }

  /** What the end of a request commits: a statement by itself, or the transaction around several. */
  #commitOf(last: Buffer): Commit | undefined {
    const text = typeOf(last) === 'Q' ? readQuery(last) : undefined
    const written = this.#written
    if (text !== undefined) this.#written = undefined
    if (text === 'commit' && written !== undefined) return { ...written, statement: `commit of ${written.statement}` }
    if (!this.#isInTransaction) return this.#bound
    this.#written = this.#bound ?? this.#written
    return undefined
  }

  #begin(underWay: UnderWay, request: readonly Buffer[]): void {
    const send = () => {
      underWay.isSent = true
      this.#server.write(Buffer.concat(request))
    }
    const isAlone = request.length === 1
    if (underWay.how === 'request lost' || (underWay.how === 'commit lost' && isAlone)) this.#over(false)
    else if (underWay.how === 'commit lost') this.#server.write(Buffer.concat([...request.slice(0, -1), flush]))
    else if (underWay.how === 'late') setTimeout(send, lateByMs)
    else send()
    if (underWay.how === 'late' || underWay.how === 'midway') this.#client.destroy()
  }

  #give(bytes: Buffer): void {
    const passed: Buffer[] = []
    for (const frame of this.#fromServer.take(bytes)) {
      const type = typeOf(frame)
      if (type === 'Z') this.#isInTransaction = isInTransaction(frame)
      if (this.#underWay === undefined || this.#passes(this.#underWay, type, frame)) passed.push(frame)
    }
    if (passed.length > 0 && !this.#client.destroyed) this.#client.write(Buffer.concat(passed))
  }

  /** Whether this part of the reply to a commit reaches its sender. */
  #passes(underWay: UnderWay, type: string, frame: Buffer): boolean {
    const { how } = underWay
    if (type === 'E' || (type === 'C' && rowsOf(frame) === 0)) underWay.didNothing = true
    if (how === undefined) {
      if (type === 'Z') this.#underWay = undefined
      return true
    }
    if (how === 'commit lost') {
      // After the end of the rows, or the reason why there are none, has left.
      if (type === 'C' || type === 'E') setImmediate(() => this.#over(false))
      return true
    }
    // Before the sender can hear the rest of it: what is written after this is not sent any more.
    if (type === 'Z') setImmediate(() => this.#over(!underWay.didNothing))
    return how === 'reply torn' && type !== 'Z'
  }

  /** Whoever sent it did not wait for the reply: the server goes on, and we still hear how it ends. */
  #clientLeft(): void {
    if (this.#underWay === undefined) this.#server.end()
    else this.#underWay.how ??= 'given up'
  }

  #serverLeft(): void {
    const { isSent = false } = this.#underWay ?? {}
    if (this.#underWay !== undefined) this.#underWay.how = isSent ? (this.#underWay.how ?? 'died') : 'request lost'
    this.#over(isSent ? undefined : false)
  }

  #over(hasCommitted: boolean | undefined): void {
    const underWay = this.#underWay
    this.#underWay = undefined
    this.destroy()
    if (underWay?.how === undefined) return
    const { statement, values, how } = underWay
    this.#watcher.isUnclear({ statement, values, how, hasCommitted })
  }
}
