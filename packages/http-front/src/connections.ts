import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { BodyBudget } from './body-budget.ts'
import type { ConnectionTimeouts } from './connection-limits.ts'

export interface ConnectionManagerOptions {
  /** Maximum number of open connections. */
  max: number
  timeouts: ConnectionTimeouts
}

/**
 * `waiting`: no request received yet. `working`: a request is being received, processed or answered. `unread`: the
 * reply is ready and the client does not read it. `idle`: kept alive. `closing`: the last reply was sent.
 */
type Phase = 'waiting' | 'working' | 'unread' | 'idle' | 'closing'

interface Connection {
  socket: Socket
  phase: Phase
  /** When the phase began. */
  since: number
  current: ServerResponse | null
  /** Requests pipelined behind the current one. */
  queue: [IncomingMessage, ServerResponse][]
}

/** A connection that may be evicted, and the time since which it has been slow or idle. */
interface Candidate {
  connection: Connection
  since: number
}

/** No real client pipelines this many requests, and each of them takes memory. */
const maxPipelined = 100

/** Connections beyond `max` that stay open briefly to receive the reason for their rejection. */
const maxRejectedOpen = 32

/** A connection stays open for this time after its last reply, so that the client can read it and close. */
const lingerMs = 2_000

/** Minimum age of a phase before its connection may be evicted: a younger one may be about to send something. */
const idleAgeMs = 1_000
const slowAgeMs = 1_000
const youngestSlowAgeMs = 200

const sweepIntervalMs = 1_000

/** Before the listeners close, pending connections are accepted until no more arrive. */
const acceptPending = { quietMs: 30, maxMs: 300 }

/**
 * Tracks all connections of the HTTP port, over all listening sockets. Requests of one connection run one after the
 * other, each after the previous reply was sent, so that a client that does not read accumulates only one reply.
 */
export class ConnectionManager {
  readonly #max: number
  readonly #timeouts: ConnectionTimeouts
  readonly #bodies: BodyBudget
  readonly #open = new Map<Socket, Connection>()
  // Each in order of phase start.
  readonly #inPhase: Record<Phase, Set<Connection>> = {
    waiting: new Set(),
    working: new Set(),
    unread: new Set(),
    idle: new Set(),
    closing: new Set(),
  }
  readonly #servers: NetServer[] = []
  #sweeper: NodeJS.Timeout | undefined
  /** Connections whose next request waits until the listeners are closed; null when none are held back. */
  #held: Set<Connection> | null = null
  #handle: RequestListener = () => {}
  #activity = 0
  #evicted = 0
  #rejected = 0

  constructor({ max, timeouts }: ConnectionManagerOptions, bodies: BodyBudget) {
    this.#max = max
    this.#timeouts = timeouts
    this.#bodies = bodies
  }

  get count(): number {
    return this.#open.size
  }

  /** Number of connections closed to make room for new ones. */
  get evicted(): number {
    return this.#evicted
  }

  /** Number of new connections rejected because none could be evicted. */
  get rejected(): number {
    return this.#rejected
  }

  /** Tracks the connections of a server. `reject` answers a connection for which there is no room, and ends it. */
  attach(server: NetServer, handle: RequestListener, reject: (socket: Socket) => void): void {
    this.#servers.push(server)
    this.#handle = handle
    server.on('connection', (socket: Socket) => this.#add(socket, reject))
  }

  /** Runs a request now, or after the previous one on its connection was answered. */
  enqueue(request: IncomingMessage, response: ServerResponse): void {
    this.#activity++
    const connection = this.#open.get(request.socket)
    // After the last reply no request is started. Read and discard the bytes, because unread bytes would reset the
    // connection.
    if (!connection || connection.phase === 'closing') return void request.resume()
    if (connection.socket.destroyed) return
    connection.queue.push([request, response])
    if (connection.queue.length > maxPipelined) destroyQuietly(connection.socket)
    else if (!connection.current) this.#runNext(connection)
  }

  /** Returns true if the last reply of the connection was sent. */
  isClosing(socket: Socket): boolean {
    return this.#open.get(socket)?.phase === 'closing'
  }

  /** Marks the reply just written as the last one of its connection. */
  closeAfterReply(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection && connection.phase !== 'closing') this.#linger(connection)
  }

  /** Resolves when no connection or request has arrived for `quietMs`, or after `maxMs`. */
  async waitUntilQuiet(quietMs: number, maxMs: number): Promise<void> {
    const end = performance.now() + maxMs
    for (let seen = -1; seen !== this.#activity && performance.now() < end; ) {
      seen = this.#activity
      if (this.count > 0) await delay(quietMs)
      // A late timer does not prove that nothing is unread: let every socket be polled once more.
      await nextTurn()
    }
  }

  /**
   * Closes the listeners. That would reset connections that the kernel has accepted but Node has not, so they are
   * accepted first. Meanwhile requests are read but not answered, because an answered client may connect again.
   */
  async stopListening(): Promise<void> {
    this.#held = new Set()
    await this.waitUntilQuiet(acceptPending.quietMs, acceptPending.maxMs)
    // Not the HTTP server's own `close`, which also destroys connections that look idle.
    for (const server of this.#servers) if (server.listening) NetServer.prototype.close.call(server)
    const held = this.#held
    this.#held = null
    for (const connection of held) if (!connection.current) this.#runNext(connection)
  }

  /** Resumes reading from paused connections. */
  resumeAll(): void {
    for (const { socket } of this.#open.values()) socket.resume()
  }

  /** Ends connections without a running request, and waits at most `maxMs` for the clients to close them. */
  async closeIdle(maxMs: number): Promise<void> {
    for (const phase of ['waiting', 'idle'] as const)
      for (const connection of [...this.#inPhase[phase]]) this.#linger(connection)
    const end = performance.now() + maxMs
    while (this.#inPhase.closing.size > 0 && performance.now() < end) await delay(5)
  }

  /** Resolves when no connection is open, or after `maxMs`. */
  async waitUntilEmpty(maxMs: number): Promise<void> {
    const end = performance.now() + maxMs
    while (this.count > 0 && performance.now() < end) await delay(20)
  }

  destroyAll(): void {
    for (const { socket } of [...this.#open.values()]) socket.destroy()
  }

  #add(socket: Socket, reject: (socket: Socket) => void): void {
    this.#activity++
    const connection: Connection = { socket, phase: 'waiting', since: performance.now(), current: null, queue: [] }
    this.#open.set(socket, connection)
    this.#inPhase.waiting.add(connection)
    this.#sweeper ??= setInterval(() => this.#sweep(), sweepIntervalMs).unref()
    socket.once('close', () => this.#remove(connection))
    // Node calls this after the last reply. Its own version closes at once; bytes that still arrive would then reset
    // the connection and lose the reply.
    socket.destroySoon = () => this.#linger(connection)
    if (this.count <= this.#max) return
    const evictable = this.#findEvictable()
    if (evictable) {
      this.#evicted++
      this.#remove(evictable)
      evictable.socket.destroy()
      return
    }
    this.#rejected++
    if (this.#inPhase.closing.size >= maxRejectedOpen) return void socket.destroy()
    reject(socket)
  }

  /** The connection to evict: one that is closing, slow, or idle for long. */
  #findEvictable(): Connection | undefined {
    const now = performance.now()
    const olderThan = (ageMs: number, candidate: Candidate | undefined) =>
      candidate && now - candidate.since >= ageMs ? candidate.connection : undefined
    const slow = this.#slowest()
    return (
      olderThan(youngestSlowAgeMs, this.#oldestIn('closing')) ??
      olderThan(slowAgeMs, slow) ??
      olderThan(idleAgeMs, this.#oldestIn('idle')) ??
      olderThan(youngestSlowAgeMs, slow)
    )
  }

  #oldestIn(phase: Phase): Candidate | undefined {
    const [connection] = this.#inPhase[phase]
    return connection && { connection, since: connection.since }
  }

  /** The connection that has been sending its request, or not reading its reply, for the longest time. */
  #slowest(): Candidate | undefined {
    const { oldestUpload } = this.#bodies
    const uploading = oldestUpload && this.#open.get(oldestUpload.socket)
    return [
      this.#oldestIn('waiting'),
      this.#oldestIn('unread'),
      uploading && { connection: uploading, since: oldestUpload.startedAt },
    ]
      .filter((candidate) => candidate !== undefined)
      .sort((a, b) => a.since - b.since)[0]
  }

  #runNext(connection: Connection): void {
    if (this.#held) return void this.#held.add(connection)
    const next = connection.queue.shift()
    if (!next) return void this.#enter(connection, 'idle')
    const [request, response] = next
    connection.current = response
    this.#enter(connection, 'working')
    response.once('close', () => {
      connection.current = null
      // Node resets the timeout for a newly read request, not for a queued one.
      if (connection.queue.length > 0) connection.socket.setTimeout(this.#timeouts.stalledMs)
      if (connection.phase !== 'closing' && !connection.socket.destroyed) this.#runNext(connection)
    })
    this.#handle(request, response)
  }

  #enter(connection: Connection, phase: Phase): void {
    // A removed connection has no phase.
    if (!this.#inPhase[connection.phase].delete(connection)) return
    if (connection.phase === 'unread') connection.socket.resume()
    connection.phase = phase
    connection.since = performance.now()
    this.#inPhase[phase].add(connection)
  }

  #linger(connection: Connection): void {
    this.#enter(connection, 'closing')
    connection.queue.length = 0
    connection.socket.end()
    connection.socket.resume()
    setTimeout(() => connection.socket.destroy(), lingerMs).unref()
  }

  #remove(connection: Connection): void {
    this.#inPhase[connection.phase].delete(connection)
    this.#open.delete(connection.socket)
    this.#held?.delete(connection)
    connection.queue.length = 0
    if (this.count > 0) return
    clearInterval(this.#sweeper)
    this.#sweeper = undefined
  }

  /** Finds clients that do not read their replies. */
  #sweep(): void {
    for (const connection of this.#inPhase.working) {
      const { current, socket } = connection
      if (!current?.writableEnded || socket.writableLength === 0) continue
      this.#enter(connection, 'unread')
      // Node ends the connection after this time without traffic. Pause it, so that bytes from the client do not count
      // as traffic.
      socket.pause()
      socket.setTimeout(this.#timeouts.unreadMs)
    }
    const now = performance.now()
    for (const { socket, since } of this.#inPhase.unread) if (now - since > this.#timeouts.replyMs) socket.destroy()
  }
}

/**
 * Destroys a connection with very many requests. Node creates an error for each of them; stack traces would be most of
 * the cost.
 */
function destroyQuietly(socket: Socket): void {
  const limit = Error.stackTraceLimit
  socket.prependOnceListener('close', () => {
    Error.stackTraceLimit = 0
  })
  socket.once('close', () => {
    Error.stackTraceLimit = limit
  })
  socket.destroy()
}
