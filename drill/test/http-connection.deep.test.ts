import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { HttpConnection, jsonOf, labelOf, requestText } from '../client/http-connection.ts'
import { MisbehavingConnections } from '../client/misbehaving-connections.ts'

/** A server with the given request handler, which counts its connections. */
async function startServer(onRequest: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', () => onRequest(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  onTestFinished(() => (server.listening ? stop() : undefined))
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections: () => sockets.size, stop }
}

const text = requestText('POST', '/', { key: 'k', body: { a: 'ä' } })
const body = JSON.stringify({ b: 'äöü' })
const reply = (headers = '') => `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

function openConnection(origin: string): HttpConnection {
  const connection = new HttpConnection(origin)
  onTestFinished(() => connection.close())
  return connection
}

test('a reply in pieces is read completely, and its connection is reused', async () => {
  const server = await startServer((socket) => {
    const bytes = Buffer.from(reply())
    socket.write(bytes.subarray(0, 20))
    setTimeout(() => socket.write(bytes.subarray(20)), 10)
  })
  const connection = openConnection(server.origin)
  for (let time = 0; time < 2; time++) {
    const answer = await connection.request(text)
    if (answer.status === null) throw new Error(answer.loss)
    expect(jsonOf(answer)).toEqual({ b: 'äöü' })
  }
  expect(server.connections()).toBe(1)
})

test('a connection closed by the reply is not reused', async () => {
  const server = await startServer((socket) => socket.write(reply('Connection: close\r\n')))
  const connection = openConnection(server.origin)
  expect(labelOf(await connection.request(text))).toBe('200')
  expect(labelOf(await connection.request(text))).toBe('200')
  expect(server.connections()).toBe(2)
})

test('reset, timeout and refused are distinguished', async () => {
  const closing = await startServer((socket) => socket.destroy())
  expect(labelOf(await openConnection(closing.origin).request(text))).toBe('reset')
  const silent = await startServer(() => {})
  expect(labelOf(await openConnection(silent.origin).request(text, 50))).toBe('timeout')
  await silent.stop()
  expect(labelOf(await openConnection(silent.origin).request(text))).toBe('refused')
})

test('a connection that does not read notices its close', async () => {
  const server = await startServer((socket) => {
    socket.write(Buffer.alloc(1 << 22))
    setTimeout(() => socket.destroy(), 50)
  })
  const connections = new MisbehavingConnections({
    origin: server.origin,
    count: 3,
    firstBytes: () => text,
    repeatedBytes: '\r\n',
    repeatEveryMs: 20,
    reads: false,
  })
  onTestFinished(() => connections.close())
  await expect.poll(() => connections.closed).toBe(3)
})
