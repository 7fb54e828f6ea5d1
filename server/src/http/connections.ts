import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { BodyBudget } from './body-budget.ts'
import type { ConnectionTimeouts } from './connection-limits.ts'

export interface ConnectionManagerOptions {
  /** Connections that may be open at once. */
  max: number
  timeouts: ConnectionTimeouts
}

/**
 * `waiting`: no request has arrived yet. `working`: a request is being received, carried out or answered. `unread`: the
 * reply is ready, and the caller does not read it. `idle`: kept alive. `closing`: the last reply is out.
 */
type Phase = 'waiting' | 'working' | 'unread' | 'idle' | 'closing'

interface Connection {
  socket: Socket
  phase: Phase
  /** When the phase began. */
  since: number
  current: ServerResponse | null
  /** Requests that were pipelined behind the current one. */
  queue: [IncomingMessage, ServerResponse][]
}

/** A connection that may be closed for another one, and since when it has been slow or idle. */
interface Candidate {
  connection: Connection
  since: number
}

/** No client sends so many requests ahead of their replies. Each of them takes memory, however small it is. */
const maxPipelined = 100

/** Connections beyond `max` that may stay for a moment to be told why they are turned away. */
const maxTurnedAway = 32

/** How long a connection is kept after its last reply, for the caller to read it and close. */
const lingerMs = 2_000

/** How old a phase must be before its connection is closed for another one: it may just be about to do something. */
const idleAgeMs = 1_000
const slowAgeMs = 1_000
const youngestSlowAgeMs = 200

const sweepIntervalMs = 1_000

/** How long connections are taken over before the listeners close: until callers have nothing left to send without a reply. */
const takeOver = { quietMs: 30, atMostMs: 300 }

/**
 * All connections of the HTTP port, over all sockets it listens on. Requests of one connection are carried out one after the
 * other, each once the reply before it was taken by the network, so that a caller who does not read piles up one reply.
 */
export class ConnectionManager {
  readonly #max: number
  readonly #timeouts: ConnectionTimeouts
  readonly #bodies: BodyBudget
  readonly #open = new Map<Socket, Connection>()
  // Each in the order in which the phase began.
  readonly #inPhase: Record<Phase, Set<Connection>> = {
    waiting: new Set(),
    working: new Set(),
    unread: new Set(),
    idle: new Set(),
    closing: new Set(),
  }
  readonly #servers: NetServer[] = []
  #sweeper: NodeJS.Timeout | undefined
  /** Connections whose next request waits until `release`; null while nothing is held. */
  #held: Set<Connection> | null = null
  #handle: RequestListener = () => {}
  #activity = 0
  #madeRoom = 0
  #turnedAway = 0

  constructor({ max, timeouts }: ConnectionManagerOptions, bodies: BodyBudget) {
    this.#max = max
    this.#timeouts = timeouts
    this.#bodies = bodies
  }

  get count(): number {
    return this.#open.size
  }

  /** Connections closed so that others could be opened. */
  get evicted(): number {
    return this.#madeRoom
  }

  /** Connections refused because none could be closed for them. */
  get rejected(): number {
    return this.#turnedAway
  }

  /** Follows a server's connections. `turnAway` answers on one for which there is no room, and ends it. */
  attach(server: NetServer, handle: RequestListener, turnAway: (socket: Socket) => void): void {
    this.#servers.push(server)
    this.#handle = handle
    server.on('connection', (socket: Socket) => this.#add(socket, turnAway))
  }

  /** Carries a request out now, or once the one before it on its connection is answered. */
  enqueue(request: IncomingMessage, response: ServerResponse): void {
    this.#activity++
    const connection = this.#open.get(request.socket)
    // After the last reply nothing is begun. What still comes is dropped, or unread bytes would reset the connection.
    if (!connection || connection.phase === 'closing') return void request.resume()
    if (connection.socket.destroyed) return
    connection.queue.push([request, response])
    if (connection.queue.length > maxPipelined) destroyQuietly(connection.socket)
    else if (!connection.current) this.#carryOutNext(connection)
  }

  /** Whether the last reply of a connection is out. */
  isClosing(socket: Socket): boolean {
    return this.#open.get(socket)?.phase === 'closing'
  }

  /** Says that what was just written to a connection is its last reply. */
  closeAfterReply(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection && connection.phase !== 'closing') this.#linger(connection)
  }

  /** Resolves once no connection or request has come for `quietMs`, or after `atMostMs`. */
  async waitUntilQuiet(quietMs: number, atMostMs: number): Promise<void> {
    const end = performance.now() + atMostMs
    for (let seen = -1; seen !== this.#activity && performance.now() < end; ) {
      seen = this.#activity
      if (this.count > 0) await delay(quietMs)
      // A timer that is late says nothing of what lies unread: look at every socket once more.
      await nextTurn()
    }
  }

  /**
   * Closes the listeners. Connections that the system has already accepted for us would be reset by that, so they are
   * taken over first; meanwhile requests are read and not answered, for an answered caller may connect again.
   */
  async stopListening(): Promise<void> {
    this.#held = new Set()
    await this.waitUntilQuiet(takeOver.quietMs, takeOver.atMostMs)
    // Not the method of the HTTP server, which also cuts connections that look idle.
    for (const server of this.#servers) if (server.listening) NetServer.prototype.close.call(server)
    const held = this.#held
    this.#held = null
    for (const connection of held) if (!connection.current) this.#carryOutNext(connection)
  }

  /** Lets paused connections be read again. */
  resumeAll(): void {
    for (const { socket } of this.#open.values()) socket.resume()
  }

  /** Ends connections on which no request is at work, and waits at most `atMostMs` until the callers close them too. */
  async closeIdle(atMostMs: number): Promise<void> {
    for (const phase of ['waiting', 'idle'] as const)
      for (const connection of [...this.#inPhase[phase]]) this.#linger(connection)
    const end = performance.now() + atMostMs
    while (this.#inPhase.closing.size > 0 && performance.now() < end) await delay(5)
  }

  destroyAll(): void {
    for (const { socket } of [...this.#open.values()]) socket.destroy()
  }

  #add(socket: Socket, turnAway: (socket: Socket) => void): void {
    this.#activity++
    const connection: Connection = { socket, phase: 'waiting', since: performance.now(), current: null, queue: [] }
    this.#open.set(socket, connection)
    this.#inPhase.waiting.add(connection)
    this.#sweeper ??= setInterval(() => this.#sweep(), sweepIntervalMs).unref()
    socket.once('close', () => this.#forget(connection))
    // Called by Node after the last reply. Its own closes at once, and bytes that still come make that a reset, which takes
    // the reply from a caller who has not read it yet.
    socket.destroySoon = () => this.#linger(connection)
    if (this.count <= this.#max) return
    const victim = this.#victim()
    if (victim) {
      this.#madeRoom++
      this.#forget(victim)
      victim.socket.destroy()
      return
    }
    this.#turnedAway++
    if (this.#inPhase.closing.size >= maxTurnedAway) return void socket.destroy()
    turnAway(socket)
  }

  /** The connection that others can do without most: one that was told all, or is slow, or has been idle for long. */
  #victim(): Connection | undefined {
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

  /** The connection that has not sent its request, or not read its reply, for the longest time. */
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

  #carryOutNext(connection: Connection): void {
    if (this.#held) return void this.#held.add(connection)
    const next = connection.queue.shift()
    if (!next) return void this.#enter(connection, 'idle')
    const [request, response] = next
    connection.current = response
    this.#enter(connection, 'working')
    response.once('close', () => {
      connection.current = null
      // Node does so for a request that it reads anew, and not for one that was waiting.
      if (connection.queue.length > 0) connection.socket.setTimeout(this.#timeouts.stalledMs)
      if (connection.phase !== 'closing' && !connection.socket.destroyed) this.#carryOutNext(connection)
    })
    this.#handle(request, response)
  }

  #enter(connection: Connection, phase: Phase): void {
    // One that was forgotten belongs to no phase any more.
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

  #forget(connection: Connection): void {
    this.#inPhase[connection.phase].delete(connection)
    this.#open.delete(connection.socket)
    this.#held?.delete(connection)
    connection.queue.length = 0
    if (this.count > 0) return
    clearInterval(this.#sweeper)
    this.#sweeper = undefined
  }

  /** Finds callers who do not read their replies. */
  #sweep(): void {
    for (const connection of this.#inPhase.working) {
      const { current, socket } = connection
      if (!current?.writableEnded || socket.writableLength === 0) continue
      this.#enter(connection, 'unread')
      // Node ends it when nothing at all has moved for so long. What a caller sends must not count as movement.
      socket.pause()
      socket.setTimeout(this.#timeouts.unreadMs)
    }
    const now = performance.now()
    for (const { socket, since } of this.#inPhase.unread) if (now - since > this.#timeouts.replyMs) socket.destroy()
  }
}

/**
 * Destroys a connection with very many requests. Node makes an error for each of them, and traces of the stack would be nearly
 * all of the work.
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
