import type { Cleanup } from '@storedex/testkit'
import { startForwarding } from '../support/forwarding.ts'

export interface CountingProxy {
  /** The same database, through the proxy. */
  url: string
  readonly traffic: Traffic
}

/** Listens on loopback, forwards both directions to the database, and counts the traffic. */
export async function startCountingProxy(databaseUrl: string, cleanup: Cleanup): Promise<CountingProxy> {
  const counter = new TrafficCounter()
  const url = await startForwarding(
    databaseUrl,
    () => {
      const fromClient = new MessageReader('client')
      const fromServer = new MessageReader('server')
      let outstanding = 0
      return {
        readClient(chunk) {
          for (const letter of fromClient.read(chunk)) if (counter.countRequest(letter)) outstanding++
        },
        readServer(chunk) {
          for (const letter of fromServer.read(chunk)) if (counter.countReply(letter)) outstanding--
          counter.countBytes(chunk.length)
        },
        // What a closed connection asked for stays without an answer.
        close: () => counter.forget(outstanding),
      }
    },
    cleanup,
  )
  return {
    url,
    get traffic() {
      return counter.traffic
    },
  }
}

/**
 * Parses the framing of PostgreSQL's protocol. A message is a letter, a length and a body; the first message of a client
 * has no letter.
 */
export class MessageReader {
  #hasLetter: boolean
  /** Bytes of the current message's header that have come. */
  #header = Buffer.alloc(0)
  #bodyBytesLeft = 0

  constructor(side: 'client' | 'server') {
    this.#hasLetter = side === 'server'
  }

  /** The letters of the messages that begin in this chunk, in order; the first message of a client is `startup`. */
  read(chunk: Buffer): string[] {
    const letters: string[] = []
    let at = 0
    while (at < chunk.length) {
      if (this.#bodyBytesLeft > 0) {
        const taken = Math.min(this.#bodyBytesLeft, chunk.length - at)
        this.#bodyBytesLeft -= taken
        at += taken
        continue
      }
      const headerBytes = this.#hasLetter ? 5 : 4
      const taken = Math.min(headerBytes - this.#header.length, chunk.length - at)
      this.#header = Buffer.concat([this.#header, chunk.subarray(at, at + taken)])
      at += taken
      if (this.#header.length < headerBytes) break
      letters.push(this.#hasLetter ? String.fromCharCode(this.#header[0]!) : 'startup')
      // The length counts itself, but not the letter.
      this.#bodyBytesLeft = this.#header.readUInt32BE(headerBytes - 4) - 4
      this.#header = Buffer.alloc(0)
      this.#hasLetter = true
    }
    return letters
  }
}

/** Traffic between the service and PostgreSQL. */
export interface Traffic {
  /** Executions of statements, prepared or plain. */
  statements: number
  /** Statements sent as text to be parsed. */
  parsed: number
  /** Times the service waited for the database. */
  roundTrips: number
  /** From the database. */
  bytesReceived: number
}

/**
 * Counts the traffic of all connections together. A round trip begins with a request while none is outstanding, so
 * statements that are pipelined, or run on two connections at once, share one.
 */
export class TrafficCounter {
  readonly #traffic: Traffic = { statements: 0, parsed: 0, roundTrips: 0, bytesReceived: 0 }
  #outstanding = 0

  get traffic(): Traffic {
    return { ...this.#traffic }
  }

  /** Returns whether an answer will tell that the request is done. */
  countRequest(letter: string): boolean {
    if (letter === 'P' || letter === 'Q') this.#traffic.parsed++
    if (letter === 'E' || letter === 'Q') this.#traffic.statements++
    // PostgreSQL answers each of these with one ReadyForQuery.
    if (letter !== 'S' && letter !== 'Q' && letter !== 'startup') return false
    if (this.#outstanding === 0) this.#traffic.roundTrips++
    this.#outstanding++
    return true
  }

  /** Returns whether a request is done. */
  countReply(letter: string): boolean {
    if (letter !== 'Z') return false
    this.#outstanding--
    return true
  }

  /** Requests that will not be answered any more. */
  forget(requests: number): void {
    this.#outstanding -= requests
  }

  countBytes(bytes: number): void {
    this.#traffic.bytesReceived += bytes
  }
}
