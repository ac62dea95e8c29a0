// One proxied connection between a replica and the database: sees every request that commits something, and cuts some.

import type { Socket } from 'node:net'
import { Frames, flush, isInTransaction, readBind, readParse, readQuery, rowsOf, typeOf } from './frames.ts'

/** Where the connection breaks during a commit. */
export const cutModes = [
  /** The commit never reaches the server. */
  'request lost',
  /** The server has executed the statements, but the commit never reaches it. */
  'commit lost',
  /** The server has committed; no part of its reply arrives. */
  'reply lost',
  /** The server has committed; its reply arrives without the end. */
  'reply torn',
  /** The connection breaks while the server commits. */
  'midway',
  /** The connection breaks first, and the commit still reaches the server a moment later. */
  'late',
] as const

export type CutMode = (typeof cutModes)[number]

/** The modes in which the commit reaches the server. */
export const insideCommit: ReadonlySet<string> = new Set<CutMode>(['reply lost', 'reply torn', 'midway', 'late'])

/** A request that commits something. */
export interface Commit {
  readonly statement: string
  readonly values: readonly string[]
}

/** A commit whose sender did not learn its result. */
export interface Unclear extends Commit {
  /** `died`: the server was killed. `timed out`: the sender timed out. */
  readonly how: CutMode | 'died' | 'timed out'
  /** Undefined until it has been looked up. */
  hasCommitted: boolean | undefined
}

export interface Watcher {
  /** How to cut this commit; undefined to let it pass. */
  chosen(commit: Commit): CutMode | undefined
  isUnclear(unclear: Unclear): void
}

const lateByMs = 40
const writes = /\b(insert into|update|delete from)\b/i
// Cleanup statements, which nearly always change nothing.
const idle = /^(forget_|begin_chain$)/
// Parse, bind, describe, execute: the parts of a request before its end.
const parts = 'PBDE'

interface UnderWay extends Commit {
  how: Unclear['how'] | undefined
  isSent: boolean
  /** The statement failed or changed nothing. */
  didNothing: boolean
}

export class Line {
  readonly #client: Socket
  readonly #server: Socket
  readonly #watcher: Watcher
  readonly #fromClient = new Frames(false)
  readonly #fromServer = new Frames(true)
  /** The prepared statements of this connection that write, by name. */
  readonly #writers = new Set<string>()
  /** The messages since the end of the last request, and the writes among them. */
  #request: Buffer[] = []
  #bound: Commit | undefined
  #isInTransaction = false
  /** The writes of the open transaction. */
  #written: Commit | undefined
  /** The commit whose result the sender does not know yet. */
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

  /** What the end of a request commits: a single statement or a transaction. */
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

  /** Whether this part of the reply to a commit is forwarded to its sender. */
  #passes(underWay: UnderWay, type: string, frame: Buffer): boolean {
    const { how } = underWay
    if (type === 'E' || (type === 'C' && rowsOf(frame) === 0)) underWay.didNothing = true
    if (how === undefined) {
      if (type === 'Z') this.#underWay = undefined
      return true
    }
    if (how === 'commit lost') {
      // After the command completion or the error has been forwarded.
      if (type === 'C' || type === 'E') setImmediate(() => this.#over(false))
      return true
    }
    // Before the sender gets the rest: anything written after this is not sent.
    if (type === 'Z') setImmediate(() => this.#over(!underWay.didNothing))
    return how === 'reply torn' && type !== 'Z'
  }

  /** The sender did not wait for the reply: the server continues, and we still see the result. */
  #clientLeft(): void {
    if (this.#underWay === undefined) this.#server.end()
    else this.#underWay.how ??= 'timed out'
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
