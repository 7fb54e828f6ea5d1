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
    destination ?? pino.destination({ dest: 2, sync: true }),
  )
}
