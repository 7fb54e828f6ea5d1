import type { Cleanup } from '@storedex/testkit'
import { startForwarding } from '../support/forwarding.ts'

/** A statement as it was sent. */
export interface SentStatement {
  /** Which connection sent it. */
  connection: number
  /** Its name when it was prepared under one. */
  name: string | null
  text: string
  /** Null for a text without parameters, which may have several statements. */
  values: (string | Buffer | null)[] | null
  /** What followed a `copy … from stdin`. */
  copied: Buffer[]
}

/** The statements of one request or command. */
export interface RecordedStep {
  operation: string
  statements: SentStatement[]
}

export interface Recorder {
  /** The database, through the proxy that records. */
  url: string
  /** What is sent during the work is a step of this operation. */
  record<T>(operation: string, work: () => Promise<T>): Promise<T>
  readonly steps: readonly RecordedStep[]
}

/** Records what is sent to a database. Without TLS. */
export async function startRecorder(databaseUrl: string, cleanup: Cleanup): Promise<Recorder> {
  const steps: RecordedStep[] = []
  let current: RecordedStep | null = null
  let connections = 0
  const url = await startForwarding(
    databaseUrl,
    () => {
      const connection = ++connections
      const reader = new StatementReader((sent) => current?.statements.push({ connection, ...sent }))
      return { readClient: (chunk) => reader.read(chunk) }
    },
    cleanup,
  )
  return {
    url,
    steps,
    async record(operation, work) {
      current = { operation, statements: [] }
      steps.push(current)
      try {
        return await work()
      } finally {
        current = null
      }
    },
  }
}

const binaryFormat = 1

/** Reads the messages of a client: https://www.postgresql.org/docs/current/protocol-message-formats.html */
class StatementReader {
  readonly #onStatement: (statement: Omit<SentStatement, 'connection'>) => void
  readonly #texts = new Map<string, string>()
  #bound: Omit<SentStatement, 'connection' | 'copied'> | null = null
  #copied: Buffer[] = []
  #pending: Buffer = Buffer.alloc(0)
  #isStarted = false

  constructor(onStatement: (statement: Omit<SentStatement, 'connection'>) => void) {
    this.#onStatement = onStatement
  }

  read(chunk: Buffer): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    for (;;) {
      // The first message has no letter.
      const letterBytes = this.#isStarted ? 1 : 0
      if (this.#pending.length < letterBytes + 4) return
      const end = letterBytes + this.#pending.readUInt32BE(letterBytes)
      if (this.#pending.length < end) return
      if (this.#isStarted) this.#take(String.fromCharCode(this.#pending[0]!), this.#pending.subarray(5, end))
      this.#isStarted = true
      this.#pending = this.#pending.subarray(end)
    }
  }

  #take(letter: string, body: Buffer): void {
    if (letter === 'Q') this.#report({ name: null, text: textAt(body, 0).text, values: null })
    // The rows of the statement that was sent last.
    if (letter === 'd') this.#copied.push(Buffer.from(body))
    if (letter === 'P') {
      const { text: name, end } = textAt(body, 0)
      this.#texts.set(name, textAt(body, end).text)
    }
    if (letter === 'B') {
      const { text: name, end } = textAt(body, textAt(body, 0).end)
      this.#bound = { name: name || null, text: this.#texts.get(name) ?? '', values: readValues(body, end) }
    }
    if (letter === 'E' && this.#bound) this.#report(this.#bound)
  }

  #report(statement: Omit<SentStatement, 'connection' | 'copied'>): void {
    this.#copied = []
    this.#onStatement({ ...statement, copied: this.#copied })
  }
}

function textAt(body: Buffer, at: number): { text: string; end: number } {
  const end = body.indexOf(0, at)
  return { text: body.toString('utf8', at, end), end: end + 1 }
}

/** The parameters of a Bind message. The format of all of them, of each, or none (text). */
function readValues(body: Buffer, start: number): (string | Buffer | null)[] {
  const formats = Array.from({ length: body.readInt16BE(start) }, (_, index) => body.readInt16BE(start + 2 + 2 * index))
  let at = start + 2 + 2 * formats.length
  const count = body.readInt16BE(at)
  at += 2
  return Array.from({ length: count }, (_, index) => {
    const length = body.readInt32BE(at)
    at += 4
    if (length < 0) return null
    const bytes = body.subarray(at, at + length)
    at += length
    const format = formats.length === 1 ? formats[0] : formats[index]
    return format === binaryFormat ? Buffer.from(bytes) : bytes.toString('utf8')
  })
}
