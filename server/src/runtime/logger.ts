import { type DestinationStream, type Logger, pino } from 'pino'

export interface LoggerOptions {
  level: string
  /** Standard error when left out: standard output belongs to results. */
  destination?: DestinationStream
}

// Nobody should log these; should someone, they do not get through.
const secretFields = ['authorization', 'cookie', 'password', 'secret', 'url', 'email', 'phone', 'body', 'headers']

/** The process's logger: one JSON object a line. */
export function createLogger({ level, destination }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secretFields.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
    },
    destination ?? standardError(),
  )
}

// What cannot be written is kept up to this size, then dropped.
const maxUnwrittenBytes = 1_000_000

/** Standard error. A log that cannot be written, on a full disk, must not end the process. */
function standardError(): DestinationStream {
  const stream = pino.destination({ dest: 2, sync: true, maxLength: maxUnwrittenBytes })
  stream.on('error', () => {})
  return stream
}
