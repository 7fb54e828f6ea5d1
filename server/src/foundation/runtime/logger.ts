import { escapeControls } from '@storedex/process-lock/terminal'
import { type DestinationStream, type Logger, pino } from 'pino'

export interface LoggerOptions {
  level: string
  /** Default: standard error, because standard output is for results. */
  destination?: DestinationStream
}

// These must never be logged; redact them in case one is.
const secretFields = ['authorization', 'cookie', 'password', 'secret', 'url', 'email', 'phone', 'body', 'headers']

/** Creates the process's logger: one JSON object per line. */
export function createLogger({ level, destination }: LoggerOptions): Logger {
  const output = destination ?? new StandardError()
  const counts: LineCounts = { warn: 0, error: 0 }
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secretFields.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
      hooks: {
        logMethod(args, method, level) {
          if (level >= pino.levels.values.error!) counts.error++
          else if (level >= pino.levels.values.warn!) counts.warn++
          method.apply(this, args)
        },
      },
    },
    output,
  )
  lineCounts.set(log, counts)
  lineWriters.set(log, output instanceof StandardError ? (line) => output.gather(line) : (line) => output.write(line))
  return log
}

/** Lines written so far; `error` includes fatal ones. */
export interface LineCounts {
  warn: number
  error: number
}

const lineCounts = new WeakMap<Logger, LineCounts>()

/** The lines of a logger; null for one that `createLogger` did not create. */
export function lineCountsOf(log: Logger): Readonly<LineCounts> | null {
  return lineCounts.get(log) ?? null
}

const lineWriters = new WeakMap<Logger, (line: string) => void>()

/**
 * Writes a line that is finished, its end included. It is for frequent lines: on standard error they are gathered and
 * written together. Null for a logger that `createLogger` did not create.
 */
export function lineWriterOf(log: Logger): ((line: string) => void) | null {
  return lineWriters.get(log) ?? null
}

// Lines that cannot be written are buffered up to this size, then dropped.
const maxUnwrittenBytes = 1_000_000

/**
 * How long a gathered line waits for others, and how many characters wait at most: a longer text in a pipe could be torn by
 * what another process writes.
 */
const gatherMs = 10
const maxGathered = 4_096

/**
 * Standard error. A failed write, e.g. on a full disk, must not end the process. Every line is written at once, and before it
 * those that are gathered, so that the order is kept; only a killed process loses gathered lines.
 */
class StandardError implements DestinationStream {
  readonly #stream = pino.destination({ dest: 2, sync: true, maxLength: maxUnwrittenBytes })
  #gathered = ''
  #isFlushDue = false

  constructor() {
    this.#stream.on('error', () => {})
    process.on('exit', () => this.#flush())
  }

  write(line: string): void {
    this.#flush()
    this.#stream.write(escapeControls(line))
  }

  gather(line: string): void {
    if (this.#gathered.length + line.length > maxGathered) this.#flush()
    this.#gathered += line
    if (this.#isFlushDue) return
    this.#isFlushDue = true
    setTimeout(() => {
      this.#isFlushDue = false
      this.#flush()
    }, gatherMs).unref()
  }

  #flush(): void {
    if (this.#gathered === '') return
    const lines = this.#gathered
    this.#gathered = ''
    this.#stream.write(lines)
  }
}

/** An error in the form in which it may be logged. */
export interface LoggedCause {
  name: string
  code?: string
  message: string
  /** Stack frames, without the message. */
  stack: string[]
  table?: string
  constraint?: string
  cause?: LoggedCause
}

const maxDepth = 4
const maxFrames = 12

/**
 * Reduces an error to what may be logged. Errors contain data: a driver's `detail` and `where` quote rows, a parser's
 * message quotes its input. Only named fields are kept, and text that looks like data is removed from messages.
 */
export function describeCause(error: unknown, depth = 1): LoggedCause {
  if (!(error instanceof Error)) return { name: typeof error, message: '(not an error)', stack: [] }
  const { code, table, constraint } = error as { code?: unknown; table?: unknown; constraint?: unknown }
  return {
    name: error.name,
    ...(typeof code === 'string' && { code }),
    message: safeMessage(error, code),
    stack: framesOf(error),
    ...(typeof table === 'string' && { table }),
    ...(typeof constraint === 'string' && { constraint }),
    ...(error.cause !== undefined && depth < maxDepth && { cause: describeCause(error.cause, depth + 1) }),
  }
}

const dataException = /^22[0-9A-Z]{3}$/

function safeMessage(error: Error, code: unknown): string {
  // The messages of PostgreSQL's data exceptions and of parsers quote their input.
  const quotesData = (typeof code === 'string' && dataException.test(code)) || error instanceof SyntaxError
  if (quotesData) return '(withheld: it quotes the value)'
  return error.message
    .slice(0, 1000)
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '[url]')
    .replace(/[^\s"'<>(]+@[^\s"'<>)]+/g, '[email]')
    .replace(/\b(sdx|sk|rk|whsec)_\w+/g, '[key]')
    .replace(/\+?\d[\d ()-]{6,}\d/g, '[number]')
}

function framesOf(error: Error): string[] {
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return frames.slice(0, maxFrames).map((frame) => frame.trim())
}
