import { Writable } from 'node:stream'
import { escapeLine } from '@storedex/process-lock/terminal'
import type { Logger } from 'pino'
import { createLogger, type LoggedCause, type LoggerOptions } from './logger.ts'

interface LogOutput extends Writable {
  isTTY?: boolean
}

export interface ProcessLoggerOptions extends LoggerOptions {
  /** Whether the operator chose the level; then log lines are wanted. */
  isLevelGiven: boolean
  stderr: LogOutput
}

export interface ProcessLogger {
  log: Logger
  /** Whether a person reads it among other output: warnings and errors alone, as sentences. */
  isForPerson: boolean
}

/** The log of a process: lines of JSON, or sentences on a terminal. */
export function createProcessLogger({ isLevelGiven, stderr, ...options }: ProcessLoggerOptions): ProcessLogger {
  const isForPerson = stderr.isTTY === true && !isLevelGiven
  if (!isForPerson) return { log: createLogger(options), isForPerson }
  return { log: createLogger({ level: 'warn', destination: new SentenceStream(stderr) }), isForPerson }
}

/** Receives log lines and writes a sentence for each. */
class SentenceStream extends Writable {
  readonly #output: Writable

  constructor(output: Writable) {
    super({ decodeStrings: false })
    this.#output = output
  }

  override _write(line: string | Buffer, _encoding: string, done: () => void): void {
    this.#output.write(`${escapeLine(formatAsSentence(JSON.parse(String(line))))}\n`)
    done()
  }
}

interface LogLine {
  level: number
  /** ISO 8601. */
  time: string
  msg?: string
  cause?: LoggedCause
  /** Of requests. */
  method?: string
  route?: string
  status?: number
}

const errorLevel = 50

/** `14:03:07 Error: the database does not answer (timeout expired).`, in the machine's time zone. */
export function formatAsSentence({ level, time, msg = '', cause, method, route, status }: LogLine): string {
  const at = new Date(time).toLocaleTimeString('en-GB')
  const event = route === undefined ? msg.replace(/\.$/, '') : `${method} ${route} was answered with ${status}`
  const reason = cause ? ` (${cause.message.replace(/\.$/, '')})` : ''
  return `${at} ${level >= errorLevel ? 'Error' : 'Warning'}: ${event}${reason}.`
}
