/**
 * The framing of PostgreSQL's protocol, as far as counting needs it: each message is a letter, a length and a body; the
 * first message of a client has no letter.
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

/** What went over the wire. */
export interface Traffic {
  /** Executions of statements, prepared or plain. */
  statements: number
  /** Statements that were sent as text to be parsed. */
  parsed: number
  /** Times that somebody had to wait for the database. */
  roundTrips: number
  /** From the database. */
  bytesReceived: number
}

/**
 * Counts the traffic of all connections together. A round trip begins when something is asked while nothing is
 * outstanding, so statements that are pipelined, or run on two connections at once, share one.
 */
export class TrafficCounter {
  readonly #traffic: Traffic = { statements: 0, parsed: 0, roundTrips: 0, bytesReceived: 0 }
  #outstanding = 0

  get traffic(): Traffic {
    return { ...this.#traffic }
  }

  asked(letter: string): void {
    if (letter === 'P' || letter === 'Q') this.#traffic.parsed++
    if (letter === 'E' || letter === 'Q') this.#traffic.statements++
    // Each of these is answered by one ReadyForQuery.
    if (letter !== 'S' && letter !== 'Q' && letter !== 'startup') return
    if (this.#outstanding === 0) this.#traffic.roundTrips++
    this.#outstanding++
  }

  answered(letter: string): void {
    if (letter === 'Z') this.#outstanding--
  }

  received(bytes: number): void {
    this.#traffic.bytesReceived += bytes
  }
}
