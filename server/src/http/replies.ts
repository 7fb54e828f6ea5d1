import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { systemClock } from '../kernel/clock.ts'
import type { ApiError } from '../kernel/errors.ts'
import { defaultHeaders } from './default-headers.ts'
import { errorBody, errorHeaders } from './errors.ts'

/** Answers on a bare connection, where there is no request to reply to. It is the last reply of the connection. */
export function sendRawError(socket: Duplex, error: ApiError, requestId: string): void {
  const body = JSON.stringify(errorBody(error, requestId))
  const headers = {
    ...defaultHeaders,
    ...errorHeaders(error),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    date: systemClock.now().toUTCString(),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`)
}
